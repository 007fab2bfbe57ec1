// Questions that a server asks a person during a call (elicitation). The request does not name the call, so the question belongs to the
// call that began last and is still open. While a question is open, the time limits of the server's calls are paused.

import type { ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client";

import type { JsonObject } from "#contract/json.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { DefinedCall } from "#core/ports/tool-source-port.ts";

import { outsideText } from "../outside-text.ts";
import { outsideSchema } from "./outside-schema.ts";
import { McpServerError } from "./server-error.ts";

/** The maximum number of questions of a call. */
const mostQuestions = 20;

/** The maximum length of a question's text. */
const textLimit = 2000;

interface ElicitorOptions {
  /** The name of the definition. */
  name: string;
  /** The time limit of a call in milliseconds, without the time of its questions, and the maximum time of its questions. */
  timeoutMs: number;
  waitMs: number;
  clock: Clock;
}

/** A call that may ask questions, its time and the number of its questions. */
interface OpenCall {
  call: DefinedCall;
  time: CallTime;
  questions: number;
  abort: (reason: McpServerError) => void;
}

/** Answers the questions of one server in one run. */
export class Elicitor {
  readonly #options: ElicitorOptions;
  readonly #calls = new Set<OpenCall>();
  /** The number of open questions. */
  #open = 0;

  constructor(options: ElicitorOptions) {
    this.#options = options;
  }

  /**
   * Runs a call during which the server may ask questions. The signal that `work` receives also fires when the time limit of the call, or
   * that of its questions, is reached.
   */
  async during<T>(call: DefinedCall, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { name, timeoutMs, waitMs, clock } = this.#options;
    const own = new AbortController();
    const stop = () => own.abort(call.signal.reason);
    call.signal.addEventListener("abort", stop);
    if (call.signal.aborted) stop();
    const abort = (reason: McpServerError) => own.abort(reason);
    const time = new CallTime(clock, {
      timeoutMs,
      waitMs,
      onTimeout: () =>
        abort(new McpServerError(`The MCP server "${name}" did not respond within ${timeoutMs / 1000} s.`)),
    });
    const open: OpenCall = { call, time, questions: 0, abort };
    if (this.#open > 0) time.pause();
    this.#calls.add(open);
    try {
      return await work(own.signal);
    } catch (thrown) {
      // The SDK rejects with an error of its own, which has the reason only as text.
      throw own.signal.reason instanceof McpServerError ? own.signal.reason : thrown;
    } finally {
      this.#calls.delete(open);
      time.end();
      call.signal.removeEventListener("abort", stop);
    }
  }

  /** Answers a question. An error that this method throws is sent to the server. */
  async answer(params: ElicitRequestParams, signal: AbortSignal): Promise<ElicitResult> {
    const { name, waitMs } = this.#options;
    if (!("requestedSchema" in params)) throw new McpServerError("Only forms can be shown, no addresses.");
    const open = [...this.#calls].at(-1);
    const ask = open?.call.ask;
    if (open === undefined || ask === undefined) {
      throw new McpServerError("A person can be asked only during a call in a run.");
    }
    open.questions += 1;
    if (open.questions > mostQuestions) throw new McpServerError(`A call can ask at most ${mostQuestions} questions.`);
    const schema = outsideSchema({ ...params.requestedSchema, additionalProperties: false });
    if (schema === null) throw new McpServerError("The schema of the question is too large.");
    const message = outsideText(params.message, textLimit);
    this.#open += 1;
    if (this.#open === 1) for (const { time } of this.#calls) time.pause();
    try {
      const answer = await ask({ message, schema: schema.schema, timeoutMs: open.time.waitLeft }, signal);
      if (answer.action === "accept") return { action: "accept", content: answer.content as ElicitContent };
      if (answer.action !== "timeout") return { action: answer.action };
      const text = `The MCP server "${name}" asked a person a question and received no answer within ${minutes(waitMs)}. The call was cancelled.`;
      open.abort(new McpServerError(text));
      return { action: "cancel" };
    } finally {
      this.#open -= 1;
      if (this.#open === 0) for (const { time } of this.#calls) time.resume();
    }
  }
}

/** The schema of the question was checked by the SDK: its properties are texts, numbers, booleans, and lists of texts. */
type ElicitContent = NonNullable<ElicitResult["content"]> & JsonObject;

function minutes(ms: number): string {
  return ms < 120_000 ? `${ms / 1000} s` : `${Math.round(ms / 6000) / 10} minutes`;
}

/** The time of a call: its limit, which questions pause, and the remaining time for questions. */
class CallTime {
  readonly #clock: Clock;
  readonly #onTimeout: () => void;
  #left: number;
  #waitLeft: number;
  #since: number;
  #disarm: () => void;

  constructor(
    clock: Clock,
    { timeoutMs, waitMs, onTimeout }: { timeoutMs: number; waitMs: number; onTimeout: () => void },
  ) {
    this.#clock = clock;
    this.#left = timeoutMs;
    this.#waitLeft = waitMs;
    this.#onTimeout = onTimeout;
    this.#since = clock.now();
    this.#disarm = clock.after(timeoutMs, onTimeout);
  }

  pause(): void {
    this.#disarm();
    this.#left -= this.#elapsed();
  }

  resume(): void {
    this.#waitLeft -= this.#elapsed();
    this.#disarm = this.#clock.after(Math.max(0, this.#left), this.#onTimeout);
  }

  /** The milliseconds for which the call may still wait for answers. Only valid while the limit is paused. */
  get waitLeft(): number {
    return Math.max(0, this.#waitLeft - (this.#clock.now() - this.#since) / 1000);
  }

  end(): void {
    this.#disarm();
  }

  /** The milliseconds since the limit was paused or resumed. */
  #elapsed(): number {
    const before = this.#since;
    this.#since = this.#clock.now();
    return (this.#since - before) / 1000;
  }
}
