// Executes a strategy with an object that `llm()` did not create: a cache or a recorder around an instance, or a fake. Such an object has the
// public methods of an instance alone, so each request of the strategy is one call of `generate`, and its turn counts as one answer: the
// object executes the calls of its tools itself (decision 100).

import type { JsonObject } from "#contract/json.ts";
import { answerData } from "#core/model/answer-data.ts";
import type { StepOutcome, StepShape } from "#core/ports/strategy-port.ts";
import { fieldsOf } from "#lib/json-value.ts";
import { unreachable } from "#lib/unreachable.ts";

import type { StreamSink } from "../upp/event-stream.ts";
import { cancelled, errorOfEnd } from "../upp/failure-error.ts";
import type { LLMInstance } from "../upp/llm.ts";
import type { StreamEvent } from "../upp/stream-event.ts";
import type { TokenUsage, Turn } from "../upp/turn.ts";
import { refusal } from "../upp/upp-error.ts";
import { ToolResultMessage, UserMessage } from "../upp/upp-message.ts";
import type { AnyMessage, AssistantMessage } from "../upp/upp-message.ts";
import type { ExecutionContext } from "./agent-contract.ts";
import type { SteppingStrategy } from "./core-strategy.ts";
import { abortable } from "./execution-checks.ts";

const notRun = "The call did not run.";

/** Executes the strategy. Throws what `generate` and hooks throw. */
export async function runGivenInstance(
  { llm, input, state, signal, strategy: hooks }: ExecutionContext,
  strategy: SteppingStrategy,
): Promise<Turn> {
  const records = new Turns(input);
  const thrown: unknown[] = [];
  const fail = (error: unknown) => void thrown.push(error);
  strategy.begin({ records, rounds: { allows: () => "run" }, fail, emit: () => {} });
  let last: StepOutcome | null = null;
  for (let steps = 0; ; steps += 1) {
    const decision = await strategy.next({ last, steps });
    if (thrown.length > 0) throw thrown[0];
    if (decision.type === "end") {
      if (decision.status === "error") throw errorOfEnd(decision, "");
      return records.turn().turn;
    }
    if (signal?.aborted === true) throw cancelled("", signal.reason);
    const instruction = instructionOf(decision.shape);
    const history = [...state.messages, ...(steps === 0 ? [] : [input, ...records.messages()])];
    const turn = await abortable(llm.generate(history, ...(steps === 0 ? [input] : []), ...instruction), signal);
    const added = records.add(instruction, turn);
    const { response } = records.turn().turn;
    // The hooks of calls that the object has executed.
    for (const message of added.slice(0, -1)) {
      if (message.type === "assistant" && message.hasToolCalls) {
        Promise.resolve(hooks.onAct?.(strategy.step, structuredClone(message.toolCalls ?? []))).catch(fail);
      }
      if (message.type === "tool_result") await hooks.onObserve?.(strategy.step, message.results);
    }
    const calls = added.at(-1) === response ? (response.toolCalls ?? []) : [];
    if (calls.length > 0 && strategy.allows() === "run") {
      records.addResults(calls.map(({ toolCallId }) => ({ toolCallId, result: notRun, isError: true })));
    }
    last = outcomeOf(response, calls, turn.data);
  }
}

/** The instruction of a step as a message. The form of the answer is part of it: `generate` has no other place for it. */
function instructionOf({ instruction, structure }: StepShape = {}): UserMessage[] {
  const form =
    structure == null
      ? ""
      : `Answer with JSON alone, which matches this JSON Schema: ${JSON.stringify(structure.schema)}`;
  const text = [instruction?.text, form].filter(Boolean).join("\n\n");
  return text === "" ? [] : [new UserMessage(text)];
}

