// defineHook returns the function itself, tagged with the hook's name by a symbol that no enumeration shows.
// The symbol is in the global registry, so that two copies of this module know each other's tags.

import type { AllHookSignatures, AnyHookName } from "./hook.ts";

const hookTag = Symbol.for("threadhold.hook");

/** Declares a hook; returns its function, tagged with the name (Standard Agents, `defineHook`). */
export function defineHook<K extends AnyHookName>(
  hookName: K,
  implementation: AllHookSignatures[K],
): AllHookSignatures[K] {
  const taken = hookNameOf(implementation);
  if (taken === hookName) return implementation;
  // One function may serve two hooks; a second tag would overwrite the first.
  const hook =
    taken === undefined && Object.isExtensible(implementation)
      ? implementation
      : (implementation.bind(undefined) as AllHookSignatures[K]);
  return Object.defineProperty(hook, hookTag, { value: hookName });
}

/** The name a function was tagged with by `defineHook`, whatever it is; undefined without a tag. */
export function hookNameOf(value: unknown): string | undefined {
  if (typeof value !== "function") return undefined;
  const name: unknown = Reflect.get(value, hookTag);
  return typeof name === "string" ? name : undefined;
}
