// Converts the events of a thread into the rework plan's events for one execution of a session. Every start event is followed by its end
// event, except that of a tool call whose arguments stayed incomplete. The plan has no event for a retracted text (`message_retracted`), so
// such a text ends at once as an aborted message and is not among the messages of `session_end`. No character is sent twice.

import type { EventOf, PlainEvent, ThreadEvent } from "../event.ts";
import type { AgentEvent, ExecuteStatus } from "./agent-event.ts";
import { CostOfExecution } from "./execution-cost.ts";
import type { AbortedMessage, ErrorMessage, SessionMessage, SessionToolCall } from "./session-message.ts";
import { isOnMainLine, outputOf, toPendingCall, toSessionMessage } from "./session-transcript.ts";
import type { Providers } from "./session-transcript.ts";
import { sessionStatus } from "./session-view.ts";
import { StreamedAnswer } from "./streamed-answer.ts";

/** The outcome of an execution (agent API rework plan, ExecuteResult; `error` is our addition). */
export interface ExecuteResult {
  status: ExecuteStatus;
  /** The messages that the execution added. */
  messages: SessionMessage[];
  /** Present if the status is `awaiting_tool_execution`. */
  pendingToolCalls?: SessionToolCall[];
  /** USD; null if a price is unknown. */
  cost: number | null;
}

/** Facts about an execution that its events do not contain. */
export interface ExecutionContext {
  sessionId: string;
  /** The run of the execution. Events of other runs are ignored. */
  runId: string;
  providers: Providers;
  /** Whether a client runs a tool. The plan has `tool_execution_*` events for local tools only. */
  isRemote: (toolName: string) => boolean;
}

/** Converts the events of one execution. Pass the events in order; the execution is over when `result` is set. */
export class AgentEvents {
  readonly #context: ExecutionContext;
  /** Messages of this execution by id, in the order of their `message_end`. */
  readonly #sent = new Map<string, SessionMessage>();
  /** Answers that have started and not ended, with what was sent of them. */
  readonly #open = new Map<string, StreamedAnswer>();
  /** Ids of messages that need no further event: they were sent, are hidden, or were retracted. */
  readonly #over = new Set<string>();
  /** The number of output characters that were sent of each running call. */
  readonly #calls = new Map<string, number>();
  /** Ids of calls that have ended. */
  readonly #settled = new Set<string>();
  readonly #cost = new CostOfExecution();
  #broken: { id: string; message: EventOf<"message_end">["message"] } | null = null;
  #result: ExecuteResult | null = null;

  constructor(context: ExecutionContext) {
    this.#context = context;
  }

  /** The outcome; null until the execution is over. */
  get result(): ExecuteResult | null {
    return this.#result;
  }

