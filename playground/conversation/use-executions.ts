// The models and agents that the functions of tools run in calls of a thread. While a call runs, they come from events; afterwards their
// totals are in the metadata of the call's message.

import { createContext, useEffect, useState } from "react";
import { zeroUsage } from "threadhold/client";
import type { EventOf, Json, MessageView, ThreadEvent, ThreadHandle, Usage } from "threadhold/client";

import { textOf } from "../kit/json-value.ts";
import type { PlanOfEvent } from "../kit/plan-steps.tsx";

/** A model or an agent that a tool runs. */
export interface Execution {
  id: string;
  /** The name of the model or agent. */
  type: string;
  state: "running" | "done" | "failed";
  usage: Usage;
  cost: number | null;
  /** Its events since the page was opened, one text each. */
  lines: readonly string[];
  /** The plan of an agent with the strategy `plan`, from its events. */
  plan: PlanOfEvent | null;
}

/** Executions by the id of their call. */
type ExecutionsByCall = ReadonlyMap<string, readonly Execution[]>;

/** The executions since the page of a thread was opened. */
export const ExecutionsContext = createContext<ExecutionsByCall>(new Map());

/** The number of events of an execution that are shown. */
const mostLines = 50;

/** Follows the executions of a thread. */
export function useExecutions(handle: ThreadHandle): ExecutionsByCall {
  const [executions, setExecutions] = useState<ExecutionsByCall>(new Map());
  useEffect(() => {
    setExecutions(new Map());
    const put = (call: string, change: (before: readonly Execution[]) => readonly Execution[]) =>
      setExecutions((all) => {
        const before = all.get(call) ?? [];
        const after = change(before);
        return after === before ? all : new Map(all).set(call, after);
      });
    const leaves = [
      handle.on("subagent_start", (event) => {
        if (isInTool(event)) put(event.parent_tool_call_id, (before) => [...before, begun(event)]);
      }),
      handle.on("subagent_event", ({ subagent_id: id, parent_tool_call_id: call, event }) => {
        // The server sends an execution's own events in this field.
        const inner = event as unknown as ThreadEvent;
        put(call, (before) => changed(before, id, (known) => afterEvent(known, inner)));
      }),
      handle.on("subagent_end", (event) => {
        const { subagent_id: id, success, usage, cost } = event;
        const end = { state: success ? ("done" as const) : ("failed" as const), usage, cost };
        if (isInTool(event)) put(event.parent_tool_call_id, (before) => changed(before, id, () => end));
      }),
    ];
    return () => {
      for (const leave of leaves) leave();
    };
  }, [handle]);
  return executions;
}

/** Whether the event is of a model or agent that a tool runs, and not of a nested loop or of a child thread. */
export function isInTool(event: EventOf<"subagent_start" | "subagent_end">): boolean {
  return event.child_thread_id === undefined && event.subagent_id !== event.message_id;
}

function begun({ subagent_id: id, subagent_type: type }: EventOf<"subagent_start">): Execution {
  return { id, type, state: "running", usage: zeroUsage, cost: 0, lines: [], plan: null };
}

function changed(
  before: readonly Execution[],
  id: string,
  changeOf: (known: Execution) => Partial<Execution>,
): readonly Execution[] {
  const at = before.findIndex((known) => known.id === id);
  const known = before[at];
  if (known === undefined) return before;
  const change = changeOf(known);
  return Object.keys(change).length === 0 ? before : before.with(at, { ...known, ...change });
}

/** What an event of an execution changes. */
export function afterEvent({ lines }: Pick<Execution, "lines">, event: ThreadEvent): Partial<Execution> {
  const line = lineOf(event);
  return {
    ...(event.type === "plan" ? { plan: event.steps } : {}),
    ...(line === null ? {} : { lines: [...lines, line].slice(-mostLines) }),
  };
}

/** The text of an execution's event; null for an event that is not in the list. */
function lineOf(event: ThreadEvent): string | null {
  switch (event.type) {
    case "step_start":
      return `Requests ${event.model}${event.phase === undefined ? "" : ` (${event.phase})`}`;
    case "reasoning":
      return `Reasons: ${event.text}`;
    case "tool_execution_start":
      return `Calls ${event.tool_name}`;
    case "tool_execution_end":
      return `${event.tool_name} ${event.is_error ? "failed" : "is done"}`;
    case "model_retry":
      return "Repeats the request";
    default:
      return null;
  }
}

/** The executions of a call: those of the events, with the totals of the call's message. */
export function executionsOf(live: readonly Execution[] = [], result: MessageView | null): readonly Execution[] {
  const stored = result?.metadata["executions"];
  if (!Array.isArray(stored)) return live;
  return stored.flatMap((one): Execution[] => {
    if (typeof one !== "object" || one === null || Array.isArray(one)) return [];
    const { id, type, success, usage, cost } = one as { [field: string]: Json };
    const { lines = [], plan = null } = live.find((known) => known.id === id) ?? {};
    const totals = { ...zeroUsage, ...(usage as Partial<Usage> | undefined) };
    const state = success === true ? "done" : "failed";
    return [
      {
        id: textOf(id) ?? "",
        type: textOf(type) ?? "",
        state,
        usage: totals,
        cost: typeof cost === "number" ? cost : null,
        lines,
        plan,
      },
    ];
  });
}
