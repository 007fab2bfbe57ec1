// Runs one turn as one run of the core's loop, in process. The loop sends the model requests and executes the calls. This file connects the
// loop's ports to the options of the turn, and converts the run's records to the turn.

import type { EventDraft, PlainEvent } from "#contract/event.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Halt } from "#core/loop.ts";
import type { ModelFailure, ModelPart, ModelPort } from "#core/ports/model-port.ts";
import type { Decision, StepOutcome, Strategy } from "#core/ports/strategy-port.ts";
import { causeOfBlankAnswer } from "#core/record/blank-answer.ts";
import { executeRun } from "#host/execute-run.ts";
import { fixedSteps } from "#host/fixed-steps.ts";
import { HostJournal, hostPorts } from "#host/host-ports.ts";
import { hostRun } from "#host/host-records.ts";
import type { ThreadExecution } from "#host/thread-execution.ts";
import { anySignal } from "#lib/any-signal.ts";
import { errorMessage } from "#lib/cut-text.ts";
import { fieldsOf } from "#lib/json-value.ts";
import { OrderedUuids } from "#lib/ordered-uuid.ts";
import { systemClock } from "#lib/system-clock.ts";
import { unreachable } from "#lib/unreachable.ts";
import { untilAborted } from "#models/read-stream.ts";

import { cancelled, errorOfEnd, errorOfFailure } from "./failure-error.ts";
import { checkRequest } from "./input-check.ts";
import { accessTo } from "./model-access.ts";
import { definitionOf, keyOf } from "./model-reference.ts";
import { RetryStrategyCalls } from "./retry-strategy-calls.ts";
import { beginExecution, connectionOf } from "./thread-connection.ts";
import { ToolCalls } from "./tool-calls.ts";
import { TurnRecords, recordsOf } from "./turn-records.ts";
import type { EndedTurn } from "./turn-records.ts";
import type { TurnRequest } from "./turn-request.ts";
import { ErrorCode, UPPError, refusal } from "./upp-error.ts";
import type { ToolExecution } from "./upp-tool.ts";

/** A part of an image, audio or video of an answer. */
export type MediaPart = Extract<ModelPart, { type: `media_${string}` }>;

/** Receives the events of a turn, and may pause or abort it. */
export interface TurnObserver {
  signal?: AbortSignal | undefined;
  /** Receives each event of the run. `executionOf` returns the ended execution of a call. */
  onEvent?: (event: PlainEvent, executionOf: (toolCallId: string) => ToolExecution | undefined) => void;
  /** Receives each part of images, audio and video, for which a run has no events. */
  onMedia?: (part: MediaPart) => void;
  /** As in `StreamSink`. Absent: the turn never pauses. */
  untilReady?: (keepAlive: () => void, noticeMs?: number) => Promise<void> | undefined;
}

/**
 * Runs a turn. `strategyOf` creates the strategy that decides after each answer whether the turn continues. Throws a `UPPError`, or the
 * exception of an approval, of a function of the tool strategy, or of the strategy.
 */
export async function runTurn(
  request: TurnRequest,
  observer: TurnObserver = {},
  strategyOf: (turn: TurnProgress) => Strategy = untilResponse,
): Promise<EndedTurn> {
  checkRequest(request);
  const execution = beginExecution(request);
  try {
    const ended = await runTurnIn(execution, { request, observer, strategyOf });
    execution.completed(ended.turn.response.text);
    return ended;
  } catch (thrown) {
    execution.failed(thrown);
    throw thrown;
  }
}

/** The arguments of `runTurn`. */
interface TurnParts {
  request: TurnRequest;
  observer: TurnObserver;
  strategyOf: (turn: TurnProgress) => Strategy;
}

