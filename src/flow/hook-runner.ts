// Runs the project's hooks in file order, each within a time limit. A hook cannot fail a run (decision 14: hooks): if it throws, times out
// or returns an invalid value, the problem is logged and the value that the hook received is used unchanged.

import { cutText, jsonBytes, errorMessage } from "#core/cut-text.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { HookCall, LoopHooks } from "#core/ports/step-port.ts";
import type { ToolAnswer } from "#core/ports/tool-port.ts";
import type { MessageRecord } from "#core/record.ts";
import { isObject } from "#lib/json-value.ts";
import { waitWithin } from "#lib/time-limit.ts";
import type {
  AllHookSignatures,
  AnyHookName,
  HookToolCall,
  HookToolResult,
  LLMMessage,
  Message,
  Registry,
  ThreadState,
} from "#spec/index.ts";

import { refusedByFilter, refusedByPrefilter } from "./filter-answer.ts";
import { readMetadata, specMessage, withHookChanges } from "./hook-message.ts";

/** How long a hook may take, in milliseconds. */
const hookLimitMs = 30_000;

/** The most bytes of JSON of a problem's message, and of its stack. A row stores both. */
const problemLimit = 4096;

/** The most bytes of JSON of a message or an update after a hook changed it. A row stores no larger message (architecture §6). */
const messageLimit = 1024 * 1024;

/** A problem with a hook, for the log. */
export interface HookProblem {
  hook: string;
  file: string;
  problem: string;
  stack?: string | undefined;
}

/** The dependencies of the runner. `report` is called for each problem. */
export interface HookRunnerOptions {
  hooks: Registry["hooks"];
  state: () => ThreadState;
  clock: Clock;
  report: (problem: HookProblem) => void;
}

type Arguments<K extends AnyHookName> =
  Parameters<AllHookSignatures[K]> extends [unknown, ...infer Rest] ? Rest : never;

type Fields = Record<string, unknown>;

type Entry<K extends AnyHookName> = Omit<Registry["hooks"][number], "hook"> & { hook: K };

/** Implements the loop's hooks and the two filter hooks. */
export class HookRunner implements LoopHooks {
  readonly #options: HookRunnerOptions;
  /** Refused changes of filter hooks that are already logged. These hooks run before every step, so the same changes occur again. */
  readonly #reported = new Set<string>();

  constructor(options: HookRunnerOptions) {
    this.#options = options;
  }

