// The plan of the server's lives: where each life ends and whether a client is present. A life lasts from a start of the
// server to its kill. Related lives follow each other; the seed decides their order.

import { createRandom } from "../../support/model-server/random.mjs";

/** The moment at which a life ends. */
type Place =
  /** In a model stream or in a tool. */
  | "inside"
  /** Before the model's first byte. */
  | "asked"
  /** Directly after the model's last byte, or after the response to an effect. */
  | "said"
  | "effect_answered"
  /** In the pause before another attempt. */
  | "refused"
  /** Directly after a 202, or while a post is on its way. */
  | "admitted"
  | "posting"
  /** Directly after a stop was confirmed. */
  | "stopped"
  /** When the server reports that it is ready. */
  | "ready"
  /** When all runs have ended. */
  | "rest";

/** Whether a client is present. Without one the server receives only its own health check. */
export type Company = "client" | "alone";

/** One life. */
export interface LifePlan {
  place: Place;
  company: Company;
  /** The thread whose moment the kill waits for. */
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

/** Makes the plan for a seed. */
export function planLives(seed: number): LifePlan[] {
  const random = createRandom(seed);
  return chapters
    .map((chapter) => ({ chapter, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .flatMap(({ chapter }) => chapter);
}
