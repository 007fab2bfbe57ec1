// MCP servers with odd transports, versions, pages and messages, over real HTTP: what a call that ran returned is not lost, and no call waits for
// a response that cannot arrive. test/support/mcp-server/scripted-server.mjs plays the responses.

import { describe, expect, it } from "vitest";

import type { Json } from "#contract/json.ts";

import { callTools, counted, event, logged, outcome, play, setServer } from "./mcp-driver.ts";

const events = "text/event-stream";
const bom = "\uFEFF";
const message = (fields: object): string => JSON.stringify({ jsonrpc: "2.0", ...fields });

/** A response with a result. */
const result = (value: unknown): object => ({
  pieces: [`{"jsonrpc":"2.0","id":$ID,"result":${JSON.stringify(value)}}`],
});

/** A response with an error. */
const error = (code: number, text: string): object => ({
  pieces: [`{"jsonrpc":"2.0","id":$ID,"error":${JSON.stringify({ code, message: text })}}`],
});

const normal = { pieces: ["$ANSWER"] };

const opened = (fields: object): object =>
  result({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: {}, ...fields });

describe("the response to a call", () => {
  const pretty = '{\n  "jsonrpc": "2.0",\n  "id": $ID,\n  "result": {"content": [{"type": "text", "text": "1"}]}\n}';
  it.each<[string, object]>([
    ["is JSON with the type text/plain", { type: "text/plain", pieces: ["$ANSWER"] }],
    ["is JSON without a type", { type: null, pieces: ["$ANSWER"] }],
    ["is JSON with the type of a page", { type: "text/html; charset=utf-8", pieces: ["$ANSWER"] }],
    ["is JSON with a type in capitals", { type: "Application/JSON; Charset=UTF-8", pieces: ["$ANSWER"] }],
    ["is JSON with a type of JSON-RPC", { type: "application/json-rpc", pieces: ["$ANSWER"] }],
    ["is JSON with a type twice", { type: "application/json, application/json", pieces: ["$ANSWER"] }],
    ["is JSON in small pieces with an odd type", { type: "application/octet-stream", pieces: [" ", "\n", "$ANSWER"] }],
    ["is JSON after a byte order mark", { pieces: [bom, "$ANSWER"] }],
    ["is JSON with the type of a stream", { type: events, pieces: ["$ANSWER"] }],
    ["is JSON in several lines with the type of a stream", { type: events, pieces: [pretty] }],
    ["is an event with the type of JSON", { pieces: [`event: message\n${event("$ANSWER")}`] }],
    ["is an event with the type text/plain", { type: "text/plain", pieces: [`: hello\n\n${event("$ANSWER")}`] }],
    ["is an event after a byte order mark", { type: events, pieces: [bom, event("$ANSWER")] }],
    ["is an event with carriage returns", { type: events, pieces: ["event: message\rdata: $ANSWER\r\r"] }],
    ["is an event with another name", { type: events, pieces: [`event: response\n${event("$ANSWER")}`] }],
    ["is an event with a name in capitals", { type: events, pieces: [`event: Message\n${event("$ANSWER")}`] }],
    ["is an event without an end", { type: events, pieces: ["data:$ANSWER"] }],
    ["is between events that are no messages", { type: events, pieces: ["data: [DONE]\n\n", event("$ANSWER")] }],
    ["is compressed by gzip", { encoding: "gzip", pieces: ["$ANSWER"] }],
    ["is compressed by br", { encoding: "br", pieces: ["$ANSWER"] }],
    ["is a compressed event", { encoding: "gzip", type: events, pieces: [event("$ANSWER")] }],
    ["has the status 202", { status: 202, pieces: ["$ANSWER"] }],
    ["has the status 202 and is an event", { status: 202, type: events, pieces: [event("$ANSWER")] }],
    ["has the status 201", { status: 201, pieces: ["$ANSWER"] }],
    ...[
      event("$ANSWER"),
      `: a\n\n${event("$ANSWER")}`,
      `id: 1\n${event("$ANSWER")}`,
      `${bom}${event("$ANSWER")}`,
    ].flatMap((text): [string, object][] => {
      const open = { pieces: [text], end: "open" };
      const text202 = JSON.stringify(text);
      return [
        [`is ${text202} with the type text/plain and stays open`, { ...open, type: "text/plain" }],
        [`is ${text202} without a type and stays open`, { ...open, type: null }],
        [`is ${text202} with the status 202 and stays open`, { ...open, status: 202, type: events }],
      ];
    }),
  ])("The result of a call is read although the response %s", async (_, response) => {
    const { outcomes, lines } = await play({ "tools/call": [response] });
    expect(outcomes).toEqual([["success", "1"]]);
    expect(counted(lines, "POST tools/call")).toBe(1);
  });

  it.each<[string, object]>([
    ["another number", { id: 999 }],
    ["the number of an earlier request", { id: 0 }],
    ["a text", { id: "call" }],
  ])("The result of a call is read although its response has %s as its id", async (_, fields) => {
    const text = message({ ...fields, result: { content: [{ type: "text", text: "done" }] } });
    expect((await play({ "tools/call": [{ pieces: [text] }] })).outcomes).toEqual([["success", "done"]]);
    if (fields["id" as never] === 0) return;
    const stream = { type: events, pieces: [event(text)], end: "open" };
    expect((await play({ "tools/call": [stream] })).outcomes).toEqual([["success", "done"]]);
  });

  it.each([200, 202])(
    "A session opens before its time limit although the response to a notification has the status %i and stays open",
    async (status) => {
      const open = { status, type: events, pieces: [": hello\n\n"], end: "open" };
      const script = { "notifications/initialized": [open] };
      expect((await play(script, { timeoutMs: 60_000 })).outcomes).toEqual([["success", "1"]]);
    },
  );

  it("The error of a call that the server refuses because of its scope has the status 403 for a definition without OAuth", async () => {
    const challenge = { "www-authenticate": 'Bearer error="insufficient_scope", scope="admin"' };
    const { outcomes } = await play({ "tools/call": [{ status: 403, headers: challenge }] });
    expect(outcomes).toEqual([["error", expect.stringContaining("refused the credentials (HTTP 403)")]]);
  });

  it("A call ends before its time limit if its response is a short page that stays open", async () => {
    const page = { type: null, pieces: ["<p> hi"], end: "open" };
    const { outcomes } = await play({ "tools/call": [page] }, { timeoutMs: 60_000 });
    expect(outcomes).toEqual([["error", expect.stringContaining("neither JSON nor an event stream")]]);
  });

  it.each<[string, object]>([
    ["JSON", { pieces: ['{"status": "accepted"}'] }],
    ["JSON that stays open", { pieces: ['{"status": "accepted"}'], end: "open" }],
    ["a list", { pieces: ["[]"] }],
    ["no JSON", { pieces: ["{accepted}"] }],
    ["an event", { type: events, pieces: [event('{"status": "accepted"}')] }],
    ["a comment", { type: events, pieces: [": accepted\n\n"] }],
  ])("The result of a call is read from the stream of the session after the status 202 with %s", async (_, body) => {
    // The client reads the status while it answers the pings.
    const pings = [1, 2, 3, 4, 5].flatMap((id) => [
      event(message({ id, method: "ping" })),
      { after: `response ${id}` },
    ]);
    const stream = { type: events, pieces: [{ after: "tools/call 1" }, ...pings, event("$CALLED")], end: "open" };
    const { outcomes, lines } = await play({
      "tools/call": [{ ...body, status: 202, ran: true }],
      GET: [stream],
    });
    expect(outcomes).toEqual([["success", "1"]]);
    expect(counted(lines, "POST tools/call")).toBe(1);
  });

  it.each([400, 422, 500, 503])(
    "The model reads the server's error if the response has the status %i and the id of the request",
    async (status) => {
      const { outcomes, lines } = await play({
        "tools/call": [{ ...error(-32_602, "n has to be positive"), status }],
      });
      expect(outcomes).toEqual([["error", expect.stringContaining("n has to be positive")]]);
      expect(counted(lines, "POST tools/call")).toBe(1);
    },
  );

  it.each([-32_000, -32_001, -31_999])(
    "The model reads the text of a server's error with the code %i, and the session goes on",
    async (code) => {
      const { outcomes, lines } = await play({
        "tools/call": [error(code, "The key of the API is not set")],
      });
      expect(outcomes).toEqual([["error", expect.stringContaining("The key of the API is not set")]]);
      expect(counted(lines, "POST initialize")).toBe(1);
    },
  );
});

