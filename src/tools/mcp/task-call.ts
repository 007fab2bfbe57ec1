// A call that the server runs as a task: the client asks for its state until it has a result. The loop of the SDK is not used: it waits
// between its requests for any time that the server sets, also after the call is cancelled.

import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { CreateTaskResultSchema, ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import type { Progress } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

import type { JsonObject } from "#contract/json.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { Fields } from "#lib/json-value.ts";

/** Milliseconds between two requests for the state of a task. The server may set a time within the bounds. */
const standardMs = 1000;
const shortestMs = 100;
const longestMs = 5000;

interface TaskCall {
  signal: AbortSignal;
  timeout: number;
  onProgress: (progress: Progress) => void;
  /** Receives the request that creates the task. If it is refused, the call was not run. */
  onCreate: <T>(sent: Promise<T>) => Promise<T>;
  /** Receives the request that cancels the task on the server. */
  onCancel: (sent: Promise<unknown>) => void;
  clock: Clock;
}

/** The result of a task, whose fields are read by the caller. */
const anyResult = z.looseObject({});

/** Calls a tool as a task. If the signal fires, the task is cancelled. */
export async function callTask(
  client: Client,
  params: { name: string; arguments: JsonObject },
  { signal, timeout, onProgress, onCreate, onCancel, clock }: TaskCall,
): Promise<Fields> {
  const { tasks } = client.experimental;
  const options = { signal, timeout };
  const request = { method: "tools/call", params } as const;
  const created = await onCreate(
    client.request(request, CreateTaskResultSchema, { ...options, onprogress: onProgress, task: {} }),
  );
  const { taskId } = created.task;
  try {
    for (;;) {
      const { status, statusMessage, pollInterval = standardMs } = await tasks.getTask(taskId, options);
      onProgress({ progress: 0, message: statusMessage ?? status });
      // The result of a task that waits for input is sent when the task has ended.
      if (status === "completed" || status === "input_required") {
        return await tasks.getTaskResult(taskId, anyResult, options);
      }
      if (status !== "working") throw new McpError(ErrorCode.InternalError, statusMessage ?? `The task is ${status}.`);
      await clock.sleep(Math.min(longestMs, Math.max(shortestMs, pollInterval)), signal);
    }
  } catch (thrown) {
    if (signal.aborted) onCancel(tasks.cancelTask(taskId).catch(() => undefined));
    throw thrown;
  }
}