  async beforeCreateMessage(record: MessageRecord): Promise<MessageRecord> {
    let current = record;
    for (const entry of this.#entries("before_create_message")) {
      const before = current;
      const answer = await this.#callForObject(entry, [structuredClone(createHookMessage(before))]);
      const changed = answer === null ? null : this.#readOrReport(entry, () => withHookChanges(before, answer));
      if (changed === null) continue;
      this.#reportRefused(entry, changed.refused);
      if (this.#fits(entry, changed.record, before)) current = changed.record;
    }
    return current;
  }

  async afterCreateMessage(record: MessageRecord): Promise<void> {
    for (const entry of this.#entries("after_create_message")) {
      await this.#call(entry, [structuredClone(createHookMessage(record))]);
    }
  }

  async beforeUpdateMessage(id: string, updates: Fields): Promise<Fields> {
    let current = updates;
    for (const entry of this.#entries("before_update_message")) {
      const answer = await this.#callForObject(entry, [id, structuredClone(current)]);
      const read = answer === null ? null : this.#readOrReport(entry, () => pickUpdate(answer));
      if (read === null) continue;
      this.#reportRefused(entry, read.refused);
      if (this.#fits(entry, read.picked, current)) current = read.picked;
    }
    return current;
  }

  async afterUpdateMessage(record: MessageRecord): Promise<void> {
    for (const entry of this.#entries("after_update_message")) {
      await this.#call(entry, [structuredClone(specMessage(record))]);
    }
  }

  async afterToolCall(call: HookCall, answer: ToolAnswer): Promise<ToolAnswer> {
    const hook = answer.status === "error" ? "after_tool_call_failure" : "after_tool_call_success";
    let current = answer;
    for (const entry of this.#entries(hook)) {
      const changed = await this.#callForObject(entry, [hookToolCall(call), hookResult(current)]);
      if (changed !== null) current = this.#withResult(entry, current, changed);
    }
    return current;
  }

  async beforeStoreToolResult(call: HookCall, answer: ToolAnswer): Promise<ToolAnswer> {
    let current = answer;
    for (const entry of this.#entries("before_store_tool_result")) {
      const changed = await this.#callForObject(entry, [{ ...hookToolCall(call) }, { ...hookResult(current) }]);
      if (changed !== null) current = this.#withResult(entry, current, changed);
    }
    return current;
  }

  /** Whether the project has a `filter_messages` hook. */
  get filtersMessages(): boolean {
    return this.#entries("filter_messages").length > 0;
  }

  /** Whether the project has a `prefilter_llm_history` hook. */
  get prefiltersHistory(): boolean {
    return this.#entries("prefilter_llm_history").length > 0;
  }

  /** Runs the `filter_messages` hooks. A result that is not a list of messages is dropped. */
  async filterMessages(messages: Message[]): Promise<Message[]> {
    let current = messages;
    for (const entry of this.#entries("filter_messages")) {
      const given = current;
      const answer = await this.#callForMessages(entry, [structuredClone(given)]);
      if (answer === null) continue;
      this.#reportOnce(entry, refusedByFilter(given, answer));
      current = answer as unknown as Message[];
    }
    return current;
  }

  /**
   * Runs the `prefilter_llm_history` hooks. Each one receives copies, so that a hook that fails halfway changes nothing. If its result
   * contains such a copy, the original object is returned with the copy's content, so that the caller recognises the message by identity.
   */
  async prefilterHistory(messages: LLMMessage[]): Promise<LLMMessage[]> {
    let current = messages;
    for (const entry of this.#entries("prefilter_llm_history")) {
      const given = current;
      const copies = structuredClone(given);
      const answer = await this.#callForMessages(entry, [[...copies]]);
      if (answer === null) continue;
      const originOf = (message: Fields | LLMMessage) => given[copies.indexOf(message as LLMMessage)];
      this.#reportOnce(entry, refusedByPrefilter(answer, originOf));
      current = (answer as unknown as LLMMessage[]).map((message) => {
        const original = originOf(message);
        return original === undefined ? message : Object.assign(original, { content: message.content });
      });
    }
    return current;
  }

  #entries<K extends AnyHookName>(hook: K) {
    return this.#options.hooks.filter((entry) => entry.hook === hook).map((entry) => ({ ...entry, hook }));
  }

  /** Calls a hook and returns the object that it returned; null for none or an invalid value, which is logged. */
  async #callForObject<K extends AnyHookName>(entry: Entry<K>, args: Arguments<K>): Promise<Fields | null> {
    const answer = await this.#call(entry, args);
    if (answer === undefined || answer === null) return null;
    if (isObject(answer)) return answer;
    this.#report(entry, "answered something else than an object; the original was used");
    return null;
  }

