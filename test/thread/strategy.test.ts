// The strategies of a side in a thread: what is stored, what each request contains, which events a subscriber receives.

import { beforeEach, describe, expect, it, vi } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import { foldAll } from "#contract/fold.ts";

import { crossing } from "../worker/crossing.ts";
import { planFaults } from "../worker/fault-plan.ts";
import { toolEffects, requested, scriptedAnswers } from "../worker/team.ts";
import { costOf, finish } from "./cost-table.ts";
import { admin, converse, crash, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: true };

beforeEach(() => {
  scriptedAnswers.clear();
  toolEffects.clear();
  requested.length = 0;
});

const messagesOf = async (id: string) => (await value(stubOf(id).call("listMessages", admin, page))).items;
const act = (key: string) => ({ toolCalls: [{ name: "act", arguments: { key } }] });
const ofType = <T extends ThreadEvent["type"]>(events: readonly ThreadEvent[], type: T) =>
  events.filter((event): event is Extract<ThreadEvent, { type: T }> => event.type === type);

/** Reasons, calls a tool, reasons again and answers. */
function reasonAndAct(persona: string): void {
  const turns = [{ text: "I look first." }, act("k"), { text: "That is enough." }, { text: "It rains." }];
  scriptedAnswers.set(persona, ({ messages }) => {
    const last = messages.findLastIndex(({ role, content }) => role === "user" && content === "go");
    return turns[messages.slice(last).filter(({ role }) => role === "assistant").length] ?? { text: "?" };
  });
}

