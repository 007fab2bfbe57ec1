// The contract of stores of sessions as a suite, for the stores that a program implements. The cases need no test runner.

import { foldSession } from "./fold-session.ts";
import type { SessionData } from "./loop-session.ts";
import { Session } from "./loop-session.ts";
import { newRecorderState } from "./recorder-state.ts";
import { SessionError } from "./session-error.ts";
import type { SessionErrorKind } from "./session-error.ts";
import type { SessionStore } from "./session-store.ts";

/** One case of the contract. */
export interface StoreCase {
  /** The rule, as a sentence. */
  name: string;
  /** Rejects if the store breaks the rule. */
  run: () => Promise<void>;
}

/** Calls its argument with an empty store, and removes the store afterwards. */
export type WithEmptyStore = (work: (store: SessionStore) => Promise<void>) => Promise<void>;

type Rule = (store: SessionStore) => Promise<string | null>;

/**
 * Returns the cases of the contract for a store:
 *
 * ```ts
 * for (const { name, run } of sessionStoreContract((work) => work(memorySessions()))) it(name, run);
 * ```
 */
export function sessionStoreContract(withStore: WithEmptyStore): StoreCase[] {
  return Object.entries(rules).map(([name, rule]) => ({
    name,
    run: () =>
      withStore(async (store) => {
        const problem = await rule(store);
        if (problem !== null) throw new Error(`The store breaks the rule "${name}": ${problem}.`);
      }),
  }));
}

/** A session with one loop that has ended. */
function sample(session_id: string, { agent_id = "agent-1", text = "Hello." } = {}): SessionData {
  const loop_id = `${session_id}.main.1`;
  const timestamp = "2026-01-02T03:04:05.678Z";
  const usage = { input: 1, output: 2, cache_read: 0, cache_write: 0, total_tokens: 3 };
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text }], timestamp: 1 }];
  const begun = foldSession(newRecorderState(), {
    type: "AgentStart",
    agent_id,
    session_id,
    loop_id,
    parent_loop_id: null,
    continuation_kind: null,
    timestamp,
    metadata: { list: [1, null, "two"] },
  });
  const ended = foldSession(begun, { type: "AgentEnd", loop_id, messages, usage, timestamp, rejection: null });
  const [known] = ended.sessions;
  if (known === undefined) throw new Error("The fold began no session.");
  return known.data;
}

async function refusal(promise: Promise<unknown>, kind: SessionErrorKind): Promise<string | null> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof SessionError && error.kind === kind) return null;
    return `the error is ${String(error)} in place of a SessionError of the kind ${kind}`;
  }
  return `no error of the kind ${kind} was thrown`;
}

function difference(actual: unknown, expected: unknown): string | null {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
  return one === other ? null : `the result is ${one} in place of ${other}`;
}

async function firstProblem(
  problems: Iterable<Promise<string | null>> | AsyncIterable<string | null>,
): Promise<string | null> {
  for await (const problem of problems) if (problem !== null) return problem;
  return null;
}

const wrongIds = ["", ".", "..", ".hidden", "../outside", "a/b", String.raw`a\b`, "a\0b", "ü", "a b", "x".repeat(201)];

const rules: Record<string, Rule> = {
  "A session that was saved is loaded as it was": async (store) => {
    const saved = sample("first", { text: 'Ünï©ødé 🙂 "quoted"\n' });
    await store.save(saved);
    const loaded = await store.load("first");
    if (!(loaded instanceof Session)) return "the result is no Session";
    return difference(loaded, saved);
  },
  "A save replaces the session with its id": async (store) => {
    await store.save(sample("first"));
    await store.save(sample("first", { text: "Again." }));
    const problem = difference(await store.load("first"), sample("first", { text: "Again." }));
    return problem ?? difference(await store.listIds(), ["first"]);
  },
  "A change of a loaded or saved object does not change the stored session": async (store) => {
    const saved = sample("first");
    await store.save(saved);
    saved.agent_id = "changed";
    (await store.load("first")).loops.length = 0;
    return difference(await store.load("first"), sample("first"));
  },
  "An empty store lists nothing": async (store) =>
    difference([await store.listIds(), await store.listForAgent("agent-1")], [[], []]),
  "The last saved session is listed first": async (store) => {
    const ids = Array.from({ length: 12 }, (_, index) => `session-${String((index * 5) % 12)}`);
    for (const id of [...ids.slice(0, 3), ...ids]) await store.save(sample(id));
    return difference(await store.listIds(), ids.toReversed());
  },
  "The sessions of an agent are those with its id": async (store) => {
    for (const [id, agent_id] of [
      ["a", "agent-1"],
      ["b", "agent-2"],
      ["c", "agent-1"],
    ] as const)
      await store.save(sample(id, { agent_id }));
    const found = (await store.listForAgent("agent-1")).map(({ session_id }) => session_id);
    return difference([found, await store.listForAgent("nobody")], [["c", "a"], []]);
  },
  "A session that does not exist is neither loaded nor deleted": async (store) => {
    await store.save(sample("first"));
    const problem = await refusal(store.load("other"), "NotFound");
    return problem ?? (await refusal(store.delete("other"), "NotFound"));
  },
  "A session that was deleted is gone, and the others stay": async (store) => {
    await store.save(sample("first"));
    await store.save(sample("second"));
    await store.delete("first");
    const problem = await refusal(store.load("first"), "NotFound");
    return (
      problem ?? (await refusal(store.delete("first"), "NotFound")) ?? difference(await store.listIds(), ["second"])
    );
  },
  "An id that is no name of a file is refused by every function": (store) =>
    firstProblem(
      wrongIds.flatMap((id) => [
        refusal(store.save(sample(id)), "InvalidId"),
        refusal(store.load(id), "InvalidId"),
        refusal(store.delete(id), "InvalidId"),
      ]),
    ),
  "Ids of every form that is possible are ids of different sessions": async (store) => {
    const ids = ["a", "a.json", "a.json.lock", "A-B_c.1~2", "-x", "__proto__", "constructor", "x".repeat(200)];
    for (const id of ids) await store.save(sample(id));
    for (const id of ids) {
      const problem = difference(await store.load(id), sample(id));
      if (problem !== null) return problem;
    }
    return difference((await store.listIds()).toSorted(), ids.toSorted());
  },
  "A value that is no session is refused, and the stored session stays": async (store) => {
    await store.save(sample("first"));
    const wrong = { ...sample("first"), loops: [{ loop_id: 1 }] } as unknown as SessionData;
    const problem = await refusal(store.save(wrong), "InvalidSession");
    return problem ?? difference(await store.load("first"), sample("first"));
  },
  "Saves that are called at the same time leave one whole session, the last one": async (store) => {
    const texts = Array.from({ length: 20 }, (_none, at) => `${at} `.repeat(1000));
    await Promise.all(texts.map((text) => store.save(sample("first", { text }))));
    return difference(await store.load("first"), sample("first", { text: texts.at(-1) ?? "" }));
  },
};
