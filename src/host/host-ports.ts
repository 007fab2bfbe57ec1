// The loop's ports for a run in process: those that the caller passes, and defaults for the others. Nothing is stored, no hooks run,
// and the size of tool results is not limited.

import type { PlainEvent } from "#contract/event.ts";
import { causeOfBlankAnswer } from "#core/blank-answer.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { EventSink } from "#core/ports/event-sink.ts";
import { noFaults } from "#core/ports/faults.ts";
import type { RunJournal } from "#core/ports/run-journal.ts";
import type { RunPorts } from "#core/ports/run-ports.ts";
import type { LoopHooks, StepPort } from "#core/ports/step-port.ts";
import type { Strategy } from "#core/ports/strategy-port.ts";
import type { ExecutedRun } from "#core/record.ts";
import { mainScope } from "#core/scope.ts";
import { noResultBounds } from "#core/tools/read-result.ts";
import type { OrderedUuids } from "#lib/ordered-uuid.ts";
import { systemClock } from "#lib/system-clock.ts";
import { createModelPort } from "#models/create-model-port.ts";
import type { ModelPortOptions } from "#models/create-model-port.ts";

/** The dependencies of a run in process. */
export interface HostParts {
  run: ExecutedRun;
  journal: RunJournal;
  steps: StepPort;
  /** The `thread_id` of the run's events. */
  conversationId: string;
  /** Receives each event of the run, in order. Must not throw. */
  onEvent: (event: PlainEvent) => void;
  /** The variables that hold the keys and addresses of providers. */
  env: ModelPortOptions["env"];
  /** Sends the requests to providers. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Default: the system's clock. */
  clock?: Clock;
  /** Creates the ids of the conversation's records, in increasing order. */
  ids: OrderedUuids;
  /** Default: the run is complete when an answer calls no tool. */
  strategy?: Strategy;
}

/** Creates the ports. `execute` adds the limits. */
export function hostPorts({ conversationId, onEvent, env, fetch, ids, ...parts }: HostParts): RunPorts {
  const { clock = systemClock, strategy = plainStrategy, ...given } = parts;
  return {
    ...given,
    scope: mainScope,
    sink: numberedSink(conversationId, clock, onEvent),
    models: createModelPort({ env, fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)) }),
    strategy,
    hooks: noHooks,
    clock,
    ids: { ordered: () => ids.next(), random: () => Math.random() },
    faults: noFaults,
    stopAsked: () => false,
    resultBounds: noResultBounds,
  };
}

/** Numbers events from 1 and passes them on. */
function numberedSink(thread_id: string, clock: Clock, onEvent: HostParts["onEvent"]): EventSink {
  let last = 0;
  return {
    number: (draft) => ({ ...draft, seq: (last += 1), thread_id, at: clock.now() }) as PlainEvent,
    send: onEvent,
  };
}

const noHooks: LoopHooks = {
  beforeCreateMessage: (message) => Promise.resolve(message),
  afterCreateMessage: () => Promise.resolve(),
  afterToolCall: (_call, answer) => Promise.resolve(answer),
  beforeStoreToolResult: (_call, answer) => Promise.resolve(answer),
};

/**
 * The run is complete when an answer calls no tool. Has no memory and no turns. A blank answer ends the run like any other, unless its
 * provider reported an error.
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