describe("react", () => {
  it("An agent with the strategy react reasons without tools before each action, and shows only its actions", async () => {
    const id = await newThread("reasoner");
    reasonAndAct("reasoner");
    const events = await converse(id, "go");
    expect(requested.map(({ request }) => [request.toolChoice, request.tools.length])).toEqual([
      ["none", 1],
      ["auto", 1],
      ["none", 1],
      ["auto", 1],
    ]);
    const messages = await messagesOf(id);
    expect(messages.map(({ role, silent, strategy }) => [role, silent, strategy?.phase])).toEqual([
      ["user", false, undefined],
      ["user", true, "reason"],
      ["assistant", true, "reason"],
      ["user", true, "act"],
      ["assistant", false, undefined],
      ["tool", false, undefined],
      ["user", true, "reason"],
      ["assistant", true, "reason"],
      ["user", true, "act"],
      ["assistant", false, undefined],
    ]);
    expect(messages.flatMap(({ strategy }) => (strategy === undefined ? [] : [strategy.name]))).toEqual(
      Array.from({ length: 6 }, () => "react"),
    );
    expect(ofType(events, "step_start").map(({ phase }) => phase)).toEqual(["reason", "act", "reason", "act"]);
    const reasonings = ofType(events, "reasoning");
    expect(reasonings.map(({ strategy, text, step }) => [strategy, text, step])).toEqual([
      ["react", "I look first.", 1],
      ["react", "That is enough.", 3],
    ]);
    expect(reasonings.map(({ message_id }) => message_id)).toEqual([messages[2]?.id, messages[7]?.id]);
    const silent = new Set(messages.filter((message) => message.silent).map((message) => message.id));
    expect(events.filter(({ type, message_id = "" }) => type !== "reasoning" && silent.has(message_id))).toEqual([]);
    const view = foldAll(events);
    expect(view.messages.map(({ content }) => content)).toEqual(["go", null, "null", "It rains."]);
    expect(Object.values(view.runs)).toMatchObject([
      { status: "completed", steps: 4, reasoning: ["I look first.", "That is enough."] },
    ]);
    const [run] = (await value(stubOf(id).call("listRuns", admin, { limit: 1, order: "desc" }))).items;
    expect(run).toMatchObject({ text: "It rains.", steps: 4 });
  });

  it("Each request of a turn with the strategy react begins with the messages of the request before it", async () => {
    const id = await newThread("reasoner");
    reasonAndAct("reasoner");
    await converse(id, "go");
    const sent = requested.map(({ request }) => request.messages.map((message) => JSON.stringify(message)));
    expect(sent.map((messages) => messages.length)).toEqual([2, 4, 7, 9]);
    for (const [at, messages] of sent.entries()) {
      if (at > 0) expect(messages.slice(0, sent[at - 1]?.length)).toEqual(sent[at - 1]);
    }
    expect(new Set(requested.map(({ request }) => JSON.stringify(request.tools))).size).toBe(1);
  });

  it("A replay, and a subscription to silent messages after a crash, contain the same events as the live stream", async () => {
    const id = await newThread("reasoner");
    reasonAndAct("reasoner");
    const following = await follow(id, { include_silent: "true" });
    await converse(id, "go");
    await following.until(({ type }) => type === "run_end");
    following.close();
    await crash(id);
    const replay = await follow(id, { after: "0", include_silent: "true" });
    await replay.until(({ type }) => type === "run_end");
    replay.close();
    const plain = (events: readonly ThreadEvent[]) =>
      events
        .filter(({ type }) => !type.endsWith("_delta") && type !== "snapshot" && type !== "thread_updated")
        .map((event) => ({ ...event, prev: 0 }));
    expect(plain(replay.events)).toEqual(plain(following.events));
    const messages = await messagesOf(id);
    expect(foldAll(replay.events).messages.map((message) => message.id)).toEqual(messages.map((message) => message.id));
  });

  it("maxSteps of react ends the run with the status limit, and reasoningPrompt replaces the instruction", async () => {
    const id = await newThread("brief_reasoner");
    scriptedAnswers.set("forgetful_reasoner", ({ lastUser }) => (lastUser === "Reason." ? { text: "Hm." } : act("k")));
    const events = await converse(id, "go");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "limit", reason: "max_steps" });
    expect(requested.map(({ request }) => request.toolChoice)).toEqual(["none", "auto"]);
  });

  it("A prompt without includePastTools sends no reasoning and no instructions of earlier runs", async () => {
    const id = await newThread("brief_reasoner");
    scriptedAnswers.set("forgetful_reasoner", ({ lastUser }) => ({
      text: lastUser === "Reason." ? "Hm." : "It rains.",
    }));
    await converse(id, "first");
    await converse(id, "second");
    expect(requested[2]?.request.messages.map(({ content }) => content)).toEqual([
      "first",
      "It rains.",
      "second",
      "Reason.",
    ]);
  });

  it("The other side of a conversation receives neither the reasoning nor the instructions of a side", async () => {
    const id = await newThread("reasoned_debate");
    scriptedAnswers.set("pro", ({ toolChoice }) => ({ text: toolChoice === "none" ? "Secret." : "Cats." }));
    scriptedAnswers.set("con", () => ({ text: "Dogs." }));
    await converse(id, "Cats or dogs?");
    const contents = (at: number) => requested[at]?.request.messages.map(({ role, content }) => `${role} ${content}`);
    expect(requested.map(({ persona }) => persona)).toEqual(["pro", "pro", "con", "pro", "pro"]);
    expect(contents(2)).toEqual(["assistant Cats or dogs?", "user Cats."]);
    expect(contents(4)?.filter((text) => text.includes("Secret."))).toEqual(["assistant Secret.", "assistant Secret."]);
    expect(contents(4)?.filter((text) => text.startsWith("user"))).toHaveLength(6);
  });

  it("A call that a definition queues during the last action does not restart the cycles of react", async () => {
    const id = await newThread("brief_reasoner");
    toolEffects.set("queue", (state) => state.queueTool("act", { key: "later" }));
    const acting = crossing();
    const queued = crossing();
    scriptedAnswers.set("forgetful_reasoner", async ({ lastUser }) => {
      if (lastUser === "Reason.") return { text: "Hm." };
      acting.resolve();
      await queued.promise;
      return { text: "It rains." };
    });
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    await acting.promise;
    await value(stubOf(id).call("invokeTool", admin, "act", { key: "queue" }));
    queued.resolve();
    await following.until(({ type }) => type === "run_end");
    following.close();
    const { events } = following;
    expect(ofType(events, "step_start").map(({ phase }) => phase)).toEqual(["reason", "act", "act"]);
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed", reason: "response" });
    const sent = requested.at(-1)?.request.messages.map(({ role }) => role);
    expect(sent).toEqual(["user", "user", "assistant", "user", "assistant", "tool"]);
  });

  it.each(["loop.run-calls", "result.after-create"])(
    "Calls that a model makes in a step without tools do not run, also after a crash at %s",
    async (point) => {
      const id = await newThread("reasoner");
      let runs = 0;
      toolEffects.set("k", () => (runs += 1));
      const twice = { toolCalls: [...act("k").toolCalls, ...act("k").toolCalls] };
      scriptedAnswers.set("reasoner", () => (requested.length === 1 ? twice : { text: "It rains." }));
      const plan = planFaults(id, [{ point, hit: 1, mode: "kept" }]);
      await value(stubOf(id).call("postMessage", admin, message("go"), null));
      await vi.waitUntil(() => plan.died === 1, { timeout: 10_000, interval: 10 });
      const following = await follow(id, { after: "0" });
      await following.until(({ type }) => type === "run_end");
      following.close();
      const results = (await messagesOf(id)).filter(({ role }) => role === "tool");
      const refused = 'There is no tool named "act" in this answer: no tool may be called.';
      expect(results.map(({ content }) => content)).toEqual([refused, refused]);
      expect(runs).toBe(0);
      expect(following.events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    },
  );

  it("If a limit ends a run right after its reasoning, the text of the run is null and not the reasoning", async () => {
    const id = await newThread("reasoner");
    scriptedAnswers.set("reasoner", () => ({ text: "Secret." }));
    const events = await converse(id, "go", { limits: { steps: 1 } });
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "limit" });
    const [run] = (await value(stubOf(id).call("listRuns", admin, { limit: 1, order: "desc" }))).items;
    expect(run).toMatchObject({ steps: 1, text: null });
  });

  it("COST14 A cycle of react writes at most 4 rows more than the same steps of a loop", async () => {
    const loop = await newThread("one_round");
    scriptedAnswers.set("reasoner", () => ({ text: "It rains." }));
    const plain = await costOf(loop, () => finish(loop, "go"));
    const id = await newThread("reasoner");
    const { written } = await costOf(id, () => finish(id, "go"));
    console.log(`text turn: loop ${plain.written} rows, react with one cycle ${written} rows`);
    expect(written - plain.written).toBeLessThanOrEqual(4);
  });
});

