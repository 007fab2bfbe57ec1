// A chat of AI SDK UI that resumes a run which waited for its client before.

import { expect, it } from "vitest";

import type { Thread } from "#contract/thread.ts";
import type { TestTurn } from "#spec/test-script.ts";

import { anna, ask } from "../http/support/session-app.ts";
import { loadMessages, plain, reloadedChat, textOf, ThreadChat, toolsOf } from "../support/ai-chat/ai-chat.ts";
import { crossing } from "../worker/crossing.ts";
import { gate, scripts } from "../worker/definitions.ts";

it("AISDK6 After its client has answered a call, a reloaded chat shows the whole answer", async () => {
  const opened = crossing();
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
    // The run continues once its stream is open.
    if (path.endsWith("/stream")) opened.resolve();
    return response;
  }, id);
  await again.resumeStream();
  expect(again.messages).toHaveLength(2);
  expect(textOf(again.lastMessage)).toBe("First. Second.");
  expect(plain(await loadMessages(anna, id))).toEqual(plain(again.messages));
});

/** A run that a second message joins after its first answer. Resolves when the run has reached its second answer. */
async function joinedRun(agent_id: string, second: (step: number) => TestTurn): Promise<string> {
  const { reached, open } = gate("before-join");
  const joined = crossing();
  scripts.set("begins", () => ({ text: "First. ", toolCalls: [{ name: "wait", arguments: { gate: "before-join" } }] }));
  scripts.set("joins", ({ step }) => {
    joined.resolve();
    return second(step);
  });
  const { id } = await ask<Thread>(anna, "POST", "/api/threads", { agent_id });
  await ask(anna, "POST", `/api/threads/${id}/messages`, { content: "begins" });
  await reached;
  await ask(anna, "POST", `/api/threads/${id}/messages`, { content: "joins", when: "steer" });
  open();
  await joined.promise;
  return id;
}

it("AISDK17 A steering message divides a resumed answer into the same messages as after a reload", async () => {
  const { reached, open } = gate("after-join");
  const id = await joinedRun("parallel", (step) =>
    step === 0
      ? { text: "Second. ", toolCalls: [{ name: "wait", arguments: { gate: "after-join" } }] }
      : { text: "Third." },
  );
  await reached;
  const again = await reloadedChat(async (path, init) => {
    const response = await anna(path, init);
    // The run continues once its stream is open.
    if (path.endsWith("/stream")) open();
    return response;
  }, id);
  await again.resumeStream();
  expect(again.messages.map(textOf)).toEqual(["begins", "First. ", "joins", "Second. Third."]);
  const stored = await loadMessages(anna, id);
  expect(plain(again.messages)).toEqual(plain(stored));
  expect(again.messages.map((message) => message.id)).toEqual(stored.map((message) => message.id));
});

it("AISDK17 The output of a client tool is added to the answer after a steering message if the tool's call follows that message", async () => {
  const id = await joinedRun("asker", (step) =>
    step === 0 ? { text: "Second. ", toolCalls: [{ name: "ask", arguments: { q: "x" } }] } : { text: "Third." },
  );
  await (await anna(`/api/threads/${id}/events?after=0&until=idle`)).text();
  const again = await reloadedChat(anna, id);
  const toolCallId = toolsOf(again.lastMessage)[0]?.toolCallId ?? "";
  await again.addToolOutput({ tool: "ask", toolCallId, output: "yes" });
  await again.sendMessage();
  expect(again.messages.map(textOf)).toEqual(["begins", "First. ", "joins", "Second. Third."]);
  expect(plain(again.messages)).toEqual(plain(await loadMessages(anna, id)));
});
