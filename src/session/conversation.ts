// The state of a session in memory: the records that the loop continues from, the messages that the session shows, and the run that
// waits for results of remote calls.

import { refuse } from "#contract/error.ts";
import type { Limits } from "#contract/run.ts";
import type { ExecuteResult } from "#contract/session/execution-events.ts";
import type { SessionMessage, SessionToolCall } from "#contract/session/session-message.ts";
import type { SessionStatus } from "#contract/session/session-view.ts";
import { addCost } from "#contract/usage.ts";
import type { RunPorts } from "#core/ports/run-ports.ts";
import type { ToolRunner } from "#core/ports/tool-port.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { isModelAnswer } from "#core/record/scope.ts";
import { HostJournal } from "#host/host-ports.ts";
import { hostRun } from "#host/host-records.ts";
import { OrderedUuids } from "#lib/ordered-uuid.ts";
import { systemClock } from "#lib/system-clock.ts";

import type { SessionOptions } from "./session-options.ts";
import { waitingCalls } from "./waiting-calls.ts";

/** A run that has not ended: it executes, or waits for results of remote calls. */
export interface OpenRun {
  run: RunPorts["run"];
  journal: HostJournal;
}

/** Creates the run of an execution that begins at `at` (microseconds), with its first messages. */
export function openRun(
  { id, at, limits }: { id: string; at: number; limits: Limits | undefined },
  messages: readonly MessageRecord[],
): OpenRun {
  const run = hostRun({ id, agent: "session", at, ...(limits === undefined ? {} : { limits }) });
  return { run, journal: new HostJournal(messages) };
}

/** The dependencies of a conversation. */
export interface ConversationParts {
  id: string;
  systemPrompt: string;
  tools: ReadonlyMap<string, ToolRunner>;
  options: SessionOptions;
  /** The name of the model that answers first. */
  model: string;
}

/** The conversation of one session. */
export class Conversation {
  readonly id: string;
  readonly systemPrompt: string;
  readonly tools: ReadonlyMap<string, ToolRunner>;
  readonly options: SessionOptions;
  readonly ids = new OrderedUuids(() => systemClock.now() / 1000);
  #model: string;
  #records: MessageRecord[] = [];
  #messages: SessionMessage[] = [];
  /** Messages of the current execution. */
  #added: SessionMessage[] = [];
  #open: OpenRun | null = null;
  #pending: SessionToolCall[] = [];
  #status: SessionStatus = "completed";
  #cost: number | null = 0;

  constructor({ id, systemPrompt, tools, options, model }: ConversationParts) {
    this.id = id;
    this.systemPrompt = systemPrompt;
    this.tools = tools;
    this.options = options;
    this.#model = model;
  }

  get status(): SessionStatus {
    return this.#status;
  }

  get model(): string {
    return this.#model;
  }

  get messages(): SessionMessage[] {
    return [...this.#messages, ...this.#added];
  }

  get cost(): number | null {
    return this.#cost;
  }

  get pending(): readonly SessionToolCall[] {
    return this.#pending;
  }

  /** The run that executes or is suspended; null if there is none. */
  get open(): OpenRun | null {
    return this.#open;
  }

  /** The messages of executions before the open one. */
  get earlier(): readonly MessageRecord[] {
    return this.#records;
  }

  /** Whether a tool is remote. */
  isRemote(name: string): boolean {
    return this.tools.get(name)?.remote === true;
  }

  /** Restores an earlier conversation. `open` is its suspended run. */
  restore(messages: readonly SessionMessage[], records: readonly MessageRecord[], open: OpenRun | null): void {
    this.#messages = [...messages];
    this.#records = [...records];
    this.#open = open;
    this.#pending = open === null ? [] : waitingCalls(open.journal.messages);
    const isBroken = messages.at(-1)?.role === "error";
    this.#status = open !== null ? "awaiting_tool_execution" : isBroken ? "error" : "completed";
    this.#cost = messages.reduce<number | null>((sum, message) => addCost(sum, costOf(message)), 0);
    this.#model = [...records, ...(open?.journal.messages ?? [])].findLast(isModelAnswer)?.model ?? this.#model;
  }

  /** Begins an execution. Throws `conflict` if another one is in progress. */
  begin(open: OpenRun): void {
    if (this.#status === "running") throw alreadyRunning(this.id);
    this.#open = open;
    this.#status = "running";
    this.#pending = [];
  }

  /** Adds a message whose event was emitted. */
  addMessage(message: SessionMessage): void {
    this.#added.push(message);
  }

  /** Ends the execution, or suspends it. */
  end({ status, messages, pendingToolCalls = [], cost }: ExecuteResult): void {
    const { journal } = this.#open ?? {};
    const own = journal?.messages ?? [];
    this.#model = own.findLast(isModelAnswer)?.model ?? this.#model;
    if (status !== "awaiting_tool_execution") {
      this.#records.push(...own);
      this.#open = null;
    }
    this.#added = [];
    this.#messages.push(...messages);
    this.#pending = [...pendingToolCalls];
    this.#cost = addCost(this.#cost, cost);
    this.#status = status;
  }
}

/** The error for an execution while another one is in progress. */
export function alreadyRunning(id: string) {
  return refuse("conflict", `An execution of the session "${id}" is under way. Wait for its result().`);
}

/** The cost of a message in USD; null if a price is unknown. A message without usage costs nothing. */
function costOf(message: SessionMessage): number | null {
  if (message.role === "assistant") return message.usage === null ? 0 : message.cost;
  if (message.role !== "error" && message.role !== "aborted") return 0;
  return message.partial === undefined ? 0 : costOf(message.partial);
}
