// Parallel loops that fail: branches, strategies, wrong arguments, aborts.

import { describe, expect, it, onTestFinished, vi } from "vitest";

import { CancellationToken, channel, userMessage } from "#facade/phi/index.ts";
import type { AgentEvent } from "#facade/phi/index.ts";
import { agentLoopParallel, ElaborateEvaluation, TokenEfficientEvaluation } from "#facade/phi/loop-agents.ts";
import type { Evaluation, EvaluationStrategy } from "#facade/phi/loop-agents.ts";
import { ProviderError } from "#facade/phi/provider/provider-error.ts";
import { deferred } from "#lib/deferred.ts";
import type { Deferred } from "#lib/deferred.ts";

import { playParallel, scripted, using } from "./support/parallel-play.ts";

const nothing = { send: () => undefined };
const base = () => ({ system_prompt: "", messages: [], tools: [] });
const selecting = (index: number): EvaluationStrategy => ({ evaluate: () => ({ decision: { Select: index } }) });

describe("failures of parallel loops", () => {
  it("A branch whose model fails is an outcome with the error, and the others have their answers", async () => {
    const configs = [scripted([ProviderError.api("no such model")]), scripted([using("b", 2)])];
    const { result } = await playParallel({ configs, strategy: new TokenEfficientEvaluation() });
    expect(result.all_outcomes.map(({ error_message }) => error_message)).toEqual([
      expect.stringContaining("no such model"),
      null,
    ]);
    expect(result).toMatchObject({ selected_index: 1, evaluation_error: null, total_usage: { total_tokens: 2 } });
    expect(result.all_outcomes[0]?.new_messages.at(-1)).toMatchObject({ role: "assistant", stop_reason: "error" });
  });

  it("A branch whose filter throws or rejects, whose hook refuses the loop, or whose option is wrong is an outcome with the error", async () => {
    const broken = {
      filter() {
        throw new Error("the filter failed");
      },
    };
    const configs = [
      scripted(["a"], { inputFilters: [broken] }),
      scripted(["b"], { inputFilters: [{ filter: () => ({ Reject: "not allowed" }) }] }),
      scripted(["c"], { beforeLoop: () => false }),
      scripted(["d"], { cacheConfig: { enabled: "yes", strategy: "Auto" } as never }),
      scripted(["e"]),
    ];
    const { tx } = channel();
    const result = await agentLoopParallel([userMessage("?")], base(), configs, new ElaborateEvaluation(), tx);
    expect(result.all_outcomes.map(({ error_message }) => error_message)).toEqual([
      "the filter failed",
      "not allowed",
      "The loop ended without an answer.",
      expect.stringContaining("`enabled` of the cache config"),
      null,
    ]);
    expect(result.selected_index).toBe(4);
  });

  it("If all branches fail, a failed outcome is selected and the call still ends", async () => {
    const configs = [scripted([ProviderError.auth("bad key")]), scripted([ProviderError.api("down")])];
    const { result } = await playParallel({ configs, strategy: new TokenEfficientEvaluation() });
    expect(result.selected_index).toBe(0);
    expect(result.all_outcomes.every(({ error_message }) => error_message !== null)).toBe(true);
  });

  it("If the strategy throws, the first branch that did not fail is selected, and the result has the error", async () => {
    const strategy = {
      evaluate() {
        throw new Error("no opinion");
      },
    };
    const configs = [scripted([ProviderError.api("down")]), scripted(["b"]), scripted(["c"])];
    const { result } = await playParallel({ configs, strategy });
    expect(result).toMatchObject({ selected_index: 1, evaluation_error: "no opinion" });
  });

  it.each<[string, unknown]>([
    ["an index above the last one", { decision: { Select: 2 } }],
    ["an index below 0", { decision: { Select: -1 } }],
    ["no whole number", { decision: { Select: 0.5 } }],
    ["no decision", {}],
    ["nothing", undefined],
    ["a text", "1"],
  ])(
    "If the strategy returns %s, the first branch is selected, and the result states what it has to return",
    async (_what, returned) => {
      const strategy = { evaluate: () => returned as never };
      const { result } = await playParallel({ configs: [scripted(["a"]), scripted(["b"])], strategy });
      expect(result.selected_index).toBe(0);
      expect(result.evaluation_error).toContain("with an index from 0 to 1");
    },
  );

  it("If the strategy returns a usage without counts, the first branch is selected and the tokens stay correct", async () => {
    const strategy = { evaluate: () => ({ decision: { Select: 1 }, usage: { total_tokens: 4 } as never }) };
    const { result } = await playParallel({
      configs: [scripted([using("a", 4)]), scripted([using("b", 5)])],
      strategy,
    });
    expect(result).toMatchObject({ selected_index: 0, total_usage: { total_tokens: 9 } });
    expect(result.evaluation_error).toContain("usage");
  });

  it.each<[string, (...args: never[]) => Promise<unknown>, string]>([
    [
      "no configs",
      () => agentLoopParallel([userMessage("?")], base(), [], selecting(0), nothing),
      "at least one config",
    ],
    [
      "a wrong option",
      () =>
        agentLoopParallel(
          [userMessage("?")],
          base(),
          [scripted([]), { ...scripted([]), maxTokens: -1 }],
          selecting(0),
          nothing,
        ),
      "configs[1]: The option `maxTokens` is -1",
    ],
    [
      "a provider without functions",
      () =>
        agentLoopParallel(
          [userMessage("?")],
          base(),
          [{ ...scripted([]), providerOverride: {} as never }],
          selecting(0),
          nothing,
        ),
      "configs[0]: ",
    ],
    [
      "a compaction of the base messages",
      () =>
        agentLoopParallel(
          [userMessage("?")],
          base(),
          [scripted([], { contextConfig: { compaction: { applyToContext: true } } })],
          selecting(0),
          nothing,
        ),
      "applyToContext is true. It has to be false",
    ],
    [
      "no strategy",
      () => agentLoopParallel([userMessage("?")], base(), [scripted([])], {} as never, nothing),
      "evaluate",
    ],
    [
      "no sender",
      () => agentLoopParallel([userMessage("?")], base(), [scripted([])], selecting(0), {} as never),
      "`send`",
    ],
    ["no prompts", () => agentLoopParallel("?" as never, base(), [scripted([])], selecting(0), nothing), "`prompts`"],
    ["no context", () => agentLoopParallel([], null as never, [scripted([])], selecting(0), nothing), "`context`"],
  ])("A call with %s is refused with a LoopError", async (_what, called, text) => {
    const error = (await called().catch((thrown: unknown) => thrown)) as Error;
    expect(error.name).toBe("LoopError");
    expect(error.message).toContain(text);
  });
});

