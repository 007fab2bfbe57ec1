// Waits for states of a thread that a client follows.

import type { Connection, Sending, ThreadHandle } from "#client/index.ts";

import { timeoutMs, within } from "../../support/http-client/deadline.ts";

/** Resolves once `test` holds for a followed thread. */
export function changed(thread: ThreadHandle, test: () => boolean): Promise<void> {
  const came = new Promise<void>((resolve) => {
    const look = (): void => {
      if (!test()) return;
      queueMicrotask(() => leave());
      resolve();
    };
    const leave = thread.subscribe(look);
    look();
  });
  const stand = (): string => JSON.stringify([describeConnection(thread.connection), thread.state]);
  return within(timeoutMs, stand, came);
}

function describeConnection(connection: Connection): unknown {
  return "error" in connection ? { ...connection, error: String(connection.error) } : connection;
}

/** Resolves once the run has text. */
export async function firstWords(sending: Sending): Promise<void> {
  for await (const words of sending.text) if (words !== "") return;
}

/** Resolves with the run once it has ended or waits. */
export async function whenSuspended(thread: ThreadHandle, runId: string) {
  await changed(thread, () => /^(completed|stopped|limit|error)$/.test(thread.state.runs[runId]?.status ?? ""));
  return thread.runs.get(runId);
}

/** Resolves with the next pending call. */
export async function nextPending(thread: ThreadHandle, before: string): Promise<string> {
  for await (const event of thread.events()) {
    const calls = event.type === "snapshot" ? event.thread.pending_tool_calls : [];
    const open = event.type === "awaiting_tool_execution" ? event.tool_calls : calls;
    const next = open.find(({ id }) => id !== before);
    if (next !== undefined) return next.id;
  }
  throw new Error("The subscription ended");
}
