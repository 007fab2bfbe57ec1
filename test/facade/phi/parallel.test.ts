// Several loops of one conversation at the same time: their contexts, ids and events, the strategies without a request, failures and aborts.

import { describe, expect, it } from "vitest";

import {
  agentLoopContinue,
  CancellationToken,
  channel,
  combineUsage,
  createTool,
  ModelConfig,
  userMessage,
} from "#facade/phi/index.ts";
import type { AgentEvent, AgentMessage } from "#facade/phi/index.ts";
import {
  agentLoopParallel,
  cloneContext,
  continueSelected,
  ElaborateEvaluation,
  PickFirstEvaluation,
  TokenEfficientEvaluation,
  TransparentEvaluation,
} from "#facade/phi/loop-agents.ts";
import type { EvaluationStrategy, ParallelLoopOutcome } from "#facade/phi/loop-agents.ts";
import { zeroTokens } from "#facade/phi/loop-messages.ts";

import { byLoop, only, playParallel, requestsOf, scripted, using } from "./support/parallel-play.ts";
import { textsOf } from "./support/play.ts";

const tokens = (total: number) => ({ input: total, output: 0, cache_read: 0, cache_write: 0, total_tokens: total });
const nothing = { send: () => undefined };
const base = () => ({ system_prompt: "", messages: [], tools: [] });
const selecting = (index: number): EvaluationStrategy => ({
  evaluate: () => ({ decision: { Select: index }, usage: tokens(5) }),
});
/** An outcome of a branch. */
const outcome = (total: number, error_message: string | null = null): ParallelLoopOutcome => ({
  config_index: 0,
  loop_id: "s.c.1",
  context: base(),
  new_messages: [],
  usage: tokens(total),
  original_context_len: 0,
  error_message,
});
const selected = async (strategy: EvaluationStrategy, outcomes: ParallelLoopOutcome[]): Promise<number> =>
  (await strategy.evaluate([], outcomes, nothing, new CancellationToken())).decision.Select;

describe("parallel loops", () => {
  it("Each config answers the prompts in a loop of its own, and the selected outcome is returned", async () => {
    const configs = [scripted([using("Lisbon.", 3)]), scripted([using("Porto.", 4)])];
    const { result, events } = await playParallel({ configs, strategy: selecting(1) });
    expect(result).toMatchObject({ selected_index: 1, evaluation_error: null, total_usage: { total_tokens: 12 } });
    expect(textsOf(result.selected_messages)).toEqual(["user: Which city?", "assistant stop: Porto."]);
    expect(result.selected_context).toBe(result.all_outcomes[1]?.context);
    expect(result.all_outcomes.map(({ config_index, usage }) => [config_index, usage.total_tokens])).toEqual([
      [0, 3],
      [1, 4],
    ]);
    const start = only(events, "ParallelLoopStart");
    const loop_ids = result.all_outcomes.map(({ loop_id }) => loop_id);
    expect(start).toMatchObject({ loop_ids, session_id: result.selected_context.session_id });
    expect(only(events, "ParallelLoopEnd")).toMatchObject({
      session_id: start.session_id,
      selected_loop_id: loop_ids[1],
      selected_config_index: 1,
      evaluation_usage: tokens(5),
    });
    expect([...byLoop(events).keys()].toSorted()).toEqual(loop_ids.toSorted());
    expect(JSON.parse(JSON.stringify(events))).toEqual(events);
  });

  it("The branches run at the same time", async () => {
    let open = (): void => undefined;
    const second = new Promise<void>((resolve) => (open = resolve));
    const configs = [
      scripted([{ text: "First.", begins_after: second }]),
      scripted([
        () => {
          open();
          return "Second.";
        },
      ]),
    ];
    const { result } = await playParallel({ configs });
    expect(textsOf(result.selected_messages)[1]).toBe("assistant stop: First.");
  });

  it("A branch changes neither the base context, nor the prompts, nor another branch, and the tools are shared", async () => {
    const look = createTool({
      name: "look",
      description: "Looks.",
      parameters: { type: "object" },
      execute: () => "a map",
    });
    const earlier = [userMessage("Hello.", 1)];
    const prompts = [userMessage("Which city?", 2)];
    const before = structuredClone({ earlier, prompts });
    const damage = (messages: readonly AgentMessage[]): boolean => {
      for (const message of messages) if (message.role === "user") message.content.push({ type: "text", text: "!" });
      return true;
    };
    const { result, base } = await playParallel({
      configs: [
        scripted([{ tool_calls: [{ name: "look", arguments: {} }] }, "Lisbon."], { beforeTurn: damage }),
        scripted(["Porto."]),
      ],
      context: { messages: earlier },
      prompts,
      tools: [look],
    });
    expect({ earlier, prompts }).toEqual(before);
    expect(base).toEqual({ system_prompt: "", messages: before.earlier, tools: [look] });
    const [first, second] = result.all_outcomes;
    expect(first?.context.messages).toHaveLength(5);
    expect(second?.context.messages.slice(0, 2)).toEqual([...before.earlier, ...before.prompts]);
    expect([first?.original_context_len, second?.original_context_len]).toEqual([1, 1]);
    expect(second?.context.messages.slice(second.original_context_len)).toEqual(second?.new_messages);
    expect(first?.context.tools[0]).toBe(look);
  });

  it("A request of a branch has the model of its own config", async () => {
    const configs = ["one", "two"].map((id) => scripted(["a"], { modelConfig: ModelConfig.anthropic(id, id, "key") }));
    await playParallel({ configs });
    expect(configs.map((config) => requestsOf(config)[0]?.model_config.id)).toEqual(["one", "two"]);
  });

  it("A copy of a context has copies of the messages and the same tools", () => {
    const tool = createTool({ name: "look", description: "", parameters: { type: "object" }, execute: () => "" });
    const context = { ...base(), messages: [userMessage("Hello.", 1)], tools: [tool], session_id: "s" };
    const copy = cloneContext(context);
    expect(copy).toEqual(context);
    expect(copy.messages[0]).not.toBe(context.messages[0]);
    expect(copy.messages).not.toBe(context.messages);
    expect(copy.tools[0]).toBe(tool);
  });

  it("Usages are combined count by count", () => {
    const one = { input: 1, output: 2, cache_read: 3, cache_write: 4, total_tokens: 10 };
    expect(combineUsage(one, { input: 10, output: 20, cache_read: 30, cache_write: 40, total_tokens: 100 })).toEqual({
      input: 11,
      output: 22,
      cache_read: 33,
      cache_write: 44,
      total_tokens: 110,
    });
    expect(one.total_tokens).toBe(10);
    expect(combineUsage(one, zeroTokens())).toEqual(one);
  });
});

