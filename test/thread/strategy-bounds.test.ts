// What bounds a strategy: its steps count in every limit, and a strategy that fails ends its run with an error. Also the strategies of
// agents with two sides, of agents as tools, and of prompts as tools.

import { beforeEach, describe, expect, it, vi } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";

import { crossing } from "../worker/crossing.ts";
import { planFaults } from "../worker/fault-plan.ts";
import { toolEffects, requested, decisions, scriptedAnswers } from "../worker/team.ts";
import { admin, converse, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

beforeEach(() => {
  scriptedAnswers.clear();
  toolEffects.clear();
  requested.length = 0;
  decisions.next = () => ({ type: "step" });
});

const act = { toolCalls: [{ name: "act", arguments: { key: "k" } }] };
const usage = { input: 1_000_000, output: 0 };

/** The phases of the steps, in order. */
const phasesIn = (events: readonly ThreadEvent[]) =>
  events.flatMap((event) => (event.type === "step_start" ? [`${event.side ?? ""} ${event.phase ?? ""}`] : []));

describe("limits", () => {
  it("A run ends at its limit of steps if its strategy always takes another step, also if each step calls a tool", async () => {
    scriptedAnswers.set("reasoner", () => act);
    const events = await converse(await newThread("scripted"), "go", { limits: { steps: 3 } });
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "limit", reason: "max_steps" });
    expect(requested).toHaveLength(3);
  });

  it("The cost of requests for reasoning counts towards the run's limit of cost", async () => {
    scriptedAnswers.set("reasoner", () => ({ text: "Hm.", usage }));
    const events = await converse(await newThread("reasoner"), "go", { limits: { cost: 0.5 } });
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "limit", reason: "max_cost" });
    expect(requested).toHaveLength(1);
  });

  it.each([
    ["short_reasoner", 3],
    ["short_scripted", 2],
  ])("maxSteps of a side counts every request of its strategy: agent %s", async (agent, most) => {
    scriptedAnswers.set("reasoner", ({ toolChoice }) => (toolChoice === "none" ? { text: "Hm." } : act));
    const events = await converse(await newThread(agent), "go");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "limit", reason: "max_steps" });
    expect(requested).toHaveLength(most);
  });
});

describe("a strategy that fails", () => {
  it.each([
    ["throws", () => Promise.reject(new Error("No idea.")), 'The strategy "scripted" failed: No idea.'],
    ["returns text", () => "step", expect.stringContaining('The strategy "scripted" failed: ')],
    [
      "returns a large state",
      () => ({ type: "step", state: "x".repeat(70_000) }),
      expect.stringContaining("65536 bytes"),
    ],
    ["ends the turn", () => ({ type: "end" }), 'The strategy "scripted" ended the turn before its first step.'],
  ])(
    "A run ends with an error before any request if the first decision of its strategy %s",
    async (_what, next, problem) => {
      decisions.next = next as typeof decisions.next;
      const events = await converse(await newThread("scripted"), "go");
      const error = { code: "strategy_failed", message: problem };
      expect(events.at(-1)).toMatchObject({ type: "run_end", status: "error", error });
      expect(requested).toEqual([]);
    },
  );

  it("If a strategy fails when it decides again after a crash, the calls of the step do not run, and the run ends with the strategy's error", async () => {
    const id = await newThread("scripted");
    let runs = 0;
    toolEffects.set("k", () => (runs += 1));
    let taken = 0;
    decisions.next = () => {
      taken += 1;
      if (taken > 1) throw new Error("No idea.");
      return { type: "step", tools: [] };
    };
    scriptedAnswers.set("reasoner", () => act);
    const plan = planFaults(id, [{ point: "loop.run-calls", hit: 1, mode: "kept" }]);
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    await vi.waitUntil(() => plan.died === 1, { timeout: 10_000, interval: 10 });
    const following = await follow(id, { after: "0" });
    await following.until(({ type }) => type === "run_end");
    following.close();
    expect(runs).toBe(0);
    const error = { code: "strategy_failed", message: 'The strategy "scripted" failed: No idea.' };
    expect(following.events.at(-1)).toMatchObject({ type: "run_end", status: "error", error });
  });
});

/** The plan of side A, and the draft and the final text of side B. */
function planAndDraft(): void {
  const steps = [
    { id: "think", description: "Think.", tool: null, dependsOn: [] },
    { id: "argue", description: "Argue.", tool: null, dependsOn: ["think"] },
  ];
  decisions.next = ({ last, state }) => {
    if (last === null) return { type: "step", phase: "draft", silent: true, instruction: "Draft.", state: "drafted" };
    if (state === "drafted") return { type: "step", phase: "final", instruction: "Finish.", state: "finished" };
    return { type: "end" };
  };
  scriptedAnswers.set("pro", ({ lastUser }) => {
    if (lastUser.startsWith("Make a plan")) return { text: JSON.stringify({ steps }) };
    return { text: lastUser.includes('"think"') ? "Cats purr." : "Cats." };
  });
  scriptedAnswers.set("con", ({ lastUser }) => ({ text: lastUser === "Draft." ? "Hm." : "Dogs." }));
}

