// A call that the server runs as a task, which the SDK has no function for: the client asks for the state of the task until it has a result.
// The time between two requests is bounded, whatever the server sets, and a cancelled call does not wait.

import { INTERNAL_ERROR, ProtocolError } from "@modelcontextprotocol/client";
import type { Client } from "@modelcontextprotocol/client";
import { z } from "zod";

import type { JsonObject } from "#contract/json.ts";
import type { Clock } from "#core/ports/clock.ts";
import { fieldsOf } from "#lib/json-value.ts";
import type { Fields } from "#lib/json-value.ts";

import { textIn } from "./read-items.ts";

/** Milliseconds between two requests for the state of a task. The server may set a time within the bounds. */
const standardMs = 1000;
const shortestMs = 100;
const longestMs = 5000;

interface TaskCall {
  signal: AbortSignal;
  timeout: number;
  /** Receives a text about each state of the task. */
  onState: (text: string) => void;
  /** Receives the request that creates the task. If it is refused, the call was not run. */
  onCreate: <T>(sent: Promise<T>) => Promise<T>;
  /** Receives the request that cancels the task on the server. */
  onCancel: (sent: Promise<unknown>) => void;
  clock: Clock;
}

/** The schema of every result. The SDK's own schemas refuse the state of a running task because of one odd field. */
const anyResult = z.looseObject({});

/** Calls a tool as a task. If the signal fires, the task is cancelled. A server that creates no task has returned the result itself. */
export async function callTask(
  client: Client,
  params: { name: string; arguments: JsonObject },
  { signal, timeout, onState, onCreate, onCancel, clock }: TaskCall,
): Promise<Fields> {
  const options = { signal, timeout };
  const request = { method: "tools/call", params: { ...params, task: {} } };
  const created = await onCreate(client.request(request, anyResult, options));
  const taskId = textIn(fieldsOf(created["task"]), "taskId");
  if (taskId === undefined) return created;
  const about = { taskId };
  try {
    for (;;) {
      const task = await client.request({ method: "tasks/get", params: about }, anyResult, options);
      const { status, pollInterval } = task;
      const state = textIn(task, "statusMessage") ?? `The task is ${String(status)}.`;
      onState(state);
      // The result of a task that waits for input is sent when the task has ended.
      if (status === "completed" || status === "input_required") {
        return await client.request({ method: "tasks/result", params: about }, anyResult, options);
      }
      if (status !== "working") throw new ProtocolError(INTERNAL_ERROR, state);
      const wait = typeof pollInterval === "number" ? pollInterval : standardMs;
      await clock.sleep(Math.min(longestMs, Math.max(shortestMs, wait)), signal);
    }
  } catch (thrown) {
    if (signal.aborted) {
      onCancel(client.request({ method: "tasks/cancel", params: about }, anyResult).catch(() => undefined));
    }
    throw thrown;
  }
}
