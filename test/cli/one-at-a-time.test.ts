// Work that several processes request, and that one process does.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished, vi } from "vitest";

import { doRequested, oneAtATime } from "#cli/one-at-a-time.ts";

interface Stage {
  lock: string;
  /** Requests the work for the current sources. */
  want: (waits: boolean) => Promise<void>;
  /** Changes the sources. */
  change: () => void;
  /** Ends the piece of work with this number, when it has begun. */
  end: (piece: number) => Promise<void>;
  /** The version of the sources of each piece of work that has begun. */
  begun: number[];
}

/** Work that the test ends. */
function stage(): Stage {
  const folder = mkdtempSync(join(tmpdir(), "threadhold-work-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const lock = join(folder, "lock");
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  let [version, done] = [1, 0];
  const work = async (): Promise<void> => {
    const current = begun[begun.push(version) - 1] ?? 0;
    await new Promise<void>((resolve) => ends.push(resolve));
    done = current;
  };
  return {
    lock,
    want: (waits) => oneAtATime({ lock, isDone: () => done === version, work, waits }),
    change: () => void (version += 1),
    end: async (piece) => {
      const end = await vi.waitFor(() => ends[piece - 1] ?? Promise.reject(new Error("It has not begun.")));
      end();
    },
    begun,
  };
}

it("After any number of changes during shared work, its process does the work once more, and processes that do not wait return at once", async () => {
  const { want, change, end, begun } = stage();
  const first = want(false);
  for (let changes = 0; changes < 60; changes += 1) {
    change();
    await want(false);
  }
  expect(begun).toEqual([1]);
  await end(1);
  await end(2);
  await first;
  expect(begun).toEqual([1, 61]);
});

it("A waiting process ends when another process has done the work", async () => {
  const { want, end, begun } = stage();
  const both = [want(true), want(true)];
  await end(1);
  await Promise.all(both);
  expect(begun).toEqual([1]);
});

it("The lock of a process that has ended is taken over, and a process releases its lock if its work fails", async () => {
  const { want, end, begun, lock } = stage();
  // No process has an id above the limit of the system.
  writeFileSync(lock, "999999999");
  const first = want(false);
  await end(1);
  await first;
  expect(begun).toEqual([1]);
  const work = (): Promise<void> => Promise.reject(new Error("no memory"));
  await expect(oneAtATime({ lock, isDone: () => false, work, waits: false })).rejects.toThrow("no memory");
  expect(existsSync(lock)).toBe(false);
});

it("Requested work is done by one process at a time, requests during the work cause it to be done once more, and a killed process leaves no lock", async () => {
  const folder = mkdtempSync(join(tmpdir(), "threadhold-work-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const requested = join(folder, "requested");
  let [running, most, pieces] = [0, 0, 0];
  let release = (): void => undefined;
  const paused = new Promise<void>((resolve) => (release = resolve));
  const work = async (): Promise<void> => {
    pieces++;
    most = Math.max(most, ++running);
    await paused;
    running--;
  };
  const first = doRequested(requested, work);
  await Promise.all([doRequested(requested, work), doRequested(requested, work), doRequested(requested, work)]);
  release();
  await first;
  expect([pieces, most]).toEqual([2, 1]);
  writeFileSync(`${requested}.lock`, "999999999");
  await doRequested(requested, work);
  expect([pieces, existsSync(`${requested}.lock`)]).toEqual([3, false]);
});
