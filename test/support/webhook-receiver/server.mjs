// A receiver of webhooks. It keeps what it received by the first segment of the path, its scope.
//
// POST /<scope> receives a webhook. The beginning of the scope selects the answer: `fail` answers 500, `once` answers 500 to the first
// request and then accepts, `move` answers with a redirect to the scope `moved`, `hold` answers the first request only after
// POST /<scope>/release, and `lose` answers it with 500 then. The names of hostile-answer.mjs select its answers. Every other scope accepts.
// GET /<scope>/received?count=<n> answers once that many webhooks have arrived, with all of them. GET /<scope>/sent answers with the number
// of bytes that were sent to the clients of the scope.

import { createServer } from "node:http";

import { answerHostile } from "../hostile-answer.mjs";

/** @typedef {{ received: object[], held: (() => void)[], waiting: Set<() => void>, sockets: import("node:net").Socket[] }} Scope */

/** Starts a receiver on a free port of the loopback. */
export async function startWebhookReceiver() {
  /** @type {Map<string, Scope>} */
  const scopes = new Map();

  /** @param {string} name */
  function scopeOf(name) {
    const scope = scopes.get(name) ?? { received: [], held: [], waiting: new Set(), sockets: [] };
    scopes.set(name, scope);
    return scope;
  }

  /** @param {string} name @param {number} earlier */
  function statusOf(name, earlier) {
    if (name.startsWith("fail")) return 500;
    if (name.startsWith("once") || name.startsWith("lose")) return earlier === 0 ? 500 : 204;
    return name.startsWith("move") ? 307 : 204;
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://receiver");
    const [name = "", action] = pathname.slice(1).split("/");
    const scope = scopeOf(name);
    if (action === "received") {
      const look = () => {
        if (scope.received.length < Number(searchParams.get("count"))) return;
        scope.waiting.delete(look);
        response.setHeader("content-type", "application/json").end(JSON.stringify(scope.received));
      };
      scope.waiting.add(look);
      look();
      return;
    }
    if (action === "sent") {
      response.end(String(scope.sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0)));
      return;
    }
    if (action === "release") {
      for (const answer of scope.held.splice(0)) answer();
      response.writeHead(204).end();
      return;
    }
    let body = "";
    request.setEncoding("utf8").on("data", (piece) => (body += piece));
    request.on("end", () => {
      const earlier = scope.received.length;
      scope.received.push({ method: request.method, headers: request.headers, body });
      const answer = () => {
        response.writeHead(statusOf(name, earlier), { location: `/moved-${name}` }).end();
      };
      scope.sockets.push(request.socket);
      if (answerHostile(name, request.socket)) {
        for (const look of scope.waiting) look();
        return;
      }
      if (/^(?:hold|lose)/.test(name) && earlier === 0) scope.held.push(answer);
      else answer();
      for (const look of scope.waiting) look();
    });
  });
  // A closed idle connection would be a failure that no test intends.
  server.keepAliveTimeout = 0;
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve(undefined));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const close = () =>
    new Promise((resolve) => {
      server.close(() => resolve(undefined));
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${address.port}`, close: async () => void (await close()) };
}
