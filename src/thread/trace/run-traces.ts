// Makes spans from the rows of runs: one for a run, for each of its steps, for each model attempt and for each tool call. A span is made
// when the row with its end is written, so nothing is written for traces and a crash leaves no open span: work that is repeated after a
// crash gets its span when it ends. Names follow OpenTelemetry's semantic conventions for GenAI, version 1.41.

import type { JsonObject } from "#contract/json.ts";
import type { LogRecord, MessageRecord } from "#core/record/record.ts";
import type { EndedRun, ExecutedRun, QueuedInput, RunRecord } from "#core/record/run-record.ts";
import { fieldsOf, listOf, textOrJson, type Fields } from "#lib/json-value.ts";
import { providerNamed } from "#models/provider/providers.ts";

import { boundedText, inputContent, outputContent } from "./message-content.ts";
import type { Attributes, Span } from "./otlp.ts";
import { SpanExporter, type ExporterOptions } from "./span-exporter.ts";
import { parseTraceparent, spanIdOf, traceIdOf, traceparent, type TraceContext } from "./trace-context.ts";

/** The dependencies of the traces of one thread. */
export interface RunTracesOptions extends ExporterOptions {
  /** Removes the deployment's secrets from a text. */
  redact: (text: string) => string;
}

/** A step's log row, the messages of its run, and the run. */
interface RecordedStep {
  run: RunRecord;
  context: TraceContext;
  record: LogRecord;
  messages: readonly MessageRecord[];
}

const numberOr = (value: unknown, standard: number): number => (typeof value === "number" ? value : standard);
const textOr = <T>(value: unknown, standard: T): string | T => (typeof value === "string" ? value : standard);

/** The traces of one thread's runs. No method throws or waits. */
export class RunTraces {
  readonly #options: RunTracesOptions;
  readonly #exporter: SpanExporter;
  /** The times at which unfinished steps began, by the id of the step's span. */
  readonly #begun = new Map<string, number>();

  constructor(options: RunTracesOptions) {
    this.#options = options;
    this.#exporter = new SpanExporter(options);
  }

  /** The field that stores a caller's `traceparent` with the caller's input. An empty object if the header is missing or invalid. */
  inputField(header: string | undefined): Pick<QueuedInput, "trace"> {
    return header === undefined || parseTraceparent(header) === null ? {} : { trace: header };
  }

  /** The `traceparent` for a child thread that works on a call. `messageId` is the call's tool message. */
  ofCall(run: ExecutedRun, messageId: string): string {
    return traceparent(this.#contextOf(run, run.progress.trace), spanIdOf("call", messageId));
  }

  /** The field of log lines that names the trace of a run. */
  lineField(run: RunRecord): { trace_id: string } {
    return { trace_id: this.#contextOf(run, run.progress?.trace).traceId };
  }

  /** Makes the spans of a log row of a run: those of its model attempt and its tool calls, and of its step if the row ends it. */
  recordStep(run: RunRecord, record: LogRecord, messages: readonly MessageRecord[]): void {
    this.#guarded(() => {
      const context = this.#contextOf(run, run.progress?.trace);
      if (!context.sampled) return;
      const step = { run, context, record, messages };
      if (record.type === "llm_request") this.#addAttempt(step);
      for (const tool of listOf(record.data["tools"])) this.#addCall(step, fieldsOf(tool));
      this.#addStep(step);
    });
  }

