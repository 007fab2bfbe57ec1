// One execution of an agent: its last known state, its checkpoints, and the arguments of its strategy and its tools.

import { causeOf, consoleLog } from "#lib/log-port.ts";

import { turnObserver } from "../upp/event-stream.ts";
import type { StreamSink } from "../upp/event-stream.ts";
import { createInstance, partsOf } from "../upp/llm.ts";
import type { StreamEvent } from "../upp/stream-event.ts";
import type { ParentContext, SubagentEvent, ToolContext } from "../upp/tool-context.ts";
import type { AnyMessage } from "../upp/upp-message.ts";
import type { RunTool } from "../upp/upp-tool.ts";
import type { Agent, AgentStrategy, ExecutionContext } from "./agent-contract.ts";
import type { AgentState } from "./agent-state.ts";
import { checkedSession } from "./checkpoint/session-name.ts";
import { abortable } from "./execution-checks.ts";
import { emittingInstance } from "./given-instance.ts";
import { assertNesting, inheritance, lineageOf, modelOf, nameOf, runLinked, threadOf } from "./subagent-context.ts";
import { SubagentEvents } from "./subagent-events.ts";
import type { AgentStreamEvent, UAPEvent } from "./uap-event.ts";

type Emit = (event: UAPEvent) => void;

/** The property of a context that has its execution. A copy of the context, such as `{ ...context, input }`, has the property too. */
const executionKey = Symbol("execution");

type KeyedContext = ExecutionContext & { [executionKey]?: Execution };

/** The arguments of `Execution.context`. */
interface ContextParts {
  input: AnyMessage;
  signal: AbortSignal | undefined;
  /** Receives the events of sub-agents. Undefined without a stream. */
  sink: StreamSink<AgentStreamEvent> | undefined;
}

/** One execution of an agent. */
export class Execution {
  /** The last known state: that of the last call of `onStepStart` or `onStepEnd`, or of the end. */
  state: AgentState;
  readonly #agent: Agent;
  readonly #parent: ToolContext | undefined;
  readonly #lineage: ParentContext;
  readonly #subagents: SubagentEvents;
  #step = 0;

  /** `parent` is the tool call that starts the execution; absent if no tool starts it. */
  constructor(agent: Agent, state: AgentState, parent?: ToolContext) {
    this.#agent = agent;
    this.#parent = parent;
    this.#subagents = new SubagentEvents(state.subagentTraces);
    this.#lineage = lineageOf(agent, { stateId: state.id, sessionId: sessionOf(agent, state), parent });
    this.state = this.addTracesAndSession(state);
  }

  /** Returns the state with the traces of sub-agents. If the agent has checkpoints, also with `sessionId` and `agentId` in its metadata. */
  addTracesAndSession(given: AgentState): AgentState {
    const { agentId, sessionId } = this.#lineage;
    const state = this.#subagents.withTraces(given);
    if (sessionId === undefined) return state;
    const { metadata } = state;
    const named = metadata["sessionId"] === sessionId ? state : state.withMetadata("sessionId", sessionId);
    return metadata["agentId"] === agentId ? named : named.withMetadata("agentId", agentId);
  }

  /** Drops further events of sub-agents: the execution has ended. */
  close(): void {
    this.#subagents.close();
  }

