// The stream of an agent's execution, as programs receive it.

import type { EventStream } from "../upp/event-stream.ts";
import type { AgentStreamResult, GenerateResult } from "./agent-contract.ts";
import type { AgentStreamEvent } from "./uap-event.ts";

/** The stream without its internal functions. */
export function streamResult(stream: EventStream<GenerateResult, AgentStreamEvent>): AgentStreamResult {
  return {
    result: stream.result,
    abort: () => stream.abort(),
    [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator](),
  };
}
