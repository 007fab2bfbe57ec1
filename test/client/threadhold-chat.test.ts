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

it("AISDK14 A chat in strict mode loads once what it shows, resumes the answer, and sends the client's token with each request", async () => {
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
    if (chat.status === "ready" && chat.messages.length === 2) answered.resolve();
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
