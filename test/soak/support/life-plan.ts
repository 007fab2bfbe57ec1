// Which lives the server has: where each ends and whether a client is there. Lives that belong together come one after the
// other; their order is the seed's.

import { createRandom } from "../../support/model-server/random.mjs";

/** Where a life ends. */
type Place =
  /** In a model stream or in a tool. */
  | "inside"
  /** Before the model's first byte. */
  | "asked"
  /** Right after the model's last byte, or the effect's answer. */
  | "said"
  | "effect_answered"
  /** In the pause before another attempt. */
  | "refused"
  /** Right after a 202; while a post is on its way. */
  | "admitted"
  | "posting"
  /** Right after a stop was answered. */
  | "stopped"
  /** As soon as the server says that it is ready. */
  | "ready"
  /** All is told and done. */
  | "rest";

/** Who is there. With no client nothing is sent to the server but its own health check. */
export type Company = "client" | "alone";

/** One life. */
export interface LifePlan {
  place: Place;
  company: Company;
  /** Whose moment it is. */
  star: "regular" | "doomed" | "stopper";
  /** A model that takes half a minute. */
  slow?: true;
}

const life = (company: Company, place: Place, star: LifePlan["star"] = "regular"): LifePlan => ({
  company,
  place,
  star,
});
const alone = life("alone", "inside");

const stop = [life("client", "inside", "stopper"), life("client", "stopped", "stopper"), alone];
const ready = [life("client", "inside"), life("alone", "ready"), alone];
const doomed = (["client", "alone", "alone", "client", "alone", "alone"] as const).map((company) =>
  life(company, "inside", "doomed"),
);

const chapters: LifePlan[][] = [
  stop,
  stop,
  stop,
  ready,
  ready,
  ready,
  doomed,
  ...(["admitted", "posting"] as const).flatMap((place) =>
    Array.from({ length: 3 }, () => [life("client", place), alone]),
  ),
  ...(["refused", "effect_answered"] as const).flatMap((place) => [
    [life("client", place), alone],
    [life("client", place), alone],
  ]),
  [life("client", "asked"), life("alone", "asked")],
  [life("client", "said"), life("client", "inside")],
  [life("client", "rest"), life("client", "inside")],
  [life("client", "rest"), life("client", "inside")],
  [{ ...life("client", "inside"), slow: true }, alone],
];

/** The lives of a seed. */
export function planLives(seed: number): LifePlan[] {
  const random = createRandom(seed);
  return chapters
    .map((chapter) => ({ chapter, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .flatMap(({ chapter }) => chapter);
}
