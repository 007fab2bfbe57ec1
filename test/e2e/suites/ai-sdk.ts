// AI SDK UI over a real server: the chat that `useChat` runs on, with its default transport and none of our code.

import { Chat } from "@ai-sdk/react";
import { DefaultChatTransport, isToolUIPart, lastAssistantMessageIsCompleteWithToolCalls } from "ai";
import type { UIMessage } from "ai";
import { describe, expect, it } from "vitest";

import { deferred } from "#lib/deferred.ts";

import { plain, textOf, toolsOf } from "../../support/ai-chat/ai-chat.ts";
import type { SuiteServer } from "./suite-server.ts";

const agent = "session_every_way";

export function aiSdk(use: () => SuiteServer): void {
  describe("a chat of AI SDK UI", () => {
    it("AISDK13 A chat exchanges messages over the network, answers calls of its own tools and is complete after a reload", async () => {
      const { api } = use();
      const { id } = await api.createThread(agent);
      const root = `${api.url}/api/ai-sdk/threads/${id}`;
      const transport = new DefaultChatTransport({ api: `${root}/chat` });
      const settled = deferred<void>();
      const requested: string[] = [];
      const chat = new Chat<UIMessage>({
        id,
        transport,
        sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
        onToolCall: ({ toolCall: { toolName, toolCallId } }) => {
          requested.push(toolName);
          void chat.addToolOutput({ tool: toolName, toolCallId, output: "asked" });
        },
        onError: (error) => settled.reject(error),
        onFinish: ({ message }) => {
          const isOpen = message.parts.some((part) => isToolUIPart(part) && part.state === "input-available");
          if (!isOpen && message.parts.at(-1)?.type === "text") settled.resolve();
        },
      });
      await chat.sendMessage({ text: "What is a thread?" });
      await settled.promise;
      expect(requested.length).toBeGreaterThan(0);
      expect(toolsOf(chat.lastMessage).length).toBeGreaterThan(requested.length);
      await chat.sendMessage({ text: "Thank you" });
      const loaded = (await (await fetch(`${root}/messages`)).json()) as UIMessage[];
      expect(plain(loaded)).toEqual(plain(chat.messages));
      expect(loaded.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
      expect(textOf(loaded.at(-1))).not.toBe("");
      const again = new Chat<UIMessage>({ id, transport, messages: loaded });
      await again.resumeStream();
      expect([again.status, again.messages.length]).toEqual(["ready", 4]);
    });
  });
}
