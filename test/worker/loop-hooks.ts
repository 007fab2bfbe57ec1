// The hooks of runs, steps and calls for tests. A test gives a thread its functions; other threads are not affected. `withLoopHooks` adds
// the hooks to the registry, so that only the tests that ask for them have threads with such hooks. `withTracedHooks` adds every hook that
// definitions can have, and reports each call.

import { defineFilter, defineHook } from "#spec/index.ts";
import type { AnyHookName, ExtraHookSignatures, HookFunction, Registry, ThreadState } from "#spec/index.ts";

import { registry } from "./definitions.ts";

/** The functions of one thread. */
export type LoopHookFunctions = { [K in keyof ExtraHookSignatures]?: ExtraHookSignatures[K] };

/** The functions by thread id. */
export const loopHooks = new Map<string, LoopHookFunctions>();

const names = Object.keys({
  before_loop: true,
  after_loop: true,
  before_turn: true,
  after_turn: true,
  on_error: true,
  before_tool_execution: true,
  after_tool_execution: true,
  before_tool_execution_update: true,
  after_tool_execution_update: true,
  transform_context: true,
  convert_to_llm: true,
} satisfies Record<keyof ExtraHookSignatures, true>) as (keyof ExtraHookSignatures)[];

const isSynchronous = (name: AnyHookName) => name.endsWith("_update");

/** A hook that calls the function of its thread. Without one it returns nothing. */
function entry(hook: keyof ExtraHookSignatures): Registry["hooks"][number] {
  const call = (state: ThreadState, ...rest: unknown[]): unknown => {
    const work = loopHooks.get(state.threadId)?.[hook] as ((...args: unknown[]) => unknown) | undefined;
    return work?.(state, ...rest);
  };
  const work = isSynchronous(hook) ? call : async (state: ThreadState, ...rest: unknown[]) => call(state, ...rest);
  const defined = defineHook(hook, work as never);
  return { hook, file: `${hook}.ts`, load: () => Promise.resolve(defined as HookFunction) };
}

/** Adds the hooks, and an input filter that accepts every text, to the registry. Returns a function that removes them. */
export function withLoopHooks(): () => void {
  const { hooks, filters = [] } = registry;
  const filter = { file: "pass.ts", load: () => Promise.resolve(defineFilter(() => ({ action: "pass" }))) };
  Object.assign(registry, { hooks: [...hooks, ...names.map(entry)], filters: [...filters, filter] });
  return () => void Object.assign(registry, { hooks, filters });
}

/** Every hook that definitions can have. */
export const tracedHooks = Object.keys({
  filter_messages: true,
  prefilter_llm_history: true,
  before_create_message: true,
  after_create_message: true,
  before_update_message: true,
  after_update_message: true,
  before_store_tool_result: true,
  after_tool_call_success: true,
  after_tool_call_failure: true,
  ...Object.fromEntries(names.map((name) => [name, true])),
} as Record<AnyHookName, true>) as AnyHookName[];

/**
 * Replaces the hooks of the registry by one of each name, which reports its thread, its name and its arguments, and changes nothing. Returns
 * a function that restores them.
 */
export function withTracedHooks(report: (thread: string, hook: AnyHookName, given: unknown[]) => void): () => void {
  const { hooks } = registry;
  const traced = tracedHooks.map((hook): Registry["hooks"][number] => {
    const call = (state: ThreadState, ...given: unknown[]) => report(state.threadId, hook, given);
    const work = isSynchronous(hook) ? call : async (state: ThreadState, ...given: unknown[]) => call(state, ...given);
    const defined = defineHook(hook, work as never);
    return { hook, file: `${hook}.ts`, load: () => Promise.resolve(defined as HookFunction) };
  });
  Object.assign(registry, { hooks: traced });
  return () => void Object.assign(registry, { hooks });
}
