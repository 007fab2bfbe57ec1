// Executes a strategy of the core (`TurnStrategy`) for an agent. The strategy decides about each model request of one run. This file groups
// the requests into steps of the agent, calls the hooks and creates the states. A step is one cycle of the strategy, such as a request for
// reasoning and the request for the action that follows.

import type { EventDraft } from "#contract/event.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Decision, Progress, StepOutcome, StepShape, Strategy } from "#core/ports/strategy-port.ts";
import { reasonPhase } from "#core/strategy/turn-strategy.ts";
import type { TurnDecision, TurnStrategy } from "#core/strategy/turn-strategy.ts";
import { consoleLog } from "#lib/log-port.ts";
import { unreachable } from "#lib/unreachable.ts";

import { partsOf } from "../upp/llm.ts";
import { blockedEnd, runTurn } from "../upp/run-turn.ts";
import type { TurnProgress } from "../upp/run-turn.ts";
import type { Turn } from "../upp/turn.ts";
import { ToolResultMessage } from "../upp/upp-message.ts";
import type { ExecutionContext, GenerateResult } from "./agent-contract.ts";
import type { AgentState } from "./agent-state.ts";
import { executionOf } from "./execution.ts";
import type { Execution } from "./execution.ts";
import { runGivenInstance } from "./given-instance.ts";
import type { PlanStep } from "./plan-step.ts";

/** The strategy of the core, and its options for an agent. */
export interface CoreStrategyOptions {
  strategy: TurnStrategy;
  /** If true, the first answer with calls ends the execution, and its calls are not executed. */
  leavesCallsUnexecuted?: boolean;
}

/** Executes the strategy with the input and the state of the context. */
export async function executeCoreStrategy(
  context: ExecutionContext,
  options: CoreStrategyOptions,
): Promise<GenerateResult> {
  const { llm, input, state, signal } = context;
  const parts = partsOf(llm);
  const execution = executionOf(context);
  const adapter = new CoreStrategyAdapter(context, { ...options, execution });
  try {
    if (parts === undefined) return { turn: await runGivenInstance(context, adapter), state: adapter.state() };
    const { requestOf, settings } = parts;
    const request = requestOf(state.messages, [input]);
    const { turn } = await runTurn(request, { ...settings.observe?.(), signal }, (progress) => adapter.begin(progress));
    return { turn, state: adapter.state() };
  } catch (error) {
    execution.state = withErrorResults(adapter.state());
    throw error;
  }
}

/** Adds error results for the calls of the last answer that did not run, because providers refuse a conversation with calls without results. */
function withErrorResults(state: AgentState): AgentState {
  const last = state.messages.at(-1);
  if (last?.type !== "assistant" || !last.hasToolCalls) return state;
  const result = "The call did not run, because the execution had ended.";
  const results = (last.toolCalls ?? []).map(({ toolCallId }) => ({ toolCallId, result, isError: true }));
  return state.withMessage(new ToolResultMessage(results));
}

type Plan = NonNullable<TurnDecision["plan"]>;

const completed: Decision = { type: "end", status: "completed", reason: "response" };

/** The turns of an execution so far, and how its strategy ends it. */
interface StrategyProgress extends Pick<TurnProgress, "fail" | "emit"> {
  readonly records: Pick<TurnProgress["records"], "length" | "messages"> & { turn(from: number): { turn: Turn } };
  readonly rounds: Pick<TurnProgress["rounds"], "allows">;
}

/** A strategy that counts the steps of the agent. */
export interface SteppingStrategy extends Strategy {
  /** The number of the current step. */
  readonly step: number;
  begin(turn: StrategyProgress): unknown;
  allows(): "run" | "leave";
}

class CoreStrategyAdapter implements SteppingStrategy {
  readonly name: string;
  readonly #context: ExecutionContext;
  readonly #options: CoreStrategyOptions & { execution: Execution };
  #turn: StrategyProgress | null = null;
  #state: AgentState;
  #step = 0;
  /** The number of records whose messages `#state` contains. */
  #recordsInState = 0;
  /** The state of the core's strategy, which is passed to its next decision. */
  #strategyState: JsonObject | null = null;
  #shape: StepShape = {};
  /** The last plan of the strategy, and the steps of earlier plans that were carried out. */
  #plan: Plan = [];
  #earlier: Plan = [];
  #leavesCalls = false;

  constructor(context: ExecutionContext, options: CoreStrategyOptions & { execution: Execution }) {
    this.#context = context;
    this.#options = options;
    this.name = options.strategy.name;
    this.#state = context.state.withMessage(context.input);
  }

  get step(): number {
    return this.#step;
  }

  begin(turn: StrategyProgress): this {
    this.#turn = turn;
    return this;
  }

  /** The state with all messages so far. */
  state(): AgentState {
    const messages = this.#turn?.records.messages(this.#recordsInState) ?? [];
    const state = messages.length === 0 ? this.#state : this.#state.withMessages(messages);
    return this.#options.execution.addTracesAndSession(state);
  }

  async next({ last, steps }: Progress): Promise<Decision> {
    try {
      return await this.#decide(last, steps);
    } catch (error) {
      this.#turn?.fail(error);
      return completed;
    }
  }

