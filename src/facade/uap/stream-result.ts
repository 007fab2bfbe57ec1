// Converts the stream of an agent's execution to its public type.

import type { EventStream } from "../upp/event-stream.ts";
import type { AgentStreamResult, GenerateResult } from "./agent-contract.ts";
import type { AgentStreamEvent } from "./uap-event.ts";

/** Returns an object with the public members of the stream. */
export function streamResult(stream: EventStream<GenerateResult, AgentStreamEvent>): AgentStreamResult {
  return {
    result: stream.result,
    abort: () => stream.abort(),
    [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator](),
  };
}