async function runTurnIn(execution: ThreadExecution, { request, observer, strategyOf }: TurnParts): Promise<EndedTurn> {
  const { model, config, toolStrategy, maxIterations } = request;
  const { name } = model.provider;
  const { signal: given } = observer;
  const ending = new AbortController();
  const others = [given, execution.signal].filter((one) => one !== undefined);
  const signal = others.length === 0 ? ending.signal : anySignal([...others, ending.signal]);
  let thrown: { error: unknown } | null = null;
  const fail = (error: unknown): void => {
    thrown ??= { error };
    ending.abort();
  };
  const calls = new ToolCalls(toolStrategy, { fail, runTool: request.runTool });
  const rounds = new ToolRounds(maxIterations);
  const ids = new OrderedUuids(() => systemClock.now() / 1000);
  const run = hostRun({ id: ids.next(), agent: "upp", at: systemClock.now() });
  const sent = recordsOf([...request.history, ...request.input], run.id);
  const journal = new HostJournal([], execution.log);
  const records = new TurnRecords(request, { journal, calls });
  const steps = fixedSteps(
    {
      system: request.system,
      models: [definitionOf(model, config)],
      tools: calls.runners(request),
      toolMode: "parallel",
      ...(request.params === undefined ? {} : { params: request.params }),
      ...(request.structure === undefined
        ? {}
        : { structure: { name: "answer", schema: request.structure as JsonObject } }),
    },
    // The history is passed as messages of this run, because reasoning of earlier runs would not be sent.
    { earlier: [], own: () => [...sent, ...journal.messages] },
  );
  const retries = new RetryStrategyCalls(config, name, signal);
  let failed: ModelFailure | null = null;
  const connection = connectionOf(request);
  const models = accessTo(model).port({
    env: connection.env,
    fetch: config.fetch === undefined ? connection.fetch : checkedFetch(config.fetch, fail, name),
    // The object of a thread can become idle only if no connection stays open after the answer.
    reusesConnections: !execution.isInThread,
    async accessTo() {
      try {
        const apiKey = await untilAborted(keyOf(config), signal);
        return apiKey === undefined ? {} : { apiKey };
      } catch (error) {
        if (signal.aborted) throw error;
        const message = `config.apiKey gives no API key. ${errorMessage(error)}`;
        thrown = { error: new UPPError(message, ErrorCode.AuthenticationFailed, name, "llm", undefined, error) };
        throw error;
      }
    },
  });
  const onEvent = (event: PlainEvent): void => {
    execution.send(event);
    observer.onEvent?.(event, (id) => calls.execution(id));
  };
  const ports = hostPorts({
    run,
    journal,
    steps,
    ids,
    strategy: strategyOf({
      records,
      rounds,
      fail,
      emit: (draft) => ports.sink.send(ports.sink.number({ run_id: run.id, side: "a", depth: 0, ...draft })),
    }),
    conversationId: run.id,
    models: observed(retries.port(execution.port(models)), observer, Math.min(1000, (config.timeout ?? Infinity) / 4)),
    onEvent: execution.isInThread || observer.onEvent !== undefined ? onEvent : undefined,
    retryDelay(failure, attempt) {
      failed = failure;
      return thrown === null ? retries.retryDelay(failure, attempt) : null;
    },
  });
  const halt = await executeRun(ports, { signal });
  const ended = (thrown as { error: unknown } | null) ?? retries.thrown;
  if (ended !== null) throw ended.error;
  if (execution.refusal !== null) throw new UPPError(execution.refusal, ErrorCode.QuotaExceeded, name, "llm");
  assertCompleted(halt, { failed, provider: name, reason: given?.reason });
  if (rounds.isExceeded) {
    await toolStrategy.onMaxIterations?.(maxIterations);
    const message = `The model still called tools after ${maxIterations} rounds of calls. Raise toolStrategy.maxIterations.`;
    throw new UPPError(message, ErrorCode.InvalidRequest, name, "llm");
  }
  return records.turn(0, run.usage);
}

/** Returns a `fetch` that ends the turn with INVALID_REQUEST if the program's `fetch` returns no response. */
function checkedFetch(fetch: typeof globalThis.fetch, fail: (error: unknown) => void, provider: string): typeof fetch {
  return async (...request) => {
    const response: unknown = await fetch(...request);
    if (typeof fieldsOf(response)["status"] === "number") return response as Response;
    const error = refusal(`config.fetch has to return a Response; it returned ${typeof response}.`, provider);
    fail(error);
    throw error;
  };
}

