// The grammar of the events of one loop (phi-core, architecture §6). `problemsOf` reads the events of a whole loop and lists what breaks it;
// every play of this folder is checked.

import type { AgentEvent, AgentMessage } from "#facade/phi/index.ts";

/** Lists what is wrong in the events of one loop. */
export function problemsOf(events: readonly AgentEvent[]): string[] {
  const reader = new Reader();
  events.forEach((event, at) => reader.take(event, at));
  return reader.finish();
}

class Reader {
  readonly #problems: string[] = [];
  #at = 0;
  #loopId: string | null = null;
  #state: "before" | "started" | "rejected" | "ended" = "before";
  #inTurn = false;
  #turn = -1;
  /** The message whose end is missing. */
  #open: AgentMessage | null = null;
  /** The answer of the turn, and the calls whose end or result is missing. */
  #answer: AgentMessage | null = null;
  readonly #running = new Map<string, "running" | "ended">();
  readonly #results: AgentMessage[] = [];
  /** The messages that were shown to their end, except answers that were retried. */
  readonly #shown: AgentMessage[] = [];

  take(event: AgentEvent, at: number): void {
    this.#at = at;
    const { type } = event;
    if (!("loop_id" in event)) return this.#wrong("is no event of one loop", type);
    this.#loopId ??= event.loop_id;
    if (event.loop_id !== this.#loopId) this.#wrong("has the id of another loop", type);
    if (this.#state === "ended") this.#wrong("follows AgentEnd", type);
    if (this.#state === "before" && type !== "AgentStart" && type !== "AgentEnd")
      this.#wrong("precedes AgentStart", type);
    switch (event.type) {
      case "AgentStart":
        if (this.#state !== "before") this.#wrong("is repeated", type);
        this.#state = "started";
        return;
      case "AgentEnd":
        if (this.#inTurn) this.#wrong("is inside a turn", type);
        if (this.#open !== null) this.#wrong("follows a message without an end", type);
        if (this.#state === "before" && event.messages.length > 0) this.#wrong("has messages without AgentStart", type);
        if ((event.rejection !== null) !== (this.#state === "rejected")) this.#wrong("has a wrong rejection", type);
        if (this.#state !== "rejected" && !isSame(event.messages, this.#shown))
          this.#wrong("has other messages than were shown", type);
        this.#state = "ended";
        return;
      case "InputRejected":
        if (this.#shown.length === 0 && !this.#inTurn && this.#turn === -1) this.#state = "rejected";
        return;
      case "TurnStart":
        if (this.#inTurn) this.#wrong("is inside a turn", type);
        this.#state = "started";
        this.#inTurn = true;
        this.#turn += 1;
        if (event.turn_index !== this.#turn)
          this.#wrong(`has the index ${event.turn_index} in place of ${this.#turn}`, type);
        if (this.#turn > 0 && event.triggered_by !== "Continuation") this.#wrong("has a wrong trigger", type);
        this.#answer = null;
        this.#results.length = 0;
        return;
      case "TurnEnd":
        if (!this.#inTurn) this.#wrong("has no TurnStart", type);
        if (this.#answer === null || !isSame(this.#answer, event.message))
          this.#wrong("has another message than its answer", type);
        for (const [id, state] of this.#running)
          this.#wrong(`precedes the ${state === "running" ? "end" : "result"} of ${id}`, type);
        if (!isSame(sorted(event.tool_results), sorted(this.#results)))
          this.#wrong("has other results than were shown", type);
        // The results of the turn are in the order of the calls, whatever the order in which they were shown.
        this.#shown.splice(this.#shown.length - this.#results.length, this.#results.length, ...event.tool_results);
        this.#inTurn = false;
        return;
      case "MessageStart":
        if (this.#open !== null) this.#wrong("follows a message without an end", type);
        this.#open = event.message;
        if (event.message.role !== "assistant" || this.#answer === null || !this.#inTurn) return;
        // An answer that is retried ends as an error, and another one begins.
        if (this.#answer.role !== "assistant" || this.#answer.stop_reason !== "error")
          this.#wrong("is a second answer", type);
        this.#shown.splice(this.#shown.lastIndexOf(this.#answer), 1);
        this.#answer = null;
        return;
      case "MessageUpdate":
        if (this.#open?.role !== "assistant") this.#wrong("is outside of an answer", type);
        return;
      case "MessageEnd":
        return this.#endMessage(event.message);
      case "ToolExecutionStart":
        if (this.#answer === null) this.#wrong("precedes the answer", type);
        if (this.#running.has(event.tool_call_id)) this.#wrong("is repeated", type);
        this.#running.set(event.tool_call_id, "running");
        return;
      case "ToolExecutionUpdate":
      case "ProgressMessage":
        if (this.#running.get(event.tool_call_id) !== "running") this.#wrong("is outside of its call", type);
        return;
      case "ToolExecutionEnd":
        if (this.#running.get(event.tool_call_id) !== "running") this.#wrong("has no ToolExecutionStart", type);
        this.#running.set(event.tool_call_id, "ended");
    }
  }

  #endMessage(message: AgentMessage): void {
    if (this.#open?.role !== message.role) this.#wrong("has no MessageStart", "MessageEnd");
    this.#open = null;
    if (message.role === "toolResult") {
      if (this.#running.get(message.tool_call_id) === "running")
        this.#wrong("precedes the end of its call", "MessageEnd");
      this.#running.delete(message.tool_call_id);
      this.#results.push(message);
    }
    if (message.role === "assistant" && this.#inTurn) this.#answer = message;
    this.#shown.push(message);
  }

  finish(): string[] {
    if (this.#state !== "ended") this.#problems.push("The last event is not AgentEnd.");
    return this.#problems;
  }

  #wrong(what: string, type: string): void {
    this.#problems.push(`Event ${this.#at}, ${type}, ${what}.`);
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function sorted(messages: readonly AgentMessage[]): string[] {
  return messages.map((message) => JSON.stringify(message)).sort();
}
