// `llm`: an instance for one model with its tools and settings, whose `generate` and `stream` run turns.

import type { JsonObject } from "#contract/json.ts";
import { fieldsOf } from "#lib/json-value.ts";
import type { ThreadState } from "#spec/index.ts";

import { checkedSignal } from "./checked-signal.ts";
import type { ContentBlock, UserContent } from "./content-block.ts";
import { EventStream, turnObserver } from "./event-stream.ts";
import { capabilitiesOf } from "./input-check.ts";
import { accessTo } from "./model-access.ts";
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
  /** Connection settings. They replace those of the provider. */
  config?: ProviderConfig | undefined;
  /** Fields that are merged into the body of each model request, in the form of the provider's API. */
  params?: Record<string, unknown> | undefined;
  /** The system prompt. */
  system?: string | undefined;
  tools?: readonly Tool[] | undefined;
  toolStrategy?: ToolUseStrategy | undefined;
  /**
   * Whether the model may order the calls of an answer: the schema of each tool then has an optional parameter `_after`, a list of names of
   * tools or positions of calls. Default: false.
   */
  modelOrder?: boolean | undefined;
  /** The form of the answer: `turn.data` is then its parsed JSON. */
  structure?: JSONSchema | undefined;
  /** Aborts the requests of the instance. */
  signal?: AbortSignal | undefined;
  /**
   * The `state` of a thread's tool, if the instance is used in the call of the tool. The requests then use the fetch and the keys of the
   * thread's Worker, their tokens and cost count to the thread's run, the thread sends the events, and a stop of the run aborts them.
   * Without this option, tokens and cost are not counted.
   */
  in?: ThreadState | undefined;
}

/** New input: a text, a block of a user's message, or a message. Adjacent texts and blocks become one user message. */
export type InferenceInput = string | UserContent | AnyMessage;

/** Earlier messages: a list, or a thread. */
export type History = readonly AnyMessage[] | { toMessages(): AnyMessage[] };

/** The events of a turn in progress. */
export interface StreamResult<Data = unknown> extends AsyncIterable<StreamEvent> {
  /** Resolves when the turn has ended; rejects as `generate` does. */
  readonly turn: Promise<Turn<Data>>;
  /** Aborts the turn. */
  abort(): void;
}

/** A model with its tools and settings. `Data` is the type of `turn.data`, which is not validated. */
export interface LLMInstance<Data = unknown> {
  readonly model: ModelReference;
  readonly system?: string;
  readonly params?: Record<string, unknown>;
  readonly capabilities: LLMCapabilities;
  /**
   * Runs a turn: requests the model and executes the calls of its answers until an answer calls no tool. The first argument is the history,
   * if it is a list or a thread. Throws a `UPPError`, or the exception of an approval or of a function of `toolStrategy`.
   */
  generate(historyOrInput: History | InferenceInput, ...input: InferenceInput[]): Promise<Turn<Data>>;
  /** Runs a turn and returns its events. The turn begins at once; leaving the `for await` loop over the events aborts it. */
  stream(historyOrInput: History | InferenceInput, ...input: InferenceInput[]): StreamResult<Data>;
}

/** Internal settings of an instance, which an agent uses. */
export interface InstanceSettings {
  /** The name of a turn in the events of a thread. Default: the id of the model. */
  name?: string;
  /** Used if `toolStrategy.maxIterations` is absent. Default: 10. */
  defaultIterations?: number;
  /** Runs a tool. Default: `tool.run(params, context)`. */
  runTool?: RunTool;
  /** Creates an observer for each turn. */
  observe?: () => TurnObserver;
}

/** The options of an instance, and the function that combines them with messages. */
interface InstanceParts {
  options: LLMOptions;
  settings: InstanceSettings;
  requestOf: (history: readonly AnyMessage[], input: readonly AnyMessage[]) => TurnRequest;
}

const partsOfInstances = new WeakMap<LLMInstance, InstanceParts>();

/** Returns the parts of an instance; undefined for an object that `llm` did not create. */
export function partsOf(instance: LLMInstance): InstanceParts | undefined {
  return partsOfInstances.get(instance);
}

/** Creates an instance. With a `structure`, `Data` is the type of the answers' `data`, as in `llm<{ city: string }>({ … })`. */
export function llm<Data = unknown>(options: LLMOptions): LLMInstance<Data> {
  // The data are not validated, so the type is that of the caller.
  return createInstance(options, {}) as LLMInstance<Data>;
}

/** Creates an instance with the settings of an agent. */
export function createInstance(options: LLMOptions, settings: InstanceSettings): LLMInstance {
  // A program in JavaScript may leave out the options.
  const given = (options as LLMOptions | undefined) ?? ({} as LLMOptions);
  const { model, config, params, system, tools = [], toolStrategy = {}, modelOrder = false } = given;
  const { structure, in: state } = given;
  const signal = checkedSignal(given.signal);
  if (typeof (model as { modelId?: unknown } | undefined)?.modelId !== "string") {
    throw refusal('llm needs a model, such as { model: anthropic("claude-sonnet-5-5") }.');
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
  accessTo(model);
  let capabilities: LLMCapabilities | undefined;
  const instance: LLMInstance = {
    model,
    ...(system === undefined ? {} : { system }),
    ...(params === undefined ? {} : { params }),
    // Computed when it is read: an execution of an agent creates an instance, and seldom reads it.
    get capabilities() {
      return (capabilities ??= capabilitiesOf(model, merged));
    },
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
  return Array.isArray(value) || typeof fieldsOf(value)["toMessages"] === "function";
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
  return blockTypes.has(fieldsOf(item)["type"] as string);
}
