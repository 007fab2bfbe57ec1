// `useThreadholdChat` as React renders it, also in strict mode, which mounts each component twice.

import { createElement as element, StrictMode } from "react";
import type { ReactNode } from "react";
import { expect, it } from "vitest";

import { ThreadholdClient } from "#client/index.ts";
import { deferred } from "#lib/deferred.ts";
import { useThreadholdChat } from "#react/ai-sdk/index.ts";
import type { ThreadholdChat } from "#react/ai-sdk/index.ts";
import { ThreadholdProvider } from "#react/index.ts";

import { openPage } from "./support/page.ts";

const stored = [{ id: "m1", role: "user", parts: [{ type: "text", text: "Hello" }] }];
const chunks = [
  { type: "start", messageId: "r1" },
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta: "Hi there." },
  { type: "text-end", id: "t" },
  { type: "finish" },
];

it("AISDK14 A chat in React's strict mode loads the conversation, resumes the answer, and sends the client's token with each request", async () => {
  const sent: [path: string, token: string | null][] = [];
  const client = new ThreadholdClient({
    url: "http://localhost",
    token: "secret",
    WebSocket: null,
    fetch: async (url, { headers }) => {
      const path = new URL(url).pathname.replace("/api/~/ai-sdk/threads/one%20thread", "");
      sent.push([path, new Headers(headers).get("authorization")]);
      if (path === "/messages") return Response.json(stored);
      return new Response(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(""));
    },
  });
  const shown: ThreadholdChat[] = [];
  const answered = deferred<void>();
  const Shown = (): ReactNode => {
    const chat = useThreadholdChat({ threadId: "one thread" });
    shown.push(chat);
    if (chat.status === "ready" && !chat.isLoading && chat.messages.length === 2) answered.resolve();
    return null;
  };
  const page = await openPage();
  await page.render(element(StrictMode, null, element(ThreadholdProvider, { client }, element(Shown))));
  await page.act(() => answered.promise);
  expect(shown[0]).toMatchObject({ isLoading: true, messages: [] });
  expect(shown.at(-1)).toMatchObject({ isLoading: false, status: "ready", error: undefined });
  expect(shown.at(-1)?.messages).toMatchObject([
    { id: "m1", role: "user" },
    { id: "r1", role: "assistant", parts: [{ type: "text", text: "Hi there." }] },
  ]);
  expect(new Set(sent.map(([path]) => path))).toEqual(new Set(["/chat/one%20thread/stream", "/messages"]));
  expect(sent.map(([, token]) => token)).toEqual(sent.map(() => "Bearer secret"));
  await page.close();
  client.close();
});

it("AISDK14 If the load of a chat fails, the chat shows the error and is not loading, and its next message loads the conversation", async () => {
  let loads = 0;
  const answer = { id: "r1", role: "assistant", parts: [{ type: "text", text: "Hi there." }] };
  const client = new ThreadholdClient({
    url: "http://localhost",
    WebSocket: null,
    fetch: async (url) => {
      if (url.endsWith("/stream")) return new Response(null, { status: 204 });
      if (url.endsWith("/chat"))
        return new Response(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(""));
      loads += 1;
      return loads === 1 ? Response.json({}, { status: 500 }) : Response.json([...stored, { ...answer, id: "r0" }]);
    },
  });
  const shown: ThreadholdChat[] = [];
  const [failed, cleared, answered] = [deferred<void>(), deferred<void>(), deferred<void>()];
  const Shown = (): ReactNode => {
    const chat = useThreadholdChat({ threadId: "one" });
    shown.push(chat);
    if (chat.status === "error" && !chat.isLoading) failed.resolve();
    if (chat.status === "ready" && !chat.isLoading && chat.messages.length === 0) cleared.resolve();
    if (chat.status === "ready" && !chat.isLoading && chat.messages.length === 4) answered.resolve();
    return null;
  };
  const page = await openPage();
  await page.render(element(ThreadholdProvider, { client }, element(Shown)));
  await page.act(() => failed.promise);
  expect(shown.at(-1)).toMatchObject({ isLoading: false, status: "error", error: { code: "unexpected_answer" } });
  await page.act(() => {
    shown.at(-1)?.clearError();
    return cleared.promise;
  });
  await page.act(() => {
    void shown.at(-1)?.sendMessage({ text: "And now?" });
    return answered.promise;
  });
  expect(shown.at(-1)).toMatchObject({ isLoading: false, error: undefined });
  expect(shown.at(-1)?.messages.map(({ id }) => id)).toEqual(["m1", "r0", expect.any(String), "r1"]);
  await page.close();
  client.close();
});
