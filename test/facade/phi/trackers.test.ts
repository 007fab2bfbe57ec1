// What a loop used so far: the tokens of its context (REQ-136), and its turns, tokens and time (REQ-012, REQ-061).

import { describe, expect, it } from "vitest";

import { completeContextConfig, defaultContextConfig } from "#facade/phi/context/context-config.ts";
import type { ContextConfig } from "#facade/phi/context/context-config.ts";
import { ContextTracker } from "#facade/phi/context/context-tracker.ts";
import { ExecutionTracker, defaultExecutionLimits } from "#facade/phi/context/execution-tracker.ts";
import type { ExecutionLimits } from "#facade/phi/context/execution-tracker.ts";
import { HeuristicTokenCounter, totalTokens } from "#facade/phi/context/token-counter.ts";
import { LoopError } from "#facade/phi/loop-error.ts";
import type { AgentMessage } from "#facade/phi/loop-messages.ts";

import { assistant, noUsage, user } from "./support/conversation-messages.ts";

const usage = { input: 100, output: 50, cache_read: 20, cache_write: 5, total_tokens: 0 };
const answer = assistant("Hi there!", 0, { usage });

describe("ContextTracker", () => {
  it("The tokens are estimates until a provider has counted some", () => {
    const tracker = new ContextTracker();
    expect(tracker.currentTokens()).toBe(0);
    tracker.track([user("Hello"), user("World")]);
    expect(tracker.currentTokens()).toBe(totalTokens([user("Hello"), user("World")]));
    tracker.track([user("Hello"), assistant("uncounted", 0, { usage: noUsage })]);
    expect(tracker.currentTokens()).toBe(6 + 7);
  });

  it("The count of an answer replaces all estimates before it, and later messages add estimates", () => {
    const tracker = new ContextTracker();
    const messages: AgentMessage[] = [user("Hello")];
    tracker.track(messages);
    messages.push(answer);
    tracker.track(messages);
    expect(tracker.currentTokens()).toBe(175);
    messages.push(user("Follow up question here"), assistant("uncounted", 0, { usage: noUsage }));
    tracker.track(messages);
    expect(tracker.currentTokens()).toBe(175 + totalTokens(messages.slice(2)));
    messages.push(assistant("later", 0, { usage: { ...usage, input: 300 } }));
    tracker.track(messages);
    expect(tracker.currentTokens()).toBe(375);
  });

  it("A rewritten list drops the count, also if the counted answer is still in it, until the next answer", () => {
    const tracker = new ContextTracker();
    tracker.track([user("Hello"), user("World"), answer]);
    const rewritten = [user("[Context compacted]"), answer];
    tracker.track(rewritten);
    expect(tracker.currentTokens()).toBe(totalTokens(rewritten));
    tracker.track(rewritten);
    expect(tracker.currentTokens()).toBe(totalTokens(rewritten));
    tracker.track([...rewritten, assistant("next", 0, { usage: { ...usage, input: 7 } })]);
    expect(tracker.currentTokens()).toBe(82);
    tracker.reset();
    expect(tracker.currentTokens()).toBe(0);
  });

  it("A program's counter estimates the later messages", () => {
    const tracker = new ContextTracker({ count: () => 1000 });
    tracker.track([answer, user("a")]);
    expect(tracker.currentTokens()).toBe(175 + 1004);
  });
});

describe("ContextConfig", () => {
  it("The defaults are those of the document", () => {
    expect(completeContextConfig({})).toEqual({
      max_context_tokens: 100_000,
      system_prompt_tokens: 4000,
      keep_recent: 10,
      keep_first: 2,
      tool_output_max_lines: 50,
      token_counter: new HeuristicTokenCounter(),
      compaction: { applyToContext: false },
    });
    expect(completeContextConfig({ max_context_tokens: undefined } as unknown as ContextConfig)).toEqual(
      defaultContextConfig,
    );
  });

  it.each([
    [{ max_context_tokens: -1 }, "`contextConfig.max_context_tokens` is -1."],
    [{ max_context_tokens: 3000 }, "`contextConfig.max_context_tokens` is 3000, and `system_prompt_tokens` is 4000"],
    [{ system_prompt_tokens: 1.5 }, "`contextConfig.system_prompt_tokens` is 1.5."],
    [{ keep_recent: Number.NaN }, "`contextConfig.keep_recent` is NaN."],
    [{ keep_first: null }, "`contextConfig.keep_first` is null."],
    [{ keep_first: "2" }, "`contextConfig.keep_first` is a value of the type string."],
    [
      { tool_output_max_lines: 0 },
      "`contextConfig.tool_output_max_lines` is 0. It has to be a whole number of at least 1.",
    ],
    [
      { max_context_token: 5 },
      "`contextConfig` has no option `max_context_token`. Its options are max_context_tokens, ",
    ],
    [{ token_counter: { counts: 1 } }, "`contextConfig.token_counter` is a value of the type object."],
    [{ token_counter: null }, "`contextConfig.token_counter` is null."],
    [{ compaction: true }, "`contextConfig.compaction` is true."],
    [{ compaction: { applyToContext: 1 } }, "`contextConfig.compaction.applyToContext` is 1."],
    [{ compaction: { apply: true } }, "`contextConfig.compaction` has no option `apply`."],
    [[], "`contextConfig` has to be an object"],
  ])("The configuration %j is refused by name and value", (config, message) => {
    expect(() => completeContextConfig(config as ContextConfig)).toThrow(LoopError);
    expect(() => completeContextConfig(config as ContextConfig)).toThrow(message);
  });
});