const planOf = (...steps: [id: string, ...dependsOn: string[]][]) => ({
  text: JSON.stringify({
    steps: steps.map(([id, ...dependsOn]) => ({ id, description: `Do ${id}.`, tool: null, dependsOn })),
  }),
});

/** The plans that a subscriber received: each step with its status. */
const plansIn = (events: readonly ThreadEvent[]) =>
  ofType(events, "plan").map(({ steps }) => steps.map(({ id, status }) => `${id} ${status}`).join(", "));

describe("plan", () => {
  it("An agent with the strategy plan carries out the steps in the order of their dependencies", async () => {
    const id = await newThread("planner");
    scriptedAnswers.set("reasoner", ({ lastUser, messages }) => {
      if (lastUser.startsWith("Make a plan")) return planOf(["answer", "look"], ["look"]);
      if (lastUser.includes('"answer"')) return { text: "It rains." };
      return messages.at(-1)?.role === "tool" ? { text: "Looked." } : act("k");
    });
    const events = await converse(id, "go");
    expect(plansIn(events)).toEqual([
      "answer pending, look in_progress",
      "answer in_progress, look completed",
      "answer completed, look completed",
    ]);
    expect(ofType(events, "step_start").map(({ phase }) => phase)).toEqual(["plan", "execute", "execute", "execute"]);
    expect(requested.map(({ request }) => request.toolChoice)).toEqual(["none", "auto", "auto", "auto"]);
    const messages = await messagesOf(id);
    expect(messages.filter(({ silent }) => !silent).map(({ role, content }) => [role, content])).toEqual([
      ["user", "go"],
      ["assistant", null],
      ["tool", "null"],
      ["assistant", "Looked."],
      ["assistant", "It rains."],
    ]);
    expect(messages[2]).toMatchObject({ role: "assistant", silent: true, strategy: { name: "plan", phase: "plan" } });
    expect(Object.values(foldAll(events).runs)).toMatchObject([
      { status: "completed", plan: [{ id: "answer", status: "completed" }, { id: "look" }] },
    ]);
    await crash(id);
    const replay = await follow(id, { after: "0" });
    await replay.until(({ type }) => type === "run_end");
    replay.close();
    expect(plansIn(replay.events)).toEqual(plansIn(events));
  });

  it("The strategy plan requests another plan when a step fails", async () => {
    const id = await newThread("planner");
    scriptedAnswers.set("reasoner", ({ lastUser, messages }) => {
      if (lastUser.startsWith("Make a plan")) return planOf(["look"], ["answer", "look"]);
      if (lastUser.includes("failed")) return planOf(["guess"]);
      if (lastUser.includes('"guess"')) return { text: "Perhaps rain." };
      return messages.at(-1)?.role === "tool" ? { text: "No luck." } : { toolCalls: [{ name: "none", arguments: {} }] };
    });
    const events = await converse(id, "go");
    expect(plansIn(events)).toEqual([
      "look in_progress, answer pending",
      "look failed, answer pending",
      "guess in_progress",
      "guess completed",
    ]);
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
  });

  it("Without allowReplan, a failed step ends the run with an error that names the steps", async () => {
    const id = await newThread("strict_planner");
    scriptedAnswers.set("reasoner", ({ lastUser, messages }) => {
      if (lastUser.startsWith("Make a plan")) return planOf(["look"], ["answer", "look"]);
      return messages.at(-1)?.role === "tool" ? { text: "No luck." } : { toolCalls: [{ name: "none", arguments: {} }] };
    });
    const events = await converse(id, "go");
    expect(events.at(-1)).toMatchObject({
      type: "run_end",
      status: "error",
      error: { code: "plan_failed", message: expect.stringContaining('"look", "answer"') },
    });
  });

  it("A plan with more than maxPlanSteps steps is requested again once, then cut with a warning in the step's log row", async () => {
    const id = await newThread("planner");
    scriptedAnswers.set("reasoner", ({ lastUser }) =>
      lastUser.includes("lan has") ? planOf(["one"], ["two", "three"], ["three"]) : { text: "Done." },
    );
    const events = await converse(id, "go");
    expect(plansIn(events).at(-1)).toBe("one completed, two completed");
    expect(ofType(events, "step_start").map(({ phase }) => phase)).toEqual(["plan", "plan", "execute", "execute"]);
    const logs = (await value(stubOf(id).call("listLogs", admin, { limit: 100, order: "asc" }))).items;
    expect(logs.flatMap(({ data }) => data["warnings"] ?? [])).toEqual([
      "The plan had 1 steps more than maxPlanSteps; they were dropped.",
    ]);
  });

  it("A run ends with an error if its model returns an invalid plan three times", async () => {
    const id = await newThread("planner");
    const answers = [{ text: "First I look." }, planOf(["a", "b"], ["b", "a"]), planOf(["a"], ["a"])];
    scriptedAnswers.set("reasoner", () => answers[requested.length - 1] ?? { text: "?" });
    const events = await converse(id, "go");
    expect(requested.map(({ request }) => request.lastUser.split(". ")[0])).toEqual([
      "Make a plan for the task: a list of steps, each small enough to be carried out on its own",
      "The answer is not a plan with at least one step in the requested form",
      'The steps of the plan depend on each other in a circle: "a"',
    ]);
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "error", error: { code: "plan_failed" } });
  });
});

