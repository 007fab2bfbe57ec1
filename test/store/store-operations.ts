// Random operations on a thread store, as data: fast-check chooses the operations, and their targets follow from the earlier ones. The same
// operations on two stores must give the same results.

import fc from "fast-check";

import type { JsonObject } from "#contract/json.ts";
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

/** One operation; its numbers select among the existing records. */
export type Operation =
  | { do: "insertMessage"; branch: number; moved: boolean; silent: boolean; depth: number; metadata: JsonObject }
  | { do: "updateMessage"; which: number; silent: boolean; depth: number }
  | { do: "deleteMessage" | "readMessage" | "insertRun" | "deleteRun" | "readRun"; which: number }
  | { do: "insertBranch"; parent: number; fork: number }
  | { do: "page"; branch: number; order: "asc" | "desc"; limit: number; beyond: number | null; deep: number | null }
  | { do: "pageSilent"; branch: number; order: "asc" | "desc"; limit: number; beyond: number | null }
  | { do: "messagesAfter" | "countMessages"; branch: number; after: number }
  | { do: "timeline"; order: "asc" | "desc"; limit: number; beyond: number | null }
  | { do: "updateRun"; which: number; text: string }
  | { do: "runs"; order: "asc" | "desc"; limit: number; beyond: number | null }
  | { do: "insertLog"; type: "llm_request" | "error"; run: number }
  | {
      do: "logs";
      order: "asc" | "desc";
      limit: number;
      beyond: number | null;
      type?: "llm_request" | "error";
      run?: number;
    }
  | { do: "event" | "key" | "eventsAfter" | "readKey"; which: number }
  | { do: "writeThread"; title: string }
  | { do: "transaction"; work: Operation[]; fails: boolean };

const which = fc.nat(30);
const branch = fc.nat(4);
const limit = fc.integer({ min: 1, max: 8 });
const order = fc.constantFrom("asc" as const, "desc" as const);
const beyond = fc.option(which);
const logType = fc.constantFrom("llm_request" as const, "error" as const);
const metadata = fc.dictionary(
  fc.string({ unit: "binary" }),
  fc.jsonValue({ stringUnit: "binary" }),
) as fc.Arbitrary<JsonObject>;
const single = fc.constantFrom("deleteMessage", "readMessage", "insertRun", "deleteRun", "readRun") as fc.Arbitrary<
  "deleteMessage" | "readMessage" | "insertRun" | "deleteRun" | "readRun"
>;
const numbered = fc.constantFrom("event", "key", "eventsAfter", "readKey") as fc.Arbitrary<
  "event" | "key" | "eventsAfter" | "readKey"
>;

const insertMessage = fc.record({
  do: fc.constant("insertMessage" as const),
  branch,
  moved: fc.boolean(),
  silent: fc.boolean(),
  depth: fc.nat(2),
  metadata,
});

const simple: fc.Arbitrary<Operation> = fc.oneof(
  { arbitrary: insertMessage, weight: 5 },
  fc.record({ do: fc.constant("updateMessage" as const), which, silent: fc.boolean(), depth: fc.nat(2) }),
  { arbitrary: fc.record({ do: single, which }), weight: 3 },
  fc.record({ do: fc.constant("insertBranch" as const), parent: branch, fork: which }),
  fc.record({ do: fc.constant("page" as const), branch, order, limit, beyond, deep: fc.option(fc.nat(2)) }),
  fc.record({ do: fc.constant("pageSilent" as const), branch, order, limit, beyond }),
  fc.record({ do: fc.constantFrom("messagesAfter" as const, "countMessages" as const), branch, after: which }),
  fc.record({ do: fc.constant("timeline" as const), order, limit, beyond }),
  fc.record({ do: fc.constant("updateRun" as const), which, text: fc.string({ unit: "binary" }) }),
  fc.record({ do: fc.constant("runs" as const), order, limit, beyond }),
  fc.record({ do: fc.constant("insertLog" as const), type: logType, run: fc.nat(3) }),
  fc.record(
    { do: fc.constant("logs" as const), order, limit, beyond, type: logType, run: fc.nat(3) },
    { requiredKeys: ["do", "order", "limit", "beyond"] },
  ),
  { arbitrary: fc.record({ do: numbered, which }), weight: 2 },
  fc.record({ do: fc.constant("writeThread" as const), title: fc.string({ unit: "binary" }) }),
);

/** Sequences of operations, transactions among them. */
export const operations: fc.Arbitrary<Operation[]> = fc.array(
  fc.oneof(
    { arbitrary: simple, weight: 6 },
    {
      arbitrary: fc.record({
        do: fc.constant("transaction" as const),
        work: fc.array(simple, { maxLength: 6 }),
        fails: fc.boolean(),
      }),
      weight: 1,
    },
  ),
  { maxLength: 60 },
);