describe("ids of parallel loops", () => {
  it("The branches share session and agent, and their ids have the segment of their config and a number from 1", async () => {
    const configs = [scripted(["a"], { configId: "fast" }), scripted(["b"], { thinkingLevel: "High" })];
    const { result, events } = await playParallel({ configs, context: { agent_id: "agent", session_id: "session" } });
    expect(result.all_outcomes.map(({ loop_id }) => loop_id)).toEqual([
      expect.stringMatching(/^session\.fast\.[0-9a-f]{8}\.1$/),
      expect.stringMatching(/^session\.mock\.mock-model\.high\.[0-9a-f]{8}\.2$/),
    ]);
    const starts = events.filter((event) => event.type === "AgentStart");
    expect(starts.map(({ agent_id, session_id }) => [agent_id, session_id])).toEqual([
      ["agent", "session"],
      ["agent", "session"],
    ]);
  });

  it("A second call with the same context, and one with the selected context, repeat no id", async () => {
    const context = { session_id: "session", agent_id: "agent", loop_id: "session.c.7" };
    const first = await playParallel({ configs: [scripted(["a"]), scripted(["b"])], context });
    const again = await playParallel({ configs: [scripted(["a"]), scripted(["b"])], context });
    const next = await playParallel({
      configs: [scripted(["c"]), scripted(["d"])],
      context: first.result.selected_context,
    });
    const ids = [first, again, next].map(({ result }) => result.all_outcomes.map(({ loop_id }) => loop_id));
    expect(new Set(ids.flat()).size).toBe(6);
    expect(ids.flat().map((id) => id.split(".").at(-1))).toEqual(["8", "9", "8", "9", "9", "10"]);
  });
});

