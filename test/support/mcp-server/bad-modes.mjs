// MCP servers that misbehave. Each mode answers the requests of the protocol by itself, without the SDK.

/** @typedef {{ request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse, body: any }} Exchange */

const tool = (name, more = {}) => ({ name, description: `Does ${name}.`, inputSchema: { type: "object" }, ...more });
const text = (value) => ({ content: [{ type: "text", text: value }] });

/** A mode: the tools that it lists, and how it answers a call. `answer` may write the response itself and return undefined. */
const modes = {
  /** Answers in JSON, without sessions. */
  plain: { tools: [tool("ping")], call: () => text("pong") },
  unauthorized: { refuse: 401 },
  missing: { refuse: 404 },
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
  /** Declares a result that its calls do not have. */
  liar: {
    tools: [tool("ping", { outputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } })],
    call: () => ({ ...text("seven"), structuredContent: { n: "seven" } }),
  },
  /** Lists two tools of one name, and names that no provider accepts. */
  twins: {
    tools: [
      tool("same", { description: "The first." }),
      tool("same", { description: "The second." }),
      tool("has spaces and ümlauts"),
      tool("l".repeat(100)),
    ],
    call: (name) => text(name),
  },
  /** Hides instructions in descriptions, and sends schemas that cannot be used. */
  hostile: {
    tools: [
      tool("hidden", { description: `Fine.\u202E\u200B\u{E0041}\u0007${"a".repeat(10_000)}` }),
      tool("circular", {
        inputSchema: { type: "object", properties: { a: { $ref: "#/properties/a" } } },
      }),
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
  /** Lists two hundred tools in pages. */
  many: {
    pages: Array.from({ length: 4 }, (_, page) =>
      Array.from({ length: 50 }, (_unused, index) => tool(`tool-${page * 50 + index}`)),
    ),
    call: (name) => text(name),
  },
  /** Sends an error of the protocol. */
  failing: { tools: [tool("ping")], error: { code: -32603, message: "the disk is full" } },
};

/** @param {string} name @param {Exchange} exchange */
export function misbehave(name, { request, response, body }) {
  const mode = modes[name];
  if (mode === undefined) return void response.writeHead(404).end();
  if (mode.refuse !== undefined) return void response.writeHead(mode.refuse).end("secret details");
  if (request.method !== "POST") return void response.writeHead(405).end();
  if (body.id === undefined) return void response.writeHead(202).end();
  const send = (message) =>
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id: body.id, ...message }));
  if (body.method === "initialize") {
    const serverInfo = { name, version: "1" };
    const { protocolVersion } = body.params;
    return send({ result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  }
  if (body.method === "tools/list") {
    if (mode.pages === undefined) return send({ result: { tools: mode.tools } });
    const page = Number(body.params?.cursor ?? 0);
    const nextCursor = page + 1 < mode.pages.length ? { nextCursor: String(page + 1) } : {};
    return send({ result: { tools: mode.pages[page], ...nextCursor } });
  }
  if (mode.raw !== undefined) return void mode.raw({ request, response, body });
  if (mode.error !== undefined) return send({ error: mode.error });
  return send({ result: mode.call(body.params.name) });
}
