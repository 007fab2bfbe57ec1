// A turn inside of a call of a thread's tool (`{ in: state }`): its connection is that of the thread's object, its usage counts to the
// thread's run, and the thread sends its events. A turn without a thread uses the connection of the process, and its usage is not counted.

import type { PlainEvent } from "#contract/event.ts";
import { errorMessage } from "#core/cut-text.ts";
import type { AnswerSoFar, ModelFailure, ModelPort } from "#core/ports/model-port.ts";
import { toolHost } from "#core/ports/tool-host.ts";
import type { CallExecution, HostConnection, ToolHost } from "#core/ports/tool-host.ts";
import type { LogRecord } from "#core/record.ts";
import { environment } from "#host/process-environment.ts";
import type { ThreadState } from "#spec/index.ts";

import { cancelled } from "./failure-error.ts";
import type { TurnRequest } from "./turn-request.ts";
import { ErrorCode, refusal, UPPError } from "./upp-error.ts";

/** The connection of a turn: that of the thread in whose tool it runs, else that of the process. */
export function connectionOf(request: Pick<TurnRequest, "in" | "model">): HostConnection {
  const host = hostOf(request);
  return host ?? { env: environment(), fetch: (input, init) => globalThis.fetch(input, init) };
}

/** The host in the state of a tool's call; null for a turn without a thread. Throws INVALID_REQUEST for any other value. */
function hostOf({ in: state, model }: Pick<TurnRequest, "in" | "model">): ToolHost | null {
  if (state === undefined) return null;
  const host = (state as ThreadState & { [toolHost]?: ToolHost })[toolHost];
  if (host !== undefined) return host;
  const message =
    "The option `in` takes the state that a tool's function receives in a run of a thread. In a hook, a thread endpoint or an invoked tool, leave it out; tokens and cost are then counted nowhere.";
  throw refusal(message, model.provider.name);
}

/** The execution of one turn in a thread. Each member does nothing for a turn without a thread. */
export class ThreadExecution {
  readonly #execution: CallExecution | null;
  readonly #provider: string;
  /** Aborts when the call of the tool is stopped or has ended. */
  readonly signal: AbortSignal | undefined;
  /** Counts a model request. Absent for a turn without a thread. */
  readonly log: ((record: LogRecord) => void) | undefined;
  #thrown: UPPError | null = null;
  /** Gives back the share of the last request. The share is kept until the request is counted. */
  #release: () => void = () => {};

  /** Throws CANCELLED if the call of the tool has ended. */
  constructor(request: TurnRequest) {
    const { model, input, name = model.modelId } = request;
    const host = hostOf(request);
    this.#provider = model.provider.name;
    this.signal = host?.executions.signal;
    const prompt = input.map(({ text }) => text).join("\n\n");
    this.#execution = host?.executions.begin({ type: name, prompt }) ?? null;
    if (host !== null && this.#execution === null) throw cancelled(this.#provider, this.signal?.reason);
    const execution = this.#execution;
    this.log =
      execution === null
        ? undefined
        : (record) => {
            execution.log(record);
            this.#release();
          };
  }

  /** The error of a request that a limit of the thread's run prevented; null if there is none. */
  get thrown(): UPPError | null {
    return this.#thrown;
  }

  /** Whether the turn is executed in a thread, which receives its events and log rows. */
  get isInThread(): boolean {
    return this.#execution !== null;
  }

  send(event: PlainEvent): void {
    this.#execution?.send(event);
  }

  /** Ends the execution with the text of the turn's answer. */
  completed(result: string): void {
    this.#release();
    this.#execution?.end({ success: true, result });
  }

  /** Ends the execution with the exception that ended the turn. */
  failed(thrown: unknown): void {
    this.#release();
    this.#execution?.end({ success: false, error: errorMessage(thrown) });
  }

  /** Returns the port, which sends a request only within the limits of the thread's run. */
  port(models: ModelPort): ModelPort {
    const reserve = this.#execution?.reserve;
    if (reserve === undefined) return models;
    const refuse = (reason: string): ModelFailure => {
      const message = `The thread's run has reached its limit: ${reason}.`;
      this.#thrown ??= new UPPError(message, ErrorCode.QuotaExceeded, this.#provider, "llm");
      return { kind: "api", message, retryable: false, status: null, retry_after_ms: null };
    };
    const hold = (release: () => void): void => {
      this.#release();
      this.#release = release;
    };
    return {
      ...models,
      async *stream(request, signal, received) {
        const reserved = await reserve(request, signal);
        if ("limit" in reserved) {
          yield { type: "error", failure: refuse(reserved.limit.reason) };
          return;
        }
        hold(reserved.release);
        // Both the thread's run and the turn itself count a request that they allow, so neither counts one that the other refuses.
        const continues = (soFar: AnswerSoFar) => reserved.extend(soFar, () => request.continues?.(soFar) !== false);
        yield* models.stream({ ...request, continues }, signal, received);
      },
    };
  }
}
