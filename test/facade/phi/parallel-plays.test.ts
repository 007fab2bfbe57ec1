// The plays of the public implementation of phi-core about parallel loops and their evaluation (plays/README.md).

import { expect, it } from "vitest";

import { fitTexts } from "#core/evaluation/fit-texts.ts";
import { textTokens } from "#core/model/estimate-tokens.ts";
import { CancellationToken, createTool } from "#facade/phi/index.ts";
import {
  ElaborateEvaluation,
  LlmJudgeEvaluation,
  PickFirstEvaluation,
  TokenEfficientEvaluation,
  TransparentEvaluation,
} from "#facade/phi/loop-agents.ts";
import type { EvaluationStrategy, ParallelLoopOutcome } from "#facade/phi/loop-agents.ts";

import { playParallel, requestsOf, scripted } from "./support/parallel-play.ts";
import { answerOf, entriesOf, messagesOf } from "./support/play-file.ts";
import { textsOf } from "./support/play.ts";

/* oxlint-disable typescript/no-explicit-any -- the notation of plays has no types; a wrong member makes the play fail */
type Any = any;

const strategies: Record<string, () => EvaluationStrategy> = {
  Transparent: () => new TransparentEvaluation(),
  PickFirst: () => new PickFirstEvaluation(),
  TokenEfficient: () => new TokenEfficientEvaluation(),
  Elaborate: () => new ElaborateEvaluation(),
};

function strategyNamed(name: string): EvaluationStrategy {
  const make = strategies[name];
  if (make === undefined) throw new Error(`The play has the unknown strategy ${name}.`);
  return make();
}

function expectParts(text: string, { contains = [], lacks = [] }: Any): void {
  for (const part of contains) expect(text).toContain(part);
  for (const part of lacks) expect(text).not.toContain(part);
}

const kinds: Record<string, (given: Any, expected: Any) => Promise<void>> = {
  async parallel({ prompts, strategy, branches, tools = [], context = {} }, expected) {
    const judge = scripted([strategy.judge ?? ""]);
    const { result, events } = await playParallel({
      prompts: messagesOf(prompts),
      configs: branches.map((answers: Any[]) => scripted(answers.map(answerOf))),
      strategy: strategy.judge === undefined ? strategyNamed(strategy) : new LlmJudgeEvaluation({ judgeConfig: judge }),
      context: { ...context, messages: messagesOf(context.messages) },
      tools: tools.map((name: string) =>
        createTool({ name, description: name, parameters: { type: "object" }, execute: () => "looked" }),
      ),
    });
    const starts = events.filter((event) => event.type === "AgentStart");
    const ends = events.filter((event) => event.type === "ParallelLoopEnd");
    const {
      selected_index,
      outcomes,
      selected,
      original_context_len,
      sessions,
      evaluationError = false,
      requested,
    } = expected;
    expect(result.evaluation_error !== null).toBe(evaluationError);
    expect(ends.map(({ selected_config_index }) => selected_config_index)).toEqual([result.selected_index]);
    if (selected_index !== undefined) expect(result.selected_index).toBe(selected_index);
    if (outcomes !== undefined) expect(result.all_outcomes).toHaveLength(outcomes);
    if (selected !== undefined) expect(textsOf(result.selected_messages)).toEqual(selected);
    if (expected.starts !== undefined) expect(starts).toHaveLength(expected.starts);
    if (sessions !== undefined) expect(new Set(starts.map(({ session_id }) => session_id)).size).toBe(sessions);
    if (original_context_len !== undefined)
      for (const outcome of result.all_outcomes) expect(outcome.original_context_len).toBe(original_context_len);
    if (requested !== undefined) expectParts(textsOf(requestsOf(judge)[0]?.messages ?? []).join("\n"), requested);
  },
  async evaluation({ strategy, outcomes }, { select, usage, throws }) {
    const given = outcomes.map(({ tokens, text }: Any, config_index: number): ParallelLoopOutcome => ({
      config_index,
      loop_id: `loop${config_index + 1}`,
      context: { system_prompt: "", messages: [], tools: [] },
      new_messages: messagesOf([{ role: "assistant", text }]),
      usage: { input: 0, output: 0, cache_read: 0, cache_write: 0, total_tokens: tokens },
      original_context_len: 0,
      error_message: null,
    }));
    const evaluate = async () =>
      strategyNamed(strategy).evaluate([], given, { send: () => undefined }, new CancellationToken());
    if (throws !== undefined) return expect(evaluate()).rejects.toThrow(throws);
    const evaluation = await evaluate();
    expect(evaluation.decision).toEqual({ Select: select });
    if (usage === "none") expect(evaluation.usage).toBeUndefined();
  },
  async fit({ context, responses, budget }, expected) {
    const text = context.join("\n");
    const fitting = fitTexts({ context: text, responses }, budget, textTokens);
    const lines = fitting.context.split("\n");
    if (expected.context !== undefined) expect(fitting.context).toBe(expected.context);
    if (expected.responses !== undefined) expect(fitting.responses).toEqual(expected.responses);
    if (expected.contextLines !== undefined) expect(lines).toHaveLength(expected.contextLines);
    if (expected.lastLine !== undefined) expect(lines.at(-1)).toBe(expected.lastLine);
    if (expected.tokensBelow !== undefined) expect(textTokens(fitting.context)).toBeLessThan(expected.tokensBelow);
    expectParts(fitting.context, expected);
    expect(fitting.fits).toBe(expected.fits);
  },
};

it.each(entriesOf("parallel").map((entry) => [entry.id, entry] as const))(
  "The play %s has the selection and texts that its entry expects",
  async (_id, { kind, given, expect: expected }) => {
    const run = kinds[kind];
    if (run === undefined) throw new Error(`The play has the unknown kind ${kind}.`);
    await run(given, expected);
  },
);
