// Where the objects of a test die. A test writes a plan for a thread; its object passes the fault points and is aborted at
// the one that the plan names: "kept" after everything written so far is durable, "lost" at once, so that whatever was
// written in the same turn is gone, "rung" as "kept" and right after its alarm went off. All three are what a real crash
// leaves (docs/design/fault-injection.md).

import type { Faults } from "#core/ports/faults.ts";

/** A death: at which point, at the how manieth time it is passed in that life, and what becomes of the writes. */
export interface Death {
  point: string;
  hit: number;
  mode: DeathMode;
}

/** What becomes of what was written, and whether the alarm went off before. */
type DeathMode = "kept" | "lost" | "rung";

/** What a test knows of a thread's lives. */
export class FaultPlan {
  readonly #deaths: Death[];
  /** Points passed in each life, in order. */
  readonly lives: string[][] = [[]];
  /** Times the object died. */
  died = 0;
  /** What went wrong on the way, in words. */
  readonly problems: string[] = [];
  /** Sets off the object's alarm, as the platform does when its time has come. */
  readonly ring: () => Promise<unknown>;

  constructor(deaths: readonly Death[], ring: () => Promise<unknown>) {
    this.#deaths = [...deaths];
    this.ring = ring;
  }

  /** The death that is due at this point, or null. */
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

/** Plans the deaths of a thread's object, which must not be loaded yet. `ring` is for those that the alarm precedes. */
export function planFaults(
  threadId: string,
  deaths: readonly Death[],
  ring: () => Promise<unknown> = () => Promise.resolve(),
): FaultPlan {
  const plan = new FaultPlan(deaths, ring);
  plans.set(threadId, plan);
  return plan;
}

/** Lets the objects of all threads live. */
export function forgetPlans(): void {
  plans.clear();
}

/** The port of one object. Where no plan names the thread every point is passed. */
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

/** Nothing goes on behind the point where an object died. */
function never(): Promise<void> {
  return new Promise(() => {});
}
