// The chat of `useThreadholdChat` over real threads, without a page: what it changes about the chat of AI SDK UI.

import { describe, expect, it } from "vitest";

import { ThreadholdClient } from "#client/index.ts";
import type { Thread } from "#contract/thread.ts";
import { deferred } from "#lib/deferred.ts";
import { ThreadChat } from "#react/ai-sdk/thread-chat.ts";
import type { ChatCallbacks } from "#react/ai-sdk/thread-chat.ts";
import type { ThreadholdUIMessage } from "#react/ai-sdk/ui-message.ts";

import { anna, ask } from "../http/support/session-app.ts";
import { loadMessages, plain, textOf, toolsOf } from "../support/ai-chat/ai-chat.ts";
import { gate, scripts } from "../worker/definitions.ts";

const origin = "https://api.example";
type Change = (response: Response, path: string) => Response;

async function newThread(agent_id: string): Promise<string> {
  return (await ask<Thread>(anna, "POST", "/api/threads", { agent_id })).id;
}

/** A chat that was loaded, over a client whose responses `change` may alter. */
async function openChat(
  id: string,
  callbacks: ChatCallbacks<ThreadholdUIMessage> = {},
  change: Change = (response) => response,
) {
  const client = new ThreadholdClient({
    url: origin,
    WebSocket: null,
    fetch: async (url, init) => {
      const path = url.slice(origin.length);
      return change(await anna(path, init), path);
    },
  });
  const session = new ThreadChat<ThreadholdUIMessage>(client, id, callbacks);
  const close = session.open();
  await session.chat.resumeStream();
  const until = (holds: (messages: ThreadholdUIMessage[]) => boolean): Promise<void> =>
    new Promise((resolve) => {
      let leave = (): void => undefined;
      const look = (): void => {
        if (!holds(session.chat.messages)) return;
        queueMicrotask(() => leave());
        resolve();
      };
      leave = session.chat["~registerMessagesCallback"](look);
      look();
    });
  return { session, chat: session.chat, close, until };
}

describe("a chat on a thread", () => {
  it("AISDK14 An answer whose connection is lost is resumed without a lost or doubled word", async () => {
    const words = Array.from({ length: 60 }, (_, at) => `w${String(at)} `);
    scripts.set("long", () => ({ text: words, delayMs: 5 }));
    const id = await newThread("parallel");
    let broken = 0;
    const { session, chat, until } = await openChat(id, {}, (response, path) => {
      if (!path.endsWith("/chat") || response.body === null) return response;
      broken += 1;
      return new Response(breakOff(response.body, 1500), response);
    });
    await session.sendMessage({ text: "long" });
    await until((messages) => textOf(messages.at(-1)).includes("w59 "));
    expect(broken).toBe(1);
    expect(textOf(chat.lastMessage)).toBe(words.join(""));
    expect(chat.messages).toHaveLength(2);
  });

  it("AISDK15 A stop ends the run on the server, and the chat shows what is stored", async () => {
    gate("chat-stop");
    scripts.set("stops", () => ({ text: "Wait.", toolCalls: [{ name: "wait", arguments: { gate: "chat-stop" } }] }));
    const id = await newThread("parallel");
    const { session, chat, until } = await openChat(id);
    const sent = session.sendMessage({ text: "stops" });
    await until((messages) => toolsOf(messages.at(-1)).length === 1);
    await session.stop();
    await sent;
    expect([chat.status, (await ask<Thread>(anna, "GET", `/api/threads/${id}`)).status]).toEqual(["ready", "idle"]);
    expect(plain(chat.messages)).toEqual(plain(await loadMessages(anna, id)));
  });

  it("AISDK15 Outputs of client tools are posted one by one, and a reloaded chat gets its waiting calls again through onToolCall", async () => {
    scripts.set("asks_two", ({ step, messages }) =>
      step === 0
        ? { toolCalls: [0, 1].map((at) => ({ name: "ask", arguments: { q: String(at) } })) }
        : { text: messages.map(({ content }) => content).join(" ") },
    );
    const id = await newThread("asker");
    const { session } = await openChat(id);
    await session.sendMessage({ text: "asks_two" });
    const offered: unknown[] = [];
    const opened = openChat(id, {
      onToolCall: async ({ toolCall: { toolName, toolCallId, input } }) => {
        offered.push([toolName, input]);
        const output = `answer ${String(offered.length)}`;
        await (await opened).session.addToolOutput({ tool: toolName, toolCallId, output });
      },
    });
    const again = await opened;
    await again.until((messages) => /answer 1 answer 2/.test(textOf(messages.at(-1))));
    expect(offered).toEqual([
      ["ask", { q: "0" }],
      ["ask", { q: "1" }],
    ]);
    expect(toolsOf(again.chat.lastMessage).map(({ state }) => state)).toEqual(["output-available", "output-available"]);
    expect(again.chat.error).toBeUndefined();
  });

  it("AISDK15 A reloaded chat that resumes an answer does not get a call with a result through onToolCall again", async () => {
    const [reached, opened] = [deferred<void>(), deferred<void>()];
    scripts.set("asks_then_talks", async ({ step }) => {
      if (step === 0) return { toolCalls: [{ name: "ask", arguments: { q: "0" } }] };
      reached.resolve();
      await opened.promise;
      return { text: "Thanks." };
    });
    const id = await newThread("asker");
    const { session, chat } = await openChat(id);
    await session.sendMessage({ text: "asks_then_talks" });
    const toolCallId = toolsOf(chat.lastMessage)[0]?.toolCallId ?? "";
    await session.addToolOutput({ tool: "ask", toolCallId, output: "yes" });
    await reached.promise;
    const offered: unknown[] = [];
    const again = await openChat(
      id,
      { onToolCall: ({ toolCall }) => void offered.push(toolCall) },
      (response, path) => {
        // The run goes on once its stream is open.
        if (path.endsWith("/stream")) opened.resolve();
        return response;
      },
    );
    expect(offered).toEqual([]);
    expect(textOf(again.chat.lastMessage)).toBe("Thanks.");
    expect(again.chat.error).toBeUndefined();
  });

  it("AISDK16 Generating an answer again and editing a message end with not_available and change nothing", async () => {
    const id = await newThread("parallel");
    const errors: unknown[] = [];
    const { session, chat } = await openChat(id, { onError: (error) => errors.push(error) });
    await session.sendMessage({ text: "one" });
    const before = plain(chat.messages);
    await session.regenerate();
    expect([chat.status, chat.error]).toMatchObject(["error", { code: "not_available", status: 501 }]);
    expect(plain(chat.messages)).toEqual(before);
    const [question] = await loadMessages(anna, id);
    chat.messages = (await loadMessages(anna, id)) as ThreadholdUIMessage[];
    await session.sendMessage({ text: "other", messageId: question?.id ?? "" });
    expect(chat.error).toMatchObject({ code: "not_available" });
    expect(plain(chat.messages)).toEqual(before);
    expect(errors).toHaveLength(2);
  });

  it("AISDK16 A thread that is not the caller's is an error with its code", async () => {
    const { chat } = await openChat("01890000-0000-7000-8000-000000000000");
    expect([chat.status, chat.error]).toMatchObject(["error", { code: "thread_not_found", status: 404 }]);
  });
});

/** The first bytes of a body, and then the error that a browser reports when a connection is lost. */
function breakOff(body: ReadableStream<Uint8Array>, bytes: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let read = 0;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done || read > bytes) {
        await reader.cancel();
        controller.error(new TypeError("network error"));
        return;
      }
      read += value.length;
      controller.enqueue(value);
    },
  });
}
