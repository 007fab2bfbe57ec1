// What a run reads of a compacted conversation for a nested loop and for two models, and how it uses the count of the last request.

import { beforeEach, expect, it } from "vitest";

import type { TestRequest } from "#spec/index.ts";

import { windowedRequests, windowedScripts } from "../worker/compacted.ts";
import { costOf, finish, measured, printCosts } from "./cost-table.ts";
import { converse, newThread, types } from "./thread-driver.ts";
import { clearWindowed, continues, tokensOf, words } from "./windowed-requests.ts";

printCosts();
beforeEach(clearWindowed);

/** Messages of users and assistants in turn. */
const stored = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content: words(at, 20) }));
const hasDropped = ({ messages }: TestRequest) => messages.some(({ content }) => /earlier messages? w/.test(content));

it("In a compacted thread, a nested loop with includeChat reads and sends only the messages that its caller sends", async () => {
  const id = await newThread("caller", { initial_messages: stored(1000) });
  await finish(id, "first");
  const task = { task: "nested" };
  windowedScripts.set("call", ({ step }) =>
    step === 0 ? { toolCalls: [{ name: "callee", arguments: task }] } : { text: "Called." },
  );
  windowedScripts.set(JSON.stringify(task), ({ step }) =>
    step < 3 ? { text: "On.", toolCalls: [{ name: "lines", arguments: { count: 3 } }] } : { text: "Done." },
  );
  windowedRequests.length = 0;
  const { read } = await costOf(id, () => finish(id, "call"));
  const [, ...nested] = windowedRequests.slice(0, -1);
  const sent = windowedRequests[0]?.messages.length ?? 0;
  measured("a turn with a nested loop in a thread of 1,000 messages", `${read} read`, `≤ 60 + ${sent}`);
  expect(nested.map(hasDropped)).toEqual([true, true, true, true]);
  for (const [at, request] of nested.entries()) {
    expect(tokensOf(request)).toBeLessThan(3200 * 1.05);
    const before = nested[at - 1];
    if (before !== undefined) expect(continues(before, request)).toBe(true);
  }
  expect(read).toBeLessThanOrEqual(60 + sent);
});

it("In a compacted thread, a conversation of two models reads only the messages that the two models are sent", async () => {
  const id = await newThread("windowed_pair", { initial_messages: stored(1000) });
  await finish(id, "first");
  windowedRequests.length = 0;
  const { read } = await costOf(id, () => finish(id, "second"));
  const sent = windowedRequests.reduce((sum, { messages }) => sum + messages.length, 0);
  measured("a turn of two models in a thread of 1,000 messages", `${read} read`, `≤ 120 + ${sent}`);
  expect(windowedRequests).toHaveLength(2);
  expect(windowedRequests.map(hasDropped)).toEqual([true, true]);
  expect(read).toBeLessThanOrEqual(120 + sent);
});

it("In a conversation of two models, each request to a side begins with that side's previous request, also across runs, except after a compaction", async () => {
  const id = await newThread("windowed_pair");
  const compacted: number[] = [];
  for (let turn = 0; turn < 16; turn += 1) {
    const events = await converse(id, words(turn, 200));
    expect(events.at(-1)).toMatchObject({ type: "run_end", error: null });
    let step = windowedRequests.length - types(events).filter((type) => type === "step_start").length;
    for (const { type } of events) {
      if (type === "compaction_end") compacted.push(step);
      if (type === "step_end") step += 1;
    }
  }
  expect(windowedRequests).toHaveLength(32);
  const breaks = windowedRequests.flatMap((request, at) => {
    const before = windowedRequests[at - 2];
    return before === undefined || continues(before, request) ? [] : [at];
  });
  expect(compacted.length).toBeGreaterThan(3);
  expect(breaks).toEqual(compacted);
});

it("Whether the first request of a run is compacted follows from the token count that the provider reported for the last request of the previous run", async () => {
  const compactedAt = async (factor: number | null) => {
    const id = await newThread("windowed");
    windowedScripts.set("talk", (request) => ({
      text: "Yes.",
      ...(factor === null ? {} : { usage: { input: Math.ceil(tokensOf(request) * factor), output: 1 } }),
    }));
    for (let turn = 0; turn < 20; turn += 1) {
      if (types(await converse(id, words(turn, 200))).includes("compaction_end")) return turn;
    }
    return 20;
  };
  const estimated = await compactedAt(null);
  expect(estimated).toBeGreaterThan(10);
  expect(await compactedAt(2.5)).toBeLessThan(estimated / 2);
});
