// What the events of an agent that a tool executes change in the list of the tool's call.

import { expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import { afterEvent } from "#playground/conversation/use-executions.ts";

/** The execution after events, without the fields that its start and its end set. */
function after(events: readonly object[]) {
  let known: { lines: readonly string[]; plan?: unknown } = { lines: [] };
  for (const event of events) known = { ...known, ...afterEvent(known, event as ThreadEvent) };
  return known;
}

it("The list of events of an agent in a tool shows its requests, phases, reasoning and calls", () => {
  const { lines } = after([
    { type: "step_start", model: "large", attempt: 1, phase: "reason" },
    { type: "message_start", role: "assistant", position: "1" },
    { type: "reasoning", strategy: "react", text: "I have to look." },
    { type: "step_start", model: "large", attempt: 1 },
    { type: "model_retry", attempt: 2, max: 3, delay_ms: 1, error: { code: "api", message: "No." } },
    { type: "tool_execution_start", tool_call_id: "1", tool_name: "look_up", args: {} },
    { type: "tool_execution_end", tool_call_id: "1", tool_name: "look_up", result: {}, is_error: true, duration_ms: 1 },
  ]);
  expect(lines).toEqual([
    "Requests large (reason)",
    "Reasons: I have to look.",
    "Requests large",
    "Repeats the request",
    "Calls look_up",
    "look_up failed",
  ]);
});

it("The view of an agent in a tool shows the agent's last plan and its last 50 events", () => {
  const steps = (status: string) => [{ id: "a", description: "Look.", dependsOn: [], status }];
  const { lines, plan } = after([
    { type: "plan", strategy: "plan", steps: steps("in_progress") },
    ...Array.from({ length: 60 }, (_, at) => ({ type: "step_start", model: `model-${at}`, attempt: 1 })),
    { type: "plan", strategy: "plan", steps: steps("completed") },
  ]);
  expect(plan).toEqual(steps("completed"));
  expect(lines).toHaveLength(50);
  expect(lines.at(-1)).toBe("Requests model-59");
});
