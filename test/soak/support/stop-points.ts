// Plans at which moment each thread is when the server is killed: the life's star at the life's moment, most others
// within a stream or a tool. Threads that were interrupted too often without progress are not paused.

import type { Actor } from "./actor.ts";
import type { Company, LifePlan } from "./life-plan.ts";
import { toolNames } from "./script.ts";
import type { Script, ToolName } from "./script.ts";
import { actorsOf } from "./soak.ts";
import type { Soak } from "./soak.ts";
import type { MomentKind, StopPoint } from "./stage.ts";

/** The plan of a life. */
export interface Casting {
  star: Actor;
  company: Company;
  stopPoints: Map<string, StopPoint>;
  /** Threads whose run has to end before the kill. */
  mustEnd: Actor[];
}

/**
 * A run is given up at its sixth interruption without a completed step; the suite stops interrupting it long before.
 */
const restlessCuts = 2;
const mostCuts = 3;

/** Whether a thread was interrupted so often at the same step that it would soon be given up. */
export function mustGetFurther({ role, current, cuts, finishing }: Actor): boolean {
  return role === "regular" && current !== undefined && cuts >= mostCuts && current.kills < doomCuts && !finishing;
}

/** The interruptions of the doomed run: one more than the server resumes. */
export const doomCuts = 6;

/** Plans a life. */
export function castLife(soak: Soak, plan: LifePlan, random: () => number): Casting {
  const regulars = actorsOf(soak, "regular");
  const owing = regulars.filter(({ owes }) => owes).toSorted((one, other) => one.cuts - other.cuts);
  // Without a client, only runs that an earlier life left unfinished can be at any moment.
  const company = plan.star === "regular" && owing.length === 0 ? "client" : plan.company;
  const restless = company === "client" && !["ready", "stopped"].includes(plan.place);
  const mustEnd = regulars.filter(({ cuts }) => cuts > (restless ? restlessCuts - 1 : mostCuts - 1));
  const calm = regulars.filter((actor) => !mustEnd.includes(actor));
  const star = starOf(soak, plan) ?? (company === "alone" ? owing[0] : pick(calm.length > 0 ? calm : regulars, random));
  if (star === undefined) throw new Error("There is no thread to be the star");

  const stopPoints = new Map<string, StopPoint>();
  const isResting = plan.place === "rest";
  for (const actor of calm) if (!isResting && random() < 0.75) stopPoints.set(actor.name, insideStopPoint(random));
  for (const actor of soak.actors) if (isHeldBack(soak, actor)) stopPoints.set(actor.name, insideStopPoint(random));
  if (!isResting) stopPoints.set(star.name, starStopPoint(plan, random));
  return { star, company, stopPoints, mustEnd: restless ? mustEnd.filter((actor) => actor !== star) : [] };
}

/** Whether the suite never lets a run of this thread end. */
function isHeldBack(soak: Soak, actor: Actor): boolean {
  if (actor.role === "doomed") return doomsOf(soak) < doomCuts;
  return actor.role === "stopper" && actor.current?.stoppedIn === null;
}

/** The number of interruptions of the doomed run so far. */
export function doomsOf(soak: Soak): number {
  return soak.kills.filter(({ plan }) => plan.star === "doomed").length;
}

function starOf(soak: Soak, { star }: LifePlan): Actor | undefined {
  if (star === "regular") return undefined;
  if (star === "doomed") return actorsOf(soak, "doomed")[0];
  return actorsOf(soak, "stopper")[soak.kills.filter(({ plan }) => plan.place === "stopped").length];
}

function starStopPoint({ place, slow, star }: LifePlan, random: () => number): StopPoint {
  const at = (kind: MomentKind, hold: boolean): StopPoint => ({ at: [kind], part: 0, skip: 0, hold });
  switch (place) {
    case "asked":
      return at("asked", true);
    case "said":
    case "effect_answered":
    case "refused":
      return at(place, false);
    case "inside":
    case "rest":
    case "admitted":
    case "posting":
    case "stopped":
    case "ready":
      if (slow === true) return { ...at("delta", true), part: 0.9 };
      return star === "stopper" ? { ...insideStopPoint(random), lastStream: true, skip: 0 } : insideStopPoint(random);
  }
}

/**
 * A random moment: within the first stream, effect or reconciliation of a run. In some cases a stream has to be the
 * last one of its run, or the first of them is skipped.
 */
function insideStopPoint(random: () => number): StopPoint {
  const effect: MomentKind = random() < 0.5 ? "effect_asked" : "effect_done";
  return {
    at: ["delta", effect, "reconcile_asked"],
    part: random() * 0.8,
    lastStream: random() < 0.5,
    skip: random() < 0.3 ? 1 : 0,
    hold: true,
  };
}

/** The message that the star gets in a life with a client. */
export function starScript({ place, slow, star }: LifePlan, number: number): Script | null {
  if (slow === true) return { ...talk(34), paceMs: 1000 };
  if (place === "refused") return { ...talk(12), refusedFor: 1 };
  if (place === "effect_answered") return { ...talk(8), steps: [{ tools: ["book", "pay"] }, { words: 8 }] };
  if (place !== "inside") return null;
  if (star === "doomed") return talk(20);
  if (star !== "stopper") return null;
  const tools: ToolName[][] = [[], ["pay"], ["book"]];
  const used = tools[number % tools.length] ?? [];
  return { ...talk(20), steps: used.length === 0 ? [{ words: 20 }] : [{ tools: used }, { words: 20 }] };
}

/** A random script. */
export function randomScript(random: () => number): Script {
  const words = 8 + Math.floor(random() * 30);
  if (random() < 0.4) return talk(words);
  const step = (): { tools: ToolName[] } => ({
    tools: Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(toolNames, random)),
  });
  return { ...talk(words), steps: [...Array.from({ length: 1 + Math.floor(random() * 2) }, step), { words }] };
}

/** A script that only answers with this number of words. */
export function talk(words: number): Script {
  return { steps: [{ words }], refusedFor: 0, paceMs: 0 };
}

/** A random element of a list. */
export function pick<T>(from: readonly T[], random: () => number): T {
  const one = from[Math.floor(random() * from.length)];
  if (one === undefined) throw new Error("Nothing to pick from");
  return one;
}