  /** Calls a hook and returns the list of messages that it returned; null for none or an invalid value, which is logged. */
  async #callForMessages<K extends AnyHookName>(entry: Entry<K>, args: Arguments<K>): Promise<Fields[] | null> {
    const answer = await this.#call(entry, args);
    if (answer === undefined || answer === null) return null;
    if (
      Array.isArray(answer) &&
      answer.every(isMessage) &&
      // Functions and circular values are refused, because messages are compared and stored as JSON.
      this.#readOrReport(entry, () => JSON.stringify(structuredClone(answer))) !== null
    ) {
      return answer;
    }
    this.#report(entry, "answered something else than a list of messages; the original was used");
    return null;
  }

  /** Calls `read` for a hook's result. A circular value or a getter may throw; that is logged. */
  #readOrReport<T>(entry: Entry<AnyHookName>, read: () => T): T | null {
    try {
      return read();
    } catch (thrown) {
      this.#report(entry, `answered what cannot be read: ${errorMessage(thrown)}`);
      return null;
    }
  }

  #withResult(entry: Entry<AnyHookName>, current: ToolAnswer, changed: Fields): ToolAnswer {
    const picked = this.#readOrReport(entry, () => pickResult(changed));
    if (picked === null) return current;
    const refused = Object.keys(changed).filter((field) => changed[field] !== undefined && !(field in picked));
    this.#reportRefused(entry, refused);
    // A hook that turns an error into a success also removes the error's text.
    const { error: _, ...others } = current;
    return picked.status === "success" ? { ...others, ...picked } : { ...current, ...picked };
  }

  #fits(entry: Entry<AnyHookName>, changed: object, before: object): boolean {
    const bytes = jsonBytes(changed);
    if (bytes <= messageLimit || bytes <= jsonBytes(before)) return true;
    this.#report(entry, `made ${bytes} bytes of it, and ${messageLimit} are taken; the original was used`);
    return false;
  }

  async #call<K extends AnyHookName>(entry: Entry<K>, args: Arguments<K>): Promise<unknown> {
    const { clock, state } = this.#options;
    const call = async (): Promise<unknown> => {
      const hook = (await entry.load()) as (state: ThreadState, ...rest: unknown[]) => unknown;
      return hook(state(), ...(args as unknown[]));
    };
    try {
      return await waitWithin(call, {
        timers: clock,
        milliseconds: hookLimitMs,
        onTimeout: () => {
          throw new Error(`did not finish within ${hookLimitMs / 1000} s`);
        },
      });
    } catch (thrown) {
      this.#report(entry, errorMessage(thrown), thrown instanceof Error ? thrown.stack : undefined);
      return undefined;
    }
  }

  #reportOnce(entry: Entry<AnyHookName>, refused: string[]): void {
    const key = JSON.stringify([entry.file, refused]);
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.#reportRefused(entry, refused);
  }

  #reportRefused(entry: Entry<AnyHookName>, refused: string[]): void {
    if (refused.length > 0) this.#report(entry, `cannot change ${refused.join(", ")}; the change was dropped`);
  }

  #report({ hook, file }: Entry<AnyHookName>, problem: string, stack?: unknown): void {
    this.#options.report({
      hook,
      file,
      problem: cutText(problem, problemLimit),
      ...(typeof stack === "string" ? { stack: cutText(stack, problemLimit) } : {}),
    });
  }
}

function hookToolCall({ id, name, arguments: json }: HookCall): HookToolCall {
  return { id, type: "function", function: { name, arguments: json } };
}

/** The result with the fields of Standard Agents only, so without `details`. */
function hookResult(answer: ToolAnswer): HookToolResult {
  const { status, result, error, stack } = answer;
  return {
    status,
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
    ...(stack === undefined ? {} : { stack }),
  };
}

function pickResult(changed: Fields): Partial<ToolAnswer> {
  const picked: Partial<ToolAnswer> = {};
  const { status, result, error, stack } = changed;
  if (status === "success" || status === "error") picked.status = status;
  if (typeof result === "string") picked.result = result;
  if (typeof error === "string") picked.error = error;
  if (typeof stack === "string") picked.stack = stack;
  return picked;
}

/**
 * The fields that an update may change, and the names of the others. `updated_at` is dropped without a log entry: the example in Standard
 * Agents sets it, and every update sets it anyway.
 */
function pickUpdate({ content, metadata, ...others }: Fields): { picked: Fields; refused: string[] } {
  const picked: Fields = {};
  const refused = Object.keys(others).filter((field) => field !== "updated_at");
  if (typeof content === "string") picked["content"] = content;
  else if (content !== undefined) refused.push("content");
  const json = readMetadata(metadata);
  if (json === null) refused.push("metadata");
  else if (metadata != null) picked["metadata"] = json;
  return { picked, refused };
}

/** The message in the form that the create hooks receive. */
function createHookMessage(record: MessageRecord): Fields {
  return { ...specMessage(record) };
}

/** Whether a value is a message. `content` may be null, and may be missing in a message with calls. */
function isMessage(value: unknown): value is Fields {
  if (!isObject(value) || typeof value["role"] !== "string") return false;
  const { content } = value;
  if (content === undefined) return value["tool_calls"] != null;
  return content === null || typeof content === "string";
}