describe("a session that the server does not know", () => {
  const texts = ["Session not found", "Invalid session ID", "Server not initialized"];
  it.each(texts.flatMap((text) => [null, "server-error"].map((id): [string, string | null] => [text, id])))(
    "After the error '%s' with the status 200 and %s as its id, the call is sent once more and runs once",
    async (text, id) => {
      const refused = { pieces: [message({ id, error: { code: -32_001, message: text } })] };
      const { outcomes, lines } = await play({ "tools/call": [refused, normal] });
      expect(outcomes).toEqual([["success", "1"]]);
      expect(counted(lines, "POST tools/call")).toBe(2);
    },
  );

  it.each(["Session not found", "The checkout session has expired"])(
    "After the error '%s' with the id of the call, the call is not sent again",
    async (text) => {
      const { outcomes, lines } = await play({
        "tools/call": [{ ...error(-32_001, text), ran: true }, normal],
      });
      expect(outcomes).toEqual([["error", expect.stringContaining(text)]]);
      expect(counted(lines, "POST tools/call")).toBe(1);
    },
  );
});

describe("a stream that ends before the response", () => {
  const first = { type: events, ran: true, pieces: ["retry: 10\nid: a\ndata:\n\n"] };
  const none = { status: 405 };
  const resumed = { type: events, pieces: [event("$CALLED")] };
  const ends = ["error", expect.stringContaining("closed the connection")];

  it.each<[string, object, object, unknown]>([
    ["has an id, and the server has no streams", first, none, ends],
    ["has an id, and the server does not know the session", first, { status: 404 }, ends],
    ["breaks after an id, and the server has no streams", { ...first, end: "break" }, none, ends],
    ["has an empty id", { ...first, pieces: ["id:\ndata:\n\n"] }, resumed, ends],
    ["has an id in an event that is cut", { ...first, pieces: ["id: a\ndata: {"], end: "break" }, resumed, ends],
    ["has an id in an event without data", { ...first, pieces: ["retry: 10\nid: a\n\n"] }, resumed, ["success", "1"]],
    ["continues with an event", first, resumed, ["success", "1"]],
    ["continues with JSON", first, { pieces: ["$CALLED"] }, ["success", "1"]],
    ["continues with a page", first, { type: "text/html", pieces: ["<html>"] }, ends],
  ])(
    "A call ends before its time limit, and is not sent again, if its stream %s",
    async (_, stream, next, expected) => {
      const { outcomes, lines } = await play(
        { "tools/call": [stream, normal], GET: [none, next] },
        { timeoutMs: 60_000 },
      );
      expect(outcomes).toEqual([expected]);
      expect(counted(lines, "POST tools/call")).toBe(1);
    },
  );

  it.each([
    ["ends at once", { type: events, pieces: [] }],
    ["is a page", { type: "text/html", pieces: ["<html>"] }],
    ["fails", { status: 500 }],
  ])("A call succeeds if the stream of the session %s", async (_, stream) => {
    expect((await play({ GET: [stream] })).outcomes).toEqual([["success", "1"]]);
  });
});

