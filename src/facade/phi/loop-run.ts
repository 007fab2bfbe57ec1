// One run of a loop: connects the options of a program to the ports of the core's loop. The core requests the answers, runs the calls,
// retries and stops; the strategy here decides what follows a turn. Invariant: no message that was taken from a queue is lost.

import type { Halt } from "#core/loop.ts";
import type { ModelMessage } from "#core/ports/model-port.ts";
import type { ToolMode } from "#core/ports/step-port.ts";
import type { Strategy } from "#core/ports/strategy-port.ts";
import { executeRun } from "#host/execute-run.ts";
import { fixedSteps } from "#host/fixed-steps.ts";
import { HostJournal, hostPorts } from "#host/host-ports.ts";
import { hostRun } from "#host/host-records.ts";
import type { ThreadExecution } from "#host/thread-execution.ts";
import { consoleLog } from "#lib/log-port.ts";
import { OrderedUuids } from "#lib/ordered-uuid.ts";
import { systemClock } from "#lib/system-clock.ts";

import { checkMessages } from "./agent-context.ts";
import type { AgentContext } from "./agent-context.ts";
import { milliseconds } from "./context/execution-tracker.ts";
import type { ExecutionTracker } from "./context/execution-tracker.ts";
import { beginSending } from "./context/kept-sending.ts";
import type { SentMessages } from "./context/sent-messages.ts";
import { errorTexts } from "./error-texts.ts";
import { EventProjector } from "./event-projector.ts";
import { HookCalls } from "./hook-calls.ts";
import { ToolCalls } from "./loop-calls.ts";
import type { AgentLoopConfig, ToolExecutionStrategy } from "./loop-config.ts";
import type { AgentEvent } from "./loop-event.ts";
import { LoopInput } from "./loop-input.ts";
import { userMessage, zeroTokens } from "./loop-messages.ts";
import type { AgentMessage, Usage } from "./loop-messages.ts";
import type { LoopModels } from "./loop-models.ts";
import { LoopTranscript } from "./loop-transcript.ts";
import { modelMessageOf } from "./message-codec.ts";
import { delayForAttempt, retryConfigOf } from "./provider/retry-config.ts";
import { TurnHooks } from "./turn-hooks.ts";

/** The parts of one run. */
export interface LoopParts {
  context: AgentContext & { loop_id: string };
  config: AgentLoopConfig;
  models: LoopModels;
  emit: (event: AgentEvent) => void;
  signal: AbortSignal;
  /** The messages that the first turn begins with. They are in the context already. */
  prompts: readonly AgentMessage[];
  /** The loop's execution in a thread, whose models are `models`. It does nothing without a thread. */
  execution: ThreadExecution;
}

/** Runs one loop, from its first turn to its last. */
export class LoopRun {
  readonly #parts: LoopParts;
  readonly #transcript: LoopTranscript;
  readonly #input: LoopInput;
  readonly #hooks: HookCalls;
  readonly #calls: ToolCalls;
  readonly #turns: TurnHooks;
  readonly #tracker: ExecutionTracker | null;
  readonly #sent: SentMessages;
  readonly #ids = new OrderedUuids(() => systemClock.now() / 1000);
  /** Above 0 if the next request has to be smaller, because a model refused the last one as too large. */
  #squeeze = 0;
  /** Why the loop ended at a limit; null if it did not. */
  #limit: string | null = null;

