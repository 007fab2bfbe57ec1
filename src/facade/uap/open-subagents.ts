// The sub-agents that are running inside a sub-agent, by the events of its stream. If the sub-agent is aborted, its stream ends before the
// `subagent_end` events of the inner sub-agents. So these events are created here.

import type { SubagentEvent } from "../upp/tool-context.ts";
import { StreamedExecutions } from "./streamed-executions.ts";
import type { AgentStreamEvent, UAPEvent } from "./uap-event.ts";

type Start = Extract<UAPEvent, { type: "subagent_start" }>;
type End = Extract<SubagentEvent, { type: "subagent_end" }>;

/** The `subagent_end` event of a running sub-agent, and a function that wraps this event in an event of the outer stream. */
export interface OpenEnd {
  end: End;
  inStream: (end: End) => AgentStreamEvent;
}

interface OpenSubagent {
  start: Start;
  executions: StreamedExecutions;
  inner: OpenSubagents;
}

/** The running sub-agents of one stream, at any depth. */
export class OpenSubagents {
  readonly #open = new Map<string, OpenSubagent>();

  /** Processes an event of the stream. */
  add(event: AgentStreamEvent): void {
    if (event.source !== "uap") return;
    const { uap } = event;
    switch (uap.type) {
      case "subagent_start":
        this.#open.set(uap.data.subagentId, {
          start: uap,
          executions: new StreamedExecutions(),
          inner: new OpenSubagents(),
        });
        break;
      case "subagent_event": {
        const { subagentId, innerEvent } = uap.data;
        const open = this.#open.get(subagentId);
        open?.executions.add(innerEvent);
        open?.inner.add(innerEvent);
        break;
      }
      case "subagent_end":
        this.#open.delete(uap.data.subagentId);
        break;
      default:
    }
  }

  /** The ends of all running sub-agents. The end of a deeper sub-agent precedes that of its parent. */
  *ends(error: string, timestamp: number): Generator<OpenEnd> {
    for (const { start, executions, inner } of this.#open.values()) {
      const { step, agentId, data } = start;
      const { subagentId, subagentType, parentToolCallId } = data;
      const fields = { subagentId, subagentType, parentToolCallId };
      for (const { end, inStream } of inner.ends(error, timestamp)) {
        yield {
          end,
          inStream: (each) => ({
            source: "uap",
            uap: {
              type: "subagent_event",
              step,
              agentId,
              data: { type: "subagent_event", ...fields, innerEvent: inStream(each) },
            },
          }),
        };
      }
      const end: End = {
        type: "subagent_end",
        ...fields,
        success: false,
        error,
        timestamp,
        toolExecutions: executions.ended,
      };
      yield { end, inStream: (each) => ({ source: "uap", uap: { type: "subagent_end", step, agentId, data: each } }) };
    }
  }
}
