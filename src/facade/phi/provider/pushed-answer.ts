// Converts the events that a provider sends, and its answer, to the parts of a model's answer. Blocks begin in the order of the answer's
// content: the events of a block whose predecessor is not known yet are kept until it is. The answer has the last word about calls; its texts
// have to be those of the deltas.

import { parseArguments } from "#core/model/answer.ts";
import type { ModelPart } from "#core/ports/model-port.ts";

import type { AssistantMessage } from "../loop-messages.ts";
import { partsOf, type BlockPart } from "../message-codec.ts";
import { problemOfEvent } from "./answer-check.ts";
import type { StreamEvent } from "./stream-provider.ts";

/** The events or the answer of a provider are not in the form of its interface. The message is the end of a sentence about the provider. */
export class MalformedAnswer extends Error {}

interface Block {
  kind: "text" | "thinking" | "toolcall";
  /** The deltas so far. */
  text: string;
  isShown: boolean;
  /** The id and the name of a call. */
  id: string;
  name: string;
  isEnded: boolean;
}

/** The answer of a provider while its events are received. */
export class PushedAnswer {
  readonly #provider: string;
  readonly #uniqueId: (id: string) => string;
  readonly #blocks = new Map<number, Block>();
  /** The number of blocks that have begun. */
  #shown = 0;
  /** The ids of the calls by the ids that the provider gave them. */
  readonly #ids = new Map<number, { given: string; unique: string }>();
  #last: Extract<StreamEvent, { type: "Done" | "Error" }> | null = null;

  /** `uniqueId` returns an id that no earlier call of the conversation has. */
  constructor(provider: string, uniqueId: (id: string) => string) {
    this.#provider = provider;
    this.#uniqueId = uniqueId;
  }

  /** The event that ended the answer; null before it. */
  get last(): Extract<StreamEvent, { type: "Done" | "Error" }> | null {
    return this.#last;
  }

  /** Adds an event. Throws a MalformedAnswer for one that cannot be read. */
  push(event: StreamEvent): ModelPart[] {
    const problem = problemOfEvent(event);
    const type = String((event as Partial<StreamEvent> | null)?.type).slice(0, 100);
    if (problem !== null) throw new MalformedAnswer(`sent the event "${type}", which ${problem}`);
    if (this.#last !== null) throw new MalformedAnswer(`sent the event "${type}" after "${this.#last.type}"`);
    switch (event.type) {
      case "Start":
        return [];
      case "Done":
      case "Error":
        this.#last = event;
        return [];
      case "TextDelta":
        return this.#grow(event.content_index, event.delta, this.#textBlock(event.content_index, "text"));
      case "ThinkingDelta":
        return this.#grow(event.content_index, event.delta, this.#textBlock(event.content_index, "thinking"));
      case "ToolCallStart":
        return this.#beginCall(event);
      case "ToolCallDelta":
        return this.#grow(event.content_index, event.delta, this.#openCall(event.content_index, type));
      case "ToolCallEnd":
        this.#openCall(event.content_index, type).isEnded = true;
        return [];
    }
  }

  /** The parts that complete the blocks of the answer. Throws a MalformedAnswer if they differ from the events. */
  complete({ content }: AssistantMessage): ModelPart[] {
    const stored = partsOf(content, this.#provider);
    const parts: ModelPart[] = [];
    for (const [index, part] of stored.entries()) parts.push(...this.#completeBlock(index, part));
    for (const [index, block] of this.#blocks) {
      // A call that was cut off is not a part of the answer.
      if (index >= stored.length && (block.kind !== "toolcall" || block.isEnded))
        throw new MalformedAnswer(`sent events for the block ${index}, and its answer has ${stored.length} blocks`);
    }
    return parts;
  }

  #textBlock(index: number, kind: "text" | "thinking"): Block {
    const block = this.#blocks.get(index) ?? newBlock(kind);
    if (block.kind !== kind) throw new MalformedAnswer(`sent events of two types for the block ${index}`);
    this.#blocks.set(index, block);
    return block;
  }

  #beginCall({ content_index: index, id, name }: Extract<StreamEvent, { type: "ToolCallStart" }>): ModelPart[] {
    if (this.#blocks.has(index))
      throw new MalformedAnswer(`sent "ToolCallStart" twice, or after other events, for the block ${index}`);
    this.#blocks.set(index, { ...newBlock("toolcall"), id, name });
    return this.#show(index);
  }

  #openCall(index: number, type: string): Block {
    const block = this.#blocks.get(index);
    if (block?.kind !== "toolcall" || block.isEnded)
      throw new MalformedAnswer(`sent the event "${type}" for the block ${index}, which is no open call`);
    return block;
  }

  #grow(index: number, delta: string, block: Block): ModelPart[] {
    block.text += delta;
    if (!block.isShown) return this.#show(index);
    return delta === "" ? [] : [{ type: `${block.kind}_delta`, index, delta }];
  }

