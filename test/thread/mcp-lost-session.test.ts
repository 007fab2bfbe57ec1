// MCP servers that lose their sessions: a call is sent again only if the answer proves that it did not run.

import { describe, expect, it } from "vitest";

import { scripts } from "../worker/definitions.ts";
import { callTools, counted, event, outcome, play, setServer } from "./mcp-driver.ts";
import { admin, converse, newThread, stubOf, value } from "./thread-driver.ts";

describe("a server that loses its sessions", () => {
  /** Calls `count` in these numbers of steps. Returns the results and the number of opened sessions. */
  async function countIn(lost: object | null, steps = 1, more: object = {}) {
    const query = `odd?answers=${encodeURIComponent(JSON.stringify(more))}&lost=${encodeURIComponent(JSON.stringify(lost))}`;
    const server = setServer("everything", query);
    const id = await newThread("mcp");
    const word = `mcp-${crypto.randomUUID()}`;
    const count = { toolCalls: [{ name: "everything__count", arguments: {} }] };
    scripts.set(word, ({ step }) => (step < steps ? count : { text: "done" }));
    await converse(id, word);
    const page = { limit: 100, order: "asc" as const, include_silent: false };
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    const { lines } = await server.requests();
    return {
      results: items.filter(({ role }) => role === "tool").map(outcome),
      opened: lines.filter((line) => line === "POST initialize").length,
      calls: lines.filter((line) => line.startsWith("POST tools/call")).length,
    };
  }

  const error = (message: string, id: unknown = null) =>
    JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message } });

  it.each([
    ["404", { status: 404 }],
    ["410", { status: 410 }],
    ["404 with a text", { status: 404, text: error("Session not found") }],
    ["400 and no valid session", { status: 400, text: error("Bad Request: No valid session ID provided") }],
    ["400 and a server that is not initialized", { status: 400, text: error("Bad Request: Server not initialized") }],
    ["400 and plain text about the session", { status: 400, text: "Invalid or expired session" }],
    ["400 and the header", { status: 400, text: error("Bad Request: Mcp-Session-Id header is required") }],
    ["400 and an unknown id", { status: 400, text: error("Session ID 'a b' not found.") }],
    ["400 and a message in an object", { status: 400, text: '{"error":"Invalid session ID"}' }],
    [
      "400 and the id of the Python SDK",
      { status: 400, text: error("Bad Request: Missing session ID", "server-error") },
    ],
    ...[
      "Missing session ID",
      "Session ID is required",
      "Missing Mcp-Session-Id header",
      "Session not found: abc123",
      "Session abc not found",
      "Bad Request: session not initialized",
      "Session not found or expired",
      "No session ID provided",
      "Invalid session ID: 7f3kq",
    ].map((text, at): [string, object] => [
      `400 and "${text}"`,
      { status: 400, text: at % 2 === 0 ? text : error(text) },
    ]),
  ])("After a refusal with %s, the call is sent once more in a new session, and has run once", async (_, lost) => {
    expect(await countIn(lost, 2)).toEqual({
      results: [
        ["success", "1"],
        ["success", "2"],
      ],
      opened: 2,
      calls: 3,
    });
  });

  it.each([
    ["the connection breaks after the call ran", { status: 0, ran: true }],
    ["the server answers 500", { status: 500, text: error("Session not found"), ran: true }],
    ["the server answers 400 about the arguments", { status: 400, text: error("Invalid arguments"), ran: true }],
    [
      "the error of the answer 400 has the id of the request",
      { status: 400, text: error("Session ID is required", 3), ran: true },
    ],
    ...[
      "Validation error: session is required",
      "session required",
      "session_id is required",
      "sessionId is required",
      "Missing sessionId",
      "Session name not found",
      "Session not found: no such user",
      "Validation error: Session ID is required",
      "Missing session",
      "session_name is invalid",
      "Invalid arguments: unknown session",
      "The checkout session has expired",
      "No valid session for the user 7: log in again",
    ].flatMap((text): [string, object][] => [
      [`the server answers 400 with "${text}"`, { status: 400, text, ran: true }],
      [`the server answers 400 with the error "${text}"`, { status: 400, text: error(text), ran: true }],
    ]),
    [
      "the error of the answer 400 is about parameters",
      {
        status: 400,
        text: JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_602, message: "Session ID is required" } }),
        ran: true,
      },
    ],
    ["the server answers 401", { status: 401, text: error("No valid session"), ran: true }],
  ])("If %s, the call is not sent again, and the next call runs", async (_, lost) => {
    const { results, calls } = await countIn(lost, 2);
    expect(results).toEqual([
      ["error", expect.any(String)],
      ["success", "2"],
    ]);
    expect(calls).toBe(2);
  });

  it("A call that the new session refuses as well is not sent a third time", async () => {
    const bad = setServer("everything", "bad/forgetful");
    const { results } = await callTools("mcp", [{ name: "everything__ping", arguments: {} }]);
    expect(results.map(outcome)).toEqual([["error", expect.stringContaining("has ended the session (HTTP 404)")]]);
    expect((await bad.requests()).lines.filter((line) => line.startsWith("POST tools/call"))).toHaveLength(2);
  });

  it("A task whose session is lost while it works is not created again", async () => {
    const tools = [{ name: "count", execution: { taskSupport: "required" } }];
    const at = new Date(0).toISOString();
    const task = { taskId: "one", ttl: null, createdAt: at, lastUpdatedAt: at, pollInterval: 100, status: "working" };
    const answers = { "tools/list": { tools }, "tools/call": { task } };
    const { results, calls } = await countIn({ status: 404, at: "tasks/get" }, 1, answers);
    expect(results).toEqual([["error", expect.stringContaining("HTTP 404")]]);
    expect(calls).toBe(1);
  });
});

