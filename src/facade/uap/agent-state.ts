// The state of an agent: its conversation, the number of its last step, and data that strategies and programs add. A state never changes:
// each operation returns a new one, which shares the messages with the old one. Stores of checkpoints keep a state as JSON.

import { problemOfMessage } from "../upp/message-form.ts";
import { refusal } from "../upp/upp-error.ts";
import type { AnyMessage } from "../upp/upp-message.ts";
import { planSchema } from "./plan-step.ts";
import type { PlanStep } from "./plan-step.ts";
import { SharedList } from "./shared-list.ts";
import { frozenJSON, readFrozen, readState, stateVersion } from "./state-json.ts";
import type { AgentStateJSON } from "./state-json.ts";
import { traceSchema } from "./subagent-trace.ts";
import type { SubagentExecutionTrace } from "./subagent-trace.ts";

/** The parts of a state. */
interface Parts {
  messages: SharedList<AnyMessage>;
  step: number;
  metadata: Readonly<Record<string, unknown>>;
  reasoning: SharedList<string>;
  plan?: readonly PlanStep[];
  traces?: SharedList<SubagentExecutionTrace>;
}

/**
 * An immutable state of an agent. The state, its lists, its metadata, its plan and its traces are frozen. Metadata, plans and traces are
 * copied when they are added. Messages are not copied: do not change the content of a message after it was created.
 */
export class AgentState {
  /** A UUIDv4. Each operation returns a state with a new one. */
  declare readonly id: string;
  /** The conversation. */
  declare readonly messages: readonly AnyMessage[];
  /** The number of the last step that a strategy executed; 0 initially. The built-in strategies count from 1 in each execution. */
  readonly step: number;
  /** Data of the program, as JSON. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The reasoning of the strategy `react()`, by step. */
  declare readonly reasoning: readonly string[];
  /** The plan of the strategy `plan()`. */
  declare readonly plan?: readonly PlanStep[];
  /** The executions of sub-agents. */
  declare readonly subagentTraces?: readonly SubagentExecutionTrace[];

  /** Properties that are defined on each state and not on the class, so that a comparison and a copy by spreading include them. */
  static readonly #properties = {
    id: property((state) => (state.#id ??= crypto.randomUUID())),
    messages: property((state) => state.#parts.messages.items),
    reasoning: property((state) => state.#parts.reasoning.items),
  };
  static readonly #propertiesWithTraces = {
    ...AgentState.#properties,
    subagentTraces: property((state) => state.#parts.traces?.items),
  };

  readonly #parts: Parts;
  /** Created when it is read: in the global scope of a Worker, no random value can be created. */
  #id: string | undefined;

  private constructor(parts: Parts, id?: string) {
    this.#parts = parts;
    this.#id = id;
    const { step, metadata, plan, traces } = parts;
    this.step = step;
    this.metadata = metadata;
    if (plan !== undefined) this.plan = plan;
    Object.defineProperties(this, traces === undefined ? AgentState.#properties : AgentState.#propertiesWithTraces);
    Object.freeze(this);
  }

  /** A state without messages. */
  static initial(): AgentState {
    const none = SharedList.of<never>([]);
    return new AgentState({ messages: none, step: 0, metadata: Object.freeze({}), reasoning: none });
  }

  /**
   * Restores a state from its JSON, with its id and with the ids and times of its messages. The version may be any version 1 of UAP. Throws
   * INVALID_REQUEST for any other value, and names the path of the first invalid part, such as `state.messages.3.timestamp`. The path
   * begins with `name`.
   */
  static fromJSON(json: unknown, name = "state"): AgentState {
    const { id, messages, step, metadata, reasoning, plan, subagentTraces } = readState(json, name);
    const parts: Parts = {
      messages: SharedList.of(messages),
      step,
      metadata: frozenJSON(metadata, name),
      reasoning: SharedList.of(reasoning),
    };
    if (plan !== undefined) parts.plan = frozenJSON(plan, name);
    if (subagentTraces !== undefined) {
      parts.traces = SharedList.of(frozenJSON(subagentTraces, name));
    }
    return new AgentState(parts, id);
  }

  /** Adds a message at the end. */
  withMessage(message: AnyMessage): AgentState {
    return this.withMessages([message]);
  }

  /** Adds messages at the end. */
  withMessages(messages: readonly AnyMessage[]): AgentState {
    return this.#with({ messages: this.#parts.messages.append(checkedMessages(messages)) });
  }

  /** Replaces all messages. */
  withContext(messages: readonly AnyMessage[]): AgentState {
    return this.#with({ messages: SharedList.of(checkedMessages(messages)) });
  }

  /** Sets the number of the last step. */
  withStep(step: number): AgentState {
    if (Number.isSafeInteger(step) && step >= 0) return this.#with({ step });
    throw refusal(`step has to be a whole number of at least 0; it is ${shown(step)}.`);
  }

  /** Sets an entry of the metadata to a copy of the value, which has to be JSON. `undefined` removes the entry. */
  withMetadata(key: string, value: unknown): AgentState {
    const { [key]: _, ...others } = this.metadata;
    const added = frozenJSON({ [key]: value }, "metadata");
    return this.#with({ metadata: Object.freeze({ ...others, ...added }) });
  }

  /** Adds the reasoning of a step. */
  withReasoning(reasoning: string): AgentState {
    if (typeof reasoning === "string") return this.#with({ reasoning: this.#parts.reasoning.append([reasoning]) });
    throw refusal(`reasoning has to be a text; it is ${shown(reasoning)}.`);
  }

  /** Sets the plan. */
  withPlan(plan: readonly PlanStep[]): AgentState {
    return this.#with({ plan: readFrozen(planSchema, plan, "plan") });
  }

  /** Adds the trace of a sub-agent's execution. */
  withSubagentTrace(trace: SubagentExecutionTrace): AgentState {
    const added = readFrozen(traceSchema, trace, "trace");
    return this.#with({ traces: (this.#parts.traces ?? SharedList.of([])).append([added]) });
  }

  /** The state as JSON. It shares values with the state. */
  toJSON(): AgentStateJSON {
    const { id, messages, step, metadata, reasoning, plan, subagentTraces } = this;
    const json: AgentStateJSON = {
      version: stateVersion,
      id,
      messages: messages.map((message) => message.toJSON()),
      step,
      metadata,
      reasoning,
    };
    if (plan !== undefined) json.plan = plan;
    if (subagentTraces !== undefined) json.subagentTraces = subagentTraces;
    return json;
  }

  #with(changes: Partial<Parts>): AgentState {
    return new AgentState({ ...this.#parts, ...changes });
  }
}

function property(get: (state: AgentState) => unknown): PropertyDescriptor {
  return {
    enumerable: true,
    get(this: AgentState) {
      return get(this);
    },
  };
}

/** Refuses what could not be restored from the JSON of the state. */
function checkedMessages(messages: readonly AnyMessage[]): readonly AnyMessage[] {
  if (!Array.isArray(messages as unknown)) {
    throw refusal("The messages of a state have to be a list. Of a thread, use thread.toMessages().");
  }
  for (const [index, message] of messages.entries()) {
    const problem = problemOfMessage(message);
    if (problem !== null) throw refusal(`messages.${index} is not a message of UPP: ${problem}.`);
  }
  return messages;
}

/** The text of a value in an error, at most 40 characters of a string. */
function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : String(value);
}
