// An MCP server whose answers a test dictates, without the SDK. The query of the address has them:
//
// answers  JSON: the result of each method, such as {"tools/list": {"tools": []}}. A call's result is its argument `result`. `crowd` in an
//          answer is replaced by this number of wrong elements.
// envelope JSON: fields of the response to each method, such as {"tools/call": {"error": null}}. `_meta` is that of the result.
// as       "events": responses are streams of events; "old": the transport of 2024-11-05. Otherwise they are JSON.
// batch    Present: each response is in a batch with a notification and another notification after it.
// lost     JSON: {status, text, at}: the response to the first message with the method `at` (default tools/call), after which the server
//          does not know the session any more. Status 0: it breaks the connection. `ran`: the server runs the call before it responds, and
//          keeps the session.
//
// A call of `count` runs a counter, and its result is the number of runs.

import { randomUUID } from "node:crypto";

const tool = { name: "count", inputSchema: { type: "object" } };

/** Replaces `{"crowd": n}` by n wrong elements. */
const grown = (key, value) =>
  typeof value?.crowd === "number" ? Array.from({ length: value.crowd }, (_, at) => ({ name: at })) : value;

/**
 * @param {{ request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse, body: Record<string, any>,
 *   state: Record<string, any>, query: URLSearchParams }} exchange
 */
export function answerOddly({ request, response, body, state, query }) {
  if (query.get("as") === "old" && request.method === "GET") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    state.stream = response;
    return void response.write(
      `event: endpoint\ndata: /odd${request.url?.slice(request.url.indexOf("?"))}&message=1\n\n`,
    );
  }
  if (request.method !== "POST" || (query.get("as") === "old" && !query.has("message"))) {
    return void response.writeHead(405).end();
  }
  state.sessions ??= new Set();
  state.ran ??= 0;
  const answers = JSON.parse(query.get("answers") ?? "{}", grown);
  const lost = JSON.parse(query.get("lost") ?? "null");
  const session = request.headers["mcp-session-id"];
  const isKnown = query.get("as") === "old" || (session !== undefined && state.sessions.has(session));
  const isRequest = body.method !== "initialize";
  if (isRequest && !isKnown) return void response.writeHead(404).end();
  if (lost !== null && body.method === (lost.at ?? "tools/call") && state.isLost !== true) {
    state.isLost = true;
    if (lost.ran === true) state.ran += 1;
    else state.sessions.clear();
    if (lost.status === 0) return void response.destroy();
    return void response.writeHead(lost.status, { "content-type": "application/json" }).end(lost.text);
  }
  if (body.id === undefined) return void response.writeHead(202).end();
  const headers = { "content-type": "application/json" };
  if (body.method === "initialize") {
    const id = randomUUID();
    state.sessions.add(id);
    headers["mcp-session-id"] = id;
  }
  const { _meta, ...fields } = JSON.parse(query.get("envelope") ?? "{}")[body.method] ?? {};
  const result = { ...resultOf(body, { answers, state }), ...(_meta === undefined ? {} : { _meta }) };
  const message = { jsonrpc: "2.0", id: body.id, result, ...fields };
  const note = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "noted" } };
  const text = JSON.stringify(query.has("batch") ? [note, message, note] : message);
  if (query.get("as") === "old") {
    state.stream.write(`data: ${text}\n\n`);
    return void response.writeHead(202).end();
  }
  if (query.get("as") !== "events") return void response.writeHead(200, headers).end(text);
  response.writeHead(200, { ...headers, "content-type": "text/event-stream" });
  // Each line end is written alone, and a comment divides the event.
  for (const piece of [text.slice(0, 5), text.slice(5), "\r", "\n", ": ok\n", "\r\n"]) {
    response.write(piece === text.slice(0, 5) ? `event: message\ndata: ${piece}` : piece);
  }
  response.end();
}

function resultOf({ method, params }, { answers, state }) {
  if (answers[method] !== undefined) return answers[method];
  switch (method) {
    case "initialize": {
      const capabilities = { tools: {}, resources: {}, prompts: {} };
      return { protocolVersion: params.protocolVersion, capabilities, serverInfo: { name: "odd", version: "1" } };
    }
    case "tools/list":
      return { tools: [tool] };
    case "tools/call":
      if (params.name !== "count") return params.arguments.result;
      state.ran += 1;
      return { content: [{ type: "text", text: String(state.ran) }] };
    default:
      return {};
  }
}