  /** Creates the argument of the strategy. */
  context({ input, signal, sink }: ContextParts): KeyedContext {
    const { params, system, tools, toolStrategy, strategy = {}, modelOrder, structure } = this.#agent;
    assertNesting(this.#lineage);
    const { model, config } = modelOf(this.#agent, this.#parent);
    const state = threadOf(this.#agent, this.#parent);
    const options = {
      model,
      tools,
      ...(config === undefined ? {} : { config }),
      ...(params === undefined ? {} : { params }),
      ...(system === undefined ? {} : { system }),
      ...(toolStrategy === undefined ? {} : { toolStrategy }),
      ...(modelOrder === undefined ? {} : { modelOrder }),
      ...(structure === undefined ? {} : { structure }),
      ...(state === undefined ? {} : { in: state }),
      ...(signal === undefined ? {} : { signal }),
    };
    const { sessionId } = this.#lineage;
    return {
      agent: this.#agent,
      llm: createInstance(options, {
        name: nameOf(this.#agent, this.#parent),
        defaultIterations: Infinity,
        runTool: this.toolRunner(sink),
      }),
      input,
      state: this.state,
      tools,
      strategy: this.#hooks(strategy, signal),
      ...(signal === undefined ? {} : { signal }),
      ...(sessionId === undefined ? {} : { sessionId }),
      [executionKey]: this,
    };
  }

  /** Returns a function that runs tools and passes the execution to them. Events of sub-agents are sent to the sink. */
  toolRunner(sink?: StreamSink<AgentStreamEvent>): RunTool {
    const { agentId } = this.#lineage;
    const emit = (data: SubagentEvent): unknown => {
      sink?.emit({ source: "uap", uap: { type: data.type, step: this.#step, agentId, data } as UAPEvent });
      return sink?.untilReady(() => {});
    };
    return (tool, params, call) => {
      const context = {
        ...call,
        ...this.#lineage,
        ...inheritance(this.#agent, this.#parent),
        onSubagentEvent: this.#subagents.receiver(call.toolCallId, emit),
        // Without the model and its settings, which may contain keys: a tool may return or log its context.
        toJSON: () => ({ toolCallId: call.toolCallId, ...this.#lineage }),
      };
      return runLinked(tool, params, context);
    };
  }

  /** The agent's hooks, which also record the state and save checkpoints. The agent itself calls `onComplete` and `onError`. */
  #hooks(hooks: AgentStrategy, signal: AbortSignal | undefined): AgentStrategy {
    return {
      stopCondition: (state) => abortable(hooks.stopCondition?.(state) ?? false, signal),
      onStepStart: (step, state) => {
        this.#step = step;
        this.state = state;
        return abortable(hooks.onStepStart?.(step, state), signal);
      },
      onReason: (step, reasoning) => abortable(hooks.onReason?.(step, reasoning), signal),
      onAct: (step, actions) => hooks.onAct?.(step, actions),
      onObserve: (step, observations) => abortable(hooks.onObserve?.(step, observations), signal),
      onStepEnd: (step, result) => {
        this.state = this.addTracesAndSession(result.state);
        try {
          return abortable(hooks.onStepEnd?.(step, result), signal);
        } finally {
          // The step has ended, whatever the hook does: it is saved also if the hook throws, and before a promise of the hook resolves.
          void this.#saveCheckpoint(this.state);
        }
      },
    };
  }

  /** Saves the state. The execution does not wait for it, and continues if it fails. */
  async #saveCheckpoint(state: AgentState): Promise<void> {
    const { sessionId = "" } = this.#lineage;
    try {
      await this.#agent.checkpoints?.save(sessionId, state.toJSON());
    } catch (error) {
      consoleLog("error", "checkpoint_not_saved", { session_id: sessionId, cause: causeOf(error) });
    }
  }
}

/** The session of an execution; undefined without checkpoints. */
function sessionOf({ checkpoints, sessionId }: Agent, { metadata }: AgentState): string | undefined {
  if (checkpoints === undefined) return undefined;
  const { sessionId: restored } = metadata;
  return sessionId ?? (typeof restored === "string" ? checkedSession(restored) : crypto.randomUUID());
}

/** Returns the execution of a context; a new execution for a context that a program created. */
export function executionOf(context: KeyedContext): Execution {
  return context[executionKey] ?? new Execution(context.agent, context.state);
}

/** Returns a context that sends the events of its hooks, its model requests and its sub-agents to the sink. */
export function observedContext(context: ExecutionContext, sink: StreamSink<AgentStreamEvent>): ExecutionContext {
  const { llm, strategy, agent } = context;
  const { signal, untilReady } = sink;
  const emit: Emit = (uap) => sink.emit({ source: "uap", uap });
  const execution = executionOf(context);
  const parts = partsOf(llm);
  const events = { signal, untilReady, emit: (upp: StreamEvent) => sink.emit({ source: "upp", upp }) };
  const observed =
    parts === undefined
      ? emittingInstance(llm, events)
      : createInstance(
          { ...parts.options, signal },
          { ...parts.settings, runTool: execution.toolRunner(sink), observe: () => turnObserver(events) },
        );
  return { ...context, llm: observed, signal, strategy: emittingHooks(strategy, { agentId: agent.id, emit, signal }) };
}

interface EmittingParts {
  agentId: string;
  emit: Emit;
  /** The signal of the stream, which may differ from that of the context. */
  signal: AbortSignal;
}

/** Returns hooks that emit an event before each call, except `stopCondition`. */
function emittingHooks(hooks: AgentStrategy, { agentId, emit, signal }: EmittingParts): AgentStrategy {
  const planOf = ({ plan }: AgentState) => (plan === undefined ? {} : { plan });
  return {
    stopCondition: (state) => abortable(hooks.stopCondition?.(state) ?? false, signal),
    onStepStart(step, state) {
      emit({ type: "step_start", step, agentId, data: planOf(state) });
      return abortable(hooks.onStepStart?.(step, state), signal);
    },
    onReason(step, reasoning) {
      emit({ type: "reasoning", step, agentId, data: { reasoning } });
      return abortable(hooks.onReason?.(step, reasoning), signal);
    },
    onAct(step, actions) {
      // The hook receives the same calls after the event, and may change them.
      emit({ type: "action", step, agentId, data: { toolCalls: structuredClone(actions) } });
      return hooks.onAct?.(step, actions);
    },
    onObserve(step, observations) {
      emit({ type: "observation", step, agentId, data: { observations } });
      return abortable(hooks.onObserve?.(step, observations), signal);
    },
    onStepEnd(step, result) {
      emit({ type: "step_end", step, agentId, data: { usage: result.turn.usage, ...planOf(result.state) } });
      return abortable(hooks.onStepEnd?.(step, result), signal);
    },
  };
}
