// One execution of an agent: its last known state, its checkpoints, and what its strategy and its tools receive.

import { causeOf, consoleLog } from "#lib/log-port.ts";

import { turnObserver } from "../upp/event-stream.ts";
import type { StreamSink } from "../upp/event-stream.ts";
import { createInstance, partsOf } from "../upp/llm.ts";
import type { ParentContext, SubagentEvent, ToolContext } from "../upp/tool-context.ts";
import type { AnyMessage } from "../upp/upp-message.ts";
import type { RunTool } from "../upp/upp-tool.ts";
import type { Agent, AgentStrategy, ExecutionContext } from "./agent-contract.ts";
import type { AgentState } from "./agent-state.ts";
import { assertNesting, inheritance, lineageOf, modelOf, nameOf, runLinked, threadOf } from "./subagent-context.ts";
import { SubagentEvents } from "./subagent-events.ts";
import type { AgentStreamEvent, UAPEvent } from "./uap-event.ts";

type Emit = (event: UAPEvent) => void;

/** The context of a strategy that an agent executes. The property survives a copy by spreading. */
const executionKey = Symbol("execution");

type KeyedContext = ExecutionContext & { [executionKey]?: Execution };

/** What the context of a strategy is made of. */
interface ContextParts {
  input: AnyMessage;
  signal: AbortSignal | undefined;
  /** Absent without a stream. */
  sink: StreamSink<AgentStreamEvent> | undefined;
}

/** One execution of an agent. */
export class Execution {
  /** The last known state. */
  state: AgentState;
  readonly #agent: Agent;
  readonly #parent: ToolContext | undefined;
  readonly #lineage: ParentContext;
  readonly #subagents = new SubagentEvents();
  #step = 0;

  /** `parent` is the call whose tool begins the execution. */
  constructor(agent: Agent, state: AgentState, parent?: ToolContext) {
    this.#agent = agent;
    this.#parent = parent;
    this.#lineage = lineageOf(agent, { stateId: state.id, sessionId: sessionOf(agent, state), parent });
    this.state = this.addTracesAndSession(state);
  }

  /** The state with what the execution adds to it: the traces of its sub-agents, and its session, which belongs to its checkpoints. */
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

  /** What the strategy executes. The sink receives the events of sub-agents. */
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
      strategy: this.#hooks(strategy),
      ...(signal === undefined ? {} : { signal }),
      ...(sessionId === undefined ? {} : { sessionId }),
      [executionKey]: this,
    };
  }

  /** Runs tools with the context of the execution. Events of sub-agents go to the sink. */
  toolRunner(sink?: StreamSink<AgentStreamEvent>): RunTool {
    const { agentId } = this.#lineage;
    const emit = (data: SubagentEvent): unknown => {
      sink?.emit({ source: "uap", uap: { type: data.type, step: this.#step, agentId, data } as UAPEvent });
      return sink?.untilReady(() => {});
    };
    return (tool, params, call) =>
      runLinked(tool, params, {
        ...call,
        ...this.#lineage,
        ...inheritance(this.#agent, this.#parent),
        onSubagentEvent: this.#subagents.receiver(call.toolCallId, emit),
      });
  }

  /** The agent's hooks, which also record the state and save checkpoints. The agent itself calls `onComplete` and `onError`. */
  #hooks(hooks: AgentStrategy): AgentStrategy {
    return {
      stopCondition: (state) => hooks.stopCondition?.(state) ?? false,
      onStepStart: (step, state) => {
        this.#step = step;
        this.state = state;
        return hooks.onStepStart?.(step, state);
      },
      onReason: (step, reasoning) => hooks.onReason?.(step, reasoning),
      onAct: (step, actions) => hooks.onAct?.(step, actions),
      onObserve: (step, observations) => hooks.onObserve?.(step, observations),
      onStepEnd: (step, result) => {
        this.state = this.addTracesAndSession(result.state);
        const returned = hooks.onStepEnd?.(step, result);
        void this.#saveCheckpoint(this.state);
        return returned;
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
  return sessionId ?? (typeof restored === "string" ? restored : crypto.randomUUID());
}

/** The execution of a context. A context that a program made has an execution of its own. */
export function executionOf(context: KeyedContext): Execution {
  return context[executionKey] ?? new Execution(context.agent, context.state);
}

/** The context of an execution whose events go to the sink: those of its hooks, of its model and of its sub-agents. */
export function observedContext(context: ExecutionContext, sink: StreamSink<AgentStreamEvent>): ExecutionContext {
  const { llm, strategy, agent } = context;
  const { signal, untilReady } = sink;
  const emit: Emit = (uap) => sink.emit({ source: "uap", uap });
  const execution = executionOf(context);
  const { options, settings } = partsOf(llm);
  const observed = createInstance(
    { ...options, signal },
    {
      ...settings,
      runTool: execution.toolRunner(sink),
      observe: () => turnObserver({ signal, untilReady, emit: (upp) => sink.emit({ source: "upp", upp }) }),
    },
  );
  return { ...context, llm: observed, signal, strategy: emittingHooks(strategy, agent.id, emit) };
}

/** The hooks, each of whose calls first emits its event. */
function emittingHooks(hooks: AgentStrategy, agentId: string, emit: Emit): AgentStrategy {
  const planOf = ({ plan }: AgentState) => (plan === undefined ? {} : { plan });
  return {
    stopCondition: (state) => hooks.stopCondition?.(state) ?? false,
    onStepStart(step, state) {
      emit({ type: "step_start", step, agentId, data: planOf(state) });
      return hooks.onStepStart?.(step, state);
    },
    onReason(step, reasoning) {
      emit({ type: "reasoning", step, agentId, data: { reasoning } });
      return hooks.onReason?.(step, reasoning);
    },
    onAct(step, actions) {
      emit({ type: "action", step, agentId, data: { toolCalls: actions } });
      return hooks.onAct?.(step, actions);
    },
    onObserve(step, observations) {
      emit({ type: "observation", step, agentId, data: { observations } });
      return hooks.onObserve?.(step, observations);
    },
    onStepEnd(step, result) {
      emit({ type: "step_end", step, agentId, data: { usage: result.turn.usage, ...planOf(result.state) } });
      return hooks.onStepEnd?.(step, result);
    },
  };
}
