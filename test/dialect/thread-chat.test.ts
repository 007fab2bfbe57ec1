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
import { crossing } from "../worker/crossing.ts";
import { gate, scripts } from "../worker/definitions.ts";

const origin = "https://api.example";
type Change = (response: Response, path: string) => Response | Promise<Response>;

async function newThread(agent_id: string): Promise<string> {
  return (await ask<Thread>(anna, "POST", "/api/threads", { agent_id })).id;
}

/** A chat over a client whose responses `change` may alter. */
function newChat(
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
  const until = (waitFor: (messages: ThreadholdUIMessage[]) => boolean): Promise<void> =>
    new Promise((resolve) => {
      let leave = (): void => undefined;
      const look = (): void => {
        if (!waitFor(session.chat.messages)) return;
        queueMicrotask(() => leave());
        resolve();
      };
      leave = session.chat["~registerMessagesCallback"](look);
      look();
    });
  return { session, chat: session.chat, close, until };
}

/** A new chat that has read the thread's current stream to its end. */
async function openChat(...given: Parameters<typeof newChat>) {
  const opened = newChat(...given);
  await opened.chat.resumeStream();
  return opened;
}

describe("a chat on a thread", () => {
  it.each([
    ["Chromium", "network error"],
    ["Firefox", "Error in input stream"],
    ["Safari", "Load failed"],
  ])(
    "AISDK14 An answer is resumed without a lost or repeated word after the error that %s reports for a lost connection",
    async (_, text) => {
      const words = Array.from({ length: 60 }, (_, at) => `w${String(at)} `);
      scripts.set("long", () => ({ text: words, delayMs: 5 }));
      const id = await newThread("parallel");
      let broken = 0;
      const { session, chat, until } = await openChat(id, {}, (response, path) => {
        if (!path.endsWith("/chat") || response.body === null) return response;
        broken += 1;
        return new Response(breakOff(response.body, text, 1500), response);
      });
      await session.sendMessage({ text: "long" });
      await until((messages) => textOf(messages.at(-1)).includes("w59 "));
      expect(broken).toBe(1);
      expect(textOf(chat.lastMessage)).toBe(words.join(""));
      expect(chat.messages).toHaveLength(2);
    },
  );

  it("AISDK15 A stop ends the run on the server, and the chat shows the stored messages", async () => {
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

  it("AISDK15 onToolCall of a reloaded chat is not called for an answered call, even if other calls of the same step still wait", async () => {
    scripts.set("asks_two_at_once", ({ step }) =>
      step === 0
        ? { toolCalls: [0, 1].map((at) => ({ name: "ask", arguments: { q: String(at) } })) }
        : { text: "Both." },
    );
    const id = await newThread("asker");
    const { session, chat } = await openChat(id);
    await session.sendMessage({ text: "asks_two_at_once" });
    const [first, second] = toolsOf(chat.lastMessage).map(({ toolCallId }) => toolCallId);
    const results = (tool_call_id: string | undefined) => ({ results: [{ tool_call_id, result: "yes" }] });
    await ask(anna, "POST", `/api/threads/${id}/tool-results`, results(first));
    const offered: unknown[] = [];
    const again = await openChat(id, { onToolCall: ({ toolCall }) => void offered.push(toolCall.input) });
    expect(offered).toEqual([{ q: "1" }]);
    await ask(anna, "POST", `/api/threads/${id}/tool-results`, results(second));
    await again.chat.resumeStream();
    expect(textOf(again.chat.lastMessage)).toBe("Both.");
    expect(toolsOf(again.chat.lastMessage).map(({ state }) => state)).toEqual(["output-available", "output-available"]);
  });

  it("AISDK15 onToolCall of a reloaded chat that resumes an answer is not called for a call with a result", async () => {
    const [reached, opened] = [crossing(), crossing()];
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
        // The run continues once its stream is open.
        if (path.endsWith("/stream")) opened.resolve();
        return response;
      },
    );
    expect(offered).toEqual([]);
    expect(textOf(again.chat.lastMessage)).toBe("Thanks.");
    expect(again.chat.error).toBeUndefined();
  });

  it("AISDK14 After a failed load, sending a message shows the stored conversation first, and no message twice", async () => {
    const id = await newThread("parallel");
    await (await openChat(id)).session.sendMessage({ text: "one" });
    let failures = 1;
    const { session, chat } = await openChat(id, {}, (response, path) =>
      path.endsWith("/messages") && failures-- > 0 ? Response.json({}, { status: 500 }) : response,
    );
    expect([chat.status, chat.messages.length, session.isLoading]).toEqual(["error", 0, false]);
    chat.clearError();
    expect(session.isLoading).toBe(false);
    await session.sendMessage({ text: "two" });
    expect(chat.messages.map(textOf)).toEqual(["one", "echo: one", "two", "echo: two"]);
    expect([chat.status, session.isLoading]).toEqual(["ready", false]);
  });

  it("AISDK14 A message is sent even if the load before it fails again, and the conversation is loaded after its answer", async () => {
    const id = await newThread("parallel");
    await (await openChat(id)).session.sendMessage({ text: "one" });
    let failures = 2;
    const { session, chat } = await openChat(id, {}, (response, path) =>
      path.endsWith("/messages") && failures-- > 0 ? Response.json({}, { status: 500 }) : response,
    );
    await session.sendMessage({ text: "two" });
    expect(chat.messages.map(textOf)).toEqual(["one", "echo: one", "two", "echo: two"]);
    expect([chat.status, session.isLoading]).toEqual(["ready", false]);
  });

  it("AISDK14 A conversation is loaded again after a network error as soon as there is a connection", async () => {
    const id = await newThread("parallel");
    await (await openChat(id)).session.sendMessage({ text: "one" });
    let failures = 1;
    const { session, chat, until } = await openChat(id, {}, (response, path) => {
      if (path.endsWith("/messages") && failures-- > 0) throw new TypeError("Load failed");
      return response;
    });
    expect(chat.error).toMatchObject({ code: "network" });
    await until((messages) => messages.length === 2);
    expect([chat.messages.map(textOf), session.isLoading]).toEqual([["one", "echo: one"], false]);
  });

  it("AISDK14 Closing a chat during its load does not lose a sent message: the message is posted, and its promise settles", async () => {
    const id = await newThread("parallel");
    const [reached, closed] = [deferred<void>(), deferred<void>()];
    const { session, chat, close } = newChat(id, {}, (response, path) => {
      if (!path.endsWith("/messages")) return response;
      reached.resolve();
      // The response does not arrive before the chat is closed.
      return closed.promise.then(() => response);
    });
    void chat.resumeStream();
    const sent = session.sendMessage({ text: "late" });
    await reached.promise;
    close();
    closed.resolve();
    await sent;
    await (await anna(`/api/threads/${id}/events?after=0&until=idle`)).text();
    expect((await loadMessages(anna, id)).map(textOf)).toEqual(["late", "echo: late"]);
    expect(chat.status).toBe("ready");
  });

  it("AISDK15 The output of a client tool is posted although the stream breaks before the chat could post it", async () => {
    const { open } = gate("output-kept");
    scripts.set("asks_and_waits", ({ step }) =>
      step === 0
        ? {
            toolCalls: [
              { name: "ask", arguments: { q: "x" } },
              { name: "wait", arguments: { gate: "output-kept" } },
            ],
          }
        : { text: "Thanks." },
    );
    const id = await newThread("asker");
    const lost = deferred<void>();
    const offered: unknown[] = [];
    const opened = openChat(
      id,
      {
        onToolCall: async ({ toolCall: { toolName, toolCallId } }) => {
          offered.push(toolName);
          // The chat adds it after this function, which it waits for.
          void (await opened).session.addToolOutput({ tool: toolName, toolCallId, output: "yes" });
          lost.resolve();
        },
      },
      (response, path) => {
        if (path.endsWith("/stream")) open();
        return path.endsWith("/chat") && offered.length === 0 && response.body !== null
          ? new Response(breakWhen(response.body, lost.promise), response)
          : response;
      },
    );
    const { session, chat, until } = await opened;
    await session.sendMessage({ text: "asks_and_waits" });
    await until((messages) => textOf(messages.at(-1)) === "Thanks.");
    expect(offered).toEqual(["ask"]);
    expect(toolsOf(chat.lastMessage)).toMatchObject([{ output: "yes" }, { state: "output-available" }]);
  });

  it("AISDK17 A steering message during a resumed answer is shown at the same position as after a reload, and a stop ends the run", async () => {
    const [first, second] = [gate("join-first"), gate("join-second")];
    scripts.set("begins", () => ({ text: "First.", toolCalls: [{ name: "wait", arguments: { gate: "join-first" } }] }));
    scripts.set("joins", () => ({
      text: "Second.",
      toolCalls: [{ name: "wait", arguments: { gate: "join-second" } }],
    }));
    const id = await newThread("parallel");
    await ask(anna, "POST", `/api/threads/${id}/messages`, { content: "begins" });
    await first.reached;
    const { session, chat, until } = newChat(id);
    const resumed = chat.resumeStream();
    await until((messages) => messages.map(textOf).join(" ") === "begins First.");
    await ask(anna, "POST", `/api/threads/${id}/messages`, { content: "joins", when: "steer" });
    first.open();
    await second.reached;
    await until((messages) => messages.map(textOf).join(" ") === "begins First. joins Second.");
    await session.stop();
    await resumed;
    expect((await ask<Thread>(anna, "GET", `/api/threads/${id}`)).status).toBe("idle");
    expect(plain(chat.messages)).toEqual(plain(await loadMessages(anna, id)));
  });

  it("AISDK21 A call of regenerate answers again on a new branch, for the last answer, for an earlier one and for a message of the user", async () => {
    const id = await newThread("parallel");
    const { session, chat } = await openChat(id);
    await session.sendMessage({ text: "one" });
    await session.sendMessage({ text: "two" });
    const first = (await loadMessages(anna, id)).map((message) => message.id);
    await session.regenerate();
    expect(chat.messages.map(textOf)).toEqual(["one", "echo: one", "two", "echo: two"]);
    expect(chat.messages.at(-1)?.id).not.toBe(first.at(-1));
    const loaded = await loadMessages(anna, id);
    expect(loaded.slice(0, 3).map((message) => message.id)).toEqual(first.slice(0, 3));
    expect(loaded.at(-1)?.id).toBe(chat.messages.at(-1)?.id);
    // The ids of messages that were sent by this chat are those of the chat.
    await session.regenerate({ messageId: chat.messages[2]?.id ?? "" });
    await session.regenerate({ messageId: chat.messages[1]?.id ?? "" });
    expect(chat.messages.map(textOf)).toEqual(["one", "echo: one"]);
    expect((await loadMessages(anna, id)).map(textOf)).toEqual(["one", "echo: one"]);
    const tree = await ask<{ branches: unknown[] }>(anna, "GET", `/api/threads/${id}/tree`);
    expect(tree.branches).toHaveLength(4);
  });

  it("AISDK22 sendMessage with a messageId replaces that message on a new branch, also one that this chat has sent or replaced before", async () => {
    const id = await newThread("parallel");
    const { session, chat } = await openChat(id);
    for (const text of ["one", "two", "three"]) await session.sendMessage({ text });
    const sent = chat.messages[2]?.id ?? "";
    await session.sendMessage({ text: "other", messageId: sent });
    await session.sendMessage({ text: "another", messageId: sent });
    const shown = ["one", "echo: one", "another", "echo: another"];
    expect(chat.messages.map(textOf)).toEqual(shown);
    expect((await loadMessages(anna, id)).map(textOf)).toEqual(shown);
    chat.messages = (await loadMessages(anna, id)) as ThreadholdUIMessage[];
    await session.sendMessage({ text: "zero", messageId: chat.messages[0]?.id ?? "" });
    expect((await loadMessages(anna, id)).map(textOf)).toEqual(["zero", "echo: zero"]);
  });

  it("AISDK23 If the server refuses an edit, the chat shows the conversation as before, and the error has its code", async () => {
    const id = await newThread("parallel");
    const errors: unknown[] = [];
    const { session, chat } = await openChat(id, { onError: (error) => errors.push(error) });
    await session.sendMessage({ text: "one" });
    const before = plain(chat.messages);
    await session.sendMessage({ text: " ", messageId: chat.messages[0]?.id ?? "" });
    expect(chat.error).toMatchObject({ code: "invalid_request" });
    expect(plain(chat.messages)).toEqual(before);
    expect(errors).toHaveLength(1);
  });

  it("AISDK16 A chat on an unknown thread has an error with the code thread_not_found", async () => {
    const { chat } = await openChat("01890000-0000-7000-8000-000000000000");
    expect([chat.status, chat.error]).toMatchObject(["error", { code: "thread_not_found", status: 404 }]);
  });
});

/** The first bytes of a body, and then the error that a browser reports when a connection is lost. */
function breakOff(body: ReadableStream<Uint8Array>, message: string, bytes: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let read = 0;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done || read > bytes) {
        await reader.cancel();
        controller.error(new TypeError(message));
        return;
      }
      read += value.length;
      controller.enqueue(value);
    },
  });
}

/** The body until `lost` resolves, and then the error of a lost connection. */
function breakWhen(body: ReadableStream<Uint8Array>, lost: Promise<void>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      const next = await Promise.race([reader.read(), lost.then(() => null)]);
      if (next?.value !== undefined) return controller.enqueue(next.value);
      await reader.cancel();
      controller.error(new TypeError("network error"));
    },
  });
}
