// The executions that the suites of agents run: each strategy with the script of its model, the expected additions to a state, and the expected events.

import type { AgentStrategy, ExecutionContext, ExecutionStrategy } from "#facade/uap/agent-contract.ts";
import { loop, plan, react } from "#facade/uap/strategy/index.ts";
import type { AgentStreamEvent } from "#facade/uap/uap-event.ts";

import { call } from "../../support/scripted-llm.ts";
import type { ScriptedAnswer } from "./scripted-agent.ts";

/** An execution of a strategy. */
export interface ExecutionCase {
  name: string;
  execution: () => ExecutionStrategy;
  answers: ScriptedAnswer[];
  /** The messages of the turn without the texts of instructions. */
  messages: string[];
  /** The calls of hooks, and the same events, with the number of their step. */
  hooks: string[];
  reasoning: string[];
  plan?: string[];
  /** Whether it is a custom strategy, which calls the hooks itself and calls no stop condition. */
  isCustom?: boolean;
}

const adding = call("add", { a: 1, b: 2 });

/** A custom strategy with one request and one call of each hook of a step. */
const custom: ExecutionStrategy = {
  name: "custom",
  async execute({ llm, input, state, strategy }) {
    const begun = state.withStep(1);
    await strategy.onStepStart?.(1, begun);
    const turn = await llm.generate(state.messages, input);
    const reached = begun.withMessages(turn.messages);
    await strategy.onStepEnd?.(1, { turn, state: reached });
    return { turn, state: reached };
  },
};

/** The same strategy with a stream of its own. */
const streaming: ExecutionStrategy = {
  name: "streaming",
  execute: (context) => custom.execute(context),
  stream({ agent, llm, input, state, strategy }: ExecutionContext) {
    const begun = state.withStep(1);
    const source = llm.stream(state.messages, input);
    const of = { step: 1, agentId: agent.id };
    async function* events(): AsyncGenerator<AgentStreamEvent> {
      await strategy.onStepStart?.(1, begun);
      yield { source: "uap", uap: { type: "step_start", ...of, data: {} } };
      for await (const upp of source) yield { source: "upp", upp };
      const { usage } = await source.turn;
      yield { source: "uap", uap: { type: "step_end", ...of, data: { usage } } };
    }
    const result = source.turn.then(async (turn) => {
      const reached = begun.withMessages(turn.messages);
      await strategy.onStepEnd?.(1, { turn, state: reached });
      return { turn, state: reached };
    });
    return { result, abort: () => source.abort(), [Symbol.asyncIterator]: () => events() };
  },
};

const oneStep = {
  answers: [{ text: "Adding.", toolCalls: [adding] }, { text: "Three." }],
  messages: ["user: Add.", 'assistant: Adding. [add {"a":1,"b":2}]', "results: 3", "assistant: Three."],
  hooks: ["1 step_start", "1 step_end"],
  reasoning: [],
  isCustom: true,
};

const steps = [
  { id: "sum", description: "Add 1 and 2.", tool: "add", dependsOn: [] },
  { id: "tell", description: "Tell the sum.", tool: null, dependsOn: ["sum"] },
];

/** Every strategy. */
export const executions: ExecutionCase[] = [
  {
    name: "loop",
    execution: () => loop(),
    answers: oneStep.answers,
    messages: oneStep.messages,
    hooks: ["1 step_start", "1 action", "1 observation", "1 step_end", "2 step_start", "2 step_end"],
    reasoning: [],
  },
  {
    name: "react",
    execution: () => react(),
    answers: [
      { text: "I need the sum." },
      { text: "Adding.", toolCalls: [adding] },
      { text: "I have the sum." },
      { text: "Three." },
    ],
    messages: [
      "user: Add.",
      "user: …",
      "assistant: I need the sum.",
      "user: …",
      'assistant: Adding. [add {"a":1,"b":2}]',
      "results: 3",
      "user: …",
      "assistant: I have the sum.",
      "user: …",
      "assistant: Three.",
    ],
    hooks: [
      "1 step_start",
      "1 reasoning",
      "1 action",
      "1 observation",
      "1 step_end",
      "2 step_start",
      "2 reasoning",
      "2 step_end",
    ],
    reasoning: ["I need the sum.", "I have the sum."],
  },
  {
    name: "plan",
    execution: () => plan(),
    answers: [
      { text: JSON.stringify({ steps }) },
      { text: "Adding.", toolCalls: [adding] },
      { text: "The sum is 3." },
      { text: "Three." },
    ],
    messages: [
      "user: Add.",
      "user: …",
      `assistant: ${JSON.stringify({ steps })}`,
      "user: …",
      'assistant: Adding. [add {"a":1,"b":2}]',
      "results: 3",
      "assistant: The sum is 3.",
      "user: …",
      "assistant: Three.",
    ],
    hooks: [
      "1 step_start",
      "1 step_end",
      "2 step_start",
      "2 action",
      "2 observation",
      "2 step_end",
      "3 step_start",
      "3 step_end",
    ],
    reasoning: [],
    plan: ["sum completed", "tell completed"],
  },
  { name: "custom", execution: () => custom, ...oneStep },
  { name: "custom with a stream", execution: () => streaming, ...oneStep },
];

/** Hooks that record their calls, as the types of the events with the same meaning. */
export function recordingHooks(): { trace: string[]; hooks: AgentStrategy } {
  const trace: string[] = [];
  return {
    trace,
    hooks: {
      onStepStart: (step) => void trace.push(`${step} step_start`),
      onReason: (step) => void trace.push(`${step} reasoning`),
      onAct: (step) => void trace.push(`${step} action`),
      onObserve: (step) => void trace.push(`${step} observation`),
      onStepEnd: (step) => void trace.push(`${step} step_end`),
      onComplete: () => void trace.push("complete"),
      onError: (error) => void trace.push(`error ${error.message}`),
    },
  };
}