describe("a strategy of the project", () => {
  it("A strategy of the project decides each request of a turn, keeps its state over a crash, and sets the outcome", async () => {
    const id = await newThread("drafter");
    const { promise: reached, resolve: reach } = crossing();
    scriptedAnswers.set("reasoner", async ({ lastUser }) => {
      if (lastUser !== "Improve it.") return { text: "rain" };
      if (requested.length === 2) {
        reach();
        await new Promise(() => {});
      }
      return { text: "It rains today." };
    });
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    await reached;
    await crash(id);
    const following = await follow(id, { after: "0" });
    await following.until(({ type }) => type === "run_end");
    following.close();
    const { events } = following;
    expect(requested).toHaveLength(3);
    expect(ofType(events, "run_end")).toMatchObject([{ status: "completed", outcome: { words: 3 } }]);
    expect((await messagesOf(id)).map(({ content, silent, strategy }) => [content, silent, strategy?.phase])).toEqual([
      ["go", false, undefined],
      ["rain", true, "draft"],
      ["Improve it.", true, "improve"],
      ["It rains today.", false, undefined],
    ]);
  });

  it("A run ends with an error if its strategy returns no decision, and the stored step is kept", async () => {
    const id = await newThread("thrower");
    scriptedAnswers.set("reasoner", () => ({ text: "rain" }));
    const events = await converse(id, "go");
    const end = events.at(-1);
    expect(end).toMatchObject({ type: "run_end", status: "error", error: { code: "strategy_failed" } });
    expect(end).toMatchObject({ error: { message: expect.stringContaining('The strategy "thrower" failed') } });
    expect((await messagesOf(id)).map(({ content }) => content)).toEqual(["go", "rain"]);
  });

  it("A run ends with an error if the outcome of its strategy is too large to be stored, and the stored step is kept", async () => {
    const id = await newThread("verbose");
    scriptedAnswers.set("reasoner", () => ({ text: "rain" }));
    const events = await converse(id, "go");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "error", error: { code: "strategy_failed" } });
    expect(ofType(events, "step_end")).toHaveLength(1);
    expect((await messagesOf(id)).map(({ content }) => content)).toEqual(["go", "rain"]);
  });

  it("A run ends with an error after its strategy has taken 50 steps without a tool call", async () => {
    const id = await newThread("endless");
    scriptedAnswers.set("reasoner", () => ({ text: "rain" }));
    const events = await converse(id, "go");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "error", error: { code: "strategy_failed" } });
    expect(requested).toHaveLength(50);
  });

  it("A run ends with an error that names its strategy if the strategy is not defined any more", async () => {
    const events = await converse(await newThread("removed"), "go");
    const error = { code: "strategy_not_found", message: 'There is no strategy named "gone".' };
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "error", error });
    expect(requested).toEqual([]);
  });
});

describe("loop", () => {
  it("maxIterations of loop ends the run with the status limit after that many rounds of tool calls", async () => {
    const id = await newThread("one_round");
    scriptedAnswers.set("reasoner", () => act("k"));
    const events = await converse(id, "go");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "limit", reason: "max_steps" });
    expect(requested).toHaveLength(1);
  });
});
