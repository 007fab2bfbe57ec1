// Plans where the objects of a test crash. A test makes a plan for a thread; the thread's object is aborted at the
// fault point that the plan names. There are three modes, and a real crash can leave each of them
// (docs/design/fault-injection.md): "kept" after all writes so far are durable; "lost" at once, so that the writes of
// the current turn are lost; "rung" like "kept", directly after the object's alarm fired.

import type { Faults } from "#core/ports/faults.ts";

/** A crash: the fault point, the n-th time that it is reached in that life, and the mode. */
export interface Death {
  point: string;
  hit: number;
  mode: DeathMode;
}

/** Whether the writes are durable, and whether the alarm fired before. */
type DeathMode = "kept" | "lost" | "rung";

/** The plan and the recorded lives of one thread's object. */
export class FaultPlan {
  readonly #deaths: Death[];
  /** The fault points that each life reached, in order. */
  readonly lives: string[][] = [[]];
  /** The number of crashes. */
  died = 0;
  /** Errors in the course of the plan, as text. */
  readonly problems: string[] = [];
  /** Fires the object's alarm, as the platform does at its time. */
  readonly ring: () => Promise<unknown>;

  constructor(deaths: readonly Death[], ring: () => Promise<unknown>) {
    this.#deaths = [...deaths];
    this.ring = ring;
  }

  /** Records that a fault point was reached. Returns the crash that is due there, or null. */
  pass(point: string): Death | null {
    const life = this.lives.at(-1) ?? [];
    life.push(point);
    const [next] = this.#deaths;
    if (next?.point !== point || life.filter((passed) => passed === point).length < next.hit) return null;
    this.#deaths.shift();
    this.lives.push([]);
    return next;
  }
}

const plans = new Map<string, FaultPlan>();

/** Plans the crashes of a thread's object, which must not be loaded yet. `ring` fires its alarm for the mode "rung". */
export function planFaults(
  threadId: string,
  deaths: readonly Death[],
  ring: () => Promise<unknown> = () => Promise.resolve(),
): FaultPlan {
  const plan = new FaultPlan(deaths, ring);
  plans.set(threadId, plan);
  return plan;
}

/** Removes the plans of all threads. */
export function forgetPlans(): void {
  plans.clear();
}

/** The fault port of one object. Without a plan for the thread no point has an effect. */
export function plannedFaults(state: DurableObjectState): Faults {
  let dying = false;
  return {
    at: (point) => {
      const plan = plans.get(state.id.name ?? "");
      if (dying) return never();
      const death = plan?.pass(point) ?? null;
      if (plan === undefined || death === null) return Promise.resolve();
      dying = true;
      if (death.mode !== "lost") return keepAndDie(state, plan, death.mode);
      plan.died += 1;
      state.abort(`planned death at ${point}`);
      return never();
    },
  };
}

async function keepAndDie(state: DurableObjectState, plan: FaultPlan, mode: DeathMode): Promise<void> {
  if (mode === "rung")
    await plan.ring().catch((thrown: unknown) => plan.problems.push(`its alarm threw ${String(thrown)}`));
  await state.storage.sync();
  plan.died += 1;
  state.abort("planned death, writes kept");
  return never();
}

/** Never resolves: after an abort no code of the object may continue. */
function never(): Promise<void> {
  return new Promise(() => {});
}
