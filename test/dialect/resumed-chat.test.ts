// A chat of AI SDK UI that resumes a run which waited for its client before.

import { expect, it } from "vitest";

import type { Thread } from "#contract/thread.ts";
import { deferred } from "#lib/deferred.ts";

import { anna, ask } from "../http/support/session-app.ts";
import { loadMessages, plain, reloadedChat, textOf, ThreadChat, toolsOf } from "../support/ai-chat/ai-chat.ts";
import { scripts } from "../worker/definitions.ts";

it("AISDK6 A chat that is reloaded after its client answered a call shows the whole answer that follows", async () => {
  const opened = deferred<void>();
  scripts.set("asks_then_talks", async ({ step }) => {
    if (step === 0) return { text: "First. ", toolCalls: [{ name: "ask", arguments: { q: "x" } }] };
    await opened.promise;
    return { text: "Second." };
  });
  const { id } = await ask<Thread>(anna, "POST", "/api/threads", { agent_id: "asker" });
  const chat = new ThreadChat(anna, id);
  await chat.sendMessage({ text: "asks_then_talks" });
  const tool_call_id = toolsOf(chat.lastMessage)[0]?.toolCallId ?? "";
  await ask(anna, "POST", `/api/threads/${id}/tool-results`, { results: [{ tool_call_id, result: "yes" }] });
  const again = await reloadedChat(async (path, init) => {
    const response = await anna(path, init);
    // The run goes on once its stream is open.
    if (path.endsWith("/stream")) opened.resolve();
    return response;
  }, id);
  await again.resumeStream();
  expect(again.messages).toHaveLength(2);
  expect(textOf(again.lastMessage)).toBe("First. Second.");
  expect(plain(await loadMessages(anna, id))).toEqual(plain(again.messages));
});