describe("aborts of parallel loops", () => {
  it.each(["token", "signal"])("An abort by a %s ends all branches, and no strategy is called", async (kind) => {
    const token = new CancellationToken();
    const never = new Promise<never>(() => undefined);
    let begun = 0;
    const answer = () => {
      begun += 1;
      if (begun === 2) token.cancel();
      return { text: "late", begins_after: never };
    };
    const strategy = { evaluate: () => expect.unreachable("the strategy is called") as never };
    const { result } = await playParallel({
      configs: [scripted([answer]), scripted([answer])],
      strategy,
      cancel: kind === "token" ? token : token.signal,
    });
    expect(result).toMatchObject({ selected_index: 0, evaluation_error: "Cancelled." });
    expect(result.all_outcomes.map(({ error_message }) => error_message)).toEqual(["Cancelled.", "Cancelled."]);
  });

  it.each<[string, (late: Deferred<Evaluation>) => void, string[]]>([
    ["selects too late", ({ resolve }) => resolve({ decision: { Select: 2 } }), []],
    ["throws too late", ({ reject }) => reject(new Error("too late")), ["too late"]],
  ])(
    "A strategy that ignores a cancellation and %s does not hold the call, and its decision and later events are ignored",
    async (_how, settle, errors) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const lines: unknown[] = [];
      const warn = vi.spyOn(console, "warn").mockImplementation((line) => void lines.push(JSON.parse(String(line))));
      onTestFinished(() => {
        vi.useRealTimers();
        warn.mockRestore();
      });
      const token = new CancellationToken();
      const evaluating = deferred<void>();
      const late = deferred<Evaluation>();
      let send: (event: AgentEvent) => void = () => expect.unreachable("the strategy was not called");
      const strategy: EvaluationStrategy = {
        evaluate(_prompts, _outcomes, tx) {
          send = (event) => tx.send(event);
          evaluating.resolve();
          return late.promise;
        },
      };
      const sent: string[] = [];
      const onEvent = ({ type }: AgentEvent) => void sent.push(type);
      const configs = [scripted([ProviderError.api("down")]), scripted([using("b", 2)]), scripted([using("c", 3)])];
      const played = playParallel({ configs, strategy, cancel: token, onEvent });
      await evaluating.promise;
      expect(vi.getTimerCount()).toBe(0);
      token.cancel();
      vi.advanceTimersByTime(1000);
      const { result } = await played;
      expect(result).toMatchObject({
        selected_index: 1,
        evaluation_error: "Cancelled.",
        total_usage: { total_tokens: 5 },
      });
      settle(late);
      await new Promise((resolve) => setImmediate(resolve));
      expect(lines).toMatchObject(errors.map((error) => ({ event: "loop_function_failed", error })));
      expect(result.selected_index).toBe(1);
      send({ type: "ProgressMessage", tool_call_id: "late", tool_name: "late", text: "Late.", loop_id: "late" });
      expect(sent.at(-1)).toBe("ParallelLoopEnd");
    },
  );

  it("A strategy that ends within a second after a cancellation has its decision counted, and leaves no timer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const token = new CancellationToken();
    const strategy: EvaluationStrategy = {
      async evaluate() {
        token.cancel();
        vi.advanceTimersByTime(999);
        await new Promise((resolve) => setImmediate(resolve));
        return { decision: { Select: 1 } };
      },
    };
    const { result } = await playParallel({ configs: [scripted(["a"]), scripted(["b"])], strategy, cancel: token });
    expect(result).toMatchObject({ selected_index: 1, evaluation_error: null });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("A call leaves no listener on the signal of its caller", async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    signal.addEventListener = (type: string, listener: () => void, options: { signal?: AbortSignal }) => {
      listeners += 1;
      options.signal?.addEventListener("abort", () => (listeners -= 1));
      add(type, listener, options);
    };
    await playParallel({ configs: [scripted(["a"])], cancel: signal });
    expect(listeners).toBe(0);
  });
});
