// Streams of agents have the same result as `generate`, for any script, strategy and reader. A failed property prints its seed.

import fc from "fast-check";
import { expect, it, vi } from "vitest";

import type { Agent, GenerateResult } from "#facade/uap/agent-contract.ts";
import { AgentState } from "#facade/uap/agent-state.ts";
import { partialState } from "#facade/uap/partial-state.ts";
import { loop, plan, react } from "#facade/uap/strategy/index.ts";

import { add, call, outline, tool } from "../support/scripted-llm.ts";
import { eventsOf, recordedScript, scriptedAgent, stepsOf } from "./support/scripted-agent.ts";
import type { ScriptedAnswer } from "./support/scripted-agent.ts";

// A property runs many executions; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 120_000 });

const broken = tool("broken", () => {
  throw new Error("It broke.");
});

const steps = fc
  .uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1 })
  .map((ids) => ids.map((id, at) => ({ id, description: `Do ${id}.`, dependsOn: ids.slice(0, at) })));

const answer: fc.Arbitrary<ScriptedAnswer> = fc.oneof(
  fc.constantFrom<ScriptedAnswer>({ text: "Done." }, { text: "" }, { thinking: "Hm.", text: ["In ", "parts."] }),
  fc
    .array(fc.constantFrom(call("add", { a: 1, b: 2 }), call("broken"), call("missing")), {
      minLength: 1,
      maxLength: 3,
    })
    .map((toolCalls) => ({ text: "Calling.", toolCalls })),
  steps.map((of) => ({ text: JSON.stringify({ steps: of }) })),
  fc.constant<ScriptedAnswer>({ text: "Half", error: { status: 503, message: "Overloaded." } }),
);

/** What two executions have in common: their result, or their error with the state up to it. */
async function outcomeOf(result: Promise<GenerateResult>): Promise<unknown> {
  const contentOf = (state: AgentState | undefined) => ({
    messages: outline(state?.messages ?? []),
    step: state?.step,
    reasoning: state?.reasoning,
    plan: state?.plan,
  });
  try {
    const { turn, state } = await result;
    const { usage, cycles, toolExecutions } = turn;
    const executed = toolExecutions.map(({ toolName, result: value, isError }) => [toolName, value, isError]);
    return { turn: outline(turn.messages), usage, cycles, executed, state: contentOf(state) };
  } catch (error) {
    return { error: (error as Error).message, state: contentOf(partialState(error)) };
  }
}

it("A stream has the messages, steps, reasoning, plan, token counts and errors of generate, whether its events are read or not", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(answer, { maxLength: 12 }),
      fc.constantFrom(
        () => loop(),
        () => loop({ maxIterations: 2 }),
        () => react(),
        () => react({ maxSteps: 2 }),
        () => plan(),
        () => plan({ allowReplan: false, maxPlanSteps: 2 }),
      ),
      async (answers, execution) => {
        const made = (trace: string[] = []): Agent =>
          scriptedAgent(recordedScript(answers).script, {
            tools: [add, broken],
            execution: execution(),
            strategy: {
              onStepStart: (step) => void trace.push(`${step} step_start`),
              onReason: (step) => void trace.push(`${step} reasoning`),
              onAct: (step) => void trace.push(`${step} action`),
              onObserve: (step) => void trace.push(`${step} observation`),
              onStepEnd: (step) => void trace.push(`${step} step_end`),
            },
          });
        const trace: string[] = [];
        const generated = await outcomeOf(made(trace).generate("Go.", AgentState.initial()));
        const unread = await outcomeOf(made().stream("Go.", AgentState.initial()).result);
        const stream = made().stream("Go.", AgentState.initial());
        const events = await eventsOf({
          async *[Symbol.asyncIterator]() {
            try {
              yield* stream;
            } catch {
              // The result has the same error.
            }
          },
        });
        expect(unread).toEqual(generated);
        expect(await outcomeOf(stream.result)).toEqual(generated);
        expect(stepsOf(events)).toEqual(trace);
      },
    ),
    { numRuns: 60 },
  );
});