describe("the start of a session", () => {
  it.each<[string, object]>([
    ["an empty list as its capabilities", { capabilities: [] }],
    ["an empty list as the capability of tools", { capabilities: { tools: [], resources: [] } }],
    ["null as its capabilities", { capabilities: null }],
    ["no capability", { capabilities: {} }],
    ["a number as its version", { protocolVersion: 20_250_618 }],
    ["null as its version", { protocolVersion: null }],
    ["the version 2024-11-05", { protocolVersion: "2024-11-05" }],
  ])("The tools of a server are called although it declares %s", async (_, fields) => {
    expect((await play({ initialize: [opened(fields)] })).outcomes).toEqual([["success", "1"]]);
  });

  it("The error of a server with an unknown version of the protocol names the version", async () => {
    const lines = logged("tool_source_failed");
    expect((await play({ initialize: [opened({ protocolVersion: "2099-01-01" })] })).names).toEqual([]);
    expect(String(lines[0]?.["cause"])).toMatch(/`protocolVersion` is "2099-01-01", and only these .*2025-06-18/);
  });

  it("A server that declares other capabilities is not asked for tools, and one without any that knows no tools has none", async () => {
    const { lines, names } = await play({ initialize: [opened({ capabilities: { resources: {} } })] });
    expect([counted(lines, "POST tools/list"), names]).toEqual([0, []]);
    const unknown = { initialize: [opened({ capabilities: {} })], "tools/list": [error(-32_601, "Method not found")] };
    const failures = logged("tool_source_failed");
    expect((await play(unknown)).names).toEqual([]);
    expect(failures).toEqual([]);
  });
});

