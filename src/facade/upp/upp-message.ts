// The messages of UPP: of a user, of a model, and the results of tools. A message does not change after it was created. Type
// guards check `type` and not the class, so that they accept messages of another copy of this package.

import { blockToJSON } from "./block-json.ts";
import type { BlockJSON } from "./block-json.ts";
import { blocksOf, blocksText } from "./content-block.ts";
import type {
  AssistantContent,
  ContentBlock,
  DocumentBlock,
  ImageBlock,
  ReasoningBlock,
  UserContent,
} from "./content-block.ts";
import { blockResult } from "./content-part.ts";
import { setId } from "./new-id.ts";
import { refusal } from "./upp-error.ts";
import type { ToolCall, ToolResult } from "./upp-tool.ts";

/** The kind of a message. */
export type MessageType = "user" | "assistant" | "tool_result";

/** Data of providers, by the provider's name. It has to be JSON. */
export type MessageMetadata = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Optional fields of a message. */
export interface MessageOptions {
  /** Default: a new UUIDv4. */
  id?: string | undefined;
  metadata?: MessageMetadata | undefined;
  /** Default: now. */
  timestamp?: Date | undefined;
}

/** A message as JSON. */
export interface MessageJSON {
  id: string;
  type: MessageType;
  /** Empty for results of tools. */
  content: BlockJSON[];
  toolCalls?: ToolCall[];
  results?: ToolResult[];
  metadata?: MessageMetadata;
  /** ISO 8601. */
  timestamp: string;
}

/** The base class of the three classes of messages. */
export abstract class Message {
  abstract readonly type: MessageType;
  declare readonly id: string;
  readonly timestamp: Date;
  readonly metadata?: MessageMetadata;

  constructor({ id, metadata, timestamp }: MessageOptions = {}) {
    setId(this, id);
    this.timestamp = timestamp ?? new Date();
    if (metadata !== undefined) this.metadata = metadata;
  }

  /** The blocks of the message; none for results of tools. */
  protected abstract blocks(): readonly ContentBlock[];

  /** The text blocks, joined by a blank line. */
  get text(): string {
    return blocksText(this.blocks());
  }

  get images(): ImageBlock[] {
    return blocksOf(this.blocks(), "image");
  }

  get documents(): DocumentBlock[] {
    return blocksOf(this.blocks(), "document");
  }

  get reasoning(): ReasoningBlock[] {
    return blocksOf(this.blocks(), "reasoning");
  }

  /** The message as JSON: bytes are base64, and the time is ISO 8601. `messageFromJSON` restores it. */
  toJSON(): MessageJSON {
    const { id, type, metadata, timestamp } = this;
    const content = this.blocks().map(blockToJSON);
    const json = { id, type, content, ...this.calls(), timestamp: timestamp.toISOString() };
    return metadata === undefined ? json : { ...json, metadata };
  }

  /** The calls or results of the message, as JSON has them. */
  protected calls(): Pick<MessageJSON, "toolCalls" | "results"> {
    return {};
  }
}

/** A user's message. A text becomes one text block. Other content than a text or a list throws INVALID_REQUEST. */
export class UserMessage extends Message {
  readonly type = "user";
  readonly content: readonly UserContent[];

  constructor(content: string | readonly UserContent[], options?: MessageOptions) {
    super(options);
    this.content = blockList(content);
  }

  protected blocks(): readonly ContentBlock[] {
    return this.content;
  }
}

/** A model's message. Other content than a text or a list throws INVALID_REQUEST. */
export class AssistantMessage extends Message {
  readonly type = "assistant";
  readonly content: readonly AssistantContent[];
  readonly toolCalls?: readonly ToolCall[];

  constructor(
    content: string | readonly AssistantContent[],
    toolCalls?: readonly ToolCall[],
    options?: MessageOptions,
  ) {
    super(options);
    this.content = blockList(content);
    if (toolCalls !== undefined) this.toolCalls = [...toolCalls];
  }

  /** Whether the model calls a tool. */
  get hasToolCalls(): boolean {
    return (this.toolCalls?.length ?? 0) > 0;
  }

  protected blocks(): readonly ContentBlock[] {
    return this.content;
  }

  protected override calls(): Pick<MessageJSON, "toolCalls"> {
    return this.toolCalls === undefined ? {} : { toolCalls: [...this.toolCalls] };
  }
}

/** The results of the calls of one model's message. Bytes of images and documents in a result become base64. */
export class ToolResultMessage extends Message {
  readonly type = "tool_result";
  readonly results: readonly ToolResult[];

  constructor(results: readonly ToolResult[], options?: MessageOptions) {
    super(options);
    this.results = listOf(results, "The results of a message have to be a list").map((each) => {
      const blocks = blockResult(each.result);
      return blocks === null ? each : { ...each, result: blocks.json };
    });
  }

  protected blocks(): readonly ContentBlock[] {
    return [];
  }

  protected override calls(): Pick<MessageJSON, "results"> {
    return { results: [...this.results] };
  }
}

/** A message of any of the three classes. */
export type AnyMessage = UserMessage | AssistantMessage | ToolResultMessage;

/** Whether a message is a user's message. Checks its `type`. */
export function isUserMessage(message: Message): message is UserMessage {
  return message.type === "user";
}

/** Whether a message is a model's message. Checks its `type`. */
export function isAssistantMessage(message: Message): message is AssistantMessage {
  return message.type === "assistant";
}

/** Whether a message contains results of tools. Checks its `type`. */
export function isToolResultMessage(message: Message): message is ToolResultMessage {
  return message.type === "tool_result";
}

function blockList<B>(content: string | readonly B[]): (B | { type: "text"; text: string })[] {
  return typeof content === "string"
    ? [{ type: "text", text: content }]
    : [...listOf(content, "The content of a message has to be a text or a list of blocks")];
}

/** Returns a list unchanged. A program in JavaScript may pass any other value. */
function listOf<T>(values: readonly T[], rule: string): readonly T[] {
  const given: unknown = values;
  if (Array.isArray(given)) return values;
  throw refusal(`${rule}; it is ${values === null ? "null" : `of the type ${typeof values}`}.`);
}