describe("parallel loops that continue", () => {
  const context = {
    messages: [userMessage("Which city?", 1)],
    session_id: "session",
    agent_id: "agent",
    loop_id: "session.c.1",
  };

  it("Without prompts each branch continues the conversation of the base context", async () => {
    const { result, events } = await playParallel({
      configs: [scripted(["a"]), scripted(["b"])],
      prompts: [],
      context,
    });
    expect(result.all_outcomes.map(({ new_messages }) => textsOf(new_messages))).toEqual([
      ["assistant stop: a"],
      ["assistant stop: b"],
    ]);
    expect(result.selected_context.messages.slice(0, 1)).toEqual(context.messages);
    const starts = events.filter((event) => event.type === "AgentStart");
    expect(starts.map(({ parent_loop_id, continuation_kind }) => [parent_loop_id, continuation_kind])).toEqual([
      ["session.c.1", "Default"],
      ["session.c.1", "Default"],
    ]);
    const turns = events.filter((event) => event.type === "TurnStart");
    expect(turns.map(({ triggered_by }) => triggered_by)).toEqual(["Continuation", "Continuation"]);
  });

  it("The kind and the parent of the base context are those of the branches, and prompts begin a new origin", async () => {
    const kind = { Branch: { tag: "2026-01-01T00:00:00Z" } };
    const given = { ...context, parent_loop_id: "session.c.0", continuation_kind: kind };
    const configs = () => [scripted(["a"])];
    const continued = await playParallel({ configs: configs(), prompts: [], context: given });
    expect(only(continued.events, "AgentStart")).toMatchObject({
      parent_loop_id: "session.c.0",
      continuation_kind: kind,
    });
    expect(only(continued.events, "TurnStart").triggered_by).toBe("Branch");
    const origin = await playParallel({ configs: configs(), context: { ...context, continuation_kind: kind } });
    expect(only(origin.events, "AgentStart")).toMatchObject({ parent_loop_id: null, continuation_kind: null });
    expect(only(origin.events, "TurnStart").triggered_by).toBe("User");
  });

  it("A context without messages, and one that ends with an answer, are refused without prompts", async () => {
    const refused = (messages: AgentMessage[]) => {
      const config = scripted(["a"]);
      const called = agentLoopParallel([], { ...base(), messages }, [config], new PickFirstEvaluation(), nothing);
      return called.catch((error: unknown) => [String(error), requestsOf(config).length]);
    };
    const { result } = await playParallel({ configs: [scripted(["a"])] });
    expect(await refused([])).toEqual([expect.stringContaining("requires messages"), 0]);
    expect(await refused(result.selected_context.messages)).toEqual([expect.stringContaining("after an answer"), 0]);
  });

  it("The selected context continues after another message, as a child of the selected loop", async () => {
    const { result } = await playParallel({ configs: [scripted(["a"]), scripted(["b"])], strategy: selecting(1) });
    const length = result.selected_context.messages.length;
    const next = continueSelected(result, "And then?");
    expect(result.selected_context.messages).toHaveLength(length);
    const { tx, rx } = channel();
    const added = await agentLoopContinue(next, scripted(["c"]), tx);
    expect(textsOf(added)).toEqual(["assistant stop: c"]);
    expect(textsOf(next.messages)).toEqual([
      "user: Which city?",
      "assistant stop: b",
      "user: And then?",
      "assistant stop: c",
    ]);
    const { session_id, loop_id } = result.selected_context;
    expect(rx.tryRecv()).toMatchObject({
      type: "AgentStart",
      session_id,
      parent_loop_id: loop_id,
      continuation_kind: "Default",
    });
    expect(next.loop_id).not.toBe(loop_id);
  });
});

describe("the strategies without a request", () => {
  it("The transparent strategy selects the only branch, and more branches are refused before any starts", async () => {
    const { result } = await playParallel({ configs: [scripted(["a"])], strategy: new TransparentEvaluation() });
    expect(result).toMatchObject({ selected_index: 0, evaluation_error: null });
    const configs = [scripted(["a"]), scripted(["b"])];
    const called = agentLoopParallel([userMessage("?")], base(), configs, new TransparentEvaluation(), nothing);
    await expect(called).rejects.toThrow("at most 1 branches, and there are 2 configs");
    expect(configs.map((config) => requestsOf(config).length)).toEqual([0, 0]);
    await expect(selected(new TransparentEvaluation(), [outcome(1), outcome(2)])).rejects.toThrow("the only branch");
  });

  it("The first branch, the one with the fewest tokens and the one with the most are selected, and ties go to the first", async () => {
    const outcomes = [5, 2, 9, 2, 9].map((total) => outcome(total));
    expect(await selected(new PickFirstEvaluation(), outcomes)).toBe(0);
    expect(await selected(new TokenEfficientEvaluation(), outcomes)).toBe(1);
    expect(await selected(new ElaborateEvaluation(), outcomes)).toBe(2);
  });

  it("A branch that failed is not selected for its tokens unless all failed", async () => {
    const outcomes = [outcome(0, "failed"), outcome(7), outcome(3), outcome(90, "failed")];
    expect(await selected(new TokenEfficientEvaluation(), outcomes)).toBe(2);
    expect(await selected(new ElaborateEvaluation(), outcomes)).toBe(1);
    const failed = [outcome(4, "failed"), outcome(0, "failed"), outcome(8, "failed")];
    expect(await selected(new TokenEfficientEvaluation(), failed)).toBe(1);
    expect(await selected(new ElaborateEvaluation(), failed)).toBe(2);
  });

  it("A strategy of the program receives the prompts and the outcomes, and its decision and its usage count", async () => {
    const prompts = [userMessage("Which city?", 1)];
    const received: unknown[] = [];
    const strategy: EvaluationStrategy = {
      async evaluate(given, outcomes, tx, cancel) {
        received.push(given, outcomes.length, cancel.isCancelled());
        const { loop_id } = outcomes[0] as ParallelLoopOutcome;
        tx.send({ type: "InputRejected", loop_id, reason: "a note of the strategy" });
        return Promise.resolve({ decision: { Select: 2 }, usage: tokens(5) });
      },
    };
    const configs = ["a", "b", "c"].map((text) => scripted([using(text, 4)]));
    const events: AgentEvent[] = [];
    const tx = { send: (event: AgentEvent) => events.push(event) };
    const result = await agentLoopParallel(prompts, base(), configs, strategy, tx);
    expect(received).toEqual([prompts, 3, false]);
    expect(result).toMatchObject({ selected_index: 2, total_usage: { total_tokens: 17 } });
    expect(only(events, "InputRejected").reason).toBe("a note of the strategy");
  });
});
