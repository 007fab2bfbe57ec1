// defineHook tags a hook's function with the hook's name, by a non-enumerable property whose key is a symbol. The symbol is in
// the global registry, so that another copy of this module can read the tag.

import type { AllHookSignatures, AnyHookName } from "./hook.ts";

const hookTag = Symbol.for("threadhold.hook");

/** Declares a hook and returns its function with the tag (Standard Agents, `defineHook`). */
export function defineHook<K extends AnyHookName>(
  hookName: K,
  implementation: AllHookSignatures[K],
): AllHookSignatures[K] {
  const existingName = hookNameOf(implementation);
  if (existingName === hookName) return implementation;
  // A function that is tagged for another hook is bound to get a new function object, because a second tag would replace the first.
  const hook =
    existingName === undefined && Object.isExtensible(implementation)
      ? implementation
      : (implementation.bind(undefined) as AllHookSignatures[K]);
  return Object.defineProperty(hook, hookTag, { value: hookName });
}

/** The hook name that `defineHook` tagged a function with; undefined for any other value. */
export function hookNameOf(value: unknown): string | undefined {
  if (typeof value !== "function") return undefined;
  const name: unknown = Reflect.get(value, hookTag);
  return typeof name === "string" ? name : undefined;
}
