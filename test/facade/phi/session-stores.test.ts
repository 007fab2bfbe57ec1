// Stores of sessions: the contract of every store, what hostile files do, and the store of files in Node (REQ-216, 217).

import { mkdir, readdir, readFile, stat, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import path from "node:path";

import { describe, expect, it } from "vitest";

import { LoopError } from "#facade/phi/index.ts";
import { memorySessions, SessionError, sessionStoreContract } from "#facade/phi/session/index.ts";
import type { Session, SessionErrorKind, SessionStore } from "#facade/phi/session/index.ts";
import {
  deleteSession,
  fileSessions,
  listSessionIds,
  loadSession,
  loadSessionsForAgent,
  saveSession,
} from "#facade/phi/session/node/index.ts";

import { withFolder } from "../uap/support/checkpoint-folder.ts";
import { kindOf, sessionOf } from "./support/session-events.ts";

describe("the contract in memory", () => {
  for (const { name, run } of sessionStoreContract((work) => work(memorySessions()))) it(name, run);
});

describe("the contract as files", () => {
  const withStore = (work: (store: SessionStore) => Promise<void>) => withFolder((dir) => work(fileSessions({ dir })));
  for (const { name, run } of sessionStoreContract(withStore)) it(name, run);
});

describe("the contract of stores", () => {
  /** The rules that a store breaks. */
  async function broken(change: (store: SessionStore) => Partial<SessionStore>): Promise<string[]> {
    const withStore = (work: (store: SessionStore) => Promise<void>) => {
      const store = memorySessions();
      return work({ ...store, ...change(store) });
    };
    const names: string[] = [];
    for (const { name, run } of sessionStoreContract(withStore)) await run().catch(() => names.push(name));
    return names;
  }

  it.each<[string, (store: SessionStore) => Partial<SessionStore>, string]>([
    ["forgets saves", () => ({ save: async () => undefined }), "A session that was saved is loaded as it was"],
    [
      "returns plain data",
      (s) => ({ load: async (id) => JSON.parse(JSON.stringify(await s.load(id))) as Session }),
      "A session that was saved is loaded as it was",
    ],
    [
      "lists the oldest first",
      (s) => ({ listIds: async () => (await s.listIds()).toReversed() }),
      "The last saved session is listed first",
    ],
    [
      "deletes nothing",
      () => ({ delete: async () => undefined }),
      "A session that was deleted is gone, and the others stay",
    ],
    [
      "loads every session for an agent",
      (s) => ({ listForAgent: async () => Promise.all((await s.listIds()).map((id) => s.load(id))) }),
      "The sessions of an agent are those with its id",
    ],
    [
      "throws errors of another kind",
      () => ({
        load: async () => {
          throw new Error("no");
        },
      }),
      "A session that does not exist is neither loaded nor deleted",
    ],
    [
      "accepts any id",
      (s) => ({
        delete: async (id) => {
          if (id === "..") return;
          await s.delete(id);
        },
      }),
      "An id that is no name of a file is refused by every function",
    ],
  ])("A store that %s breaks a rule of the contract", async (_what, change, rule) => {
    expect(await broken(change)).toContain(rule);
  });
});

describe("the layout of the files", () => {
  it("A session is a file of indented JSON with its id and the version, which only its user can read, in a folder of the same kind", () =>
    withFolder(async (dir) => {
      const session = sessionOf("s-1");
      expect(await saveSession(session, dir)).toBe(path.join(dir, "s-1.json"));
      const text = await readFile(path.join(dir, "s-1.json"), "utf8");
      expect(text).toBe(JSON.stringify({ version: 1, ...JSON.parse(JSON.stringify(session)) }, null, 2));
      expect(await readdir(dir)).toEqual(["s-1.json"]);
      const modes = [await stat(dir), await stat(path.join(dir, "s-1.json"))].map(({ mode }) =>
        (mode & 0o777).toString(8),
      );
      expect(modes).toEqual(["700", "600"]);
    }));

  it("The functions of the document save, load, list, select and delete, and a folder that does not exist has no session", () =>
    withFolder(async (dir) => {
      expect([await listSessionIds(dir), await loadSessionsForAgent("agent", dir)]).toEqual([[], []]);
      expect(await kindOf(deleteSession("a", dir))).toBe("NotFound");
      expect(await kindOf(loadSession("a", dir))).toBe("NotFound");
      for (const id of ["a", "b", "c"])
        await saveSession(sessionOf(id, { agent_id: id === "b" ? "other" : "agent" }), dir);
      expect(await listSessionIds(dir)).toEqual(["c", "b", "a"]);
      expect(await loadSession("b", dir)).toEqual(sessionOf("b", { agent_id: "other" }));
      expect((await loadSessionsForAgent("agent", dir)).map(({ session_id }) => session_id)).toEqual(["c", "a"]);
      await deleteSession("c", dir);
      expect(await kindOf(deleteSession("c", dir))).toBe("NotFound");
      expect(await listSessionIds(dir)).toEqual(["b", "a"]);
    }));

  it("The list is in the order of the files' times, and has neither other files, nor folders, nor files of unfinished saves", () =>
    withFolder(async (dir) => {
      for (const id of ["a", "b"]) await saveSession(sessionOf(id), dir);
      const unfinished = `a.json.${crypto.randomUUID()}.tmp`;
      for (const name of ["notes.txt", ".hidden.json", "a b.json", "b.json.lock.bak", unfinished])
        await writeFile(path.join(dir, name), "{}");
      await mkdir(path.join(dir, "folder.json"));
      await utimes(path.join(dir, "a.json"), new Date(), new Date(Date.now() + 60_000));
      expect(await listSessionIds(dir)).toEqual(["a", "b"]);
    }));

  it("A save removes files of saves that ended more than an hour ago without an end, and no file of another program", () =>
    withFolder(async (dir) => {
      const uuid = crypto.randomUUID();
      const old = [`a.json.${uuid}.tmp`, `a.json.lock.${uuid}.tmp`, `other.${uuid}.tmp`, "a.json.tmp"];
      await mkdir(dir);
      for (const name of old) await writeFile(path.join(dir, name), "{}");
      const current = `b.json.${uuid}.tmp`;
      await writeFile(path.join(dir, current), "{}");
      const past = new Date(Date.now() - 61 * 60_000);
      for (const name of old) await utimes(path.join(dir, name), past, past);
      await saveSession(sessionOf("a"), dir);
      expect((await readdir(dir)).toSorted()).toEqual(
        ["a.json", "a.json.tmp", current, `other.${uuid}.tmp`].toSorted(),
      );
    }));

  it("Saves of several stores of a process that are called at the same time leave the last one", () =>
    withFolder(async (dir) => {
      const all = Array.from({ length: 10 }, (_none, index) => sessionOf("s", { metadata: index }));
      await Promise.all(all.map((session) => fileSessions({ dir }).save(session)));
      expect((await loadSession("s", dir)).loops[0]?.metadata).toBe(9);
      expect(await readdir(dir)).toEqual(["s.json"]);
    }));

  it.each<[string, object]>([
    ["dir", { dir: "" }],
    ["lockWaitMs", { dir: "x", lockWaitMs: -1 }],
  ])("A wrong option %s of the store of files is refused by its name", (name, options) => {
    expect(() => fileSessions(options as { dir: string })).toThrow(LoopError);
    expect(() => fileSessions(options as { dir: string })).toThrow(name);
  });
});

describe("files that are no sessions", () => {
  const stored = JSON.stringify({ version: 1, ...(JSON.parse(JSON.stringify(sessionOf("s"))) as object) });
  /** A stored session with another text in place of its first `text`. */
  const changed = (text: string, other: string): string => {
    expect(stored).toContain(text);
    return stored.replace(text, other);
  };
  const nested = "[".repeat(100_000) + "]".repeat(100_000);

  it.each<[string, string | Uint8Array, SessionErrorKind, RegExp]>([
    ["is empty", "", "InvalidSession", /is no JSON text/],
    ["is half of one", stored.slice(0, 200), "InvalidSession", /is no JSON text/],
    ["is no UTF-8", new Uint8Array([0x22, 0xff, 0x22]), "InvalidSession", /is no JSON text/],
    ["is a list", "[]", "InvalidSession", /is no object/],
    ["has no fields", "{}", "InvalidSession", /session_id/],
    ["is another session", changed('"session_id":"s"', '"session_id":"t"'), "InvalidSession", /stored as .* "t"/],
    ["has no time", changed('"created_at":"2026', '"created_at":"then'), "InvalidSession", /created_at: .*RFC 3339/],
    ["has an unknown formation", changed("FirstLoop", "Later"), "InvalidSession", /formation/],
    ["has an unknown status", changed("Completed", "Lost"), "InvalidSession", /loops\.0\.status/],
    ["has an unknown event", changed("AgentStart", "Later"), "InvalidSession", /loops\.0\.events\.0\.event/],
    ["has a wrong message", changed('"assistant"', '"robot"'), "InvalidSession", /loops\.0\.messages\.0\.role/],
    ["has no number as its version", changed('"version":1', '"version":"1"'), "InvalidSession", /version/],
    ["is of a newer version", changed('"version":1', '"version":2'), "UnsupportedVersion", /Update the package/],
    ["is nested too deeply", `{"loops":${nested}}`, "TooLarge", /256 levels/],
    ["has too deep metadata", changed('"metadata":null', `"metadata":${nested}`), "TooLarge", /256 levels/],
    ["has too many values", `{"loops":[${"0,".repeat(1_000_000)}0]}`, "TooLarge", /1000000 values/],
    ["has many wrong loops", changed('"loops":[', `"loops":[${"0,".repeat(900_000)}`), "InvalidSession", /loops\.0/],
  ])("A file that %s is refused", (_what, contents, kind, message) =>
    withFolder(async (dir) => {
      await mkdir(dir);
      await writeFile(path.join(dir, "s.json"), contents);
      const error = await loadSession("s", dir).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(SessionError);
      expect(error).toMatchObject({ kind, message: expect.stringMatching(message) as string });
      expect((error as Error).message.length).toBeLessThan(1000);
    }),
  );

  it("A file that is larger than a session can be is refused before it is read", () =>
    withFolder(async (dir) => {
      await mkdir(dir);
      const file = path.join(dir, "s.json");
      await writeFile(file, "{}");
      await truncate(file, 64 * 1024 ** 3);
      expect(await kindOf(loadSession("s", dir))).toBe("TooLarge");
    }));

  it("A file without a version is read, unknown fields are kept, and no field changes the prototype of an object", () =>
    withFolder(async (dir) => {
      const text = changed('"version":1', '"__proto__":{"polluted":true},"later":{"a":1}').replace(
        '"loop_id"',
        '"later":[1],"__proto__":{"polluted":true},"loop_id"',
      );
      await mkdir(dir);
      await writeFile(path.join(dir, "s.json"), text);
      const session = await loadSession("s", dir);
      expect(session).toMatchObject({ later: { a: 1 }, loops: [{ later: [1] }] });
      expect(["polluted" in session, "polluted" in {}]).toEqual([false, false]);
      expect(session.rootLoops()).toHaveLength(1);
      await saveSession(session, dir);
      expect(await loadSession("s", dir)).toEqual(session);
    }));

  it("A session that could not be loaded again is not saved, and the stored one stays", () =>
    withFolder(async (dir) => {
      await saveSession(sessionOf("s"), dir);
      let deep: unknown = 0;
      for (let level = 0; level < 300; level += 1) deep = [deep];
      const cyclic = sessionOf("s");
      Object.assign(cyclic.loops[0] ?? {}, { metadata: cyclic });
      expect(await kindOf(saveSession(sessionOf("s", { metadata: deep }), dir))).toBe("TooLarge");
      expect(await kindOf(saveSession(cyclic, dir))).toBe("InvalidSession");
      expect(await loadSession("s", dir)).toEqual(sessionOf("s"));
    }));

  it("Errors of the file system have the kind Io, the path and the error of the platform", () =>
    withFolder(async (dir) => {
      await writeFile(dir, "a file in place of the folder");
      const toolFunctions = [
        () => saveSession(sessionOf("s"), dir),
        () => loadSession("s", dir),
        () => listSessionIds(dir),
      ];
      for (const work of toolFunctions) expect(await kindOf(work())).toBe("Io");
      const error: unknown = await listSessionIds(dir).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ message: expect.stringContaining(dir) as string, cause: { code: "ENOTDIR" } });
    }));

  it("A link to a file out of the folder is replaced by a save, and that file stays", () =>
    withFolder(async (dir) => {
      await mkdir(dir);
      const outside = path.join(dir, "..", "outside.txt");
      await writeFile(outside, "mine");
      await symlink(outside, path.join(dir, "s.json"));
      await saveSession(sessionOf("s"), dir);
      expect(await readFile(outside, "utf8")).toBe("mine");
      expect(await loadSession("s", dir)).toEqual(sessionOf("s"));
    }));
});