/** Passes events to both observers. The signal is that of the first one. */
export function bothObservers(first: TurnObserver, second: TurnObserver | undefined): TurnObserver {
  if (second === undefined) return first;
  return {
    signal: first.signal,
    onEvent(...event) {
      first.onEvent?.(...event);
      second.onEvent?.(...event);
    },
    onMedia(part) {
      first.onMedia?.(part);
      second.onMedia?.(part);
    },
    untilReady(...notice) {
      const [one, other] = [first.untilReady?.(...notice), second.untilReady?.(...notice)];
      return one === undefined ? other : one.then(() => other);
    },
  };
}

/** Throws the error of a run that did not complete. `failed` is its last failed model request. */
function assertCompleted(
  halt: Halt,
  { failed, provider, reason }: { failed: ModelFailure | null; provider: string; reason: unknown },
): void {
  if (halt.type !== "end") unreachable("a turn waits for nothing, so its run is not suspended");
  const { end } = halt;
  if (end.status === "completed") return;
  if (end.status === "stopped") throw cancelled(provider, reason);
  throw failed?.kind === end.reason ? errorOfFailure(failed, provider) : errorOfEnd(end, provider);
}

/**
 * Returns a port that passes media to the observer, and that reads the next part of an answer only when the reader of the events is ready.
 */
function observed(models: ModelPort, { onMedia, untilReady }: TurnObserver, noticeMs: number): ModelPort {
  if (onMedia === undefined && untilReady === undefined) return models;
  return {
    ...models,
    async *stream(request, signal, received = () => {}) {
      for await (const part of models.stream(request, signal, received)) {
        yield part;
        // After the `yield`, the loop has emitted the events of this part, such as `message_start`, so that they precede the media.
        if (part.type === "media_start" || part.type === "media_delta" || part.type === "media_end") onMedia?.(part);
        await untilReady?.(received, noticeMs);
      }
    },
  };
}

/** Counts the rounds of calls of a turn. */
class ToolRounds {
  readonly #maximum: number;
  #rounds = 0;
  #leavesCalls = false;

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** Whether the calls of the last answer were left unexecuted. */
  get leavesCalls(): boolean {
    return this.#leavesCalls;
  }

  /** Whether the turn fails because calls were left unexecuted. With a maximum of 0, the program requested that. */
  get isExceeded(): boolean {
    return this.#leavesCalls && this.#maximum > 0;
  }

  /** Decides whether the calls of an answer run. */
  allows(): "run" | "leave" {
    this.#leavesCalls = this.#rounds >= this.#maximum;
    this.#rounds += 1;
    return this.#leavesCalls ? "leave" : "run";
  }
}

/** A turn in progress, as its strategy receives it. */
export interface TurnProgress {
  readonly records: TurnRecords;
  readonly rounds: ToolRounds;
  /** Aborts the run. The turn then throws the error unchanged. */
  readonly fail: (error: unknown) => void;
  /** Emits an event of the strategy. */
  readonly emit: (event: EventDraft) => void;
}

/** Requests the model until an answer calls no tool, or until no further round is allowed. */
function untilResponse({ rounds }: TurnProgress): Strategy {
  return {
    name: "tool-rounds",
    next({ last }) {
      if (last === null) return { type: "step" };
      if (last.calls.length > 0 && !rounds.leavesCalls) return { type: "step" };
      return blockedEnd(last) ?? { type: "end", status: "completed", reason: "response" };
    },
    allows: () => rounds.allows(),
  };
}

/** The end of a run whose last answer was blocked by the provider's content filter; null for any other answer. */
export function blockedEnd(last: StepOutcome): Extract<Decision, { type: "end" }> | null {
  const cause = last.blank && last.stop_reason === "content_filter" ? causeOfBlankAnswer(last) : null;
  if (cause === null) return null;
  const { reason, message } = cause;
  return { type: "end", status: "error", reason, error: { code: reason, message } };
}
