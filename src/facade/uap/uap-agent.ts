// `agent`: a model with tools and an execution strategy, whose functions take a state and return a new one.

import { anySignal } from "#lib/any-signal.ts";
import { errorMessage } from "#lib/cut-text.ts";
import { presentFields } from "#lib/present-fields.ts";

import { checkedSignal } from "../upp/checked-signal.ts";
import { EventStream } from "../upp/event-stream.ts";
import type { StreamSink } from "../upp/event-stream.ts";
import type { ToolContext } from "../upp/tool-context.ts";
import { UserMessage } from "../upp/upp-message.ts";
import type {
  Agent,
  AgentInput,
  AgentOptions,
  AgentStreamResult,
  ExecutionContext,
  ExecutionOptions,
  ExecutionStrategy,
  GenerateResult,
  MiddlewareContext,
} from "./agent-contract.ts";
import { checkOptions } from "./agent-options.ts";
import { AgentState } from "./agent-state.ts";
import { abortable, abortableOnError, checkedResult, checkedState, withCause } from "./execution-checks.ts";
import { Execution, observedContext } from "./execution.ts";
import { throughMiddleware } from "./middleware/pipeline.ts";
import { ReachedState } from "./partial-state.ts";
import { loop } from "./strategy/built-in-strategy.ts";
import { streamResult } from "./stream-result.ts";
import { runningCall } from "./subagent-context.ts";
import type { AgentStreamEvent } from "./uap-event.ts";

/** What an execution has in addition to its input and state: a signal, the calling tool, and a receiver of events. */
interface ExecutionParts {
  /** Aborts the execution. */
  signal: AbortSignal | undefined;
  /** The tool call that starts the execution. */
  parent: ToolContext | undefined;
  /** Receives the events of a stream. Absent for `generate`. */
  sink?: StreamSink<AgentStreamEvent> | undefined;
}

/** Creates an agent. */
export function agent(options: AgentOptions): Agent {
  checkOptions(options);
  const { model, config, params, system, tools = [], toolStrategy, modelOrder } = options;
  const { structure, signal, execution = loop(), middleware, strategy, maxSubagentDepth } = options;
  const { name, checkpoints, sessionId, in: state } = options;
  const llmOptions = { name, model, config, params, system, toolStrategy, modelOrder, structure, signal, in: state };
  const given = { ...llmOptions, execution, middleware, strategy, maxSubagentDepth, checkpoints, sessionId };
  // Created when it is read: in the global scope of a Worker, no random value can be created.
  let id: string | undefined;
  const self: Agent = Object.freeze({
    ...(presentFields(given) as AgentOptions),
    get id() {
      return (id ??= crypto.randomUUID());
    },
    tools,
    toJSON: () => jsonOf(self),
    generate: async (input: AgentInput, state: AgentState, settings: ExecutionOptions = {}) =>
      execute(self, { input, state }, executionParts(self, settings)),
    stream: (input: AgentInput, state: AgentState, settings: ExecutionOptions = {}) =>
      stream(self, { input, state }, settings),
    ask: async (input: AgentInput, state: AgentState, settings: ExecutionOptions = {}) =>
      execute(self, { input, state }, executionParts(self, settings)),
    query: async (input: AgentInput, settings: ExecutionOptions = {}) =>
      (await execute(self, { input, state: AgentState.initial() }, executionParts(self, settings))).turn,
  });
  return self;
}

/** Without connection settings, which may contain keys, and without functions. */
function jsonOf({ id, name, model }: Agent): ReturnType<Agent["toJSON"]> {
  return { id, ...(name === undefined ? {} : { name }), ...(model === undefined ? {} : { model: model.modelId }) };
}

/** Combines the signals of the agent, of the options and of the calling tool. */
function executionParts({ signal: own }: Agent, { signal: given, parentContext }: ExecutionOptions): ExecutionParts {
  const parent = parentContext ?? runningCall();
  const signals = [own, checkedSignal(given), parent?.signal].filter((signal) => signal !== undefined);
  return { signal: signals.length < 2 ? signals[0] : anySignal(signals), parent };
}

interface ExecutionStart {
  input: AgentInput;
  state: AgentState;
}

function stream(self: Agent, begin: ExecutionStart, settings: ExecutionOptions): AgentStreamResult {
  const { signal, parent } = executionParts(self, settings);
  const start = (sink: StreamSink<AgentStreamEvent>) => execute(self, begin, { signal: sink.signal, parent, sink });
  return streamResult(new EventStream(start, signal));
}

async function execute(self: Agent, { input, state }: ExecutionStart, parts: ExecutionParts): Promise<GenerateResult> {
  const given = checkedState(state, "The state");
  const message = typeof input === "string" ? new UserMessage(input) : input;
  const context = { agent: self, input: message, state: given, metadata: {} };
  const reached = new ReachedState();
  return throughMiddleware(self.middleware ?? [], context, {
    reached,
    signal: parts.signal,
    execute: (changed) => executeStrategy(changed, { ...parts, reached }),
  });
}

async function executeStrategy(
  { agent: self, input, state }: MiddlewareContext,
  { signal, parent, sink, reached }: ExecutionParts & { reached: ReachedState },
): Promise<GenerateResult> {
  const { execution: strategy = loop(), strategy: hooks = {} } = self;
  const execution = new Execution(self, state, parent);
  try {
    const context = execution.context({ input, signal, sink });
    const returned: unknown = await runStrategy(strategy, context, sink);
    const place = `The strategy "${strategy.name}"`;
    const { turn, state: last } = checkedResult(returned, place, { isOptional: false });
    const result = { turn, state: execution.addTracesAndSession(last) };
    execution.state = result.state;
    reached.state = result.state;
    await abortable(hooks.onComplete?.(result), signal);
    return result;
  } catch (thrown) {
    execution.state = execution.addTracesAndSession(execution.state);
    reached.state = execution.state;
    reached.keepFor(thrown);
    const error = thrown instanceof Error ? thrown : new Error(errorMessage(thrown), { cause: thrown });
    const returned: unknown =
      (await abortableOnError(() => hooks.onError?.(error, execution.state), signal)) ?? undefined;
    if (returned === undefined) throw thrown;
    return withCause(thrown, () => checkedResult(returned, "onError of the agent's hooks", { isOptional: true }));
  } finally {
    execution.close();
  }
}

async function runStrategy(
  strategy: ExecutionStrategy,
  context: ExecutionContext,
  sink: StreamSink<AgentStreamEvent> | undefined,
): Promise<GenerateResult> {
  if (sink === undefined) return strategy.execute(context);
  if (strategy.stream === undefined) return strategy.execute(observedContext(context, sink));
  return forwardEvents(strategy.stream(context), sink);
}

/** Sends the events of a strategy's stream to the sink, and returns the result of the stream. */
async function forwardEvents(from: AgentStreamResult, sink: StreamSink<AgentStreamEvent>): Promise<GenerateResult> {
  // The signal of the context aborts the stream of a built-in strategy. The delay lets that abort happen first, because its reason becomes
  // the cause of the stream's error.
  const abort = (): void => queueMicrotask(() => from.abort());
  // The events of a custom strategy may end before its result rejects. The rejection must not count as unhandled.
  from.result.catch(() => undefined);
  sink.signal.addEventListener("abort", abort);
  if (sink.signal.aborted) abort();
  try {
    for await (const event of from) {
      sink.emit(event);
      await sink.untilReady(() => {});
    }
  } finally {
    sink.signal.removeEventListener("abort", abort);
  }
  return from.result;
}
