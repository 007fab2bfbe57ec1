// Writes an execution as SSE: `data:` lines with the rework plan's events, and the closing line.

import type { ThreadEvent } from "#contract/event.ts";
import type { AgentEvent, ExecuteComplete } from "#contract/session/agent-event.ts";
import type { AgentEvents } from "#contract/session/execution-events.ts";
import type { SessionToolCall } from "#contract/session/session-message.ts";
import type { SseFormat } from "#http/bridge/sse-response.ts";
import { parseOwnJson } from "#lib/untrusted/own-json.ts";

/** The format of the stream of an active execution. */
export function executionFormat(events: AgentEvents): SseFormat {
  const written = (sent: readonly AgentEvent[]): string => lines(sent) + closing(events);
  return {
    opening: lines(events.begin()),
    frame: ({ json }) => written(events.take(parseOwnJson(json) as ThreadEvent)),
    refusal: ({ message }) => written(events.fail(message)),
  };
}

/** The complete stream of an execution whose run still waits. */
export function suspendedExecution(events: AgentEvents, open: readonly SessionToolCall[]): string {
  return lines(events.begin()) + lines(events.rest(open)) + closing(events);
}

function closing({ result }: AgentEvents): string {
  if (result === null) return "";
  const { status, pendingToolCalls } = result;
  const pending = pendingToolCalls === undefined ? {} : { pendingToolCalls };
  return lines([{ type: "execute_complete", status, ...pending }]);
}

function lines(events: readonly (AgentEvent | ExecuteComplete)[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}
