// An execution written out as SSE: `data:` lines of the rework plan's events, and the line that closes them.

import type { ThreadEvent } from "#contract/event.ts";
import type { AgentEvent, ExecuteComplete } from "#contract/session/agent-event.ts";
import type { AgentEvents } from "#contract/session/execution-events.ts";
import type { SessionToolCall } from "#contract/session/session-message.ts";
import type { SseFormat } from "#http/bridge/sse-response.ts";

/** How an execution that is under way is written. */
export function executionFormat(events: AgentEvents): SseFormat {
  const written = (told: readonly AgentEvent[]): string => lines(told) + closing(events);
  return {
    opening: lines(events.begin()),
    frame: ({ json }) => written(events.take(JSON.parse(json) as ThreadEvent)),
    refusal: ({ message }) => written(events.fail(message)),
  };
}

/** An execution that rests as it did, whole. */
export function restingExecution(events: AgentEvents, open: readonly SessionToolCall[]): string {
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
