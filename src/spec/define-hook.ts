// defineHook tags a hook's function with the hook's name, by a non-enumerable property whose key is a symbol. The symbol is in
// the global registry, so that another copy of this module can read the tag.

import type {
  AllHookSignatures,
  AnyHookName,
  ExtraHookSignatures,
  HookMessage,
  HookSignatures,
  HookToolCall,
  HookToolResult,
} from "./hook.ts";
import type { MessageUpdates } from "./message.ts";
import type { ThreadState } from "./thread-state.ts";

const hookTag = Symbol.for("threadhold.hook");

type Fields = Record<string, unknown>;

/** The fields of a type as an alias: unlike an interface, it fits a parameter of the type `Record<string, unknown>`. */
type FieldsOf<T> = { [Key in keyof T]: T[Key] };

/** The published hooks whose values are `Record<string, unknown>` in the document, with the types that the runtime passes. */
interface TypedHooks {
  before_create_message: (state: ThreadState, message: FieldsOf<HookMessage>) => Promise<Partial<HookMessage> | Fields>;
  after_create_message: (state: ThreadState, message: FieldsOf<HookMessage>) => Promise<void>;
  before_update_message: (
    state: ThreadState,
    messageId: string,
    updates: FieldsOf<MessageUpdates>,
  ) => Promise<MessageUpdates | Fields>;
  before_store_tool_result: (
    state: ThreadState,
    toolCall: FieldsOf<HookToolCall>,
    toolResult: FieldsOf<HookToolResult>,
  ) => Promise<HookToolResult | Fields>;
}

/**
 * The implementations that `defineHook` accepts. The additional hooks are optional members, so that the function is assignable to the
 * published type of `defineHook`, whose hooks are the nine of Standard Agents.
 */
interface HookImplementations
  extends Omit<HookSignatures, keyof TypedHooks>, TypedHooks, Partial<ExtraHookSignatures> {}

/** Declares a hook and returns its function with the tag (Standard Agents, `defineHook`). */
export function defineHook<K extends AnyHookName>(
  hookName: K,
  implementation: HookImplementations[K],
): AllHookSignatures[K] {
  const declared = implementation as AllHookSignatures[K];
  const existingName = hookNameOf(declared);
  if (existingName === hookName) return declared;
  // A function that is tagged for another hook is bound to get a new function object, because a second tag would replace the first.
  const hook =
    existingName === undefined && Object.isExtensible(declared)
      ? declared
      : (declared.bind(undefined) as AllHookSignatures[K]);
  return Object.defineProperty(hook, hookTag, { value: hookName });
}

/** The hook name that `defineHook` tagged a function with; undefined for any other value. */
export function hookNameOf(value: unknown): string | undefined {
  if (typeof value !== "function") return undefined;
  const name: unknown = Reflect.get(value, hookTag);
  return typeof name === "string" ? name : undefined;
}