  allows(): "run" | "leave" {
    const { rounds, records, fail } = this.#progress();
    this.#leavesCalls = this.#options.leavesCallsUnexecuted === true || rounds.allows() === "leave";
    if (this.#leavesCalls) return "leave";
    try {
      // The calls begin without waiting for a promise of the hook. If it rejects, the execution fails.
      const answer = records.messages(this.#recordsInState).findLast((message) => message.type === "assistant");
      // The hook receives a copy, because the tools run with the arguments of the message.
      const calls = structuredClone(answer?.toolCalls ?? []);
      Promise.resolve(this.#context.strategy.onAct?.(this.#step, calls)).catch(fail);
    } catch (error) {
      fail(error);
    }
    // After an exception the run is aborted: its calls do not run, but the state has a result for each of them.
    return "run";
  }

  /** `requests`: the number of model requests so far. */
  async #decide(last: StepOutcome | null, requests: number): Promise<Decision> {
    if (last !== null) {
      const blocked = blockedEnd(last);
      if (blocked !== null) return blocked;
      await this.#observe(last, requests);
    }
    const decision = await this.#turnDecision(last);
    const { next, warning, continues = false } = decision;
    const plan = decision.plan === undefined ? undefined : this.#wholePlan(decision.plan);
    if (plan !== undefined) this.#emit({ type: "plan", strategy: this.name, steps: plan, step: requests });
    if (warning !== undefined) consoleLog("warning", "agent_strategy", { message: warning });
    const isNew = next.type !== "step" || !continues;
    if (last !== null && isNew && (await this.#endStep(plan))) return completed;
    if (next.type === "step") {
      this.#strategyState = decision.state ?? null;
      this.#shape = next.shape ?? {};
      if (plan !== undefined) this.#state = this.#state.withPlan(plan);
      if (isNew) await this.#beginStep();
      return { type: "step", shape: this.#shape };
    }
    if (next.type === "end") return completed;
    return { type: "end", status: "error", reason: next.reason, error: { code: next.reason, message: next.message } };
  }

  /** The plan with the steps of earlier plans of the execution that were carried out. */
  #wholePlan(plan: Plan): Plan {
    if (this.#shape.phase === "plan") {
      const done = this.#plan.filter(({ status }) => status === "completed" || status === "failed");
      // Two plans may use the same ids.
      const named = (id: string) => (plan.some((step) => step.id === id) ? `${id} (before step ${this.#step})` : id);
      this.#earlier = [...this.#earlier, ...done].map((step) => ({
        ...step,
        id: named(step.id),
        dependsOn: step.dependsOn.map(named),
      }));
    }
    this.#plan = plan;
    return [...this.#earlier, ...plan];
  }

  #turnDecision(last: StepOutcome | null): TurnDecision | Promise<TurnDecision> {
    if (this.#leavesCalls) return { next: { type: "end", reason: "response" } };
    // An answer without content counts as an answer (decision 47: UAP has no rule for blank answers).
    return this.#options.strategy.next(last === null ? null : { ...last, blank: false }, this.#strategyState);
  }

  #emit(event: EventDraft): void {
    this.#progress().emit(event);
  }

  /** Calls the hooks for an answer and the results of its calls. */
  async #observe({ text, thinking, calls, message_id }: StepOutcome, requests: number): Promise<void> {
    const { strategy } = this.#context;
    if (this.#shape.phase === reasonPhase) {
      const reasoning = text ?? thinking ?? "";
      if (text !== null) this.#emit({ type: "reasoning", strategy: this.name, message_id, text, step: requests });
      this.#state = this.#state.withReasoning(reasoning);
      await strategy.onReason?.(this.#step, reasoning);
    }
    if (calls.length === 0 || this.#leavesCalls) return;
    const messages = this.#progress().records.messages(this.#recordsInState);
    const results = messages.findLast((message) => message.type === "tool_result");
    await strategy.onObserve?.(this.#step, results?.results ?? []);
  }

  async #beginStep(): Promise<void> {
    this.#step += 1;
    this.#state = this.#state.withStep(this.#step);
    await this.#context.strategy.onStepStart?.(this.#step, this.#state);
  }

  /** Ends the step. Returns true if the execution ends. */
  async #endStep(plan: readonly PlanStep[] | undefined): Promise<boolean> {
    const { strategy } = this.#context;
    const { records } = this.#progress();
    const { turn } = records.turn(this.#recordsInState);
    if (plan !== undefined) this.#state = this.#state.withPlan(plan.map(withoutStatusInProgress));
    this.#state = this.state();
    this.#recordsInState = records.length;
    await strategy.onStepEnd?.(this.#step, { turn, state: this.#state });
    return Boolean(await strategy.stopCondition?.(this.#state));
  }

  #progress(): StrategyProgress {
    if (this.#turn === null) unreachable("the execution has not begun");
    return this.#turn;
  }
}

/** Between two steps of the execution, no step of the plan is in progress: the next step of the execution sets the status again. */
function withoutStatusInProgress(step: PlanStep): PlanStep {
  return step.status === "in_progress" ? { ...step, status: "pending" } : step;
}
