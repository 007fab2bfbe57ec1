// The limits of one execution of a run: its bounds, its usage, and the timer that aborts it at its time limit. `halt` stops the timer and
// stores the counts in the run's record. A suspended run therefore needs no memory and no timer.

import type { Limits } from "#contract/run.ts";
import type { Allowance } from "#core/limits/allowed.ts";
import { remainingOf, noBounds, strictest, addUsed, zeroUse } from "#core/limits/amounts.ts";
import type { AmountName, Used } from "#core/limits/amounts.ts";
import { exceededLimit, reachedAmounts, reachedLimit, reasonOf, remainingTime, withUse } from "#core/limits/reached.ts";
import type { Budget, LimitReason } from "#core/limits/reached.ts";
import { continuedShare, requestShare } from "#core/limits/request-share.ts";
import { Reservations } from "#core/limits/reservations.ts";
import type { Reservation } from "#core/limits/reservations.ts";
import { limitsOfShare, reservedForChildren, shareOf } from "#core/limits/share.ts";
import { TimeLimitReached } from "#core/limits/time-limit-reached.ts";
import { usedOf, workIn, workOf } from "#core/limits/used.ts";
import { unlimitedShare } from "#core/model/request-answer.ts";
import type { LimitPort, ReachedLimit, RequestPurpose, Reserved } from "#core/ports/limit-port.ts";
import type { AnswerSoFar, ModelRequest } from "#core/ports/model-port.ts";
import type { LimitSuspension, Work } from "#core/record/awaited.ts";
import type { MessageRecord } from "#core/record/record.ts";
import type { ExecutedRun } from "#core/record/run-record.ts";
import { sideOf } from "#flow/strategy/conversation-strategy.ts";
import type { ConversationStrategy } from "#flow/strategy/conversation-strategy.ts";
import { abortAfterMs, firmBounds, runBounds, threadBounds } from "#flow/strategy/limit-bounds.ts";
import type { ActiveSide, AllowedUse, RequestedLimits } from "#flow/strategy/limit-bounds.ts";
import { requestCeiling } from "#flow/strategy/step-bounds.ts";
import type { AnyAgentDefinition } from "#spec/index.ts";

import type { DeployedThread } from "../live/live-thread.ts";

/** How long a run is suspended at a limit before it ends there, in microseconds. */
const limitDeadlineMicros = 24 * 60 * 60 * 1_000_000;

/** The parts of an execution that its limits need. */
export interface DriveParts {
  /** Returns the thread's current agent. */
  agent: () => Promise<AnyAgentDefinition>;
  strategy: ConversationStrategy;
  /** The messages of the run in memory. */
  messages: readonly MessageRecord[];
  /** Aborts the execution. */
  abort: AbortController;
}

/** The limits of one execution of a run. */
export class RunLimits implements LimitPort {
  readonly #context: DeployedThread;
  readonly #run: ExecutedRun;
  readonly #parts: DriveParts;
  readonly #begun: number;
  readonly #before: number;
  /** The limit at which the run was suspended before this execution; null if there was none. */
  readonly #rested: LimitSuspension | null;
  readonly #reservations = new Reservations();
  #disarm: () => void = () => {};
  #halted = false;

  constructor(context: DeployedThread, run: ExecutedRun, parts: DriveParts) {
    this.#context = context;
    this.#run = run;
    this.#parts = parts;
    this.#begun = context.deployment.clock.now();
    this.#before = run.progress.driven_ms ?? 0;
    this.#rested = run.progress.reached_limit;
    // Each execution decides again whether the run is suspended at its limit.
    run.progress.reached_limit = null;
  }

  drivenMs(): number {
    return this.#before + Math.max(0, Math.round((this.#context.deployment.clock.now() - this.#begun) / 1000));
  }

  async reached(): Promise<ReachedLimit | null> {
    await this.#context.deployment.faults.at("limits.speaking");
    const { limit } = this.#state(await this.#speaking());
    return limit;
  }

