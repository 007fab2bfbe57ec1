// The result of a run of the suite as text for people.

import type { Kill, Soak } from "./soak.ts";
import { isGivenUp } from "./verdict.ts";

/** The summary in a few lines. */
export function summary(soak: Soak): string {
  const { kills, observer, actors, effects, findings } = soak;
  const turns = actors.flatMap((actor) => actor.turns);
  const cut = kills.reduce((sum, kill) => sum + kill.cut, 0);
  return [
    "",
    `seed ${String(soak.seed)}: ${String(kills.length)} kills: ${counted(kills.map(whereOf))}`,
    `  of those between: ${counted(kills.filter((kill) => whereOf(kill) === "between").map(({ plan }) => plan.place))}`,
    `${String(kills.filter(({ company }) => company === "alone").length)} of them with no client there; ` +
      `${String(cut)} times a run was cut in the middle of a stream, a tool or a request`,
    `${String(turns.length)} messages in ${String(actors.length)} threads; ${String(effects.effects.length)} effects, ` +
      `${String(effects.repetitions)} asked for again, ${String(effects.reconciled)} asked about`,
    `${String(turns.filter(isGivenUp).length)} runs given up after kills without a step between them`,
    ...(["alone", "client"] as const).map((company) => {
      const seconds = observer.recoveries.filter((one) => one.company === company).map((one) => one.seconds);
      return `cut runs taken up, ${company}: ${distribution(seconds)}`;
    }),
    `${String(findings.count)} findings`,
  ].join("\n");
}

/** The moment at which the life's star was. */
function whereOf({ plan, moment }: Kill): string {
  if (plan.place === "rest") return "at rest";
  if (plan.place !== "inside" || moment === null) return "between";
  return moment.at === "delta" ? "in a model stream" : "in a tool";
}

function counted(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${name} ${String(count)}`).join(", ");
}

function distribution(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (part: number): string => (sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(1);
  return `${String(sorted.length)}, median ${at(0.5)} s, nine of ten within ${at(0.9)} s, longest ${at(1)} s`;
}
