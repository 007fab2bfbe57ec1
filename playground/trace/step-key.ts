// The key of a step in a map, made from its scope and its number.

import type { StepPlace } from "./trace-node.ts";

export function stepKey({ under, step }: StepPlace): string {
  return `${under ?? ""}/${step}`;
}
