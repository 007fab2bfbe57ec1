// Runs parallel loops with a scripted provider for each config. The events of each loop are checked against the grammar of events.

import { expect } from "vitest";

import { channel, ModelConfig, userMessage } from "#facade/phi/index.ts";
import type {
  AgentContext,
  AgentEvent,
  AgentLoopConfig,
  AgentMessage,
  AgentTool,
  CancellationToken,
} from "#facade/phi/index.ts";
import { agentLoopParallel, PickFirstEvaluation } from "#facade/phi/loop-agents.ts";
import type { EvaluationStrategy, ParallelLoopResult } from "#facade/phi/loop-agents.ts";
import { MockProvider } from "#facade/phi/provider/mock-provider.ts";
import type { MockResponse } from "#facade/phi/provider/mock-provider.ts";

import { problemsOf } from "./event-grammar.ts";

const noRetry = { max_retries: 0, initial_delay_ms: 0, backoff_multiplier: 1, max_delay_ms: 0 };

/** The config of a loop whose answers are given. */
export function scripted(answers: MockResponse[], more: Partial<AgentLoopConfig> = {}): AgentLoopConfig {
  return {
    modelConfig: ModelConfig.anthropic("mock-model", "Mock", "key"),
    providerOverride: new MockProvider(answers, { strict: true }),
    retryConfig: noRetry,
    ...more,
  };
}

/** An answer with a number of tokens. */
export function using(text: string, total: number): MockResponse {
  return { text, usage: { input: total - 1, output: 1 } };
}

/** The requests that a config's provider received. */
export function requestsOf({ providerOverride }: AgentLoopConfig): MockProvider["requests"] {
  return (providerOverride as MockProvider).requests;
}

/** The parts of a parallel play. */
export interface ParallelPlay {
  configs: AgentLoopConfig[];
  prompts?: AgentMessage[];
  context?: Partial<AgentContext>;
  tools?: AgentTool[];
  strategy?: EvaluationStrategy;
  cancel?: CancellationToken | AbortSignal;
  onEvent?: (event: AgentEvent) => void;
}

/** What a program sees of it. */
export interface ParallelPlayed {
  result: ParallelLoopResult;
  events: AgentEvent[];
  base: AgentContext;
}

/** Runs parallel loops to their end. */
export async function playParallel({
  configs,
  prompts = [userMessage("Which city?", 1)],
  context,
  tools = [],
  strategy = new PickFirstEvaluation(),
  cancel,
  onEvent,
}: ParallelPlay): Promise<ParallelPlayed> {
  const base: AgentContext = { system_prompt: "", messages: [], tools, ...context };
  const { tx, rx } = channel();
  const sender = {
    send(event: AgentEvent) {
      tx.send(event);
      onEvent?.(event);
    },
  };
  const result = await agentLoopParallel(prompts, base, configs, strategy, sender, cancel);
  const events: AgentEvent[] = [];
  for (let event = rx.tryRecv(); event !== null; event = rx.tryRecv()) events.push(event);
  expect([events[0]?.type, events.at(-1)?.type]).toEqual(["ParallelLoopStart", "ParallelLoopEnd"]);
  for (const loop of byLoop(events).values()) expect(problemsOf(loop.filter(isOfLoop))).toEqual([]);
  return { result, events, base };
}

/** Whether the loop itself emitted the event. The warning of a judge belongs to its loop and to no call. */
function isOfLoop(event: AgentEvent): boolean {
  return event.type !== "ProgressMessage" || event.tool_call_id !== "judge-compaction";
}

/** The events of each loop. */
export function byLoop(events: readonly AgentEvent[]): Map<string, AgentEvent[]> {
  const loops = new Map<string, AgentEvent[]>();
  for (const event of events)
    if ("loop_id" in event) loops.set(event.loop_id, [...(loops.get(event.loop_id) ?? []), event]);
  return loops;
}

/** The event of a type. Fails unless there is exactly one. */
export function only<T extends AgentEvent["type"]>(
  events: readonly AgentEvent[],
  type: T,
): Extract<AgentEvent, { type: T }> {
  const found = events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);
  expect(found).toHaveLength(1);
  return found[0] as Extract<AgentEvent, { type: T }>;
}