  reserve(request: ModelRequest, signal: AbortSignal, purpose?: RequestPurpose): Promise<Reserved> {
    let share: Used | null = null;
    const progress = this.#run.progress;
    return this.#reservations.inOrder(async (): Promise<Reserved | null> => {
      await this.#context.deployment.faults.at("limits.reserve");
      const speaking = await this.#speaking();
      const { budgets, limit } = this.#state(speaking);
      if (signal.aborted) return unlimitedShare;
      if (limit !== null) return { limit };
      const bounds = [budgets.run.bounds, budgets.thread.bounds];
      share ??=
        purpose?.type === "extra"
          ? addUsed({ ...requestShare(request, bounds), steps: 0 }, requestShare(purpose.before, bounds))
          : requestShare(request, bounds);
      const isOfTool = purpose?.type === "tool";
      const refused =
        purpose?.type === "extra"
          ? exceededLimit(budgets, share)
          : isOfTool && this.#isCeilingReached()
            ? reasonOf("steps")
            : null;
      if (refused !== null) return { limit: { reason: refused, until: null } };
      if (!this.#reservations.fits(share, budgets)) return null;
      const reservation = this.#reservations.reserve(isOfTool ? { ...share, steps: 0 } : share);
      // The request is counted before it is sent, so that parallel requests do not exceed the ceiling together.
      if (isOfTool) progress.requests = (progress.requests ?? 0) + 1;
      const { steps } = isOfTool ? zeroUse : share;
      return {
        release: reservation.release,
        extend: (soFar, isAllowed = () => true) =>
          this.#extend(reservation, speaking, { request, soFar, steps, isAllowed }),
      };
    }, signal);
  }

  /** Reserves the share of a request that continues an answer. It is no step, and counts toward the deployment's ceiling of steps. */
  #extend(
    { replace }: Reservation,
    speaking: ActiveSide,
    {
      request,
      soFar,
      steps,
      isAllowed,
    }: { request: ModelRequest; soFar: AnswerSoFar; steps: number; isAllowed: () => boolean },
  ): boolean {
    const budgets = this.#promised(speaking);
    const { used, share } = continuedShare(request, soFar, [budgets.run.bounds, budgets.thread.bounds]);
    if (this.#isCeilingReached() || reachedLimit(withUse(budgets, used)) !== null) return false;
    const { progress } = this.#run;
    const before = progress.requests ?? 0;
    progress.requests = before + 1;
    // The request leaves fewer steps of the ceiling. The steps in flight must still fit.
    const { run } = this.#budgets(speaking);
    const fits = run.used.steps + this.#reservations.sum.steps <= (run.bounds.steps ?? Infinity);
    const isExtended = fits && replace({ ...share, steps }, budgets, isAllowed);
    if (!isExtended) progress.requests = before;
    return isExtended;
  }

  /**
   * Whether requests that are no steps have reached the deployment's ceiling of steps, which bounds them even if `maxSteps` bounds the steps.
   */
  #isCeilingReached(): boolean {
    const ceiling = requestCeiling({ requested: this.#requested.limits?.steps, ceiling: this.#allowed.run.steps });
    return ceiling !== null && this.#toolRequests >= ceiling;
  }

  /** The current bounds and usage, and the limit that is reached. */
  #state(speaking: ActiveSide): { budgets: Record<"run" | "thread", Budget>; limit: ReachedLimit | null } {
    // The active side (one of the agent's two models) may have another time limit than the previous one.
    this.#watch(speaking);
    const budgets = this.#promised(speaking);
    const reason = reachedLimit(budgets);
    return { budgets, limit: reason === null ? null : this.#atLimit(speaking, budgets, reason) };
  }

  #atLimit(speaking: ActiveSide, { run, thread }: Record<"run" | "thread", Budget>, reason: LimitReason): ReachedLimit {
    const amounts = reachedAmounts(run);
    // If one of the reached limits cannot be raised, the run ends there, even if the others can be raised.
    const last = amounts.find((one) => !this.#canBeRaised(speaking, one, run.used));
    if (last !== undefined) return { reason: reasonOf(last), until: null };
    const [amount] = amounts;
    if (amount === undefined) return { reason, until: null };
    // A limit of the thread cannot be raised. If it is reached too, the run ends there, because raising the run's limit would not help.
    const whole = reachedLimit({ run: { ...run, bounds: noBounds }, thread });
    if (whole !== null) return { reason: whole, until: null };
    // The requests of tools reduce the bound of steps. If they do, the ceiling and all requests are reported.
    const toolRequests = amount === "steps" ? this.#toolRequests : 0;
    const unreduced = { ...this.#allowed, toolRequests: 0 };
    const isReduced = run.used.steps < (runBounds(speaking, this.#requested, unreduced).steps ?? Infinity);
    const requests = isReduced ? toolRequests : 0;
    const allowed = (run.bounds[amount] ?? 0) + requests;
    const used = run.used[amount] + requests;
    const { live } = this.#context;
    const { clock } = this.#context.deployment;
    // If several loops of the run reach the limit, or the run was resumed for another loop, the suspension keeps its id and deadline.
    const known = this.#run.progress.reached_limit ?? this.#rested;
    const { id, deadline } = known ?? { id: live.uuids.next(), deadline: clock.now() + limitDeadlineMicros };
    if (deadline <= clock.now()) return { reason, until: null };
    this.#run.progress.reached_limit = { id, reason, amount, allowed, used, deadline };
    return { reason, until: deadline };
  }

  /** Whether a run that has reached its limit of an amount is suspended there, so that a caller may raise the limit. */
  #canBeRaised(speaking: ActiveSide, amount: AmountName, used: Used): boolean {
    const last = firmBounds(speaking, this.#asked, { amount, allowed: this.#allowed });
    return (remainingOf(last, used)[amount] ?? 1) > 0;
  }

  async forChild(threadId: string, sharers: () => number): Promise<Limits | null> {
    await this.#context.deployment.faults.at("limits.for-child");
    const { run, thread } = this.#promised(await this.#speaking());
    const { limits, progress } = this.#run;
    const { grants = {} } = progress;
    const held = this.#reservations.sum;
    const left = strictest(
      remainingOf(run.bounds, addUsed(run.used, held)),
      remainingOf(thread.bounds, addUsed(thread.used, held)),
    );
    const share = grants[threadId] ?? shareOf(left, sharers());
    if (share === null) return null;
    // The suspension that follows writes the grants (the child threads' shares of the budget) to the run's row.
    this.#run.progress.grants = { ...grants, [threadId]: share };
    return limitsOfShare(share, limits);
  }

  /** Starts the timer of the time limit. Called before the loop begins. */
  async watchTime(): Promise<void> {
    await this.#context.deployment.faults.at("limits.watch");
    this.#watch(await this.#speaking());
  }

  /** Stops the timer, and stores the execution time and the ended turns in the run's record. Called at the end of the execution. */
  halt(): void {
    this.#halted = true;
    this.#disarm();
    this.#run.progress.driven_ms = this.drivenMs();
    this.#run.progress.turns = this.#parts.strategy.turns;
  }

  async #speaking(): Promise<ActiveSide> {
    const { strategy } = this.#parts;
    await this.#context.deployment.faults.at("limits.agent");
    const agent = await this.#parts.agent();
    return { agent, side: sideOf(agent, strategy.side), isHandedOver: strategy.handedOver };
  }

  /** The bounds and the usage of the run and of its thread. */
  #budgets(speaking: ActiveSide): { run: Budget; thread: Budget } {
    const { live } = this.#context;
    const used = usedOf(this.#run, this.#work());
    const earlier = usedOf(live.record, workIn(live.record));
    return {
      run: { bounds: runBounds(speaking, this.#requested, this.#allowed), used },
      thread: { bounds: threadBounds(speaking.agent, this.#allowed), used: addUsed(earlier, used) },
    };
  }

  #work(): Work {
    const { strategy, messages } = this.#parts;
    const { paid = 0, requests = 0 } = this.#run.progress;
    return workOf(messages, { turns: strategy.turns, driven_ms: this.drivenMs(), paid, requests });
  }

  /** The requests so far that are no steps: of the run's tools, and those that continued an answer, with those of its children. */
  get #toolRequests(): number {
    return this.#work().requests ?? 0;
  }

  /**
   * What the deployment allows. A child thread's run may use its share of the parent's steps for its steps and the requests of its tools
   * together.
   */
  get #allowed(): Allowance & AllowedUse {
    const toolRequests = this.#toolRequests;
    const limits = { ...this.#context.deployment.settings.limits, toolRequests };
    const { parent_run_id, limits: requested } = this.#run;
    const steps = parent_run_id === null ? undefined : (requested?.steps ?? undefined);
    if (limits.run.steps === null || steps === undefined) return limits;
    return { ...limits, run: { ...limits.run, steps: Math.min(steps, limits.run.steps) } };
  }

  /** The budgets of the run and of its thread, with the reserved shares of unfinished child threads counted as used. */
  #promised(speaking: ActiveSide): { run: Budget; thread: Budget } {
    return withUse(this.#budgets(speaking), reservedForChildren(this.#run.progress, this.#parts.messages));
  }

  get #requested(): RequestedLimits {
    const { limits, progress } = this.#run;
    return { limits, raised: progress.raised };
  }

  /**
   * The limits that the caller requested. A child thread's run always ends at its limits, because only its parent can give it a larger
   * share.
   */
  get #asked(): RequestedLimits {
    const { limits, parent_run_id } = this.#run;
    return parent_run_id === null ? this.#requested : { limits: { ...limits, on_limit: "end" } };
  }

  /**
   * The budgets with the duration after which the execution is aborted. A time limit at which the run would be suspended aborts nothing,
   * because the aborted work would be repeated after the suspension.
   */
  #ending(speaking: ActiveSide): { run: Budget; thread: Budget } {
    const { run, thread } = this.#budgets(speaking);
    const duration_ms = abortAfterMs(speaking, this.#asked, this.#allowed);
    return { run: { ...run, bounds: { ...run.bounds, duration_ms } }, thread };
  }

  /** Sets the timer that aborts the execution at its time limit. A repeated call replaces the timer. */
  #watch(speaking: ActiveSide): void {
    this.#disarm();
    const left = remainingTime(this.#ending(speaking));
    if (left === null || this.#halted) return;
    const { ms, reason } = left;
    if (ms === 0) this.#parts.abort.abort(new TimeLimitReached(reason));
    else this.#disarm = this.#context.deployment.clock.after(ms, () => this.#watch(speaking));
  }
}
