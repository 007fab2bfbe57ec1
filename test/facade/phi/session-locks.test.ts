// The lock of a session's file, and a disk that is full. Calls of the file system can be intercepted.

import { writeFileSync } from "node:fs";
import promises, { mkdir, readdir, rename, utimes, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { hostname } from "node:os";
import path from "node:path";

import { afterEach, describe, expect, it, vi } from "vitest";

import { fileSessions, loadSession, saveSession } from "#facade/phi/session/node/index.ts";

import { withFolder } from "../uap/support/checkpoint-folder.ts";
import { kindOf, sessionOf } from "./support/session-events.ts";

type Open = typeof promises.open;

const { open } = promises;

/** Replaces the function of Node that opens files, also for modules that have imported it. */
function intercept(replacement: Open): void {
  promises.open = replacement;
  syncBuiltinESMExports();
}

afterEach(() => intercept(open));

const lockIn = (dir: string) => path.join(dir, "s.json.lock");

/** Writes a lock of another process. */
async function lock(dir: string, owner: object | string, age = 0): Promise<void> {
  const time = new Date(Date.now() - age);
  await mkdir(dir, { recursive: true });
  await writeFile(lockIn(dir), typeof owner === "string" ? owner : JSON.stringify(owner));
  await utimes(lockIn(dir), time, time);
}

// The process that runs the tests is alive, and no process has a number above the maximum of Linux.
const alive = { id: "other", pid: process.pid, host: hostname() };
const dead = { id: "other", pid: 2 ** 22 + 1, host: hostname() };
const elsewhere = { ...dead, host: "elsewhere" };

describe("the lock of a session", () => {
  it.each<[string, string, object | string, number]>([
    ["a process that is alive has", "Locked", alive, 0],
    ["a process of another machine has", "Locked", elsewhere, 0],
    ["a process without a readable name has", "Locked", "", 0],
  ])("A save and a deletion of a session that %s locked are refused as %s", (_who, kind, owner, age) =>
    withFolder(async (dir) => {
      await saveSession(sessionOf("s"), dir);
      await lock(dir, owner, age);
      const store = fileSessions({ dir, lockWaitMs: 0 });
      expect(await kindOf(store.save(sessionOf("s", { metadata: 1 })))).toBe(kind);
      expect(await kindOf(store.delete("s"))).toBe(kind);
      expect((await readdir(dir)).toSorted()).toEqual(["s.json", "s.json.lock"]);
      expect(await store.load("s")).toEqual(sessionOf("s"));
    }),
  );

  it.each<[string, object | string, number]>([
    ["a process that has ended", dead, 0],
    ["a process that did not write its name in five seconds", "", 6_000],
    ["a process of another machine more than a minute ago", elsewhere, 61_000],
    ["a process that is alive more than a minute ago", alive, 61_000],
  ])("A save takes over the lock of %s, and removes its own lock at its end", (_who, owner, age) =>
    withFolder(async (dir) => {
      await lock(dir, owner, age);
      await fileSessions({ dir, lockWaitMs: 0 }).save(sessionOf("s"));
      expect(await readdir(dir)).toEqual(["s.json"]);
    }),
  );

  it("A lock that another process replaced before it was taken over is put back", () =>
    withFolder(async (dir) => {
      await lock(dir, dead);
      // The store asks whether the owner is alive, and renames its lock afterwards.
      vi.spyOn(process, "kill").mockImplementationOnce(() => {
        writeFileSync(lockIn(dir), JSON.stringify(alive));
        throw Object.assign(new Error("There is no such process."), { code: "ESRCH" });
      });
      expect(await kindOf(fileSessions({ dir, lockWaitMs: 0 }).save(sessionOf("s")))).toBe("Locked");
      expect(await readdir(dir)).toEqual(["s.json.lock"]);
    }));

  it("A save waits until another process's save has ended, and its own lock names its process while it writes", () =>
    withFolder(async (dir) => {
      await lock(dir, alive);
      let attempts = 0;
      const received: string[][] = [];
      intercept(async (file, ...options) => {
        if (file === lockIn(dir) && (attempts += 1) === 3) await rename(file, path.join(dir, "ended"));
        if (String(file).endsWith(".tmp")) received.push(await readdir(dir));
        return open(file, ...options);
      });
      await fileSessions({ dir }).save(sessionOf("s"));
      expect(attempts).toBe(3);
      expect(received.map((names) => names.toSorted())).toEqual([["ended", "s.json.lock"]]);
      expect((await loadSession("s", dir)).session_id).toBe("s");
    }));

  it("The error of a save that waited too long names the process and the file of the lock", () =>
    withFolder(async (dir) => {
      await lock(dir, alive);
      const error: unknown = await fileSessions({ dir, lockWaitMs: 0 })
        .save(sessionOf("s"))
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ kind: "Locked" });
      expect(String(error)).toContain(`by the process ${process.pid} on ${hostname()}`);
      expect(String(error)).toContain(lockIn(dir));
    }));
});

describe("a disk that is full", () => {
  it.each([
    ["ENOSPC", ".tmp", "StorageFull"],
    ["EDQUOT", ".tmp", "StorageFull"],
    ["ENOSPC", ".lock", "StorageFull"],
    ["EIO", ".tmp", "Io"],
  ])(
    "A save whose write ends with %s of the file %s is refused as %s, keeps the stored session, and leaves no file",
    (code, ending, kind) =>
      withFolder(async (dir) => {
        await saveSession(sessionOf("s"), dir);
        intercept(async (file, ...options) => {
          const handle = await open(file, ...options);
          if (String(file).endsWith(ending))
            handle.writeFile = () => Promise.reject(Object.assign(new Error(`${code}: write`), { code }));
          return handle;
        });
        expect(await kindOf(saveSession(sessionOf("s", { metadata: 1 }), dir))).toBe(kind);
        intercept(open);
        expect(await readdir(dir)).toEqual(["s.json"]);
        expect(await loadSession("s", dir)).toEqual(sessionOf("s"));
        await saveSession(sessionOf("s", { metadata: 2 }), dir);
        expect((await loadSession("s", dir)).loops[0]?.metadata).toBe(2);
      }),
  );
});