describe("an error about the session that has not the id of the call", () => {
  const text = "Session expired";
  const lost = (id: unknown): object => ({ jsonrpc: "2.0", id, error: { code: -32_000, message: text } });
  const note = (method: string, params: object): object => ({ jsonrpc: "2.0", method, params });
  const progress = note("notifications/progress", { progressToken: "$TOKEN", progress: 1 });
  const ping = { jsonrpc: "2.0", id: "p", method: "ping" };
  const data = (...messages: unknown[]) =>
    messages.map((each) => event(JSON.stringify(each).replaceAll('"$TOKEN"', "$TOKEN")));
  const normal = { pieces: ["$ANSWER"] };
  const events = { type: "text/event-stream", ran: true };
  const ids = [null, "server-error"];

  const sentOnce = async (script: object) => {
    const { outcomes, lines } = await play(script);
    expect(outcomes).toEqual([["error", expect.stringContaining(text)]]);
    expect(counted(lines, "POST tools/call")).toBe(1);
  };

  const before: [string, string[]][] = [
    ["a progress report", data(progress)],
    ["a log message", data(note("notifications/message", { level: "info", data: "started" }))],
    ["a request for a text", data({ jsonrpc: "2.0", id: "s", method: "sampling/createMessage", params: {} })],
    ["a question", data({ jsonrpc: "2.0", id: "e", method: "elicitation/create", params: {} })],
    ["a ping", data(ping)],
    ["a comment", [": the call runs\n\n"]],
    ["a comment of the same event", [": the call runs\n"]],
    ["an event without data", ["event: heartbeat\n\n"]],
    ["data that is no message", data("working")],
    ["the response to another request", data({ jsonrpc: "2.0", id: 0, result: {} })],
  ];
  it.each(before.flatMap(([what, pieces]) => ids.map((id): [string, unknown, string[]] => [what, id, pieces])))(
    "If %s arrives before the error with the id %s, the call is not sent again",
    async (_, id, pieces) => {
      await sentOnce({ "tools/call": [{ ...events, pieces: [...pieces, ...data(lost(id))] }, normal] });
    },
  );

  it.each([
    ["an event", { ...events, pieces: data([progress, lost(null)]) }],
    ["a document", { ran: true, pieces: [JSON.stringify([ping, lost(null)])] }],
  ])("If the error is in a batch with another message in %s, the call is not sent again", async (_, response) => {
    await sentOnce({ "tools/call": [response, normal] });
  });

  it("If the error arrives in a stream that continues after an event, the call is not sent again", async () => {
    const first = { ...events, pieces: ["retry: 10\nid: a\ndata:\n\n"] };
    const resumed = { ...events, pieces: data(lost(null)) };
    await sentOnce({ "tools/call": [first, normal], GET: [{ status: 405 }, resumed] });
  });

  it("If a message arrives in the stream of the session before the error, the call is not sent again", async () => {
    const stream = { ...events, pieces: [{ after: "tools/call 1" }, ...data(ping)], end: "open" };
    const refused = { ran: true, pieces: [{ after: "response 1" }, JSON.stringify(lost(null))] };
    await sentOnce({ GET: [stream], "tools/call": [refused, normal] });
  });

  it.each(ids)("If the error is the only event of a stream and has the id %s, the call is sent again", async (id) => {
    const { outcomes } = await play({
      "tools/call": [{ ...events, ran: false, pieces: data(lost(id)) }, normal],
    });
    expect(outcomes).toEqual([["success", "1"]]);
  });
});
