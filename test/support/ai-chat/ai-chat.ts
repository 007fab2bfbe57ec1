// The chat of AI SDK UI with its default transport, unmodified, in a state without React: what `useChat` runs on.

import { AbstractChat, DefaultChatTransport, isToolUIPart } from "ai";
import type { ChatInit, ChatState, ChatStatus, UIMessage } from "ai";

/** Sends a request to a path as a user of the test. */
export type SendRequest = (path: string, init?: RequestInit) => Promise<Response>;

class PlainState implements ChatState<UIMessage> {
  status: ChatStatus = "ready";
  error: Error | undefined = undefined;
  messages: UIMessage[];
  readonly #watchers = new Set<() => void>();

  constructor(messages: UIMessage[]) {
    this.messages = messages;
  }

  pushMessage = (message: UIMessage): void => {
    this.messages = [...this.messages, message];
    this.#changed();
  };

  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1);
  };

  replaceMessage = (index: number, message: UIMessage): void => {
    this.messages = this.messages.with(index, structuredClone(message));
    this.#changed();
  };

  snapshot = <T>(thing: T): T => structuredClone(thing);

  /** Resolves once the messages satisfy a condition. */
  until(waitFor: (messages: UIMessage[]) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!waitFor(this.messages)) return;
        this.#watchers.delete(check);
        resolve();
      };
      this.#watchers.add(check);
      check();
    });
  }

  #changed(): void {
    for (const watch of this.#watchers) watch();
  }
}

/** A chat over a thread. */
export class ThreadChat extends AbstractChat<UIMessage> {
  readonly until: PlainState["until"];

  constructor(send: SendRequest, threadId: string, init: Omit<ChatInit<UIMessage>, "transport"> = {}) {
    const { messages = [], ...options } = init;
    const state = new PlainState(messages);
    // The transport sends to the address that it is given, with a body of text.
    const request = (path: unknown, { body, ...rest }: RequestInit = {}): Promise<Response> =>
      send(path as string, body == null ? rest : { ...rest, body });
    const api = `/api/ai-sdk/threads/${threadId}/chat`;
    const transport = new DefaultChatTransport({ api, fetch: request as typeof fetch });
    super({ id: threadId, ...options, transport, state });
    this.until = (waitFor) => state.until(waitFor);
  }
}

/** The stored conversation, as a chat begins with it. */
export async function loadMessages(send: SendRequest, threadId: string): Promise<UIMessage[]> {
  const response = await send(`/api/ai-sdk/threads/${threadId}/messages`);
  return (await response.json()) as UIMessage[];
}

/** A chat that begins with the stored conversation, as after a reload of its page. */
export async function reloadedChat(
  send: SendRequest,
  threadId: string,
  init: Omit<ChatInit<UIMessage>, "transport" | "messages"> = {},
): Promise<ThreadChat> {
  return new ThreadChat(send, threadId, { ...init, messages: await loadMessages(send, threadId) });
}

/** The text of a message. */
export function textOf(message: UIMessage | undefined): string {
  return (message?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** The tool calls of a message. */
export function toolsOf(message: UIMessage | undefined) {
  return (message?.parts ?? []).filter(isToolUIPart);
}

/** Messages as they are stored: without fields that are undefined, or that the client alone sets. */
export function plain(messages: readonly UIMessage[]): unknown {
  return JSON.parse(JSON.stringify(messages), (key, value: unknown) =>
    key === "rawInput" || key === "id" ? undefined : value,
  );
}
