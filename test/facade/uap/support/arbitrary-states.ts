// States with any content, for property tests.

import fc from "fast-check";

import { AgentState } from "#facade/uap/agent-state.ts";
import type { PlanStep } from "#facade/uap/plan-step.ts";
import type { SubagentExecutionTrace } from "#facade/uap/subagent-trace.ts";

import { anyMessage } from "../../support/arbitrary-messages.ts";

const plain = { noNullPrototype: true } as const;

/** Any value that JSON expresses without change. */
const anyJSON = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const object = fc.dictionary(fc.string(), anyJSON, plain);
const key = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "toString", "budget"));

const anyPlanStep: fc.Arbitrary<PlanStep> = fc.record(
  {
    id: fc.string({ minLength: 1 }),
    description: fc.string(),
    tool: fc.string(),
    dependsOn: fc.array(fc.string(), { maxLength: 3 }),
    status: fc.constantFrom("pending", "in_progress", "completed", "failed"),
  },
  { ...plain, requiredKeys: ["id", "description", "dependsOn", "status"] },
);

const counts = {
  inputTokens: fc.nat(),
  outputTokens: fc.nat(),
  totalTokens: fc.nat(),
  cacheReadTokens: fc.nat(),
  cacheWriteTokens: fc.nat(),
};

/** Any record of an execution of a sub-agent. */
export const anyTrace: fc.Arbitrary<SubagentExecutionTrace> = fc.record(
  {
    subagentId: fc.uuid({ version: 4 }),
    subagentType: fc.string(),
    parentToolCallId: fc.string(),
    prompt: fc.string(),
    startTime: fc.nat(),
    endTime: fc.nat(),
    success: fc.boolean(),
    result: fc.string(),
    error: fc.string(),
    toolExecutions: fc.array(
      fc.record(
        {
          toolName: fc.string(),
          toolCallId: fc.string(),
          arguments: object,
          result: fc.string(),
          isError: fc.boolean(),
          duration: fc.nat(),
        },
        { ...plain, requiredKeys: ["toolName", "arguments", "result"] },
      ),
      { maxLength: 3 },
    ),
    usage: fc.record(
      { ...counts, cycles: fc.array(fc.record(counts, plain), { maxLength: 2 }) },
      { ...plain, requiredKeys: ["inputTokens", "outputTokens", "totalTokens", "cacheReadTokens", "cacheWriteTokens"] },
    ),
  },
  {
    ...plain,
    requiredKeys: ["subagentId", "subagentType", "parentToolCallId", "prompt", "startTime", "endTime", "success"],
  },
);

/** An operation on a state. */
export type Operation = (state: AgentState) => AgentState;

/** Any operation on a state. */
export const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  anyMessage.map(
    (message): Operation =>
      (state) =>
        state.withMessage(message),
  ),
  fc.array(anyMessage, { maxLength: 3 }).map(
    (messages): Operation =>
      (state) =>
        state.withMessages(messages),
  ),
  fc.array(anyMessage, { maxLength: 3 }).map(
    (messages): Operation =>
      (state) =>
        state.withContext(messages),
  ),
  fc.nat().map(
    (step): Operation =>
      (state) =>
        state.withStep(step),
  ),
  fc.tuple(key, anyJSON).map(
    ([name, value]): Operation =>
      (state) =>
        state.withMetadata(name, value),
  ),
  fc.string().map(
    (reasoning): Operation =>
      (state) =>
        state.withReasoning(reasoning),
  ),
  fc.array(anyPlanStep, { maxLength: 3 }).map(
    (plan): Operation =>
      (state) =>
        state.withPlan(plan),
  ),
  anyTrace.map(
    (trace): Operation =>
      (state) =>
        state.withSubagentTrace(trace),
  ),
);

/** Any state. */
export const anyState: fc.Arbitrary<AgentState> = fc
  .array(anyOperation, { maxLength: 12 })
  .map((operations) => operations.reduce((state, operation) => operation(state), AgentState.initial()));