/** Plays operations on a store and returns the result of each: a value, or that it was refused. */
export function play(store: ManagedThreadStore, given: readonly Operation[]): unknown[] {
  // Ids come from one counter, so that later records have later positions, as in a thread.
  let last = 0;
  const next = () => idOf((last += 1));
  const messages: { id: string; branch: string; position: string }[] = [];
  const branches = ["main"];
  const pick = <T>(from: readonly T[], index: number) => from[index % Math.max(from.length, 1)];
  const branchAt = (index: number) => pick(branches, index) ?? "main";
  const bound = (index: number | null) => (index === null ? undefined : (pick(messages, index)?.position ?? idOf(0)));
  const number = (index: number | null) => (index === null ? undefined : idOf(index));

  const perform = (operation: Operation): unknown => {
    switch (operation.do) {
      case "insertMessage": {
        const { silent, depth, metadata: data } = operation;
        const id = next();
        const place = { id, branch: branchAt(operation.branch), position: operation.moved ? next() : id };
        messages.push(place);
        return store.insertMessage(messageRecord(last, { ...place, silent, depth, metadata: data }));
      }
      case "updateMessage": {
        const place = pick(messages, operation.which);
        const { silent, depth } = operation;
        return place && store.updateMessage(messageRecord(0, { ...place, silent, depth }));
      }
      case "deleteMessage": {
        const place = pick(messages, operation.which);
        return place && store.deleteMessage(messageRecord(0, place));
      }
      case "readMessage":
        return store.message(pick(messages, operation.which)?.id ?? "none");
      case "insertBranch": {
        const parent = branchAt(operation.parent);
        const on = store.messagesAfter(parent, "");
        const fork = pick(on, operation.fork);
        if (fork === undefined) return "no fork";
        const id = `branch-${branches.length}`;
        branches.push(id);
        return store.insertBranch({ id, parent_branch: parent, fork_position: fork.position, created_at: 1 });
      }
      case "page": {
        const { limit: most, order: way, deep } = operation;
        const query = { branch: branchAt(operation.branch), order: way, limit: most, beyond: bound(operation.beyond) };
        return store.messages({ ...query, includeSilent: false, maxDepth: deep ?? undefined });
      }
      case "pageSilent": {
        const { limit: most, order: way } = operation;
        const query = { branch: branchAt(operation.branch), order: way, limit: most, beyond: bound(operation.beyond) };
        return store.messages({ ...query, includeSilent: true });
      }
      case "messagesAfter":
        return store.messagesAfter(branchAt(operation.branch), bound(operation.after) ?? "");
      case "countMessages":
        return store.countMessages({
          branch: branchAt(operation.branch),
          after: bound(operation.after) ?? "",
          upTo: null,
        });
      case "timeline": {
        const { order: way, limit: most } = operation;
        return [...store.timeline({ order: way, page: most, beyond: bound(operation.beyond) })];
      }
      case "insertRun":
        return store.insertRun(runRecord(operation.which));
      case "updateRun":
        return store.updateRun(endedRun(operation.which, { text: operation.text }));
      case "deleteRun":
        return store.deleteRun(idOf(operation.which));
      case "readRun":
        return store.run(idOf(operation.which));
      case "runs":
        return store.runs({ order: operation.order, limit: operation.limit, beyond: number(operation.beyond) });
      case "insertLog":
        return store.insertLog(logRecord((last += 1), { type: operation.type, run_id: idOf(operation.run) }));
      case "logs": {
        const { order: way, limit: most, type, run } = operation;
        const query = { order: way, limit: most, beyond: number(operation.beyond) };
        return store.logs({ ...query, type, runId: run === undefined ? undefined : idOf(run) });
      }
      case "event":
        return store.insertEvent(eventRecord(operation.which));
      case "eventsAfter":
        return store.eventsAfter(operation.which, 3);
      case "key":
        return store.insertKey(keyRecord(operation.which));
      case "readKey":
        return store.key(`key-${operation.which}`);
      case "writeThread":
        return store.writeThread(threadRecord({ title: operation.title }));
      case "transaction":
        return store.transaction(() => {
          const emitted = operation.work.map(attempt);
          if (operation.fails) throw new Error(`failed after ${JSON.stringify(emitted)}`);
          return emitted;
        });
    }
  };
  const attempt = (operation: Operation): unknown => {
    try {
      return perform(operation) ?? null;
    } catch (error) {
      // The results inside a failed transaction are compared; the texts of other errors differ between the stores.
      const emitted = error instanceof Error && error.message.startsWith("failed after") ? error.message : "refused";
      return { threw: emitted };
    }
  };
  const end = () => [
    store.readThread(),
    messages.map(({ id }) => store.message(id)),
    branches.map((id) => [store.branch(id), store.messagesAfter(id, "")]),
    store.runs({ order: "asc", limit: 1000 }),
    store.logs({ order: "desc", limit: 1000 }),
    store.eventsAfter(0, 1000),
  ];
  return [...given.map(attempt), end()];
}
