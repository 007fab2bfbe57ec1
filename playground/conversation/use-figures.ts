// Usage and cost of a thread: the sums of its record, plus those of steps that ended after the record was read. So the
// figures rise while a run is active.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { addCost, addUsage, zeroUsage } from "threadhold/client";
import type { EventOf, Thread, ThreadHandle } from "threadhold/client";

import { loadAgain } from "../kit/load-again.ts";
import { isInTool } from "./use-executions.ts";

/** Usage and cost of a thread. */
export type Figures = Pick<Thread, "usage" | "cost">;

/** Events with usage: the ends of an answer, of a step, and of a child thread or a model that a tool runs. */
type Spent = EventOf<"message_end" | "step_end" | "subagent_end">;

/** The figures; undefined until the record is loaded. */
export function useFigures(handle: ThreadHandle): Figures | undefined {
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: ["thread", handle.id],
    queryFn: ({ signal }) => handle.get({ signal }),
  });
  const [spent, setSpent] = useState<readonly Spent[]>([]);
  useEffect(() => {
    const load = () => void loadAgain(queries, ["thread", handle.id]);
    const leaves = [
      handle.on("message_end", (event) => {
        if (event.message.usage !== null) setSpent((before) => [...before, event]);
      }),
      handle.on("step_end", (event) => setSpent((before) => [...before.filter((one) => !isOfStep(one, event)), event])),
      handle.on("subagent_end", (event) => {
        // The steps of a nested loop are counted by their own events.
        if (event.child_thread_id !== undefined || isInTool(event)) setSpent((before) => [...before, event]);
      }),
      handle.on("awaiting_tool_execution", load),
      handle.on("run_end", load),
    ];
    return () => {
      for (const leave of leaves) leave();
    };
  }, [handle, queries]);
  // The record includes events up to its `last_seq`.
  const last = data?.last_seq ?? 0;
  useEffect(() => setSpent((before) => before.filter(({ seq }) => seq > last)), [last]);
  return data === undefined ? undefined : total(data, spent);
}

/** The record's figures with those of events that are newer than it. */
export function total(
  { usage, cost, last_seq: last }: Figures & Pick<Thread, "last_seq">,
  spent: readonly Spent[],
): Figures {
  return spent
    .filter(({ seq }) => seq > last)
    .map(figuresOf)
    .reduce(sum, { usage, cost });
}

function sum(one: Figures, other: Figures): Figures {
  return { usage: addUsage(one.usage, other.usage), cost: addCost(one.cost, other.cost) };
}

function figuresOf(event: Spent): Figures {
  if (event.type !== "message_end") return event;
  return { usage: event.message.usage ?? zeroUsage, cost: event.message.cost };
}

/** Whether an event belongs to an answer of this step. The step's figures include its answer and its failed attempts. */
export function isOfStep(one: Spent, step: EventOf<"step_end">): boolean {
  return (
    one.type === "message_end" &&
    one.run_id === step.run_id &&
    one.step === step.step &&
    one.depth === step.depth &&
    one.parent_id === step.parent_id
  );
}
