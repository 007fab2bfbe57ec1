// MCP servers that misbehave. Each mode answers the requests of the protocol by itself, without the SDK.

import { randomUUID } from "node:crypto";

import { hostileModes } from "./hostile-modes.mjs";

/**
 * A request, and the data of its scope: `state` exists as long as the servers, `release` are the functions that POST /release calls.
 *
 * @typedef {{ method?: string, id?: string | number, params?: { name?: string, cursor?: string, protocolVersion?: string },
 *   result?: unknown }} RpcMessage
 * @typedef {{ request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse, body: RpcMessage,
 *   scope: string, state: Record<string, unknown>, release: Array<() => void> }} Exchange
 */

const eventStream = { "content-type": "text/event-stream" };
const event = (message) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;

const tool = (name, more = {}) => ({ name, description: `Does ${name}.`, inputSchema: { type: "object" }, ...more });
/** Creates a schema with `depth` nested schemas. */
function nested(depth) {
  return depth === 0 ? { type: "object" } : { type: "object", properties: { a: nested(depth - 1) } };
}

const required = { execution: { taskSupport: "required" } };

/** Answers the requests about a task that has its result at the request `polls` for its state. */
function answerTask({ body, state, send }, polls) {
  const at = new Date(0).toISOString();
  const facts = { taskId: "one", ttl: null, createdAt: at, lastUpdatedAt: at, pollInterval: 86_400_000 };
  state.polls ??= 0;
  if (body.method === "tools/call") return send({ result: { task: { ...facts, status: "working" } } });
  if (body.method === "tasks/result") return send({ result: text("pong") });
  if (body.method === "tasks/cancel") return send({ result: { ...facts, status: "cancelled" } });
  state.polls += 1;
  return send({ result: { ...facts, status: state.polls >= polls ? "completed" : "working" } });
}

const text = (value) => ({ content: [{ type: "text", text: value }] });

