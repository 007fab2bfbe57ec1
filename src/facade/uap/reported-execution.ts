// Emits the events of a sub-agent's execution that `subagentTool` starts.

import { systemClock } from "#lib/system-clock.ts";

import type { SubagentEvent, SubagentToolExecution, ToolContext } from "../upp/tool-context.ts";
import type { Turn } from "../upp/turn.ts";
import { OpenSubagents } from "./open-subagents.ts";
import { StreamedExecutions } from "./streamed-executions.ts";
import type { AgentStreamEvent } from "./uap-event.ts";

type End = Extract<SubagentEvent, { type: "subagent_end" }>;

interface Fields {
  subagentId: string;
  subagentType: string;
  parentToolCallId: string;
}

/** One execution: emits `subagent_start`, then exactly one `subagent_end`, also if the call fails or is aborted. */
export class ReportedExecution {
  readonly #fields: Fields;
  readonly #context: ToolContext;
  readonly #executions = new StreamedExecutions();
  readonly #open = new OpenSubagents();
  readonly #onAbort: () => void;
  #hasEnded = false;

  constructor(subagentType: string, context: ToolContext) {
    this.#context = context;
    this.#fields = { subagentId: crypto.randomUUID(), subagentType, parentToolCallId: context.toolCallId };
    // An aborted execution does not wait for its sub-agents. So `subagent_end` is emitted at once, before the parent's stream ends.
    this.#onAbort = () => this.fail("The sub-agent was aborted.");
  }

  start(prompt: string): void {
    this.#emit({ type: "subagent_start", ...this.#fields, prompt, timestamp: nowMs() });
    this.#context.signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Returns a promise if the reader of the parent's stream is slow. */
  emitInner(innerEvent: AgentStreamEvent): unknown {
    if (this.#hasEnded) return undefined;
    this.#executions.add(innerEvent);
    this.#open.add(innerEvent);
    return this.#emit({ type: "subagent_event", ...this.#fields, innerEvent });
  }

  /** Throws if the trace cannot be stored, such as for arguments that are nested too deep. The caller then calls `fail`. */
  succeed(turn: Turn): void {
    if (this.#hasEnded) return;
    const { response, usage } = turn;
    const toolExecutions = executionsOf(turn);
    this.#end({ success: true, result: response.text, toolExecutions, usage });
  }

  /** Does not throw. If the trace with the calls cannot be stored, it is stored without them. */
  fail(error: string): void {
    if (this.#hasEnded) return;
    for (const { end, inStream } of this.#open.ends(error, nowMs())) {
      withoutCallsIfRefused(end, (each) =>
        this.#emit({ type: "subagent_event", ...this.#fields, innerEvent: inStream(each) }),
      );
    }
    withoutCallsIfRefused({ success: false, error, toolExecutions: this.#executions.ended }, (data) => this.#end(data));
  }

  #end(data: Omit<End, "type" | "timestamp" | keyof Fields>): void {
    this.#emit({ type: "subagent_end", ...this.#fields, ...data, timestamp: nowMs() });
    this.#hasEnded = true;
    this.#context.signal.removeEventListener("abort", this.#onAbort);
  }

  #emit(event: SubagentEvent): unknown {
    return this.#context.onSubagentEvent?.(event);
  }
}

function withoutCallsIfRefused<Data extends Pick<End, "toolExecutions">>(
  data: Data,
  emit: (data: Data) => unknown,
): void {
  try {
    emit(data);
  } catch {
    const { toolExecutions: _, ...others } = data;
    emit(others as Data);
  }
}

/** The calls of a turn with their results as the model received them. The program may change the returned values later. */
function executionsOf({ toolExecutions, messages }: Turn): readonly SubagentToolExecution[] {
  const sent = new Map<string, unknown>();
  for (const message of messages) {
    if (message.type !== "tool_result") continue;
    for (const { toolCallId, result } of message.results) sent.set(toolCallId, result);
  }
  return toolExecutions.map((each) =>
    sent.has(each.toolCallId) ? { ...each, result: sent.get(each.toolCallId) } : each,
  );
}

function nowMs(): number {
  return Math.round(systemClock.now() / 1000);
}
