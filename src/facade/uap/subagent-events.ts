// Receives the events of the sub-agents of one execution, sends them to the execution's stream, and creates a trace of each sub-agent that
// has ended, at any depth.

import { resultText } from "../upp/tool-calls.ts";
import type { SubagentEvent } from "../upp/tool-context.ts";
import { refusal } from "../upp/upp-error.ts";
import type { AgentState } from "./agent-state.ts";
import { readFrozen } from "./state-json.ts";
import { traceSchema } from "./subagent-trace.ts";
import type { SubagentExecutionTrace } from "./subagent-trace.ts";

type Start = Extract<SubagentEvent, { type: "subagent_start" }>;
type End = Extract<SubagentEvent, { type: "subagent_end" }>;

/** The sub-agents of one execution. */
export class SubagentEvents {
  /** The sub-agents that have not ended. */
  readonly #started = new Map<string, Start>();
  readonly #traces: SubagentExecutionTrace[] = [];
  /** The ids of the sub-agents that have ended, also in earlier executions. A trace with such an id would not be added to the state. */
  readonly #ended: Set<string>;
  #isClosed = false;

  /** `earlier`: the traces in the state that the execution begins with. */
  constructor(earlier: readonly SubagentExecutionTrace[] = []) {
    this.#ended = new Set(earlier.map(({ subagentId }) => subagentId));
  }

  /**
   * Returns the function `ToolContext.onSubagentEvent` of a call. It passes the events of the call's sub-agents to `emit` and returns the
   * result of `emit`. The events of deeper sub-agents are inside these events.
   */
  receiver(toolCallId: string, emit: (event: SubagentEvent) => unknown): (event: SubagentEvent) => unknown {
    return (given) => {
      if (this.#isClosed) return undefined;
      // A program in JavaScript may leave out the id of the call.
      const event: SubagentEvent = Object.assign({ parentToolCallId: toolCallId }, given);
      // A result is a text in the event, as the trace has it (UAP, 8.7).
      if (event.type === "subagent_end" && event.toolExecutions !== undefined) {
        event.toolExecutions = event.toolExecutions.map((each) => ({ ...each, result: resultText(each.result) }));
      }
      this.#assertOrder(event);
      this.#collect(event);
      return emit(event);
    };
  }

  /** The state with the traces of all sub-agents that have ended. The traces of a sub-agent's own sub-agents precede its trace. */
  withTraces(state: AgentState): AgentState {
    if (this.#traces.length === 0) return state;
    const ids = new Set(state.subagentTraces?.map(({ subagentId }) => subagentId));
    return this.#traces
      .filter(({ subagentId }) => !ids.has(subagentId))
      .reduce((changed, trace) => changed.withSubagentTrace(trace), state);
  }

  /** Drops further events: the execution has ended. */
  close(): void {
    this.#isClosed = true;
  }

  #assertOrder({ type, subagentId }: SubagentEvent): void {
    if (typeof subagentId !== "string" || subagentId === "") {
      throw refusal(
        `The event ${type} has no subagentId. Set it to an id of this execution, such as crypto.randomUUID().`,
      );
    }
    if (type === "subagent_start" && this.#ended.has(subagentId)) {
      throw refusal(
        `The state has a trace of a sub-agent with the id "${subagentId}" already. Use a new id for each execution, such as crypto.randomUUID().`,
      );
    }
    if ((type === "subagent_start") !== this.#started.has(subagentId)) return;
    const problem = type === "subagent_start" ? "is already running" : "is not running";
    throw refusal(
      `The event ${type} is out of order: the sub-agent "${subagentId}" ${problem}. Emit subagent_start, subagent_event any number of times, subagent_end.`,
    );
  }

  #collect(event: SubagentEvent): void {
    switch (event.type) {
      case "subagent_start":
        this.#started.set(event.subagentId, event);
        break;
      case "subagent_event": {
        const inner = innerEvent(event.innerEvent);
        if (inner !== null) this.#collect(inner);
        break;
      }
      case "subagent_end":
        this.#traces.push(traceOf(this.#started.get(event.subagentId), event));
        this.#started.delete(event.subagentId);
        this.#ended.add(event.subagentId);
        break;
      default:
        throw refusal(
          `"${(event as { type: string }).type}" is not an event of a sub-agent. Use subagent_start, subagent_event or subagent_end.`,
        );
    }
  }
}

/** Returns the event of a deeper sub-agent inside an event of a sub-agent's stream; null if there is none. */
function innerEvent(event: object): SubagentEvent | null {
  const { uap } = event as { uap?: { type: string; data: object } };
  return uap?.type.startsWith("subagent_") === true ? ({ ...uap.data, type: uap.type } as SubagentEvent) : null;
}

/** Creates a trace. `start` is undefined if the code that executed a deeper sub-agent did not emit it. */
function traceOf(start: Start | undefined, end: End): SubagentExecutionTrace {
  const { subagentId, subagentType, parentToolCallId, success, timestamp: endTime, toolExecutions, usage } = end;
  const trace = {
    subagentId,
    subagentType,
    parentToolCallId,
    prompt: start?.prompt ?? "",
    startTime: start?.timestamp ?? endTime,
    endTime,
    success,
    ...(end.result === undefined ? {} : { result: end.result }),
    ...(end.error === undefined ? {} : { error: end.error }),
    ...(toolExecutions === undefined ? {} : { toolExecutions }),
    ...(usage === undefined ? {} : { usage }),
  };
  // The trace is checked and copied during the tool's call, so that an invalid trace is an error of the call. An invalid trace that is
  // found after the call would end the whole execution.
  return readFrozen(traceSchema, trace, "trace");
}