  /** Returns the first event of an execution. */
  begin(): AgentEvent[] {
    return [{ type: "session_start", sessionId: this.#context.sessionId }];
  }

  /** Returns the session events for an event of the thread; none once the execution is over. */
  take(event: ThreadEvent): AgentEvent[] {
    if (this.#result !== null) return [];
    if (event.type === "snapshot") return this.#takeSnapshot(event);
    if (event.run_id !== this.#context.runId) return [];
    this.#cost.take(event);
    return this.#map(event);
  }

  /** Ends an execution whose run waits for the results of these calls. */
  rest(toolCalls: readonly SessionToolCall[]): AgentEvent[] {
    if (this.#result !== null) return [];
    const { sessionId } = this.#context;
    const pending = [...toolCalls];
    return [
      ...this.#closeMessages(),
      { type: "awaiting_tool_execution", sessionId, toolCalls: pending },
      ...this.#end("awaiting_tool_execution", pending),
    ];
  }

  /** Ends an execution whose thread can no longer be followed. */
  fail(error: string): AgentEvent[] {
    if (this.#result !== null) return [];
    return [...this.#closeAll(), ...this.#brokenAnswer(error), { type: "error", error }, ...this.#end("error")];
  }

  #map(event: PlainEvent): AgentEvent[] {
    switch (event.type) {
      case "message_start":
        return this.#begun(event);
      case "message_end":
        return this.#ended(event);
      case "message_updated":
        this.#changed(event.message);
        return [];
      case "message_deleted":
        this.#sent.delete(event.message.id);
        return [];
      case "message_retracted":
        return this.#retracted(event.message_id);
      case "text_start":
      case "text_delta":
      case "text_end":
      case "thinking_start":
      case "thinking_delta":
      case "thinking_end":
      case "toolcall_start":
      case "toolcall_delta":
      case "toolcall_end":
        return this.#open.get(event.message_id ?? "")?.take(event) ?? [];
      case "tool_execution_start":
      case "tool_execution_delta":
      case "tool_execution_end":
        return this.#call(event);
      case "awaiting_tool_execution":
        // Without calls, a child thread has received its last answer, and the run continues.
        if (event.tool_calls.length === 0) return [];
        return this.rest(event.tool_calls.map((call) => toPendingCall(call)));
      case "input_rejected":
        return [{ type: "error", error: event.reason }];
      case "run_end":
        return this.#runEnded(event);
      default:
        // The plan has no events for steps, turns, retries, child threads and files.
        return [];
    }
  }

  /**
   * Sends messages that ended during a lost connection as a whole, and continues those in progress at their last
   * character.
   */
  #takeSnapshot({ messages, partial }: EventOf<"snapshot">): AgentEvent[] {
    const ids = new Set(messages.map(({ id }) => id));
    const inFlight = new Set(partial.map(({ message_id }) => message_id ?? ""));
    const lost = [...this.#open.keys()].filter((id) => !ids.has(id) && !inFlight.has(id));
    const own = messages.filter(({ run_id, id }) => run_id === this.#context.runId && !this.#over.has(id));
    return [
      ...lost.flatMap((id) => this.#retracted(id)),
      ...own.flatMap((message) => this.#endedAs(message.id, message)),
      ...partial.flatMap((event) => this.take(event)),
    ];
  }

  #begun(event: EventOf<"message_start">): AgentEvent[] {
    const id = event.message_id ?? "";
    // Only the main model's answers are streamed. Messages of tools, of users and of a second model are sent as a whole
    // at their end.
    if (event.role !== "assistant" || event.silent === true || !isOnMainLine(event)) return [];
    if (this.#over.has(id) || this.#open.has(id)) return [];
    this.#open.set(id, new StreamedAnswer());
    return [{ type: "message_start", role: "assistant" }];
  }

  #ended({ message_id, message }: EventOf<"message_end">): AgentEvent[] {
    return this.#endedAs(message_id ?? message.id, message);
  }

  #endedAs(id: string, message: EventOf<"message_end">["message"]): AgentEvent[] {
    if (this.#over.has(id)) return [];
    if (message.role === "assistant" && message.stop_reason === "error" && isOnMainLine(message) && !message.silent) {
      // The event `run_end` has the text of the error, so this answer is sent then.
      this.#broken = { id, message };
      return [];
    }
    return this.#tell(id, message, null);
  }

  #tell(id: string, message: EventOf<"message_end">["message"], error: string | null): AgentEvent[] {
    const { providers } = this.#context;
    const shown = toSessionMessage(message, { providers, error });
    const open = this.#open.get(id);
    this.#open.delete(id);
    this.#over.add(id);
    if (shown === null) return open === undefined ? [] : this.#aborted(open);
    this.#sent.set(id, shown);
    const before: AgentEvent[] = open?.close() ?? [{ type: "message_start", role: shown.role }];
    return [...before, { type: "message_end", message: shown }];
  }

  #changed(message: EventOf<"message_updated">["message"]): void {
    if (!this.#sent.has(message.id)) return;
    const shown = toSessionMessage(message, { providers: this.#context.providers });
    if (shown === null) this.#sent.delete(message.id);
    else this.#sent.set(message.id, shown);
  }

  /** Closes the named message as aborted. Without an id, after a crash, it closes every open message. */
  #retracted(id: string | undefined): AgentEvent[] {
    const ids = id === undefined ? [...this.#open.keys()] : [id];
    return ids.flatMap((each) => {
      const open = this.#open.get(each);
      this.#over.add(each);
      this.#open.delete(each);
      return open === undefined ? [] : this.#aborted(open);
    });
  }

  #aborted(open: StreamedAnswer): AgentEvent[] {
    const ends = open.close();
    const message: AbortedMessage = { role: "aborted", partial: open.partial() };
    return [...ends, { type: "message_end", message }];
  }

  /**
   * A call that suspends the run starts in one execution and ends in another; each execution sends the events of its
   * own part.
   */
  #call(event: EventOf<"tool_execution_start" | "tool_execution_delta" | "tool_execution_end">): AgentEvent[] {
    const { tool_call_id: toolCallId, tool_name: toolName } = event;
    if (!isOnMainLine(event) || this.#context.isRemote(toolName) || this.#settled.has(toolCallId)) return [];
    const sentUnits = this.#calls.get(toolCallId);
    switch (event.type) {
      case "tool_execution_start":
        if (sentUnits !== undefined) return [];
        this.#calls.set(toolCallId, 0);
        return [{ type: "tool_execution_start", toolCallId, toolName, args: event.args }];
      case "tool_execution_delta": {
        const { delta = "", offset = sentUnits ?? 0 } = event;
        const fresh = delta.slice(Math.max(0, (sentUnits ?? 0) - offset));
        if (fresh === "") return [];
        this.#calls.set(toolCallId, offset + delta.length);
        return [{ type: "tool_execution_delta", toolCallId, delta: fresh }];
      }
      case "tool_execution_end": {
        this.#calls.delete(toolCallId);
        this.#settled.add(toolCallId);
        const { result } = event;
        const details = result.details === undefined ? {} : { details: result.details };
        return [{ type: "tool_execution_end", toolCallId, output: outputOf(result), ...details }];
      }
    }
  }

  #runEnded(event: EventOf<"run_end">): AgentEvent[] {
    const isError = sessionStatus(event.status) === "error";
    const error = event.error?.message ?? event.reason ?? "The run failed.";
    const last = this.#broken?.id;
    const before = [...this.#closeAll(), ...this.#brokenAnswer(error)];
    if (!isError) return [...before, ...this.#end("completed")];
    const kept = last === undefined ? undefined : this.#sent.get(last);
    if (kept !== undefined) return [...before, { type: "error", error, message: kept }, ...this.#end("error")];
    const message: ErrorMessage = { role: "error", error };
    this.#sent.set(`error ${this.#context.runId}`, message);
    const shownError: AgentEvent[] = [
      { type: "message_start", role: "error" },
      { type: "message_end", message },
      { type: "error", error, message },
    ];
    return [...before, ...shownError, ...this.#end("error")];
  }

  #brokenAnswer(error: string): AgentEvent[] {
    const broken = this.#broken;
    this.#broken = null;
    return broken === null ? [] : this.#tell(broken.id, broken.message, error);
  }

  /**
   * Closes everything that is still open when an execution ends. Text that a stop or a failure kept was sent before.
   */
  #closeAll(): AgentEvent[] {
    const calls = [...this.#calls.keys()].map((toolCallId): AgentEvent => ({
      type: "tool_execution_end",
      toolCallId,
      output: "",
    }));
    this.#calls.clear();
    return [...this.#closeMessages(), ...calls];
  }

  #closeMessages(): AgentEvent[] {
    const kept = this.#broken?.id;
    return [...this.#open.keys()].filter((id) => id !== kept).flatMap((id) => this.#retracted(id));
  }

  #end(status: ExecuteStatus, pendingToolCalls?: SessionToolCall[]): AgentEvent[] {
    const messages = [...this.#sent.values()];
    const pending = pendingToolCalls === undefined ? {} : { pendingToolCalls };
    this.#result = { status, messages, ...pending, cost: this.#cost.sum };
    return [{ type: "session_end", sessionId: this.#context.sessionId, messages }];
  }
}