/** A mode: the tools that it lists, and how it answers a call. `answer` may write the response itself and return undefined. */
const modes = {
  /** Answers in JSON, without sessions. */
  plain: { tools: [tool("ping")], call: () => text("pong") },
  unauthorized: { refuse: 401 },
  missing: { refuse: 404 },
  /** Accepts no method of HTTP. */
  closed: { refuse: 405 },
  /** Sends every request to another origin. */
  redirecting: {
    refuse: 307,
    location: ({ request, scope }) => `http://localhost:${request.socket.localPort}/bad/plain?scope=${scope}`,
  },
  /** Does not answer the first request of a session. */
  deaf: { raw: () => {}, isSilent: true },
  /** Answers a call when the test releases it. */
  slow: {
    tools: [tool("ping")],
    raw: ({ response, state, release, send }) => {
      state.cut ??= 0;
      response.on("close", () => (state.cut += response.writableFinished ? 0 : 1));
      release.push(() => send({ result: text("pong") }));
    },
  },
  /** Refuses the calls of the tool `refused`. Answers the calls of `ping` when the test releases them. */
  busy: {
    tools: [tool("ping"), tool("refused")],
    raw: ({ response, body, release, send }) => {
      if (body.params.name === "refused") response.writeHead(503).end("secret details");
      else release.push(() => send({ result: text("pong") }));
    },
  },
  /** Has sessions, and ends all of them at the first call, like a server that restarts. */
  restarting: {
    sessions: true,
    tools: [tool("ping", { annotations: { readOnlyHint: true } }), tool("pay")],
    raw: ({ response, body, state, send }) => {
      if (state.called === true) return send({ result: text(body.params.name) });
      state.called = true;
      state.sessions.clear();
      response.writeHead(404).end();
    },
  },
  /** Has sessions, and ends all of them at each call. */
  forgetful: {
    sessions: true,
    tools: [tool("ping")],
    raw: ({ response, state }) => {
      state.sessions.clear();
      response.writeHead(404).end();
    },
  },
  /** Changes its list of tools at its first call, and notifies the client. */
  changing: {
    list: ({ state }) => (state.called === true ? [tool("ping"), tool("added")] : [tool("ping")]),
    raw: ({ response, body, state }) => {
      const changed = state.called === true ? "" : event({ method: "notifications/tools/list_changed" });
      state.called = true;
      response.writeHead(200, eventStream).end(changed + event({ id: body.id, result: text(body.params.name) }));
    },
  },
  /** Ends the stream of each call before the result, and sets a time of 12 days until the client may continue the stream. */
  resumable: {
    tools: [tool("ping")],
    raw: ({ response, body, state }) => {
      state.id = body.id;
      response.writeHead(200, eventStream).end("\uFEFFretry: 999999999\nid: one\ndata:\n\n");
    },
    get: ({ request, response, state }) =>
      request.headers["last-event-id"] === "one"
        ? void response.writeHead(200, eventStream).end(event({ id: state.id, result: text("continued") }))
        : void response.writeHead(405).end(),
  },
  /** Ends the stream that a GET opened while a call is open, and answers the call when the client opens another one. */
  parting: {
    tools: [tool("ping")],
    raw: ({ state, send }) => {
      state.answer = () => send({ result: text("pong") });
      state.stream?.end();
    },
    get: ({ response, state }) => {
      if (state.stream !== undefined) {
        response.writeHead(405).end();
        return state.answer?.();
      }
      state.stream = response.writeHead(200, eventStream);
      if (state.answer === undefined) response.write(": open\n\n");
      else response.end(": open\n\n");
    },
  },
  /** Runs a call as a task. Sets a time of a day until the client may ask for its state. */
  tasking: { tools: [tool("ping", required)], raw: (exchange) => answerTask(exchange, 2) },
  /** Runs a call as a task without end. */
  working: { tools: [tool("ping", required)], raw: (exchange) => answerTask(exchange, Infinity) },
  /** Lists pages without end, each after some time. */
  sluggish: {
    list: ({ body }) => [tool(`tool-${body.params?.cursor ?? 0}`)],
    cursor: ({ body }) => String(Number(body.params?.cursor ?? 0) + 1),
    listMs: 200,
  },
  /** Sends messages without end before the result of a call. */
  chatty: {
    tools: [tool("ping")],
    raw: ({ response, body }) => {
      const line = event({ method: "notifications/message", params: { level: "info", data: 1 } });
      response.writeHead(200, eventStream).end(line.repeat(20_001) + event({ id: body.id, result: text("pong") }));
    },
  },
  /** Sends log messages before the result of a call: 100 of the level info, one of each level from `warning` on, and 100 warnings. */
  logging: {
    tools: [tool("ping")],
    raw: ({ response, body }) => {
      const line = (level, data) => event({ method: "notifications/message", params: { level, data } });
      const levels = ["warning", "error", "critical", "alert", "emergency"];
      response.writeHead(200, eventStream);
      for (let at = 0; at < 100; at += 1) response.write(line(at % 2 === 0 ? "info" : "debug", "unimportant"));
      for (const level of levels) response.write(line(level, { level, hidden: `\u202E${"x".repeat(1000)}` }));
      for (let at = 0; at < 100; at += 1) response.write(line("warning", `warning ${at}`));
      response.end(event({ id: body.id, result: text("pong") }));
    },
  },
  /** Reports progress more often than a call may before its result. */
  progressing: {
    tools: [tool("ping")],
    raw: ({ response, body }) => {
      const { progressToken } = body.params._meta;
      const report = (progress) => event({ method: "notifications/progress", params: { progressToken, progress } });
      const reports = Array.from({ length: 1100 }, (_, at) => report(at + 1));
      response.writeHead(200, eventStream).end(reports.join("") + event({ id: body.id, result: text("pong") }));
    },
  },
  /** Ends the stream of a call before its result, and each stream that continues it. */
  ending: {
    tools: [tool("ping")],
    raw: ({ response }) => response.writeHead(200, eventStream).end("retry: 1\nid: one\ndata:\n\n"),
    get: ({ response, request }) =>
      request.headers["last-event-id"] === undefined
        ? void response.writeHead(405).end()
        : void response.writeHead(200, eventStream).end("retry: 1\nid: two\ndata:\n\n"),
  },
  /** Answers a call with audio. */
  audible: {
    tools: [tool("ping")],
    call: () => ({
      content: [{ type: "audio", data: Buffer.from("sound").toString("base64"), mimeType: "audio/wav" }],
    }),
  },
  /** Sends more requests than a session may before the result of a call. */
  pinging: {
    tools: [tool("ping")],
    raw: ({ response, body }) => {
      const pings = Array.from({ length: 1500 }, (_, index) => event({ id: `ping-${index}`, method: "ping" }));
      response.writeHead(200, eventStream).end(pings.join("") + event({ id: body.id, result: text("pong") }));
    },
  },
  /** Answers a call with a result that violates the protocol: its content is not a list. */
  malformed: { tools: [tool("ping")], call: () => ({ content: "pong" }) },
  /** Returns a text instead of a list of tools. */
  listless: { tools: "none" },
  /** Lists tools with schemas that are too large, each or together. */
  heavy: {
    tools: [
      tool("huge", { inputSchema: { type: "object", description: "x".repeat(200_000) } }),
      tool("deep", { inputSchema: nested(200) }),
      ...Array.from({ length: 30 }, (_, index) =>
        tool(`large-${index}`, { inputSchema: { type: "object", properties: { a: { enum: ["x".repeat(100_000)] } } } }),
      ),
    ],
  },
  /** Returns a further page of its list of tools without end. */
  endless: {
    list: ({ body }) => [tool(`tool-${body.params?.cursor ?? 0}`)],
    cursor: ({ body }) => String(Number(body.params?.cursor ?? 0) + 1),
  },
  /** Ends the connection during each call. */
  dying: { tools: [tool("ping")], raw: ({ response }) => response.destroy() },
  /** Begins an event stream for each call and ends it without a response. */
  silent: {
    tools: [tool("ping")],
    raw: ({ response }) => response.writeHead(200, { "content-type": "text/event-stream" }).end(": nothing\n\n"),
  },
  /** Answers a call with text that is no JSON. */
  garbled: {
    tools: [tool("ping")],
    raw: ({ response }) => response.writeHead(200, { "content-type": "application/json" }).end("<html>"),
  },
  /** Answers a call with a response that has neither a result nor an error. */
  resultless: { tools: [tool("ping")], raw: ({ send }) => send({}) },
  /** Answers a call with a page. */
  page: {
    tools: [tool("ping")],
    raw: ({ response }) => response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
  },
  /** Answers a call with more bytes than a response may have. */
  flood: {
    tools: [tool("ping")],
    raw: ({ response }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const line = `: ${"x".repeat(65_536)}\n`;
      const write = () => {
        while (!response.destroyed) if (!response.write(line)) return void response.once("drain", write);
      };
      write();
    },
  },
  /** Returns results that do not match the schema that it declares. */
  liar: {
    tools: [tool("ping", { outputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } })],
    call: () => ({ ...text("seven"), structuredContent: { n: "seven" } }),
  },
  /** Declares a schema with 1,500 alternatives, and returns 200 KB for which only the last one is right. */
  demanding: {
    tools: [
      tool("ping", {
        outputSchema: {
          type: "object",
          properties: {
            a: {
              type: "array",
              items: { anyOf: Array.from({ length: 1500 }, (_, at) => ({ type: "string", minLength: 1500 - at })) },
            },
          },
        },
      }),
    ],
    call: () => ({ ...text("pong"), structuredContent: { a: Array(50_000).fill("x") } }),
  },
  /** Lists two tools with the same name, and tools with names that providers refuse. */
  twins: {
    tools: [
      tool("same", { description: "The first." }),
      tool("same", { description: "The second." }),
      tool("has spaces and ümlauts"),
      tool("l".repeat(100)),
    ],
    call: (name) => text(name),
  },
  /** Lists tools with hidden characters and a very long text in descriptions, with a schema that cannot be used, and with one that refers to itself. */
  hostile: {
    tools: [
      tool("hidden", {
        description: `Fine.\u202E\u200B\u{E0041}\u0007${"a".repeat(10_000)}`,
        inputSchema: { type: "object", properties: { a: { description: "Shown.\u202E\u{E0041}" } } },
      }),
      tool("unusable", { inputSchema: { type: "string" } }),
      tool("circular", { inputSchema: { type: "object", properties: { a: { $ref: "#/properties/a" } } } }),
      tool("strict", {
        inputSchema: {
          type: "object",
          properties: { n: { type: "number" } },
          required: ["n"],
          additionalProperties: false,
        },
      }),
    ],
    call: () => text("done"),
  },
  /** Lists a tool whose description contains HTML and Markdown. */
  markup: {
    tools: [tool("markup", { description: '<img src="x" onerror="alert(1)"> **bold** [link](javascript:alert(1))' })],
    call: () => text("<b>done</b> [link](javascript:alert(1))"),
  },
  /** Lists two hundred tools in pages. */
  many: {
    pages: Array.from({ length: 4 }, (_, page) =>
      Array.from({ length: 50 }, (_unused, index) => tool(`tool-${page * 50 + index}`)),
    ),
    call: (name) => text(name),
  },
  /**
   * Asks the questions that the arguments of a call contain, and sends the client's responses as the result of the call. `early`: sends the
   * result at once. `withdraw`: withdraws the questions when the test releases them. `inTurn`: asks each question after the response to the
   * previous one.
   */
  asking: {
    tools: [tool("ask", { annotations: { readOnlyHint: true } })],
    raw: ({ response, body, state, release }) => {
      if (body.method === undefined) {
        response.writeHead(202).end();
        return state.respond(body);
      }
      const { questions = [], early = false, withdraw = false, inTurn = false } = body.params.arguments;
      const responses = [];
      state.calls = (state.calls ?? 0) + 1;
      const respond = ({ id, result, error }) => {
        responses[Number(id.slice(1))] = result ?? error.message;
        if (responses.filter(Boolean).length === questions.length) finish();
        else if (inTurn) ask(responses.length);
      };
      // The responses belong to the last call that asks.
      if (questions.length > 0) state.respond = respond;
      const finish = () => response.end(event({ id: body.id, result: text(JSON.stringify(responses)) }));
      const ask = (at) => response.write(event({ id: `q${at}`, method: "elicitation/create", params: questions[at] }));
      response.writeHead(200, eventStream);
      for (const at of questions.keys()) if (!inTurn || at === 0) ask(at);
      if (early) finish();
      if (!withdraw) return;
      release.push(() => {
        for (const at of questions.keys()) {
          response.write(event({ method: "notifications/cancelled", params: { requestId: `q${at}` } }));
        }
        finish();
      });
    },
  },
  ...hostileModes,
  /** Sends an error of the protocol. */
  failing: { tools: [tool("ping")], error: { code: -32603, message: "the disk is full" } },
};

