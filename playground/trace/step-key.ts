// A step's name in a map: its line and its number.

import type { StepPlace } from "./trace-node.ts";

/** The name. */
export function stepKey({ under, step }: StepPlace): string {
  return `${under ?? ""}/${step}`;
}
