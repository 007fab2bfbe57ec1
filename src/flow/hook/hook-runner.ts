// Runs the project's hooks in file order: those of messages, tool results and histories here, those of runs, steps and calls in
// `loop-hooks.ts`. A hook that fails changes nothing (decision 14: hooks).

import type { HookCall, LoopHooks } from "#core/ports/hook-port.ts";
import type { ToolAnswer } from "#core/record/awaited.ts";
import { longestMessage } from "#core/record/message-draft.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { jsonBytes } from "#lib/cut-text.ts";
import type { AnyHookName, LLMMessage, Message } from "#spec/index.ts";

import { refusedByFilter, refusedByPrefilter } from "./filter-answer.ts";
import { HookCaller } from "./hook-caller.ts";
import type { Fields, HookCallerOptions, HookFile } from "./hook-caller.ts";
import { hookResult, hookToolCall, readMetadata, specMessage, withHookChanges } from "./hook-message.ts";
import { loopHooks } from "./loop-hooks.ts";
import type { ProjectLoopHooks } from "./loop-hooks.ts";

/** Implements the hooks of a loop, and those that change the history of a request. */
export class HookRunner implements LoopHooks {
  readonly #caller: HookCaller;
  readonly beforeRun: ProjectLoopHooks["beforeRun"];
  readonly failedRun: ProjectLoopHooks["failedRun"];
  readonly afterRun: ProjectLoopHooks["afterRun"];
  readonly beforeStep: LoopHooks["beforeStep"];
  readonly afterStep: LoopHooks["afterStep"];
  readonly failed: LoopHooks["failed"];
  readonly beforeCall: LoopHooks["beforeCall"];
  readonly updates: LoopHooks["updates"];
  readonly afterCall: LoopHooks["afterCall"];

