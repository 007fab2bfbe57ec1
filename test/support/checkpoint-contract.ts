// What every store of checkpoints does. A suite gives an empty store to each test.

import fc from "fast-check";
import { expect, it } from "vitest";

import { AgentState } from "#facade/uap/agent-state.ts";
import type { CheckpointStore } from "#facade/uap/checkpoint-store.ts";
import { UserMessage } from "#facade/upp/upp-message.ts";

type Store = Required<CheckpointStore>;

/** Calls `work` with an empty store. */
export type WithStore = (work: (store: Store) => Promise<void>) => Promise<void>;

/** A state with a text and the number of its step. */
export function stateOf(step: number, text = `Step ${step}`): AgentState {
  return AgentState.initial()
    .withMessage(new UserMessage(text))
    .withStep(step)
    .withMetadata("agentId", "11111111-1111-4111-8111-111111111111");
}

const uuid4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** Ids that would leave a folder, that a file system would change, or that JavaScript treats in another way. */
const unusualIds = [
  "../x",
  "..",
  ".",
  "/etc/passwd",
  "a/b",
  String.raw`a\b`,
  "A",
  "a",
  "%41",
  "a.",
  ".a",
  "é",
  "e\u0301",
  "con",
  "nul.txt",
  " ",
  "\u0000",
  "line\nbreak",
  "x".repeat(200),
  "🙂".repeat(15),
  "__proto__",
  "constructor",
  "checkpoint.json",
];

/** Describes a store. */
export function describeStore(name: string, withStore: WithStore): void {
  it(`${name} has nothing for a session that was never saved, and deletes it without an error`, () =>
    withStore(async (store) => {
      expect([await store.load("s"), await store.loadMetadata("s"), await store.list()]).toEqual([null, null, []]);
      await store.delete("s");
      expect(await store.list()).toEqual([]);
    }));

  it(`${name} loads the last saved state, which restores with its id, and a change of a loaded value does not change the store`, () =>
    withStore(async (store) => {
      const [first, last] = [stateOf(1), stateOf(2).withMetadata("nested", { list: [1, "ü", null] })];
      await store.save("s", first.toJSON());
      await store.save("s", last.toJSON());
      const loaded = await store.load("s");
      expect(loaded).toEqual(JSON.parse(JSON.stringify(last)));
      expect(JSON.stringify(AgentState.fromJSON(loaded))).toBe(JSON.stringify(last));
      loaded?.messages.splice(0);
      expect((await store.load("s"))?.messages).toHaveLength(1);
    }));

  it(`${name} has metadata of the last checkpoint: its session, a new UUIDv4, its time, its step and its agent`, () =>
    withStore(async (store) => {
      const before = Date.now();
      await store.save("s", stateOf(3).toJSON());
      const first = await store.loadMetadata("s");
      expect(first).toMatchObject({ sessionId: "s", step: 3, agentId: "11111111-1111-4111-8111-111111111111" });
      expect(first?.checkpointId).toMatch(uuid4);
      expect(new Date(first?.timestamp ?? "").toISOString()).toBe(first?.timestamp);
      expect(Date.parse(first?.timestamp ?? "")).toBeGreaterThanOrEqual(before);
      await store.save("s", AgentState.initial().withStep(4).toJSON());
      const last = await store.loadMetadata("s");
      expect(last).toMatchObject({ step: 4, agentId: "" });
      expect(last?.checkpointId).not.toBe(first?.checkpointId);
    }));

  it(`${name} keeps the state of the save that was called last, although no save was awaited, and a load after it finds this state`, () =>
    withStore(async (store) => {
      const sizes = [200_000, 1, 50_000, 10, 0];
      const saves = sizes.map((size, step) => store.save("s", stateOf(step, "x".repeat(size)).toJSON()));
      const [loaded, metadata, sessions] = [store.load("s"), store.loadMetadata("s"), store.list()];
      expect((await loaded)?.step).toBe(4);
      expect((await metadata)?.step).toBe(4);
      expect(await sessions).toEqual(["s"]);
      await Promise.all(saves);
      expect((await store.load("s"))?.step).toBe(4);
    }));

  it(`${name} executes saves and deletions of a session in the order of their calls`, () =>
    withStore(async (store) => {
      const calls = [
        store.save("s", stateOf(1).toJSON()),
        store.delete("s"),
        store.save("s", stateOf(2).toJSON()),
        store.save("s", stateOf(3).toJSON()),
        store.save("other", stateOf(7).toJSON()),
        store.delete("other"),
      ];
      await Promise.all(calls);
      expect((await store.load("s"))?.step).toBe(3);
      expect(await store.load("other")).toBeNull();
      expect(await store.list()).toEqual(["s"]);
      await store.delete("s");
      expect([await store.load("s"), await store.loadMetadata("s"), await store.list()]).toEqual([null, null, []]);
    }));

  it(`${name} keeps sessions with unusual ids apart, and lists their ids unchanged`, () =>
    withStore(async (store) => {
      for (const [step, id] of unusualIds.entries()) await store.save(id, stateOf(step).toJSON());
      for (const [step, id] of unusualIds.entries()) {
        expect((await store.load(id))?.step).toBe(step);
        expect(await store.loadMetadata(id)).toMatchObject({ sessionId: id, step });
      }
      expect(await store.list()).toEqual(unusualIds.toSorted());
      for (const id of unusualIds) await store.delete(id);
      expect(await store.list()).toEqual([]);
    }));

  it.each(["", "\ud800", undefined, 5])(`${name} rejects the session id %j with the code INVALID_REQUEST`, (id) =>
    withStore(async (store) => {
      const sessionId = id as string;
      const calls = [
        () => store.save(sessionId, stateOf(1).toJSON()),
        () => store.load(sessionId),
        () => store.loadMetadata(sessionId),
        () => store.delete(sessionId),
      ];
      for (const call of calls) {
        const code = await call().then(
          () => "resolved",
          (error: unknown) => (error as { code?: unknown }).code,
        );
        expect(code).toBe("INVALID_REQUEST");
      }
    }),
  );

  it(`${name} behaves as a map of sessions in any order of calls, awaited or not`, async () => {
    const call = fc.record({
      kind: fc.constantFrom("save", "save", "delete", "load", "list"),
      id: fc.constantFrom("a", "B", "b", "../c"),
      isAwaited: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 12 }), (calls) =>
        withStore(async (store) => {
          const expected = new Map<string, number>();
          const open: Promise<void>[] = [];
          for (const [step, { kind, id, isAwaited }] of calls.entries()) {
            if (kind === "load") expect((await store.load(id))?.step).toBe(expected.get(id));
            else if (kind === "list") expect(await store.list()).toEqual([...expected.keys()].toSorted());
            else {
              open.push(kind === "save" ? store.save(id, stateOf(step).toJSON()) : store.delete(id));
              if (kind === "save") expected.set(id, step);
              else expected.delete(id);
              if (isAwaited) await open.at(-1);
            }
          }
          await Promise.all(open);
          for (const id of ["a", "B", "b", "../c"]) {
            expect((await store.load(id))?.step).toBe(expected.get(id));
            expect((await store.loadMetadata(id))?.step).toBe(expected.get(id));
          }
        }),
      ),
      { verbose: true, numRuns: 25 },
    );
  });
}
