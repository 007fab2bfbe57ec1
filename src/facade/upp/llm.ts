// `llm`: an instance for one model with its tools and settings, whose `generate` and `stream` run turns.

import type { JsonObject } from "#contract/json.ts";
import type { ThreadState } from "#spec/index.ts";

import type { ContentBlock, UserContent } from "./content-block.ts";
import { EventStream, turnObserver } from "./event-stream.ts";
import { capabilitiesOf } from "./input-check.ts";
import { mergedConfig } from "./model-reference.ts";
import type { LLMCapabilities, ModelReference, ProviderConfig } from "./model-reference.ts";
import { bothObservers, runTurn } from "./run-turn.ts";
import type { TurnObserver } from "./run-turn.ts";
import type { StreamEvent } from "./stream-event.ts";
import type { TurnRequest } from "./turn-request.ts";
import type { Turn } from "./turn.ts";
import { refusal } from "./upp-error.ts";
import { UserMessage } from "./upp-message.ts";
import type { AnyMessage } from "./upp-message.ts";
import type { JSONSchema, RunTool, Tool, ToolUseStrategy } from "./upp-tool.ts";

/** Options of an instance. */
export interface LLMOptions {
  model: ModelReference;
  /** Settings of the connection, in place of the provider's. */
  config?: ProviderConfig;
  /** Fields that are merged into the body of each model request, in the form of the provider's API. */
  params?: Record<string, unknown>;
  /** The system prompt. */
  system?: string;
  tools?: readonly Tool[];
  toolStrategy?: ToolUseStrategy;
  /**
   * Whether the model may order the calls of an answer: the schema of each tool then has an optional parameter `_after`, a list of names of
   * tools or positions of calls. Default: false.
   */
  modelOrder?: boolean;
  /** The form of the answer: `turn.data` is then its parsed JSON. */
  structure?: JSONSchema;
  /** Aborts the requests of the instance. */
  signal?: AbortSignal;
  /**
   * The `state` of a thread's tool, if the instance is used in the call of the tool. The requests then use the fetch and the keys of the
   * thread's Worker, their tokens and cost count to the thread's run, the thread sends the events, and a stop of the run aborts them.
   * Without it, nothing of this happens.
   */
  in?: ThreadState;
}

/** New input: a text or a block of a user's message, or a whole message. Texts and blocks next to each other are one message. */
export type InferenceInput = string | UserContent | AnyMessage;

/** Earlier messages: a list, or a thread. */
export type History = readonly AnyMessage[] | { toMessages(): AnyMessage[] };

/** The events of a turn in progress. */
export interface StreamResult extends AsyncIterable<StreamEvent> {
  /** Resolves when the turn has ended; rejects as `generate` does. */
  readonly turn: Promise<Turn>;
  /** Aborts the turn. */
  abort(): void;
}

/** A model with its tools and settings. */
export interface LLMInstance {
  readonly model: ModelReference;
  readonly system?: string;
  readonly params?: Record<string, unknown>;
  readonly capabilities: LLMCapabilities;
  /**
   * Runs a turn: the model answers and calls tools until an answer calls none. Begins with the history, if the first argument is one, and
   * the input. Throws a `UPPError`, or what an approval or a function of `toolStrategy` threw.
   */
  generate(historyOrInput: History | InferenceInput, ...input: InferenceInput[]): Promise<Turn>;
  /** Runs the same turn and gives its events. The turn begins at once; leaving the loop over the events aborts it. */
  stream(historyOrInput: History | InferenceInput, ...input: InferenceInput[]): StreamResult;
}

/** Settings of an instance that an agent makes. */
export interface InstanceSettings {
  /** The name that the events of a thread show. Default: that of the model. */
  name?: string;
  /** The most rounds of calls if the tool strategy sets none. */
  defaultIterations?: number;
  /** Runs a tool. Default: `tool.run(params, context)`. */
  runTool?: RunTool;
  /** Creates an observer for each turn. */
  observe?: () => TurnObserver;
}

/** What an instance was made of, and the requests that it makes. */
interface InstanceParts {
  options: LLMOptions;
  settings: InstanceSettings;
  requestOf: (history: readonly AnyMessage[], input: readonly AnyMessage[]) => TurnRequest;
}

const partsOfInstances = new WeakMap<LLMInstance, InstanceParts>();

/** What an instance was made of. Throws INVALID_REQUEST for an object that `llm` did not make. */
export function partsOf(instance: LLMInstance): InstanceParts {
  const parts = partsOfInstances.get(instance);
  if (parts === undefined) throw refusal("The model of an execution is an instance that `llm` made.");
  return parts;
}

/** Creates an instance. */
export function llm(options: LLMOptions): LLMInstance {
  return createInstance(options, {});
}

/** Creates an instance with the settings of an agent. */
export function createInstance(options: LLMOptions, settings: InstanceSettings): LLMInstance {
  const { model, config, params, system, tools = [], toolStrategy = {}, modelOrder = false } = options;
  const { structure, signal, in: state } = options;
  if (typeof (model as { modelId?: unknown } | undefined)?.modelId !== "string") {
    throw refusal('llm needs a model, such as { model: anthropic("claude-sonnet-4-5") }.');
  }
  const { name, defaultIterations = 10, runTool, observe } = settings;
  const merged = mergedConfig(model, config);
  const requestOf: InstanceParts["requestOf"] = (history, input) => ({
    model,
    config: merged,
    params: params as JsonObject | undefined,
    system: system ?? "",
    tools,
    toolStrategy,
    modelOrder,
    runTool,
    maxIterations: toolStrategy.maxIterations ?? defaultIterations,
    structure,
    in: state,
    name,
    history,
    input,
  });
  const request = (first: History | InferenceInput, rest: readonly InferenceInput[]): TurnRequest => {
    if (!isHistory(first)) return requestOf([], inputMessages([first, ...rest]));
    return requestOf("toMessages" in first ? first.toMessages() : [...first], inputMessages(rest));
  };
  const instance: LLMInstance = {
    model,
    ...(system === undefined ? {} : { system }),
    ...(params === undefined ? {} : { params }),
    capabilities: capabilitiesOf(model, merged),
    generate: async (first, ...rest) => (await runTurn(request(first, rest), { ...observe?.(), signal })).turn,
    stream(first, ...rest) {
      const stream = new EventStream<Turn>(async (sink) => {
        const observer = bothObservers(turnObserver(sink), observe?.());
        return (await runTurn(request(first, rest), observer)).turn;
      }, signal);
      return {
        turn: stream.result,
        abort: () => stream.abort(),
        [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator](),
      };
    },
  };
  partsOfInstances.set(instance, { options, settings, requestOf });
  return instance;
}

function isHistory(value: History | InferenceInput): value is History {
  return Array.isArray(value) || (typeof value === "object" && "toMessages" in value);
}

/** The messages of the input. */
function inputMessages(input: readonly InferenceInput[]): AnyMessage[] {
  const messages: AnyMessage[] = [];
  let content: UserContent[] = [];
  const close = (): void => {
    if (content.length > 0) messages.push(new UserMessage(content));
    content = [];
  };
  for (const item of input) {
    if (typeof item === "string") content.push({ type: "text", text: item });
    else if (isBlock(item)) content.push(item);
    else {
      close();
      messages.push(item);
    }
  }
  close();
  return messages;
}

const blockTypes: ReadonlySet<string> = new Set<ContentBlock["type"]>([
  "text",
  "image",
  "document",
  "audio",
  "video",
  "binary",
]);

function isBlock(item: UserContent | AnyMessage): item is UserContent {
  return blockTypes.has(item.type);
}
