// The contract of every thread store, as a suite that runs over each implementation. Each test gets an empty store.

import { describe, expect, test } from "vitest";

import { ThreadholdError } from "#contract/error.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";

import {
  eventRecord,
  idOf,
  keyRecord,
  logRecord,
  messageRecord,
  endedRun,
  runRecord,
  threadRecord,
} from "./records.ts";

/** Provides a new, empty store. */
export type WithStore = (work: (store: ManagedThreadStore) => void | Promise<void>) => Promise<void>;

/** The code of the refusal that work throws; fails if it throws another error or none. */
export function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ThreadholdError) return error.code;
    throw error;
  }
  throw new Error("nothing was refused");
}

const text = "x".repeat(1_900_001);

/** The suite for one kind of store. */
export function threadStoreContract(kind: string, withStore: WithStore): void {
  const withThread: WithStore = (work) =>
    withStore((store) => {
      store.create(threadRecord());
      return work(store);
    });

  describe(`thread store ${kind}`, () => {
    test("A store that is empty has no thread", () =>
      withStore((store) => {
        expect(store.exists()).toBe(false);
        expect(store.readThread()).toBeNull();
      }));

    test("The creation of a thread writes the thread's row and its first branch, or nothing", () =>
      withStore((store) => {
        const failing = () =>
          store.transaction(() => {
            store.create(threadRecord());
            throw new Error("after all not");
          });
        expect(failing).toThrow("after all not");
        expect(store.exists()).toBe(false);
        expect(store.readThread()).toBeNull();

        store.create(threadRecord({ title: "first" }));
        expect(store.exists()).toBe(true);
        expect(store.readThread()).toEqual(threadRecord({ title: "first" }));
        expect(store.branch("main")).toEqual({
          id: "main",
          parent_branch: null,
          fork_position: null,
          created_at: 1_000_000,
        });
        expect(store.migrate()).toEqual([]);
      }));

    test("A thread's store returns records as they were written, and as copies", () =>
      withThread((store) => {
        const odd = JSON.parse('{"__proto__": {"a": 1}, "half \\ud800": "\\u0000\\udfff", "n": 1e21}') as object;
        const message = messageRecord(1, { metadata: { ...odd, deep: [null, { "": false }] }, cost: 0.1 + 0.2 });
        store.insertMessage(message);
        message.metadata["late"] = true;
        const found = store.message(message.id);
        expect(found).toEqual(messageRecord(1, { metadata: { ...odd, deep: [null, { "": false }] }, cost: 0.1 + 0.2 }));
        if (found !== null) found.parts = [];
        expect(store.message(message.id)?.parts).toHaveLength(1);

        store.writeThread(threadRecord({ last_seq: 7, background: { catalog: { dirty: true, runs: [idOf(1)] } } }));
        expect(store.readThread()).toEqual(
          threadRecord({ last_seq: 7, background: { catalog: { dirty: true, runs: [idOf(1)] } } }),
        );
      }));

    test("A replaced message keeps its position and changes what filters match", () =>
      withThread((store) => {
        store.insertMessage(messageRecord(1));
        store.updateMessage(messageRecord(1, { silent: true, depth: 3, status: "started" }));
        expect(store.message(idOf(1))).toEqual(messageRecord(1, { silent: true, depth: 3, status: "started" }));
        const page = { branch: "main", order: "asc", limit: 10 } as const;
        expect(store.messages({ ...page, includeSilent: false })).toEqual([]);
        expect(store.messages({ ...page, includeSilent: true, maxDepth: 2 })).toEqual([]);
        expect(store.messages({ ...page, includeSilent: true, maxDepth: 3 })).toHaveLength(1);
      }));

    test("A transaction writes nothing if its function throws, and reads within it see its writes", () =>
      withThread((store) => {
        store.insertMessage(messageRecord(1));
        store.insertRun(runRecord(1));
        const failing = () =>
          store.transaction(() => {
            store.writeThread(threadRecord({ title: "lost" }));
            store.insertMessage(messageRecord(2));
            store.updateMessage(messageRecord(1, { name: "lost" }));
            store.deleteMessage(messageRecord(1));
            store.deleteRun(idOf(1));
            store.insertLog(logRecord(1));
            store.insertEvent(eventRecord(1));
            store.insertKey(keyRecord(1));
            store.insertBranch({ id: "b", parent_branch: "main", fork_position: idOf(1), created_at: 1 });
            expect(store.message(idOf(1))).toBeNull();
            expect(store.messagesAfter("b", "")).toEqual([]);
            expect(store.messagesAfter("main", "")).toHaveLength(1);
            throw new Error("rolled back");
          });
        expect(failing).toThrow("rolled back");
        expect(store.readThread()).toEqual(threadRecord());
        expect(store.messagesAfter("main", "")).toEqual([messageRecord(1)]);
        expect(store.run(idOf(1))).toEqual(runRecord(1));
        expect(store.log(idOf(1))).toBeNull();
        expect(store.eventsAfter(0, 10)).toEqual([]);
        expect(store.key("key-1")).toBeNull();
        expect(store.branch("b")).toBeNull();
        expect(store.messagesAfter("b", "")).toEqual([]);
      }));

    test("A nested transaction that throws is rolled back alone, and a transaction returns the value of its function", () =>
      withThread((store) => {
        const value = store.transaction(() => {
          store.insertRun(runRecord(1));
          const inner = () =>
            store.transaction(() => {
              store.insertRun(runRecord(2));
              throw new Error("inner");
            });
          expect(inner).toThrow("inner");
          return store.transaction(() => {
            store.insertRun(runRecord(3));
            return "kept";
          });
        });
        expect(value).toBe("kept");
        expect(store.runs({ order: "asc", limit: 9 })).toEqual([runRecord(1), runRecord(3)]);
      }));

    test("Runs and logs are listed in the order of their ids, in pages, and logs also by type and run", () =>
      withThread((store) => {
        for (const n of [3, 1, 2]) store.insertRun(runRecord(n));
        const runs = (query: Parameters<typeof store.runs>[0]) => store.runs(query).map((run) => run.id);
        expect(runs({ order: "asc", limit: 2 })).toEqual([idOf(1), idOf(2)]);
        expect(runs({ order: "asc", limit: 2, beyond: idOf(2) })).toEqual([idOf(3)]);
        expect(runs({ order: "desc", limit: 2 })).toEqual([idOf(3), idOf(2)]);
        expect(runs({ order: "desc", limit: 2, beyond: idOf(2) })).toEqual([idOf(1)]);
        store.updateRun(endedRun(2));
        expect(store.run(idOf(2))?.status).toBe("completed");
        store.deleteRun(idOf(2));
        store.deleteRun(idOf(2));
        expect(store.run(idOf(2))).toBeNull();

        store.insertLog(logRecord(2, { type: "error", run_id: null }));
        store.insertLog(logRecord(3, { run_id: idOf(8) }));
        store.insertLog(logRecord(1, { run_id: idOf(9) }));
        const logs = (query: Parameters<typeof store.logs>[0]) => store.logs(query).map((log) => log.id);
        expect(logs({ order: "asc", limit: 9 })).toEqual([idOf(1), idOf(2), idOf(3)]);
        expect(logs({ order: "desc", limit: 9, type: "llm_request" })).toEqual([idOf(3), idOf(1)]);
        expect(logs({ order: "asc", limit: 9, runId: idOf(8) })).toEqual([idOf(3)]);
        expect(logs({ order: "asc", limit: 9, runId: idOf(8), type: "error" })).toEqual([]);
        expect(logs({ order: "asc", limit: 1, type: "llm_request", beyond: idOf(1) })).toEqual([idOf(3)]);
        expect(store.log(idOf(2))).toEqual(logRecord(2, { type: "error", run_id: null }));
        expect(store.log(idOf(7))).toBeNull();
      }));

    test("Events after a number are returned until they are deleted, and an idempotency key returns its first response", () =>
      withThread((store) => {
        for (const seq of [10, 9, 100]) store.insertEvent(eventRecord(seq));
        expect(store.eventsAfter(9, 2)).toEqual([eventRecord(10), eventRecord(100)]);
        expect(store.eventsAfter(9, 1)).toEqual([eventRecord(10)]);
        expect(store.eventsAfter(100, 10)).toEqual([]);
        store.deleteEvent(10);
        store.deleteEvent(11);
        expect(store.eventsAfter(0, 10)).toEqual([eventRecord(9), eventRecord(100)]);
        store.insertKey(keyRecord(1));
        expect(store.key("key-1")).toEqual(keyRecord(1));
        expect(store.key("key-2")).toBeNull();
      }));

    test("A record too large for a row is refused before anything is written", () =>
      withThread((store) => {
        const part = { type: "text", text } as const;
        expect(refusalOf(() => store.insertMessage(messageRecord(1, { parts: [part] })))).toBe("too_large");
        expect(refusalOf(() => store.insertRun(endedRun(1, { text })))).toBe("too_large");
        expect(refusalOf(() => store.insertLog(logRecord(1, { data: { text } })))).toBe("too_large");
        expect(refusalOf(() => store.writeThread(threadRecord({ title: text })))).toBe("too_large");
        // Two bytes each: over the limit in bytes, under it in characters.
        const wide = { type: "text", text: "é".repeat(1_000_000) } as const;
        expect(refusalOf(() => store.insertMessage(messageRecord(1, { parts: [wide] })))).toBe("too_large");
        expect(store.messagesAfter("main", "")).toEqual([]);
        const fits = { type: "text", text: "x".repeat(1_890_000) } as const;
        store.insertMessage(messageRecord(2, { parts: [fits] }));
        expect(store.message(idOf(2))?.parts).toEqual([fits]);
      }));

    test("A record cannot be inserted twice, and a missing record cannot be replaced", () =>
      withThread((store) => {
        store.insertMessage(messageRecord(1));
        store.insertRun(runRecord(1));
        store.insertKey(keyRecord(1));
        expect(() => store.insertMessage(messageRecord(1, { name: "again" }))).toThrow();
        expect(() => store.insertRun(endedRun(1, { text: "again" }))).toThrow();
        expect(() => store.insertKey({ ...keyRecord(1), fingerprint: "again" })).toThrow();
        expect(() => store.create(threadRecord({ title: "again" }))).toThrow();
        expect(refusalOf(() => store.insertMessage(messageRecord(3, { branch: "none" })))).toBe("internal");
        expect(refusalOf(() => store.updateMessage(messageRecord(2)))).toBe("internal");
        expect(refusalOf(() => store.updateMessage(messageRecord(1, { position: idOf(5) })))).toBe("internal");
        expect(refusalOf(() => store.updateRun(runRecord(2)))).toBe("internal");
        store.deleteMessage(messageRecord(1, { position: idOf(5) }));
        expect(store.message(idOf(3))).toBeNull();
        expect(store.message(idOf(1))).toEqual(messageRecord(1));
        expect(store.run(idOf(1))).toEqual(runRecord(1));
        expect(store.key("key-1")).toEqual(keyRecord(1));
        expect(store.readThread()).toEqual(threadRecord());
      }));

    test("A destroyed thread leaves an empty store, in which another thread may be created", () =>
      withThread(async (store) => {
        store.insertMessage(messageRecord(1));
        store.insertBranch({ id: "b", parent_branch: "main", fork_position: idOf(1), created_at: 1 });
        expect(store.messagesAfter("b", "")).toHaveLength(1);
        await store.destroy();
        expect(store.exists()).toBe(false);
        expect(store.readThread()).toBeNull();
        store.create(threadRecord({ title: "second" }));
        expect(store.readThread()?.title).toBe("second");
        expect(store.messagesAfter("main", "")).toEqual([]);
        expect(store.branch("b")).toBeNull();
      }));
  });
}