  constructor(parts: LoopParts) {
    const { config, context, models, emit, signal, prompts } = parts;
    this.#parts = parts;
    this.#hooks = new HookCalls(signal);
    this.#calls = new ToolCalls(context.loop_id);
    this.#transcript = new LoopTranscript(context, emit, prompts);
    this.#input = new LoopInput(config, {
      signal: this.#hooks.signal,
      rejected: (reason) => emit({ type: "InputRejected", loop_id: context.loop_id, reason }),
    });
    const { sent, execution } = beginSending(context, config);
    this.#tracker = execution;
    this.#sent = sent;
    this.#turns = new TurnHooks({
      config,
      models,
      transcript: this.#transcript,
      input: this.#input,
      calls: this.#calls,
      hooks: this.#hooks,
      onTurn: (tokens) => this.#tracker?.recordTurn(tokens),
    });
  }

  /** Runs the loop. Returns the new messages and the tokens. Contract: never rejects. */
  async run(): Promise<{ messages: AgentMessage[]; usage: Usage }> {
    const { config } = this.#parts;
    const transcript = this.#transcript;
    await this.#hooks.guard<void>(() => this.#input.poll("steering"), undefined);
    const disarm = this.#watchTime();
    let halt = await this.#execute();
    // The overflow is the error of one turn; the next turn sends less (decision 49). It is tried once.
    if (isOverflow(halt) && config.contextConfig !== undefined) {
      this.#squeeze = 1;
      halt = await this.#execute();
    }
    disarm();
    transcript.showPrompts();
    transcript.append(this.#input.takeAll());
    if (this.#limit !== null) transcript.append([userMessage(`[Agent stopped: ${this.#limit}]`)]);
    const internal = internalError(halt);
    if (internal !== null) this.#hooks.fail(internal);
    const { error } = this.#hooks;
    if (error !== null) {
      transcript.append([this.#errorMessage(error)]);
      await this.#hooks.call(() => config.onError?.(error), undefined);
    }
    return { messages: transcript.added, usage: transcript.usage };
  }

  /** Cancels the loop at the limit of its time, if the config says so. Returns a function that stops the watch. */
  #watchTime(): () => void {
    const tracker = this.#tracker;
    if (tracker === null || this.#parts.config.abortAtLimit !== true) return () => {};
    return systemClock.after(milliseconds(tracker.limits.max_duration), () => {
      this.#limit = tracker.checkLimits() ?? "max duration exceeded";
      this.#hooks.stop();
    });
  }

  #execute(): Promise<Halt> {
    const { config, context, models, emit, execution } = this.#parts;
    const journal = new HostJournal([], execution.log);
    const projector = new EventProjector({
      loop_id: context.loop_id,
      model_id: models.model.model,
      provider_id: models.provider_id,
      emit,
      recordOf: (id) => journal.messages.findLast((message) => message.id === id),
      calls: this.#calls,
      now: () => Date.now(),
    });
    const steps = fixedSteps(
      {
        system: context.system_prompt,
        models: [models.model],
        tools: this.#calls.runners(context.tools),
        toolMode: toolModeOf(config.toolExecution),
        temperature: config.temperature,
        maxTokens: config.maxTokens,
        errorTexts,
      },
      { messages: () => this.#messages() },
    );
    const retry = retryConfigOf(config.retryConfig);
    const ports = hostPorts({
      run: hostRun({ id: this.#ids.next(), agent: "loop", at: systemClock.now() }),
      journal,
      steps,
      ids: this.#ids,
      conversationId: context.loop_id,
      models: models.port,
      onEvent(event) {
        execution.send(event);
        if (event.type === "model_retry") {
          const { attempt, max, delay_ms, error } = event;
          // The core counts requests; the document counts retries.
          const retries = { attempt: attempt - 1, max_retries: max - 1 };
          consoleLog("warning", "model_retry", { ...retries, delay_ms, error: error.message });
        }
        projector.take(event);
      },
      steering: this.#input.steering,
      strategy: this.#strategy(),
      hooks: this.#turns.hooks(projector),
      errorTexts,
      retryDelay(failure, attempt) {
        if (!failure.retryable || attempt > retry.max_retries) return null;
        return failure.retry_after_ms ?? delayForAttempt(retry, attempt);
      },
    });
    return executeRun(ports, { signal: this.#hooks.signal });
  }

  /** The messages of the next request. A function that throws ends the loop, and nothing is sent. */
  #messages(): Promise<ModelMessage[]> {
    const { context, config } = this.#parts;
    const hooks = this.#hooks;
    return hooks.guard(async () => {
      const squeeze = this.#squeeze;
      this.#squeeze = 0;
      const fitting = await this.#sent.next(context, { squeeze, signal: hooks.signal });
      let llm: readonly AgentMessage[] = fitting;
      for (const name of ["transformContext", "convertToLlm"] as const) {
        if (config[name] === undefined) continue;
        llm = await hooks.wait<AgentMessage[]>(config[name]([...llm]));
        checkMessages(name, llm, "return");
      }
      return llm.flatMap((message) => (message.role === "extension" ? [] : [modelMessageOf(message)]));
    }, []);
  }

  #strategy(): Strategy {
    return {
      name: "loop",
      next: async ({ last, hasNewInput = false }) => {
        if (this.#hooks.hasThrown) return failed;
        this.#limit = this.#tracker?.checkLimits() ?? null;
        if (this.#limit !== null) return { type: "end", status: "limit", reason: this.#limit };
        // A refusal of the provider ends the loop like every other error, also if messages wait.
        if (last?.stop_reason === "content_filter") return failed;
        if (last === null || last.calls.length > 0 || hasNewInput) return { type: "step" };
        // The loop decides again if a message is waiting now.
        await this.#hooks.guard<void>(() => this.#input.poll("followUp"), undefined);
        return { type: "end", status: "completed", reason: "response" };
      },
    };
  }

  #errorMessage(error_message: string): AgentMessage {
    const { provider_id: provider, model } = this.#parts.models;
    const of = { model: model.model, provider, usage: zeroTokens(), timestamp: Date.now(), error_message };
    return { role: "assistant", content: [], stop_reason: "error", ...of };
  }
}

const failed = { type: "end", status: "error", reason: "failed" } as const;

function toolModeOf(strategy: ToolExecutionStrategy = "Parallel"): ToolMode {
  if (typeof strategy === "object") return { batched: strategy.Batched.size };
  return strategy === "Sequential" ? "sequential" : "parallel";
}

function isOverflow({ type, ...halt }: Halt): boolean {
  return type === "end" && "end" in halt && halt.end.status === "error" && halt.end.reason === "overflow";
}

/** The error of a run that failed inside the library; null for any other end. */
function internalError(halt: Halt): string | null {
  return halt.type === "end" && halt.end.reason === "internal" ? (halt.end.error?.message ?? null) : null;
}
