// The connection of a turn's requests: a real server over HTTP, whose responses end some time after their last event.

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, beforeAll, expect, it } from "vitest";

import { createProvider } from "#facade/upp/create-provider.ts";
import { llm } from "#facade/upp/llm.ts";

import { BrokenRequests } from "../support/wire-rules/request-problems.mjs";

const chunk = (choice: object): string =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, ...choice }] })}\n\n`;
const answer = `${chunk({ delta: { content: "Hi." } })}${chunk({ delta: {}, finish_reason: "stop" })}data: [DONE]\n\n`;

/** The responses whose events were sent and whose end was not. */
const open: ServerResponse[] = [];
const connections = new Set<unknown>();

const broken = new BrokenRequests();

const server = createServer((request, response) => {
  connections.add(request.socket);
  let body = "";
  request.setEncoding("utf8").on("data", (piece: string) => (body += piece));
  request.on("end", () => {
    broken.check("openai", { path: request.url ?? "/", body: JSON.parse(body) });
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(answer, () => open.push(response));
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
  broken.assertNone();
});

/** Ends a response. Resolves when this process has received the end; rejects if this process closes the connection before it. */
async function end(response: ServerResponse): Promise<void> {
  const channel = "undici:request:trailers";
  await new Promise<void>((resolve, reject) => {
    const received = (): void => {
      unsubscribe(channel, received);
      resolve();
    };
    subscribe(channel, received);
    response.on("close", () => {
      if (!response.writableFinished) reject(new Error("The connection of a complete answer was closed."));
    });
    response.end();
  });
}

it("A turn ends after the last event of the answer, before the server ends the response, and ten turns in a row use at most two connections", async () => {
  const { port } = server.address() as AddressInfo;
  const model = createProvider({ protocol: "openai", apiKey: "key", baseUrl: `http://127.0.0.1:${port}` })("m");
  const instance = llm({ model });
  for (let turn = 0; turn < 10; turn += 1) {
    const { response } = await instance.generate("Hello?");
    expect(response.text).toBe("Hi.");
    for (const response of open.splice(0)) await end(response);
  }
  // Node's fetch begins with two connections, although only one is used at a time.
  expect(connections.size).toBeLessThanOrEqual(2);
});