  constructor(options: HookCallerOptions) {
    this.#caller = new HookCaller(options);
    const hooks = loopHooks(this.#caller);
    this.beforeRun = hooks.beforeRun;
    this.failedRun = hooks.failedRun;
    this.afterRun = hooks.afterRun;
    this.beforeStep = hooks.beforeStep;
    this.afterStep = hooks.afterStep;
    this.failed = hooks.failed;
    this.beforeCall = hooks.beforeCall;
    this.updates = hooks.updates;
    this.afterCall = hooks.afterCall;
  }

  async beforeCreateMessage(record: MessageRecord): Promise<MessageRecord> {
    let current = record;
    for (const file of this.#caller.files("before_create_message")) {
      const before = current;
      const answer = await this.#caller.callForObject(file, [structuredClone(createHookMessage(before))]);
      const changed = answer === null ? null : this.#caller.readOrReport(file, () => withHookChanges(before, answer));
      if (changed === null) continue;
      this.#caller.reportRefused(file, changed.refused);
      if (this.#fits(file, changed.record, before)) current = changed.record;
    }
    return current;
  }

  async afterCreateMessage(record: MessageRecord): Promise<void> {
    for (const file of this.#caller.files("after_create_message")) {
      await this.#caller.call(file, [structuredClone(createHookMessage(record))]);
    }
  }

  async beforeUpdateMessage(id: string, updates: Fields): Promise<Fields> {
    let current = updates;
    for (const file of this.#caller.files("before_update_message")) {
      const answer = await this.#caller.callForObject(file, [id, structuredClone(current)]);
      const read = answer === null ? null : this.#caller.readOrReport(file, () => pickUpdate(answer));
      if (read === null) continue;
      this.#caller.reportRefused(file, read.refused);
      if (this.#fits(file, read.picked, current)) current = read.picked;
    }
    return current;
  }

  async afterUpdateMessage(record: MessageRecord): Promise<void> {
    for (const file of this.#caller.files("after_update_message")) {
      await this.#caller.call(file, [structuredClone(specMessage(record))]);
    }
  }

  async afterToolCall(call: HookCall, answer: ToolAnswer): Promise<ToolAnswer> {
    const hook = answer.status === "error" ? "after_tool_call_failure" : "after_tool_call_success";
    let current = answer;
    for (const file of this.#caller.files(hook)) {
      const changed = await this.#caller.callForObject(file, [hookToolCall(call), hookResult(current)]);
      if (changed !== null) current = this.#withResult(file, current, changed);
    }
    return current;
  }

  async beforeStoreToolResult(call: HookCall, answer: ToolAnswer): Promise<ToolAnswer> {
    let current = answer;
    for (const file of this.#caller.files("before_store_tool_result")) {
      const changed = await this.#caller.callForObject(file, [{ ...hookToolCall(call) }, { ...hookResult(current) }]);
      if (changed !== null) current = this.#withResult(file, current, changed);
    }
    return current;
  }

  /** Whether a hook changes the history of requests. */
  get changesHistory(): boolean {
    const { filtersMessages, convertsMessages, prefiltersHistory } = this;
    return filtersMessages || convertsMessages || prefiltersHistory || this.#caller.has("transform_context");
  }

  /** Whether the project has a `filter_messages` hook. */
  get filtersMessages(): boolean {
    return this.#caller.has("filter_messages");
  }

  /** Whether the project has a `convert_to_llm` hook. */
  get convertsMessages(): boolean {
    return this.#caller.has("convert_to_llm");
  }

  /** Whether the project has a `prefilter_llm_history` hook. */
  get prefiltersHistory(): boolean {
    return this.#caller.has("prefilter_llm_history");
  }

  /** Runs the `filter_messages` hooks. A result that is not a list of messages is dropped. */
  filterMessages(messages: Message[]): Promise<Message[]> {
    return this.#changeMessages("filter_messages", messages);
  }

  /** Runs the `transform_context` hooks. A result that is not a list of messages is dropped. */
  transformContext(messages: Message[]): Promise<Message[]> {
    return this.#changeMessages("transform_context", messages);
  }

  /** Runs the `convert_to_llm` hooks until one returns a list of messages; null if none does. */
  async convertToLlm(messages: Message[]): Promise<LLMMessage[] | null> {
    for (const file of this.#caller.files("convert_to_llm")) {
      const answer = await this.#caller.callForMessages(file, [structuredClone(messages)]);
      if (answer !== null) return answer as unknown as LLMMessage[];
    }
    return null;
  }

  /**
   * Runs the `prefilter_llm_history` hooks. Each one receives copies, so that a hook that fails halfway changes nothing. If its result
   * contains such a copy, the original object is returned with the copy's content, so that the caller recognises the message by identity.
   */
  async prefilterHistory(messages: LLMMessage[]): Promise<LLMMessage[]> {
    let current = messages;
    for (const file of this.#caller.files("prefilter_llm_history")) {
      const given = current;
      const copies = structuredClone(given);
      const answer = await this.#caller.callForMessages(file, [[...copies]]);
      if (answer === null) continue;
      const originOf = (message: Fields | LLMMessage) => given[copies.indexOf(message as LLMMessage)];
      this.#caller.reportRefusedOnce(file, refusedByPrefilter(answer, originOf));
      current = (answer as unknown as LLMMessage[]).map((message) => {
        const original = originOf(message);
        return original === undefined ? message : Object.assign(original, { content: message.content });
      });
    }
    return current;
  }

  async #changeMessages(hook: "filter_messages" | "transform_context", messages: Message[]): Promise<Message[]> {
    let current = messages;
    for (const file of this.#caller.files(hook)) {
      const given = current;
      const answer = await this.#caller.callForMessages(file, [structuredClone(given)]);
      if (answer === null) continue;
      this.#caller.reportRefusedOnce(file, refusedByFilter(given, answer));
      current = answer as unknown as Message[];
    }
    return current;
  }

  #withResult(file: HookFile<AnyHookName>, current: ToolAnswer, changed: Fields): ToolAnswer {
    const picked = this.#caller.readOrReport(file, () => pickResult(changed));
    if (picked === null) return current;
    const refused = Object.keys(changed).filter((field) => changed[field] !== undefined && !(field in picked));
    this.#caller.reportRefused(file, refused);
    // The value that the tool returned does not match a result that a hook changed.
    const { value, ...kept } = current;
    const isSame = (Object.keys(picked) as (keyof ToolAnswer)[]).every((field) => picked[field] === current[field]);
    const rest = isSame && value !== undefined ? { ...kept, value } : kept;
    // A hook that turns an error into a success also removes the error's text.
    const { error: _, ...others } = rest;
    return picked.status === "success" ? { ...others, ...picked } : { ...rest, ...picked };
  }

  #fits(file: HookFile<AnyHookName>, changed: object, before: object): boolean {
    const bytes = jsonBytes(changed);
    if (bytes <= longestMessage || bytes <= jsonBytes(before)) return true;
    this.#caller.report(
      file,
      `returned ${bytes} bytes, more than the limit of ${longestMessage}; the original was used`,
    );
    return false;
  }
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
