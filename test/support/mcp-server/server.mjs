// MCP servers on the loopback for tests: the reference server of the protocol over both transports, and servers that misbehave.
//
// /everything     streamable HTTP with sessions; every tool of the reference server
// /old            HTTP with SSE as of 2024-11-05: GET opens the stream, POST /old/message sends. Other methods get 405
// /bad/:mode      servers that misbehave, see bad-modes.mjs
// /odd            a server whose answers the query dictates, see odd-server.mjs
// /scripted       a server whose bytes the query dictates, see scripted-server.mjs
// /oauth/:tenant  an authorization server and an MCP server that requires its tokens, see oauth-server.mjs
// GET /requests?scope lists the requests with the header `x-scope`: HTTP method, and method of the protocol; the bodies of scripted ones.
// GET /bridge     starts a bridge to the reference server over stdio once, and returns its address
// POST /release   lets a server of /bad/:mode answer the calls that it has not answered yet
// POST /forget    ends all sessions of /everything without a message to the clients, as a restart does

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createServer as everything } from "@modelcontextprotocol/server-everything/dist/server/index.js";

import { misbehave } from "./bad-modes.mjs";
import { startBridge } from "./bridge.mjs";
import { serveOauth } from "./oauth-server.mjs";
import { answerOddly } from "./odd-server.mjs";
import { playScript } from "./scripted-server.mjs";

/** Starts the servers on a free port of the loopback. */
export async function startMcpServer() {
  /** @type {Map<string, { scope: string, transport: StreamableHTTPServerTransport, end: () => void }>} */
  const sessions = new Map();
  /** @type {Map<string, { handlePostMessage: Function }>} */
  const streams = new Map();
  /** @type {{ scope: string, line: string }[]} */
  const requests = [];

  /** @type {Map<string, { state: Record<string, any>, release: Array<() => void> }>} */
  const scopes = new Map();
  const scopeOf = (/** @type {string} */ scope) => {
    const known = scopes.get(scope) ?? { state: {}, release: [] };
    scopes.set(scope, known);
    return known;
  };

  /** @type {Promise<string> | undefined} */
  let bridge;

  const routes = {
    async everything({ request, response, body, scope }) {
      const known = sessions.get(String(request.headers["mcp-session-id"] ?? ""));
      if (known !== undefined) return known.transport.handleRequest(request, response, body);
      if (request.headers["mcp-session-id"] !== undefined) return void response.writeHead(404).end("no such session");
      const { server, cleanup } = everything();
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => {
          const end = () => {
            sessions.delete(id);
            cleanup(id);
          };
          sessions.set(id, { scope, transport, end });
        },
        onsessionclosed: (id) => sessions.get(id)?.end(),
      });
      await server.connect(transport);
      return transport.handleRequest(request, response, body);
    },
    async old({ request, response, body, path, query }) {
      if (path === "message" && request.method === "POST") {
        const transport = streams.get(query.get("sessionId") ?? "");
        return transport === undefined
          ? void response.writeHead(404).end()
          : transport.handlePostMessage(request, response, body);
      }
      if (request.method !== "GET") return void response.writeHead(405).end();
      const { server, cleanup } = everything();
      // oxlint-disable-next-line typescript/no-deprecated -- the transport of servers of 2024-11-05, which still exist
      const transport = new SSEServerTransport("/old/message", response);
      streams.set(transport.sessionId, transport);
      response.on("close", () => {
        streams.delete(transport.sessionId);
        cleanup(transport.sessionId);
      });
      return server.connect(transport);
    },
    odd: ({ request, response, body, scope, query }) =>
      answerOddly({ request, response, body, query, state: scopeOf(scope).state }),
    scripted: ({ request, response, body, scope, query }) =>
      playScript({ request, response, body, query, state: scopeOf(scope).state }),
    bad: ({ request, response, body, path, scope }) => {
      const { state, release } = scopeOf(scope);
      void misbehave(path, { request, response, body, scope, state, release });
    },
  };

  /** @param {import("node:http").IncomingMessage} request @param {import("node:http").ServerResponse} response */
  async function serve(request, response) {
    const url = new URL(request.url ?? "/", "http://mcp");
    const [, first = "", path = ""] = url.pathname.split("/");
    const scope = String(request.headers["x-scope"] ?? url.searchParams.get("scope") ?? "");
    if (first === "requests") {
      const requested = url.searchParams.get("scope");
      const lines = requests.flatMap((one) => (one.scope === requested ? [one.line] : []));
      const open = [...sessions.values()].filter((one) => one.scope === requested).length;
      return void response.setHeader("content-type", "application/json").end(
        JSON.stringify({
          lines,
          open,
          cut: scopeOf(scope).state.cut ?? 0,
          bodies: scopeOf(scope).state.bodies ?? [],
        }),
      );
    }
    if (first === "bridge") {
      bridge ??= startBridge();
      return void response.end(await bridge);
    }
    if (first === "release") {
      for (const send of scopeOf(scope).release.splice(0)) send();
      return void response.end();
    }
    if (first === "forget") {
      for (const { scope: of, end } of sessions.values()) if (of === url.searchParams.get("scope")) end();
      return void response.end();
    }
    const text = await textOf(request);
    if (serveOauth({ request, response, url, text })) return;
    const body = text === "" ? undefined : JSON.parse(text);
    requests.push({ scope, line: [request.method, body?.method, body?.params?.name].filter(Boolean).join(" ") });
    const route = routes[first];
    if (route === undefined) return void response.writeHead(404).end();
    await route({ request, response, body, path, scope, query: url.searchParams });
  }

  const server = createServer((request, response) => void serve(request, response));
  server.keepAliveTimeout = 0;
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve(undefined));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const close = () =>
    new Promise((resolve) => {
      for (const { end } of sessions.values()) end();
      server.close(() => resolve(undefined));
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${address.port}`, close: async () => void (await close()) };
}

async function textOf(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}
