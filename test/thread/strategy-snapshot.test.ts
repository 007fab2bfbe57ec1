// The snapshot of a run with a strategy: the reasoning and the plan so far, and no silent messages.

import { beforeEach, expect, it } from "vitest";

import { foldAll } from "#contract/fold.ts";
import type { TestRequest, TestTurn } from "#spec/index.ts";

import { crossing } from "../worker/crossing.ts";
import { requested, scriptedAnswers } from "../worker/team.ts";
import { admin, crash, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

beforeEach(() => {
  scriptedAnswers.clear();
  requested.length = 0;
});

const steps = [
  { id: "look", description: "Look.", tool: null, dependsOn: [] },
  { id: "answer", description: "Answer.", tool: null, dependsOn: ["look"] },
];

/**
 * Begins a run, resets its object while the model's answer number `at` is awaited, and joins the run with a snapshot. `resets` false: the
 * object is not reset.
 */
async function joinDuring(id: string, at: number, script: (request: TestRequest) => TestTurn, resets = true) {
  const reached = crossing();
  const opened = crossing();
  scriptedAnswers.set("reasoner", async (request) => {
    if (requested.length < at) return script(request);
    reached.resolve();
    await opened.promise;
    return script(request);
  });
  await value(stubOf(id).call("postMessage", admin, message("go"), null));
  await reached.promise;
  if (resets) await crash(id);
  const following = await follow(id);
  const snapshot = await following.until(({ type }) => type === "snapshot");
  opened.resolve();
  await following.until(({ type }) => type === "run_end");
  following.close();
  return { joined: foldAll([snapshot]), snapshot, events: following.events };
}

it("A subscriber that joins after a reset during a step of a plan receives the current plan and the run's totals in its snapshot", async () => {
  const id = await newThread("planner");
  const { joined } = await joinDuring(id, 3, ({ lastUser }) => {
    if (lastUser.startsWith("Make a plan")) return { text: JSON.stringify({ steps }) };
    return { text: "Looked." };
  });
  expect(Object.values(joined.runs)).toMatchObject([
    {
      status: "running",
      steps: 2,
      plan: [
        { id: "look", status: "completed" },
        { id: "answer", status: "in_progress" },
      ],
    },
  ]);
});

it("A subscriber that joins after a reset during a step of react receives the run's reasoning in its snapshot", async () => {
  const id = await newThread("reasoner");
  const turns = [
    { text: "I look first." },
    { toolCalls: [{ name: "act", arguments: { key: "k" } }] },
    { text: "That is enough." },
    { text: "It rains." },
  ];
  const { joined, events } = await joinDuring(id, 3, ({ messages }) => {
    return turns[messages.filter(({ role }) => role === "assistant").length] ?? { text: "?" };
  });
  expect(Object.values(joined.runs)).toMatchObject([{ status: "running", steps: 2, reasoning: ["I look first."] }]);
  const view = foldAll(events);
  expect(view.messages.map(({ content, streaming }) => [content, streaming])).toEqual([
    ["go", false],
    [null, false],
    ["null", false],
    ["It rains.", false],
  ]);
  expect(Object.values(view.runs)).toMatchObject([{ steps: 4, reasoning: ["I look first.", "That is enough."] }]);
});

it("The snapshot of a run with many steps contains step_end for the last step only, with the run's totals", async () => {
  const id = await newThread("reasoner");
  const calls = { toolCalls: [{ name: "act", arguments: { key: "k" } }] };
  const script = ({ messages }: TestRequest) => {
    const answers = messages.filter(({ role }) => role === "assistant").length;
    return answers === 8 ? { text: "It rains." } : answers % 2 === 0 ? { text: "I look." } : calls;
  };
  const { joined, snapshot } = await joinDuring(id, 7, script, false);
  const partial = snapshot.type === "snapshot" ? snapshot.partial : [];
  expect(partial.filter(({ type }) => type === "step_end")).toHaveLength(1);
  expect(Object.values(joined.runs)).toMatchObject([{ status: "running", steps: 6 }]);
});

it("READER4 The snapshot of a subscriber contains an unfinished silent message only if the subscriber asks for silent messages", async () => {
  const id = await newThread("reasoner");
  scriptedAnswers.set("reasoner", () => ({ text: Array.from({ length: 20_000 }, () => "hm "), delayMs: 5 }));
  const silent = { include_silent: "true" };
  const watching = await follow(id, silent);
  await value(stubOf(id).call("postMessage", admin, message("go"), null));
  await watching.until(({ type }) => type === "text_delta");
  const following = await Promise.all([follow(id, silent), follow(id)]);
  await Promise.all(following.map((each) => each.until(({ type }) => type === "snapshot")));
  await value(stubOf(id).call("stop", admin, null));
  await Promise.all(following.map((each) => each.until(({ type }) => type === "run_end")));
  for (const each of [watching, ...following]) each.close();
  const [all, shown] = following.map(({ events }) => events);
  expect(foldAll(all?.slice(0, 1) ?? []).messages).toMatchObject([
    { content: "go", silent: false },
    { role: "user", silent: true },
    { role: "assistant", silent: true, streaming: true },
  ]);
  expect(foldAll(shown ?? []).messages).toMatchObject([{ content: "go", streaming: false }]);
});
