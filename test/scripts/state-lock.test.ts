// One server per state folder, and no lock outlives its owner.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { lockName, lockState } from "../../scripts/lib/state-lock.mjs";

// Above every pid a Linux or macOS kernel hands out, so surely nobody's.
const deadPid = 2 ** 30;

let folder = "";
beforeEach(() => {
  folder = path.join(mkdtempSync(path.join(tmpdir(), "threadhold-lock-")), "state");
});
afterEach(() => {
  rmSync(path.dirname(folder), { recursive: true });
});

const lockFile = (): string => path.join(folder, lockName);

function acquire(): { release: () => void } {
  const lock = lockState(folder);
  if ("heldBy" in lock) throw new Error(`held by ${lock.heldBy}`);
  return lock;
}

it("The lock of a state folder creates the folder, contains the process id, and is removed when it is released", () => {
  const lock = acquire();
  expect(readFileSync(lockFile(), "utf8").trim()).toBe(String(process.pid));
  lock.release();
  expect(readdirSync(folder)).toEqual([]);
});

it("The error for a locked state folder names the process that holds the lock", () => {
  acquire();
  // The parent lives as long as this test does.
  writeFileSync(lockFile(), `${process.ppid}\n`);
  expect(lockState(folder)).toEqual({ heldBy: process.ppid });
  expect(readdirSync(folder)).toEqual([lockName]);
});

it.each([
  ["the dead", `${deadPid}\n`],
  ["nobody", ""],
  ["nonsense", "pid\n"],
])("The lock of %s is taken over", (_, text) => {
  acquire().release();
  writeFileSync(lockFile(), text);
  acquire().release();
  expect(existsSync(lockFile())).toBe(false);
});

it("A process does not release the lock of a state folder that another process has taken over", () => {
  const lock = acquire();
  writeFileSync(lockFile(), `${process.ppid}\n`);
  lock.release();
  expect(existsSync(lockFile())).toBe(true);
});