/** @param {string} name @param {Exchange} exchange */
export async function misbehave(name, exchange) {
  const { request, response, body, state } = exchange;
  const mode = modes[name];
  if (mode === undefined) return void response.writeHead(404).end();
  if (mode.refuse !== undefined) {
    const location = mode.location === undefined ? {} : { location: mode.location(exchange) };
    return void response.writeHead(mode.refuse, location).end("secret details");
  }
  if (request.method === "GET" && mode.get !== undefined) return mode.get(exchange);
  if (request.method !== "POST") return void response.writeHead(405).end();
  if (mode.isSilent === true) return;
  const session = request.headers["mcp-session-id"];
  state.sessions ??= new Set();
  if (session !== undefined && !state.sessions.has(session)) return void response.writeHead(404).end();
  if (body.id === undefined) return void response.writeHead(202).end();
  const send = (message, headers = {}) =>
    response
      .writeHead(200, { "content-type": "application/json", ...headers })
      .end(JSON.stringify({ jsonrpc: "2.0", id: body.id, ...message }));
  if (body.method === "initialize") {
    const serverInfo = { name, version: "1" };
    const { protocolVersion } = body.params;
    const id = randomUUID();
    if (mode.sessions === true) state.sessions.add(id);
    const headers = mode.sessions === true ? { "mcp-session-id": id } : {};
    return send({ result: { protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo } }, headers);
  }
  if (body.method === "tools/list" && mode.rawList !== undefined) {
    return void response
      .writeHead(200, { "content-type": "application/json" })
      .end(`{"jsonrpc":"2.0","id":${body.id},"result":${mode.rawList(exchange)}}`);
  }
  if (body.method === "tools/list") {
    const next = mode.cursor?.(exchange);
    if (mode.pages === undefined) {
      const tools = mode.list?.(exchange) ?? mode.tools;
      if (mode.listMs !== undefined) await new Promise((resolve) => setTimeout(resolve, mode.listMs));
      return send({ result: { tools, ...(next === undefined ? {} : { nextCursor: next }) } });
    }
    const page = Number(body.params?.cursor ?? 0);
    const nextCursor = page + 1 < mode.pages.length ? { nextCursor: String(page + 1) } : {};
    return send({ result: { tools: mode.pages[page], ...nextCursor } });
  }
  if (mode.raw !== undefined) return void mode.raw({ ...exchange, send });
  if (mode.error !== undefined) return send({ error: mode.error });
  return send({ result: mode.call(body.params.name) });
}
