// Checks and texts that the checks of several configs have in common.

import { LoopError } from "../loop-error.ts";

/** Checks that an object has no other fields than these. Throws a LoopError that names the first one. */
export function checkNames(what: string, value: object, names: readonly string[]): void {
  for (const name of Object.keys(value)) {
    if (!names.includes(name))
      throw new LoopError(`There is no field \`${name}\` of the ${what}. The fields are ${names.join(", ")}.`);
  }
}

/** A value as a part of a sentence. An object is not shown, because it may contain anything. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 100));
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
