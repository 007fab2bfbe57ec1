// MCP servers whose small texts would become much work: what reaches the SDK is counted before it is parsed.

import { describe, expect, it } from "vitest";

import { serverFetch } from "#tools/mcp/server-fetch.ts";

import { callTools, outcome, setServer } from "../../thread/mcp-driver.ts";
import { admin, converse, newThread, stubOf, value } from "../../thread/thread-driver.ts";

/** The warnings of the thread's last step. */
async function warningsOf(id: string): Promise<string> {
  const query = { limit: 100, order: "asc" as const, type: "llm_request" as const };
  const { items } = await value(stubOf(id).call("listLogs", admin, query));
  return JSON.stringify(items.map(({ data }) => data["warnings"] ?? []));
}

const call = (name: string) => ({ name: `everything__${name}`, arguments: {} });

describe("a call", () => {
  it.each([
    ["numbers", /more than 100000 values/],
    ["few_numbers", /more than 100000 values/],
    ["objects", /more than 100000 values/],
    ["deep", /nested more than 64 levels deep/],
    ["keys", /more than 50000 keys/],
    ["values", /more than 100000 values/],
  ])(
    "OUT23 A result of an MCP server with hostile content '%s' is refused before it is parsed, in JSON and in an event, and another thread is served meanwhile",
    async (name, reason) => {
      setServer("everything", "bad/bombs");
      const other = await newThread("parallel");
      const [{ results }, events] = await Promise.all([
        callTools("mcp", [call(name), call(`${name}_event`), call("ping")]),
        converse(other, "hello"),
      ]);
      const [json, event, ping] = results.map(outcome);
      expect(json).toEqual(["error", expect.stringMatching(reason)]);
      expect(event).toEqual(["error", expect.stringMatching(reason)]);
      expect(json?.[1]).toContain("Ask it for less");
      expect(ping).toEqual(["success", "pong"]);
      expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    },
  );

  it.each([
    ["lines", /an event of more than 10000 lines/],
    ["fields", /an event of more than 10000 lines/],
    ["events", /more than 25000 events/],
    ["empty", /more than 200000 lines/],
    ["returns", /more than 200000 lines/],
  ])(
    "OUT23 A stream of an MCP server with hostile events '%s' ends with an error that names the bound",
    async (name, reason) => {
      setServer("everything", "bad/bombs");
      const { results } = await callTools("mcp", [call(name), call("ping")]);
      const [stream, ping] = results.map(outcome);
      expect(stream).toEqual(["error", expect.stringMatching(reason)]);
      expect(ping?.[0]).toMatch(/success|error/);
    },
  );

  it("OUT23 A text of 1.5 MB and a result of 20,000 records of an MCP server are read", async () => {
    setServer("everything", "bad/large");
    const { results } = await callTools("mcp", [call("text"), call("records")]);
    expect(results.map(({ result }) => result?.status)).toEqual(["success", "success"]);
  });
});

describe("a list of tools", () => {
  it.each([
    ["numbers", /more than 100000 values/, 1],
    ["thick", /more than 8388608 characters in the pages of one list/, 2],
    ["wide", /more than 100000 values in the pages of one list/, 2],
  ])(
    "OUT23 The pages of the server '%s' share the bounds of one response, and no page after it is requested",
    async (mode, reason, pages) => {
      const server = setServer("everything", `bad/${mode}`);
      const { id, requests } = await callTools("mcp", [call("ping")]);
      expect(requests[0]?.tools).toEqual([]);
      const { lines } = await server.requests();
      expect(lines.filter((line) => line === "POST tools/list")).toHaveLength(pages * requests.length);
      expect(await warningsOf(id)).toMatch(reason);
    },
  );
});

describe("a server of the protocol version 2024-11-05", () => {
  it("OUT23 The pages of a list that arrive in one stream share the bounds of one response, and the stream is not opened again", async () => {
    const page = (id: number) => {
      const tool = `{"name":"t${id}","inputSchema":{"type":"object","x":[${"1,".repeat(60_000)}1]}}`;
      return `event: message\ndata: {"jsonrpc":"2.0","id":${id},"result":{"tools":[${tool}],"nextCursor":"${id}"}}\n\n`;
    };
    let sending: ReadableStreamDefaultController<Uint8Array> | undefined;
    const fetch = ((_url: string, { method }: { method: string }) => {
      if (method !== "GET") return Promise.resolve(new Response(null, { status: 202 }));
      const body = new ReadableStream<Uint8Array>({ start: (controller) => void (sending = controller) });
      return Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
    }) as never;
    const send = serverFetch({ fetch, name: "old", allowedHosts: [], timeoutMs: 1000, isOneStream: true });
    const list = (id: number, params: object) => {
      const message = { jsonrpc: "2.0", id, method: "tools/list", params };
      return send("https://mcp.test/", { method: "POST", body: JSON.stringify(message) });
    };
    const stream = await send("https://mcp.test/", { method: "GET" });
    await list(1, {});
    sending?.enqueue(new TextEncoder().encode(page(1)));
    await list(2, { cursor: "1" });
    sending?.enqueue(new TextEncoder().encode(page(2)));
    const text = await stream.text();
    expect(text).toContain('"name":"t1"');
    expect(text).not.toContain('"name":"t2"');
    expect(text).toContain("more than 100000 values in the pages of one list");
    await expect(send("https://mcp.test/", { method: "GET" })).rejects.toThrow("in the pages of one list");
  });
});