  /** Begins a block if all blocks before it have begun, and then the blocks after it whose events arrived earlier. */
  #show(index: number): ModelPart[] {
    const parts: ModelPart[] = [];
    for (let next = index; next === this.#shown; next += 1) {
      const block = this.#blocks.get(next);
      if (block === undefined) break;
      block.isShown = true;
      this.#shown += 1;
      const { kind, text, id, name } = block;
      if (kind === "toolcall") parts.push({ type: "toolcall_start", index: next, id: this.#idOf(next, id), name });
      else parts.push({ type: `${kind}_start`, index: next });
      if (text !== "") parts.push({ type: `${kind}_delta`, index: next, delta: text });
    }
    return parts;
  }

  #completeBlock(index: number, part: BlockPart): ModelPart[] {
    if (part.type === "image" || part.type === "file") return this.#media(index, part);
    const kind = part.type === "tool_call" ? "toolcall" : part.type;
    const block = this.#blocks.get(index) ?? { ...newBlock(kind), ...callOf(part) };
    if (block.kind !== kind)
      throw new MalformedAnswer(
        `sent events of the type ${block.kind} for the block ${index}, which is ${kind} in its answer`,
      );
    const whole =
      part.type === "tool_call" ? argumentsOf(part, block.text) : part.type === "text" ? part.text : part.thinking;
    const sent = block.text;
    if (kind !== "toolcall" && !whole.startsWith(sent))
      throw new MalformedAnswer(
        `sent deltas for the block ${index} that are not the beginning of its text in the answer`,
      );
    const parts: ModelPart[] = [];
    if (!block.isShown) {
      // Arguments that differ from their deltas are sent whole.
      block.text = whole;
      this.#blocks.set(index, block);
      parts.push(...this.#show(index));
    } else if (whole.startsWith(sent) && whole.length > sent.length) {
      parts.push({ type: `${kind}_delta`, index, delta: whole.slice(sent.length) });
    }
    const data = part.provider_data === undefined ? {} : { provider_data: part.provider_data };
    if (part.type !== "tool_call") return [...parts, { type: `${part.type}_end`, index, ...data }];
    const { name, id } = part;
    return [...parts, { type: "toolcall_end", index, id: this.#idOf(index, id), name, arguments: whole, ...data }];
  }

  #media(index: number, { mime_type, data = "" }: Extract<BlockPart, { type: "image" | "file" }>): ModelPart[] {
    if (this.#blocks.has(index))
      throw new MalformedAnswer(`sent events for the block ${index}, which is an image in its answer`);
    const following: ModelPart[] = [{ type: "media_start", index, mime_type }];
    if (data !== "") following.push({ type: "media_delta", index, delta: data });
    following.push({ type: "media_end", index });
    this.#shown += 1;
    // The blocks after the image waited for it.
    return [...following, ...this.#show(index + 1)];
  }

  /** The id of a call in the conversation. The answer may have another id than the event. */
  #idOf(index: number, given: string): string {
    const known = this.#ids.get(index);
    if (known?.given === given) return known.unique;
    const unique = this.#uniqueId(given);
    this.#ids.set(index, { given, unique });
    return unique;
  }
}

function newBlock(kind: Block["kind"]): Block {
  return { kind, text: "", isShown: false, id: "", name: "", isEnded: false };
}

function callOf(part: BlockPart): Partial<Block> {
  return part.type === "tool_call" ? { id: part.id, name: part.name } : {};
}

/** The JSON text of the arguments: the deltas, if they are the arguments of the answer. */
function argumentsOf(part: Extract<BlockPart, { type: "tool_call" }>, sent: string): string {
  const { arguments: given } = part;
  if (typeof given === "string") return given;
  const whole = JSON.stringify(given);
  return sent !== "" && JSON.stringify(parseArguments(sent).arguments) === whole ? sent : whole;
}
