// A conversation of UPP in memory: a list of messages that grows. It is not a thread of a Worker.

import { z } from "zod";

import { messageSchema, readJSON, timeSchema } from "./message-json.ts";
import { setId } from "./new-id.ts";
import type { Turn } from "./turn.ts";
import { AssistantMessage, UserMessage } from "./upp-message.ts";
import type { AnyMessage, MessageJSON, MessageOptions, MessageType } from "./upp-message.ts";

/** A thread as JSON. */
export interface ThreadJSON {
  id: string;
  messages: MessageJSON[];
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601. */
  updatedAt: string;
}

/** Optional fields of a thread. */
export interface ThreadOptions {
  /** Default: a new UUIDv4. */
  id?: string | undefined;
  /** Default: now. */
  createdAt?: Date | undefined;
  /** Default: the time of creation. */
  updatedAt?: Date | undefined;
}

const threadSchema = z.object({
  id: z.string().min(1),
  messages: z.array(messageSchema),
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

/** A conversation. Methods that change it return the thread itself. */
export class Thread implements Iterable<AnyMessage> {
  declare readonly id: string;
  readonly createdAt: Date;
  #updatedAt: Date;
  #messages: AnyMessage[];

  constructor(messages: Iterable<AnyMessage> = [], { id, createdAt, updatedAt }: ThreadOptions = {}) {
    setId(this, id);
    this.createdAt = createdAt ?? new Date();
    this.#updatedAt = updatedAt ?? this.createdAt;
    this.#messages = [...messages];
  }

  /** Restores a thread from its JSON, with its times. Throws INVALID_REQUEST for any other value. */
  static fromJSON(json: unknown): Thread {
    const { messages, ...options } = readJSON(threadSchema, json, "thread");
    return new Thread(messages, options);
  }

  get messages(): readonly AnyMessage[] {
    return this.#messages;
  }

  get length(): number {
    return this.#messages.length;
  }

  /** The time of the last change. */
  get updatedAt(): Date {
    return this.#updatedAt;
  }

  /** Adds the messages of a turn. */
  append(turn: Pick<Turn, "messages">): this {
    return this.#add(turn.messages);
  }

  push(...messages: readonly AnyMessage[]): this {
    return this.#add(messages);
  }

  /** Adds a list of any length: as arguments of a function, a long list would overflow the stack. */
  #add(messages: readonly AnyMessage[]): this {
    for (const message of messages) this.#messages.push(message);
    this.#updatedAt = new Date();
    return this;
  }

  /** Adds a user's message. */
  user(content: ConstructorParameters<typeof UserMessage>[0], options?: MessageOptions): this {
    return this.push(new UserMessage(content, options));
  }

  /** Adds a model's message. */
  assistant(content: ConstructorParameters<typeof AssistantMessage>[0], options?: MessageOptions): this {
    return this.push(new AssistantMessage(content, undefined, options));
  }

  /** The messages of a type, in order. */
  filter<T extends MessageType>(type: T): Extract<AnyMessage, { type: T }>[] {
    return this.#messages.filter((message): message is Extract<AnyMessage, { type: T }> => message.type === type);
  }

  /** The last messages, at most `count`. */
  tail(count: number): AnyMessage[] {
    return count <= 0 ? [] : this.#messages.slice(-count);
  }

  /** A new thread with the messages from `start` to before `end`. */
  slice(start?: number, end?: number): Thread {
    return new Thread(this.#messages.slice(start, end));
  }

  /** Removes all messages. */
  clear(): this {
    this.#messages = [];
    this.#updatedAt = new Date();
    return this;
  }

  /** A copy of the list of messages. */
  toMessages(): AnyMessage[] {
    return [...this.#messages];
  }

  toJSON(): ThreadJSON {
    const { id, createdAt, updatedAt } = this;
    const messages = this.#messages.map((message) => message.toJSON());
    return { id, messages, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  }

  [Symbol.iterator](): Iterator<AnyMessage> {
    return this.#messages[Symbol.iterator]();
  }
}
