// MCP servers whose results have odd fields, over real HTTP: what a call that ran returned is not lost.

import { describe, expect, it } from "vitest";

import { event, logged, play } from "./mcp-driver.ts";

const events = "text/event-stream";

/** A response with a result. */
const result = (value: unknown): object => ({
  pieces: [`{"jsonrpc":"2.0","id":$ID,"result":${JSON.stringify(value)}}`],
});

describe("odd fields of a result", () => {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  it.each<[string, object | null, [string, string | undefined]]>([
    ["a number as a text", { content: [{ type: "text", text: 7 }] }, ["success", "7"]],
    ["an object as a text", { content: [{ type: "text", text: { a: 1 } }] }, ["success", '{"a":1}']],
    ["a text as its error flag", { content: [{ type: "text", text: "no" }], isError: "true" }, ["error", "no"]],
    ["a number as its error flag", { content: [{ type: "text", text: "no" }], isError: 1 }, ["error", "no"]],
    ["the field of the version 2024-10-07", { toolResult: { a: 1 } }, ["success", '{"a":1}']],
    [
      "an empty file",
      { content: [{ type: "resource", resource: { uri: "a://b", blob: "" } }] },
      ["success", "[resource a://b]\nIt is empty."],
    ],
    ["an empty list as the result", null, ["success", ""]],
  ])("The model reads a result with %s", async (_, value, expected) => {
    expect((await play({ "tools/call": [result(value ?? [])] })).outcomes).toEqual([expected]);
  });

  it("The type of an image without a media type is read from its bytes", async () => {
    const { results } = await play({ "tools/call": [result({ content: [{ type: "image", data: png }] })] });
    expect(results[0]?.result?.attachments).toMatchObject([{ mimeType: "image/png" }]);
  });

  it("A text stays if the structured content does not match the declared schema, which programs do not receive", async () => {
    const lines = logged("mcp_items_omitted");
    const outputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    const given = { content: [{ type: "text", text: "seven" }], structuredContent: { n: "7" } };
    const tools = [result({ tools: [{ name: "count", outputSchema }] })];
    const { outcomes, results } = await play({ "tools/list": tools, "tools/call": [result(given)] });
    const [[status, text] = []] = outcomes;
    expect([status, text?.split("\n")[0]]).toEqual(["success", "seven"]);
    expect(text).toMatch(/\[Left out of the result: structuredContent: n: has to be number/);
    expect(results[0]?.result?.details).toBeUndefined();
    expect(lines).toMatchObject([{ of: "the result of count", count: 1 }]);
  });

  it("A tool whose schema is an empty list takes no arguments", async () => {
    const tools = [result({ tools: [{ name: "count", inputSchema: [], annotations: [] }] })];
    expect((await play({ "tools/list": tools })).outcomes).toEqual([["success", "1"]]);
  });

  it("A task is run although its states have null in their optional fields, and a tool may answer without a task", async () => {
    const tools = [result({ tools: [{ name: "count", execution: { taskSupport: "required" } }] })];
    const state = (status: string) => ({
      taskId: "t",
      status,
      statusMessage: null,
      ttl: null,
      pollInterval: null,
      createdAt: null,
    });
    const done = result({ content: [{ type: "text", text: "done" }] });
    const script = {
      "tools/list": tools,
      "tools/call": [result({ task: state("working") })],
      "tasks/get": [result(state("working")), result(state("completed"))],
      "tasks/result": [done],
    };
    expect((await play(script)).outcomes).toEqual([["success", "done"]]);
    expect((await play({ "tools/list": tools, "tools/call": [done] })).outcomes).toEqual([["success", "done"]]);
  });

  it("The progress of a task is emitted after the response that creates the task", async () => {
    const task = { taskId: "t", status: "working", pollInterval: 100 };
    const params = '{"progressToken":$REPORT,"progress":0.5,"message":"half of it"}';
    const progress = event(`{"jsonrpc":"2.0","method":"notifications/progress","params":${params}}`);
    const done = event('{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"done"}]}}');
    const { outcomes, events: emitted } = await play({
      "tools/list": [result({ tools: [{ name: "count", execution: { taskSupport: "required" } }] })],
      "tools/call": [result({ task })],
      "tasks/get": [result({ ...task, status: "completed" })],
      "tasks/result": [{ type: events, pieces: [progress, done] }],
    });
    expect(outcomes).toEqual([["success", "done"]]);
    // A reader receives the last report at least.
    const reports = emitted.flatMap((each) => (each.type === "tool_execution_delta" ? [each.progress] : []));
    expect(reports.at(-1)).toEqual({ progress: 0.5, message: "half of it" });
  });
});
