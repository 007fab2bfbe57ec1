// Cancellations of MCP clients that arrive before, and while, their call is admitted.

import { beforeAll, expect, it } from "vitest";

import { createCatalog, origin, post, watchedApp } from "./support/mcp-app.ts";
import { resultOf, sessionHeaders, waitingRun } from "./support/mcp-calls.ts";

beforeAll(createCatalog);

it.each(["create", "postMessage"])(
  "MCPS8 A run is stopped if its request is cancelled before the request calls the method %s of the thread's object",
  async (method) => {
    const session = await sessionHeaders();
    const { word, open } = waitingRun();
    const statuses: number[] = [];
    const send = watchedApp(async (name) => {
      if (name !== method || statuses.length > 0) return;
      const params = { requestId: 4 };
      const cancelled = await post({ jsonrpc: "2.0", method: "notifications/cancelled", params }, session);
      statuses.push(cancelled.status);
    });
    const params = { name: "helper", arguments: { task: word } };
    const response = await send(`${origin}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...session },
      body: JSON.stringify({ jsonrpc: "2.0", id: 4, method: "tools/call", params }),
    });
    expect((await resultOf(response)).structuredContent?.status).toBe("stopped");
    expect(statuses).toEqual([202]);
    open();
  },
);

it("MCPS10 A request is refused if its cancellation arrived before it", async () => {
  const session = await sessionHeaders();
  const cancelled = await post(
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 3 } },
    session,
  );
  expect(cancelled.status).toBe(202);
  const request = {
    jsonrpc: "2.0",
    id: 3,
    method: "tools/call",
    params: { name: "helper", arguments: { task: "x" } },
  };
  const { isError, content } = await resultOf(await post(request, session));
  expect([isError, content]).toEqual([true, [{ type: "text", text: "conflict: The request was cancelled." }]]);
});