/** Reasons, calls a tool, reasons again and answers. */
function chiefCalls(name: string, args: Record<string, string>): void {
  scriptedAnswers.set("chief", ({ toolChoice, messages }) => {
    if (toolChoice === "none") return { text: "Hm." };
    const isAnswered = messages.some(({ role }) => role === "tool");
    return isAnswered ? { text: "Done." } : { toolCalls: [{ name, arguments: args }] };
  });
}

const ended = { type: "run_end", status: "completed", reason: "response" };

it("A run that is stopped during a decision of its strategy ends as stopped when the decision is made", async () => {
  const reached = crossing();
  const opened = crossing();
  decisions.next = async ({ last }) => {
    if (last === null) return { type: "step" };
    reached.resolve();
    await opened.promise;
    return { type: "step" };
  };
  scriptedAnswers.set("reasoner", () => ({ text: "It rains." }));
  const id = await newThread("scripted");
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message("go"), null));
  await reached.promise;
  await value(stubOf(id).call("stop", admin, null));
  opened.resolve();
  await following.until(({ type }) => type === "run_end");
  following.close();
  expect(following.events.at(-1)).toMatchObject({ type: "run_end", status: "stopped" });
  expect(requested).toHaveLength(1);
});

describe("tools of a step", () => {
  const warningsOf = async (id: string) =>
    (await value(stubOf(id).call("listLogs", admin, { limit: 100, order: "asc" }))).items.flatMap(
      ({ data }) => data["warnings"] ?? [],
    );

  it("If a strategy allows only tools that the prompt does not have, the step forbids calls, with a warning in its log row", async () => {
    decisions.next = ({ last }) =>
      last === null ? { type: "step", tools: ["atc"], toolChoice: "required" } : { type: "end" };
    scriptedAnswers.set("reasoner", () => ({ text: "It rains." }));
    const id = await newThread("scripted");
    const events = await converse(id, "go");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    expect(requested.map(({ request }) => [request.toolChoice, request.tools.length])).toEqual([["none", 1]]);
    expect(await warningsOf(id)).toEqual(['The strategy allowed tools that the prompt does not have: "atc".']);
  });

  it("If a strategy allows a tool of the prompt and an unknown one, the step offers the first, and its log row has a warning", async () => {
    decisions.next = ({ last }) => (last === null ? { type: "step", tools: ["act", "atc"] } : { type: "end" });
    scriptedAnswers.set("reasoner", () => act);
    const id = await newThread("scripted");
    await converse(id, "go");
    expect(requested.map(({ request }) => [request.toolChoice, request.tools.length])).toEqual([["auto", 1]]);
    expect(await warningsOf(id)).toHaveLength(1);
  });
});

describe("agents with several strategies", () => {
  it("Each side of an agent takes its turns with its own strategy, and receives only the other side's answers", async () => {
    planAndDraft();
    const events = await converse(await newThread("mixed_debate"), "Cats or dogs?");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "limit", reason: "max_session_turns" });
    const turnA = ["a plan", "a execute", "a execute"];
    expect(phasesIn(events)).toEqual([...turnA, "b draft", "b final", ...turnA]);
    const contents = (at: number) => requested[at]?.request.messages.map(({ content }) => content);
    expect(contents(3)).toEqual(["Cats or dogs?", "Cats purr.", "Cats.", "Draft."]);
    expect(contents(5)?.filter((content) => content === "Hm." || content === "Draft.")).toEqual([]);
    expect(contents(5)).toContain("Dogs.");
  });

  it("An agent that is called as a tool takes the turns of its thread with its own strategies", async () => {
    planAndDraft();
    chiefCalls("mixed_debate", { task: "Cats or dogs?" });
    const events = await converse(await newThread("reasoned_chief"), "go");
    expect(events.at(-1)).toMatchObject(ended);
    const within = ["pro", "pro", "pro", "con", "con", "pro", "pro", "pro"];
    expect(requested.map(({ persona }) => persona)).toEqual(["chief", "chief", ...within, "chief", "chief"]);
  });

  it("A handoff begins a turn of the other agent's strategy", async () => {
    chiefCalls("planner_desk", { task: "Take over." });
    const steps = [{ id: "answer", description: "Answer.", tool: null, dependsOn: [] }];
    scriptedAnswers.set("reasoner", ({ lastUser }) => ({
      text: lastUser.startsWith("Make a plan") ? JSON.stringify({ steps }) : "It rains.",
    }));
    const events = await converse(await newThread("reasoned_chief"), "go");
    expect(phasesIn(events)).toEqual(["a reason", "a act", "a plan", "a execute"]);
    expect(events.at(-1)).toMatchObject(ended);
  });

  it("A prompt that is called as a tool answers with the strategy loop, whatever the strategy of its caller", async () => {
    chiefCalls("helper", { task: "Help." });
    scriptedAnswers.set("helper", () => ({ text: "Helped." }));
    const events = await converse(await newThread("reasoned_chief"), "go");
    expect(phasesIn(events)).toEqual(["a reason", "a act", "a ", "a reason", "a act"]);
    expect(events.at(-1)).toMatchObject(ended);
  });
});
