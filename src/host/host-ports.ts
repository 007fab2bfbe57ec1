// The loop's ports for an in-process run (executed in the caller's process, without a Worker or a thread): those that the caller passes,
// and defaults for the others. Nothing is stored, and the size of tool results is not limited.

import type { PlainEvent } from "#contract/event.ts";
import type { Json } from "#contract/json.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { EventSink } from "#core/ports/event-sink.ts";
import { noFaults } from "#core/ports/faults.ts";
import type { LoopHooks } from "#core/ports/hook-port.ts";
import type { ModelPort } from "#core/ports/model-port.ts";
import type { RunJournal } from "#core/ports/run-journal.ts";
import type { RunPorts } from "#core/ports/run-ports.ts";
import type { Steering } from "#core/ports/steering.ts";
import type { StepPort } from "#core/ports/step-port.ts";
import type { Strategy } from "#core/ports/strategy-port.ts";
import { causeOfBlankAnswer } from "#core/record/blank-answer.ts";
import type { LogRecord, MessageRecord } from "#core/record/record.ts";
import type { ExecutedRun } from "#core/record/run-record.ts";
import { mainScope } from "#core/record/scope.ts";
import type { CallErrorTexts } from "#core/tools/error-results.ts";
import { unboundedResults } from "#core/tools/read-result.ts";
import type { OrderedUuids } from "#lib/ordered-uuid.ts";
import { systemClock } from "#lib/system-clock.ts";

/** The dependencies of an in-process run. */
export interface HostParts {
  run: ExecutedRun;
  journal: RunJournal;
  steps: StepPort;
  /** The `thread_id` of the run's events. */
  conversationId: string;
  /** Receives each event of the run, in order. Must not throw. Absent: the loop makes no events. */
  onEvent?: ((event: PlainEvent) => void) | undefined;
  /** Sends the requests to models. The caller creates this port, so that a program contains only the providers that it uses. */
  models: ModelPort;
  /** Default: the system's clock. */
  clock?: Clock;
  /** Creates the ids of the conversation's records, in increasing order. */
  ids: OrderedUuids;
  /** Default: the run is complete when an answer calls no tool. */
  strategy?: Strategy;
  /** Default: the retry options of the model. */
  retryDelay?: NonNullable<RunPorts["retryDelay"]>;
  /** Hooks of the loop. `afterCall` receives the values that tools return. Default: none. */
  hooks?: Partial<LoopHooks>;
  /** Messages that join the run before its next step. Absent: none can join. */
  steering?: Steering;
  /** The texts that the model reads in place of a tool's result. Default: those of threads. */
  errorTexts?: Partial<CallErrorTexts>;
}

/** Creates the ports. `executeRun` adds the limits. */
export function hostPorts({ conversationId, onEvent, ids, ...parts }: HostParts): RunPorts {
  const { clock = systemClock, strategy = plainStrategy, hooks, errorTexts, ...given } = parts;
  return {
    ...given,
    scope: mainScope,
    sink: numberedSink(conversationId, clock, onEvent),
    strategy,
    hooks: hooks === undefined ? noHooks : { ...noHooks, ...hooks },
    clock,
    ids: { ordered: () => ids.next(), random: () => Math.random() },
    faults: noFaults,
    stopAsked: () => false,
    results:
      errorTexts === undefined
        ? unboundedResults
        : { ...unboundedResults, errors: { ...unboundedResults.errors, ...errorTexts } },
  };
}

/** Numbers events from 1 and passes them on. */
function numberedSink(thread_id: string, clock: Clock, onEvent: HostParts["onEvent"]): EventSink {
  let last = 0;
  return {
    number: (draft) => ({ ...draft, seq: (last += 1), thread_id, at: clock.now() }) as PlainEvent,
    send: (event) => onEvent?.(event),
    discards: onEvent === undefined,
  };
}

const noHooks: LoopHooks = {
  beforeCreateMessage: (message) => Promise.resolve(message),
  afterCreateMessage: () => Promise.resolve(),
  afterToolCall: (_call, answer) => Promise.resolve(answer),
  beforeStoreToolResult: (_call, answer) => Promise.resolve(answer),
};

/**
 * The run is complete when an answer calls no tool and no user message arrived after it. The strategy keeps no state between two steps. A
 * blank answer ends the run like any other, or with an error if its stop reason is `content_filter` or `length`.
 */
const plainStrategy: Strategy = {
  name: "loop",
  next({ last, hasNewInput = false }) {
    if (last === null || last.calls.length > 0) return { type: "step" };
    const cause = last.blank ? causeOfBlankAnswer(last) : null;
    if (cause !== null) {
      const { reason, message } = cause;
      return { type: "end", status: "error", reason, outcome: null, error: { code: reason, message } };
    }
    return hasNewInput ? { type: "step" } : { type: "end", status: "completed", reason: "response", outcome: null };
  },
};

/** The messages of one run, in the order of their positions. */
export class HostJournal implements RunJournal {
  readonly #messages: MessageRecord[];
  /** Receives the log row of an answer before its calls run. */
  readonly answered: RunJournal["answered"];
  readonly log: RunJournal["log"];
  /** The message of the last answer whose row `answered` received. */
  #answer: Json | undefined;

  /** `onRequest` receives the log row of each model request, as soon as the request has ended. */
  constructor(messages: readonly MessageRecord[], onRequest?: (record: LogRecord) => void) {
    this.#messages = [...messages];
    if (onRequest === undefined) return;
    this.answered = (record) => {
      this.#answer = record.data["message_id"];
      onRequest(record);
    };
    this.log = (record) => {
      const { message_id: answer = null } = record.data;
      if (answer === null || answer !== this.#answer) onRequest(record);
    };
  }

  get messages(): readonly MessageRecord[] {
    return this.#messages;
  }

  append(message: MessageRecord): void {
    const last = this.#messages.at(-1);
    this.#messages.push(message);
    if (last === undefined || last.position < message.position) return;
    // The position of a tool message was reserved earlier, so it need not be the last.
    this.#messages.sort((left, right) => (left.position < right.position ? -1 : 1));
  }

  update(message: MessageRecord): void {
    const at = this.#messages.findIndex(({ id }) => id === message.id);
    if (at !== -1) this.#messages[at] = message;
  }

  appendQueued(message: MessageRecord): void {
    this.append(message);
  }

  closing(): void {}

  saveRun(): void {}
}
