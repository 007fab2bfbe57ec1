// The external server of the fault suites. It performs and counts effects outside of the runtime in which the tests kill
// objects.
//
// POST /effects?scope&name&call[&key][&attempt] performs an effect. With a key it is performed once, however often it
// is requested.
// GET /outcome?scope&call&name returns whether a call took effect. If the answer was no, a delayed request of the
// earlier attempt has no effect any more.
// GET /effects?scope lists the effects: how often each name took effect, and how often it was requested.

import { startServer } from "../record-server.mjs";

/** @typedef {{ effects: number, requests: number }} Done */

/** Starts a server on a free port of the loopback. */
export async function startEffectServer() {
  /** @type {Map<string, Map<string, Done>>} */
  const scopes = new Map();
  const doneKeys = new Set();
  const doneCalls = new Set();
  const fenced = new Set();

  /** @param {URLSearchParams} asked */
  function take(requested) {
    const [scope, name, call] = ["scope", "name", "call"].map((field) => requested.get(field) ?? "");
    const known = scopes.get(scope ?? "") ?? new Map();
    scopes.set(scope ?? "", known);
    const done = known.get(name) ?? { effects: 0, requests: 0 };
    known.set(name, done);
    done.requests += 1;
    const place = `${scope} ${call}`;
    if (fenced.has(`${place} ${requested.get("attempt")}`)) return 409;
    const key = requested.get("key");
    if (key === null || !doneKeys.has(`${scope} ${key}`)) done.effects += 1;
    if (key !== null) doneKeys.add(`${scope} ${key}`);
    doneCalls.add(place);
    return 200;
  }

  /** @param {URLSearchParams} asked */
  function outcome(requested) {
    const place = `${requested.get("scope")} ${requested.get("call")}`;
    if (doneCalls.has(place)) return { done: true };
    fenced.add(`${place} 1`);
    return { done: false };
  }

  return startServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://effects");
    request.resume();
    if (pathname === "/effects" && request.method === "POST") {
      response.writeHead(take(searchParams)).end();
      return;
    }
    const scope = scopes.get(searchParams.get("scope") ?? "") ?? new Map();
    const body = pathname === "/outcome" ? outcome(searchParams) : Object.fromEntries(scope);
    response.setHeader("content-type", "application/json").end(JSON.stringify(body));
  });
}
