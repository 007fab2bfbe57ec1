// The bodies of responses that a session does not use.

import { expect, it } from "vitest";

import { serverFetch } from "#tools/mcp/server-fetch.ts";

const options = { name: "docs", allowedHosts: [], timeoutMs: 1000 };
const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: {} });
const notification = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });

it.each([
  ["a notification", notification, false],
  ["a request of 2024-11-05, whose response arrives in the stream of the session", call, true],
])("The body of the response to %s is cancelled and not read", async (_, body, isOneStream) => {
  let isCancelled = false;
  const open = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode("Accepted")),
    cancel: () => {
      isCancelled = true;
    },
  });
  const send = serverFetch({ ...options, isOneStream, fetch: async () => new Response(open, { status: 202 }) });
  const response = await send("https://docs.example/mcp", { method: "POST", body });
  expect([response.status, response.body, isCancelled]).toEqual([202, null, true]);
});
