// MCP servers whose messages have odd envelopes of JSON-RPC, over every HTTP transport: no result of a call that ran is lost.

import { describe, expect, it } from "vitest";

import { callTools, outcome, setServer } from "./mcp-driver.ts";

const meta = { progressToken: null, "io.modelcontextprotocol/related-task": null, kept: 1 };
const envelopes: [string, object, [string, unknown]][] = [
  ["null as `_meta`", { _meta: null }, ["success", "1"]],
  ["a list as `_meta`", { _meta: [] }, ["success", "1"]],
  ["odd fields of `_meta`", { _meta: meta }, ["success", "1"]],
  ["null as the error", { error: null }, ["success", "1"]],
  ["an empty error", { error: { code: 0, message: "" } }, ["success", "1"]],
  ["null as method and params", { method: null, params: null }, ["success", "1"]],
  ["a field of no protocol", { time: 7 }, ["success", "1"]],
  ["another version of JSON-RPC", { jsonrpc: "1.0" }, ["success", "1"]],
  ["null as the result", { result: null }, ["success", ""]],
  ["a text as the result", { result: "pong" }, ["error", expect.stringContaining("`result` is no object")]],
  [
    "a text as the code of an error",
    { result: null, error: { code: "-32007", message: "no disk" } },
    ["error", expect.stringMatching(/-32007.*no disk/)],
  ],
  [
    "null as the message of an error",
    { result: null, error: { code: 1.5, message: null } },
    ["error", expect.stringContaining("states no reason")],
  ],
  ["a text as the error", { result: {}, error: "no disk" }, ["error", expect.stringContaining("no disk")]],
];

describe.each(["json", "events", "old"])("an odd envelope in a response as %s", (as) => {
  it.each(envelopes)("A response loses nothing because it has %s", async (_, envelope, expected) => {
    const answer = "error" in envelope || "result" in envelope ? {} : { "tools/list": envelope };
    const query = { as, envelope: JSON.stringify({ ...answer, "tools/call": envelope }) };
    setServer("everything", `odd?${new URLSearchParams(query).toString()}`, { timeoutMs: 10_000 });
    const { results } = await callTools("mcp", [{ name: "everything__count", arguments: {} }]);
    expect(results.map(outcome)).toEqual([expected]);
  });
});

it.each(["json", "events", "old"])("Several messages in one response as %s are each read", async (as) => {
  const envelope = { "tools/call": { _meta: null, error: null } };
  const query = new URLSearchParams({ as, batch: "1", envelope: JSON.stringify(envelope) });
  setServer("everything", `odd?${query.toString()}`, { timeoutMs: 10_000 });
  const { results } = await callTools("mcp", [{ name: "everything__count", arguments: {} }]);
  expect(results.map(outcome)).toEqual([["success", "1"]]);
});

it("The model reads a text of a tool that declares structured content and sends none, and a result without both is an error", async () => {
  const tool = { name: "give", outputSchema: { type: "object" } };
  const query = new URLSearchParams({ answers: JSON.stringify({ "tools/list": { tools: [tool] } }) });
  setServer("everything", `odd?${query.toString()}`);
  const given = [{ content: [{ type: "text", text: "seven" }] }, { content: [] }];
  const calls = given.map((result) => ({ name: "everything__give", arguments: { result } }));
  const { results } = await callTools("mcp", calls);
  expect(results.map(outcome)).toEqual([
    ["success", "seven"],
    ["error", expect.stringContaining("no structured content")],
  ]);
});

it.each(["json", "events"])("An error without an id in a response as %s is the error of the request", async (as) => {
  const envelope = { "tools/call": { id: null, result: null, error: { code: -32_700, message: "no JSON" } } };
  const query = new URLSearchParams({ as, envelope: JSON.stringify(envelope) });
  setServer("everything", `odd?${query.toString()}`, { timeoutMs: 10_000 });
  const { results } = await callTools("mcp", [{ name: "everything__count", arguments: {} }]);
  expect(results.map(outcome)).toEqual([["error", expect.stringContaining("no JSON")]]);
});
