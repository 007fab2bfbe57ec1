// A receiver of webhooks. It keeps what it received by the first segment of the path, its scope.
//
// POST /<scope> receives a webhook. The beginning of the scope selects the answer: `fail` answers 500, `once` answers 500 to the first
// request and then accepts, `move` answers with a redirect to the scope `moved`, `hold` answers the first request only after
// POST /<scope>/release, and `lose` answers it with 500 then. The names of hostile-answer.mjs select its answers. Every other scope accepts.
// GET /<scope>/received?count=<n> answers once that many webhooks have arrived, with all of them. GET /<scope>/sent answers with the number
// of bytes that were sent to the clients of the scope.

import { answerHostile } from "../hostile-answer.mjs";
import { bodyOf, Scopes, startServer } from "../record-server.mjs";

/** @typedef {{ received: object[], paused: (() => void)[], sockets: import("node:net").Socket[] }} Scope */

/** Starts a receiver on a free port of the loopback. */
export async function startWebhookReceiver() {
  const scopes = new Scopes(() => /** @type {Scope} */ ({ received: [], paused: [], sockets: [] }));

  /** @param {string} name @param {number} earlier */
  function statusOf(name, earlier) {
    if (name.startsWith("fail")) return 500;
    if (name.startsWith("once") || name.startsWith("lose")) return earlier === 0 ? 500 : 204;
    return name.startsWith("move") ? 307 : 204;
  }

  return startServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://receiver");
    const [name = "", action] = pathname.slice(1).split("/");
    const scope = scopes.of(name);
    if (action === "received") {
      const count = Number(searchParams.get("count"));
      scopes.answerOnce(name, response, ({ received }) => (received.length < count ? undefined : received));
      return;
    }
    if (action === "sent") {
      response.end(String(scope.sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0)));
      return;
    }
    if (action === "release") {
      for (const answer of scope.paused.splice(0)) answer();
      response.writeHead(204).end();
      return;
    }
    const body = await bodyOf(request);
    const earlier = scope.received.length;
    scope.received.push({ method: request.method, headers: request.headers, body });
    scope.sockets.push(request.socket);
    if (!answerHostile(name, request.socket)) {
      const answer = () => {
        response.writeHead(statusOf(name, earlier), { location: `/moved-${name}` }).end();
      };
      if (/^(?:hold|lose)/.test(name) && earlier === 0) scope.paused.push(answer);
      else answer();
    }
    scopes.notify(name);
  });
}
