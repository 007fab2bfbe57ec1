// Collects the ended tool calls of an execution from the events of its stream. A failed execution has no turn with a list of its calls.

import { errorMessage } from "#lib/cut-text.ts";
import { isObject, parseJson } from "#lib/json-value.ts";

import type { SubagentToolExecution } from "../upp/tool-context.ts";
import type { AgentStreamEvent } from "./uap-event.ts";

/** The calls of one execution. */
export class StreamedExecutions {
  /** The JSON of the arguments, by the id of the call. */
  readonly #arguments = new Map<string, string>();
  /** The times of `tool_execution_start`, by the id of the call. */
  readonly #started = new Map<string, number>();
  readonly #ended: SubagentToolExecution[] = [];

  /** In the order in which the calls ended. */
  get ended(): readonly SubagentToolExecution[] {
    return this.#ended;
  }

  add(event: AgentStreamEvent): void {
    if (event.source !== "upp") return;
    const { type, delta } = event.upp;
    const { toolCallId = "", toolName = "", argumentsJson = "", result, isError = false, timestamp = 0 } = delta;
    switch (type) {
      case "message_start":
        this.#arguments.clear();
        break;
      case "tool_call_delta":
        this.#arguments.set(toolCallId, (this.#arguments.get(toolCallId) ?? "") + argumentsJson);
        break;
      case "tool_execution_start":
        this.#started.set(toolCallId, timestamp);
        break;
      case "tool_execution_end": {
        const args = parseJson(this.#arguments.get(toolCallId) ?? "");
        const duration = timestamp - (this.#started.get(toolCallId) ?? timestamp);
        const call = { toolName, toolCallId, arguments: isObject(args) ? args : {} };
        this.#ended.push({ ...call, result: copyOf(result), isError, duration });
        break;
      }
      default:
    }
  }
}

/** Copies a result as JSON. The program may change the value later, so that the calls could no longer be stored. */
function copyOf(result: unknown): unknown {
  if (typeof result === "string") return result;
  try {
    const json = JSON.stringify(result) as string | undefined;
    return json === undefined ? undefined : parseJson(json);
  } catch (thrown) {
    return `The result cannot be converted to JSON: ${errorMessage(thrown)}`;
  }
}