function outcomeOf(response: AssistantMessage, calls: AssistantMessage["toolCalls"] = [], data: unknown): StepOutcome {
  const { id, text } = response;
  const json = typeof data === "object" && data !== null ? (data as JsonObject) : answerData([text]);
  return {
    message_id: id,
    text,
    calls: calls.map(({ toolCallId, toolName, arguments: args }) => ({
      call: { id: toolCallId, name: toolName, arguments: args as JsonObject },
      result: { status: "error", error: notRun },
    })),
    ...(json === undefined ? {} : { data: json }),
    blank: false,
    stop_reason: null,
    thinking: null,
    usage: null,
    cost: null,
  };
}

/** The turns so far, as the records of a run. */
class Turns {
  readonly #input: AnyMessage;
  readonly #messages: AnyMessage[] = [];
  /** Each turn, with the index of its first message. */
  readonly #turns: { at: number; turn: Turn }[] = [];

  constructor(input: AnyMessage) {
    this.#input = input;
  }

  get length(): number {
    return this.#messages.length;
  }

  messages(from = 0): AnyMessage[] {
    return this.#messages.slice(from);
  }

  /** Adds an instruction and the answers of a turn, and returns the answers with the results of their calls. */
  add(instruction: readonly AnyMessage[], turn: Turn): AnyMessage[] {
    const { response, messages = [] } = fieldsOf(turn) as Partial<Turn>;
    if (response?.type !== "assistant") {
      throw refusal("`generate` of the context's `llm` has to return a turn with a `response`.");
    }
    const first = messages.findIndex(({ type }) => type === "assistant");
    const added = first < 0 ? [response] : messages.slice(first);
    this.#turns.push({ at: this.#messages.length, turn });
    this.#messages.push(...instruction, ...added);
    return added;
  }

  addResults(results: ConstructorParameters<typeof ToolResultMessage>[0]): void {
    this.#messages.push(new ToolResultMessage(results));
  }

  turn(from = 0): { turn: Turn } {
    const turns = this.#turns.flatMap(({ at, turn }) => (at >= from ? [turn] : []));
    const last = turns.at(-1) ?? this.#turns.at(-1)?.turn;
    if (last === undefined) unreachable("a strategy begins with a request");
    const used = turns.flatMap(({ usage }) => usage ?? []);
    const counts = ["inputTokens", "outputTokens", "totalTokens", "cacheReadTokens", "cacheWriteTokens"] as const;
    const total = (field: (typeof counts)[number]) => used.reduce((sum, usage) => sum + (usage[field] ?? 0), 0);
    const usage = Object.fromEntries(counts.map((field) => [field, total(field)])) as unknown as TokenUsage;
    usage.cycles = used.flatMap(({ cycles, ...one }) => cycles ?? [one]);
    const { response, data } = last;
    return {
      turn: {
        messages: [...(from === 0 ? [this.#input] : []), ...this.messages(from)],
        response,
        toolExecutions: turns.flatMap(({ toolExecutions }) => toolExecutions ?? []),
        usage,
        cycles: turns.reduce((sum, { cycles }) => sum + (cycles ?? 1), 0),
        ...(data === undefined ? {} : { data }),
      },
    };
  }
}

/** Returns the given object with another `generate`, which calls `stream` and sends its events to the sink. */
export function emittingInstance(llm: LLMInstance, { signal, emit, untilReady }: StreamSink<StreamEvent>): LLMInstance {
  const generate: LLMInstance["generate"] = async (...messages) => {
    const stream = llm.stream(...messages);
    // It rejects as the events do, which are read first.
    stream.turn.catch(() => {});
    const abort = (): void => stream.abort();
    signal.addEventListener("abort", abort);
    try {
      for await (const event of stream) {
        emit(event);
        await untilReady(() => {});
      }
      return await stream.turn;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  };
  // Methods and getters are called on the given object, which may have private fields.
  return new Proxy(
    { ...llm },
    {
      get(_, key) {
        const value: unknown = key === "generate" ? generate : llm[key as keyof LLMInstance];
        return typeof value === "function" ? (value.bind(llm) as unknown) : value;
      },
    },
  );
}