describe("the pages of a list of tools", () => {
  const page = (name: string, nextCursor?: unknown): object => result({ tools: [{ name }], nextCursor });

  it.each<[string, object[], string[], number]>([
    ["an empty position", [page("count", "")], ["count"], 1],
    ["the same position again", [page("count", "a"), page("b", "a")], ["count", "b"], 2],
    [
      "two positions in turn",
      ["a", "b", "a", "b"].map((at) => page(`count${at}`, at)),
      ["counta", "countb", "counta"],
      3,
    ],
    ["a number as its position", [page("count", 1), page("b")], ["count", "b"], 2],
    ["an empty page", [result({ tools: [], nextCursor: "a" }), page("count")], ["count"], 2],
    ["an empty object as its last page", [page("count", "a"), result({ tools: {} })], ["count"], 2],
  ])("A list of tools with %s is read to its end", async (_, pages, names, requests) => {
    const read = await play({ "tools/list": pages });
    expect(read.names).toEqual([...new Set(names)]);
    expect(counted(read.lines, "POST tools/list")).toBe(requests);
  });

  it.each<[string, object, string]>([
    ["is an error", error(-32_602, "Invalid cursor"), "Invalid cursor"],
    ["is no list", result({ tools: "none" }), "`tools` is no list"],
  ])("The tools before a page stay if the page %s, and the log has the reason", async (_, broken, reason) => {
    const lines = logged("mcp_tools_omitted");
    const { names, outcomes } = await play({ "tools/list": [page("count", "a"), broken] });
    expect([names, outcomes]).toEqual([["count"], [["success", "1"]]]);
    expect(lines[0]?.["problems"]).toEqual([expect.stringMatching(/^the rest of the list: The next page could not/)]);
    expect(JSON.stringify(lines)).toContain(reason);
  });

  it("The log states that a list of tools has more pages than are read", async () => {
    const lines = logged("mcp_tools_omitted");
    setServer("everything", "bad/endless");
    expect((await callTools("mcp", [])).request?.tools).toHaveLength(50);
    expect(lines[0]?.["problems"]).toEqual(["the rest of the list: The list has further pages, which are not read."]);
  });

  it("A list of resources with an empty position names no further page, and a number is named as a text", async () => {
    const list = async (nextCursor: unknown) => {
      const answers = { "resources/list": [result({ resources: [{ uri: "a://b" }], nextCursor })] };
      setServer("everything", `scripted?script=${encodeURIComponent(JSON.stringify(answers))}`, { resources: true });
      const { results } = await callTools("mcp", [{ name: "everything__list_resources", arguments: {} }]);
      return results.map(outcome);
    };
    expect(await list("")).toEqual([["success", "a://b"]]);
    expect(await list(7)).toEqual([["success", 'a://b\nMore follow after the cursor "7".']]);
  });
});

describe("messages before the response of a call", () => {
  const before = (...given: Json[]) =>
    play({
      "tools/call": [
        {
          type: events,
          pieces: [
            ...given.map((each) => event(JSON.stringify(each).replaceAll('"$TOKEN"', "$TOKEN"))),
            event("$ANSWER"),
          ],
        },
      ],
    });
  const note = (method: string, params: Json): Json => ({ jsonrpc: "2.0", method, params });

  it("A progress report with null in its optional fields is emitted, and odd reports change nothing", async () => {
    const progressToken = "$TOKEN";
    const { outcomes, events: emitted } = await before(
      note("notifications/progress", { progressToken, progress: 1, total: null, message: null, _meta: null }),
      note("notifications/progress", { progressToken, progress: "50%" }),
      note("notifications/progress", { progressToken: "unknown", progress: 1 }),
      note("notifications/unknown", null),
      note("notifications/progress", null),
    );
    expect(outcomes).toEqual([["success", "1"]]);
    expect(emitted.filter((each) => JSON.stringify(each).includes('"progress":1'))).toHaveLength(1);
  });

  it("A log message with null in its optional fields, or with a level in capitals, is logged", async () => {
    const lines = logged("mcp_message");
    await before(
      note("notifications/message", { level: "warning", logger: null, data: "one" }),
      note("notifications/message", { level: "ERROR", data: { a: null } }),
      note("notifications/message", { level: 7, data: "three" }),
      note("notifications/message", null),
    );
    expect(lines.map(({ level, text }) => [level, text])).toEqual([
      ["warning", "one"],
      ["error", '{"a":null}'],
    ]);
  });

  it("Changes of the list, requests with null as their parameters and a second response do not disturb a call", async () => {
    const changed = note("notifications/tools/list_changed", null);
    const { outcomes, bodies } = await before(
      ...Array.from({ length: 20 }, () => changed),
      { jsonrpc: "2.0", id: "p", method: "ping", params: null },
      { jsonrpc: "2.0", id: "q", method: "roots/list", params: null },
    );
    expect(outcomes).toEqual([["success", "1"]]);
    expect(bodies.filter((body) => body?.method === undefined)).toEqual([
      { jsonrpc: "2.0", id: "p", result: {} },
      { jsonrpc: "2.0", id: "q", error: expect.objectContaining({ code: -32_601 }) },
    ]);
  });
});