describe("ExecutionTracker", () => {
  it("A new tracker has the limits of the document, no turns, no tokens, and the time of its clock", () => {
    const tracker = new ExecutionTracker({}, () => 7);
    expect(tracker.limits).toEqual({
      max_turns: 50,
      max_total_tokens: 1_000_000,
      max_duration: { secs: 600, nanos: 0 },
    });
    expect(tracker.limits).toEqual(defaultExecutionLimits);
    expect([tracker.turns, tracker.tokens_used, tracker.started_at, tracker.checkLimits()]).toEqual([0, 0, 7, null]);
    expect(JSON.parse(JSON.stringify(tracker))).toEqual({
      limits: tracker.limits,
      started_at: 7,
      turns: 0,
      tokens_used: 0,
    });
  });

  it("The limit of turns is exceeded after exactly that many turns", () => {
    const tracker = new ExecutionTracker({ max_turns: 2 });
    tracker.recordTurn(10);
    expect(tracker.checkLimits()).toBeNull();
    tracker.recordTurn(10);
    expect(tracker.checkLimits()).toBe("max turns exceeded");
    expect([tracker.turns, tracker.tokens_used]).toEqual([2, 20]);
    expect(new ExecutionTracker({ max_turns: 0 }).checkLimits()).toBe("max turns exceeded");
  });

  it("The limit of tokens is exceeded when the turns have used that many", () => {
    const tracker = new ExecutionTracker({ max_total_tokens: 100 });
    tracker.recordTurn(99);
    expect(tracker.checkLimits()).toBeNull();
    tracker.recordTurn(1);
    expect(tracker.checkLimits()).toBe("max total tokens exceeded");
  });

  it("The limit of time is exceeded when the clock has reached it, and a clock that goes back exceeds nothing", () => {
    let now = 1000;
    const tracker = new ExecutionTracker({ max_duration: { secs: 2, nanos: 500_000_000 } }, () => now);
    for (const [time, reason] of [
      [500, null],
      [3499, null],
      [3500, "max duration exceeded"],
    ] as const) {
      now = time;
      expect(tracker.checkLimits()).toBe(reason);
    }
  });

  it.each([
    [{ max_turns: -1 }, "`executionLimits.max_turns` is -1. It has to be a whole number from 0 to "],
    [{ max_turns: 2.5 }, "`executionLimits.max_turns` is 2.5."],
    [{ max_total_tokens: Infinity }, "`executionLimits.max_total_tokens` is Infinity."],
    [{ max_total_tokens: "5" }, "`executionLimits.max_total_tokens` is a value of the type string."],
    [{ max_turns: null }, "`executionLimits.max_turns` is null."],
    [{ max_duration: 600 }, "`executionLimits.max_duration` is 600. It has to be an object with seconds"],
    [{ max_duration: { secs: -1 } }, "`executionLimits.max_duration.secs` is -1."],
    [{ max_duration: { secs: 1, nanos: 1e9 } }, "`executionLimits.max_duration.nanos` is 1000000000."],
    [{ max_duration: { ms: 1 } }, "`executionLimits.max_duration` has no option `ms`. Its options are secs, nanos."],
    [{ max_duration: {} }, "`executionLimits.max_duration.secs` is undefined."],
    [{ maxTurns: 1 }, "`executionLimits` has no option `maxTurns`."],
    [null, "`executionLimits` has to be an object"],
  ])("The limits %j are refused by name and value", (limits, message) => {
    expect(() => new ExecutionTracker(limits as ExecutionLimits)).toThrow(LoopError);
    expect(() => new ExecutionTracker(limits as ExecutionLimits)).toThrow(message);
  });

  it("Tokens of a turn that are no number of at least 0 are refused", () => {
    const tracker = new ExecutionTracker();
    for (const tokens of [-1, Number.NaN, Infinity, undefined])
      expect(() => tracker.recordTurn(tokens as number)).toThrow("recordTurn takes the tokens of a turn");
    expect(tracker.turns).toBe(0);
  });
});