  /** Makes the span of a run that has ended, and sends all spans. `trace` is the caller's `traceparent`. */
  endRun(run: EndedRun, trace: string | undefined): void {
    this.#guarded(() => {
      const context = this.#contextOf(run, trace);
      const { usage, error, status } = run;
      if (context.sampled) {
        this.#add(context, {
          spanId: spanIdOf("run", run.id),
          parentId: context.parentId,
          name: `invoke_agent ${run.agent_id}`,
          kind: "internal",
          startedAt: run.started_at ?? run.created_at,
          endedAt: run.ended_at,
          failed: status === "error",
          attributes: {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": run.agent_id,
            "gen_ai.conversation.id": this.#options.threadId,
            ...tokens(usage),
            "error.type": status === "error" ? (error?.code ?? "error") : null,
            "threadhold.run.id": run.id,
            "threadhold.run.kind": run.kind,
            "threadhold.run.status": status,
            "threadhold.run.steps": run.steps,
            "threadhold.cost_usd": run.cost === null ? null : { double: run.cost },
          },
        });
      }
      this.#begun.clear();
      this.#exporter.flush();
    });
  }

  /** Sends all spans, in the background. */
  flush(): void {
    this.#guarded(() => this.#exporter.flush());
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.name : "unknown";
      this.#options.log("warning", "trace_failed", { thread_id: this.#options.threadId, reason });
    }
  }

  #contextOf({ id }: RunRecord, trace: string | undefined): TraceContext {
    const { ratio, followsParent } = this.#options.settings;
    const parent = parseTraceparent(trace);
    const traceId = parent?.traceId ?? traceIdOf(id);
    // The last 56 bits of a trace id are random (W3C Trace Context, level 2).
    const chosen = Number.parseInt(traceId.slice(-14), 16) < ratio * 2 ** 56;
    const sampled = parent !== null && followsParent ? parent.sampled : chosen;
    return { traceId, parentId: parent?.parentId ?? null, sampled };
  }

  #add({ traceId }: TraceContext, span: Omit<Span, "traceId">): void {
    this.#exporter.add({ traceId, ...span });
  }

  #addAttempt(step: RecordedStep): void {
    const { context, record, run } = step;
    const { data } = record;
    const error = data["error"] === null ? null : fieldsOf(data["error"]);
    const request = fieldsOf(data["request"]);
    const model = textOr(data["model_id"], "");
    const stopReason = textOr(data["stop_reason"], null);
    const { temperature, max_tokens } = request;
    // A request of an execution inside of a tool's call belongs to no step.
    const isInTool = data["execution"] !== undefined;
    if (!isInTool) this.#begin(step, record.created_at);
    this.#add(context, {
      spanId: spanIdOf("attempt", record.id),
      parentId: isInTool ? spanIdOf("call", textOr(data["under"], "")) : this.#stepId(step),
      name: `chat ${model}`,
      kind: "client",
      startedAt: record.created_at,
      endedAt: record.created_at + numberOr(data["latency_ms"], 0) * 1000,
      failed: error !== null,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": providerName(textOr(data["provider"], "")),
        "gen_ai.conversation.id": this.#options.threadId,
        "gen_ai.agent.name": run.agent_id,
        "gen_ai.request.model": model,
        "gen_ai.request.temperature": typeof temperature === "number" ? { double: temperature } : null,
        "gen_ai.request.max_tokens": typeof max_tokens === "number" ? max_tokens : null,
        "gen_ai.response.model": error === null ? model : null,
        "gen_ai.response.finish_reasons": stopReason === null ? null : [stopReason],
        ...tokens(fieldsOf(data["usage"])),
        "error.type": error === null ? null : textOr(error["kind"], "error"),
        "http.response.status_code": typeof error?.["status"] === "number" ? error["status"] : null,
        "threadhold.model": textOr(data["model"], null),
        "threadhold.attempt": numberOr(data["attempt"], 1),
        "threadhold.cost_usd": typeof data["cost"] === "number" ? { double: data["cost"] } : null,
        ...this.#content(step, data),
      },
    });
  }

  /** The answer and the earlier messages of its loop, if the deployment enables message content. */
  #content({ messages }: RecordedStep, data: JsonObject): Attributes {
    const answer = messages.find(({ id }) => id === data["message_id"]);
    if (!this.#options.settings.content || answer === undefined) return {};
    const before = messages.filter(
      ({ position, parent_id }) => position < answer.position && parent_id === answer.parent_id,
    );
    const { redact } = this.#options;
    return {
      "gen_ai.input.messages": redact(inputContent(before, redact)),
      "gen_ai.output.messages": redact(outputContent(answer, redact)),
    };
  }

  #addCall(step: RecordedStep, tool: Fields): void {
    const { context, record, run, messages } = step;
    const messageId = textOr(tool["message_id"], "");
    const name = textOr(tool["name"], "");
    const callId = textOr(tool["id"], "");
    const startedAt = numberOr(tool["at"], record.created_at);
    const failed = tool["is_error"] === true;
    this.#begin(step, startedAt);
    this.#add(context, {
      spanId: spanIdOf("call", messageId),
      parentId: this.#stepId(step),
      name: `execute_tool ${name}`,
      kind: "internal",
      startedAt,
      endedAt: startedAt + numberOr(tool["duration_ms"], 0) * 1000,
      failed,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": callId,
        "gen_ai.tool.type": "function",
        "gen_ai.conversation.id": this.#options.threadId,
        "gen_ai.agent.name": run.agent_id,
        "error.type": failed ? "tool_error" : null,
        ...this.#callContent(messages, { messageId, callId }),
      },
    });
  }

  #callContent(
    messages: readonly MessageRecord[],
    { messageId, callId }: { messageId: string; callId: string },
  ): Attributes {
    if (!this.#options.settings.content) return {};
    const { redact } = this.#options;
    const { result } = messages.find(({ id }) => id === messageId) ?? {};
    const call = messages
      .flatMap(({ parts }) => parts)
      .findLast((part) => part.type === "tool_call" && part.id === callId);
    return {
      "gen_ai.tool.call.arguments": call?.type === "tool_call" ? boundedText(textOrJson(call.arguments), redact) : null,
      "gen_ai.tool.call.result": result ? boundedText(result.error ?? result.result ?? "", redact) : null,
    };
  }

  #addStep(step: RecordedStep): void {
    const { run, context, record, messages } = step;
    const end = record.events.find(({ type }) => type === "step_end");
    if (end === undefined) return;
    const spanId = this.#stepId(step);
    // After a suspension or a crash the start of the step is known from its answer.
    const answer = messages.find(({ id }) => id === record.data["message_id"]);
    const known = [this.#begun.get(spanId), answer?.created_at].filter((at) => at !== undefined);
    const startedAt = Math.min(record.created_at, ...known);
    this.#begun.delete(spanId);
    const under = textOr(record.data["under"], null);
    const number = numberOr(record.data["step"], 0);
    this.#add(context, {
      spanId,
      parentId: under === null ? spanIdOf("run", run.id) : spanIdOf("call", under),
      name: `step ${number}`,
      kind: "internal",
      startedAt,
      endedAt: end.at,
      failed: record.type === "llm_request" && record.data["error"] !== null,
      attributes: {
        "gen_ai.conversation.id": this.#options.threadId,
        "gen_ai.agent.name": run.agent_id,
        "threadhold.step": number,
        "threadhold.side": textOr(record.data["side"], null),
        "threadhold.depth": record.depth,
      },
    });
  }

  /** Stores the earliest known time of an unfinished step. */
  #begin(step: RecordedStep, at: number): void {
    const id = this.#stepId(step);
    this.#begun.set(id, Math.min(at, this.#begun.get(id) ?? at));
  }

  #stepId({ run, record: { data } }: RecordedStep): string {
    return spanIdOf("step", `${run.id} ${textOr(data["under"], "")} ${numberOr(data["step"], 0)}`);
  }
}

/** The conventions count cached tokens as input too. */
function tokens(usage: Fields): Attributes {
  const [input, output, read, written] = ["input", "output", "cache_read", "cache_write"].map((name) =>
    numberOr(usage[name], 0),
  ) as [number, number, number, number];
  return {
    "gen_ai.usage.input_tokens": input + read + written,
    "gen_ai.usage.output_tokens": output,
    "gen_ai.usage.cache_read.input_tokens": read,
    "gen_ai.usage.cache_creation.input_tokens": written,
  };
}

/** The name of a provider in the conventions. */
function providerName(name: string): string {
  const known = providerNamed(name);
  return (known !== undefined && "variables" in known ? known.telemetryName : undefined) ?? name;
}
