// An HTTP API on the loopback for tests of OpenAPI documents. A scope is the first part of a path, so that tests do not see each other's
// requests.
//
// /:scope/api/…             returns the request as JSON: method, url, headers and body
// /:scope/api/…/slow        never responds
// /:scope/api/…/status/:n   responds with the status
// /:scope/api/…/large       a text of 300,000 bytes of characters with two bytes each
// /:scope/api/…/image       a PNG of one pixel
// /:scope/api/…/endless     a text without an end
// /:scope/api/…/away        a redirect to /:scope/away of the same server under another name. GET /:scope/away returns the headers that arrived
// /:scope/api/…/long        the header `authorization`, many times
// /:scope/api/…/pages       a header `Link` with the next page
// PUT and GET /:scope/document   stores a document, and returns it
// GET /:scope/public/:name  a document of test/fixtures/openapi
// GET /:scope/operations/:name  the ids of its operations
// /:scope/described/:name/… the API that is generated from the document. The header `x-operations` has the ids of the operations that accept
//                           the request
// GET /:scope/requests      the requests of the scope, without this one: method and url

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { gunzipSync } from "node:zlib";

import { parse } from "yaml";

import { describedApi } from "./described-api.mjs";

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Sends text until the client closes the connection. @param {import("node:http").ServerResponse} response */
function sendEndlessly(response) {
  while (!response.destroyed && response.write("endless ".repeat(1000)));
  if (!response.destroyed) response.once("drain", () => sendEndlessly(response));
}

/** The text of a public document. */
function publicDocument(/** @type {string} */ name) {
  return gunzipSync(readFileSync(new URL(`../../fixtures/openapi/${name}.gz`, import.meta.url))).toString("utf8");
}

/** Starts the server on a free port of the loopback. */
export async function startApiServer() {
  /** @type {Map<string, { lines: string[], document: string, away: string }>} */
  const scopes = new Map();
  const scopeOf = (/** @type {string} */ name) => {
    const known = scopes.get(name) ?? { lines: [], document: "", away: "" };
    scopes.set(name, known);
    return known;
  };

  /** @type {Map<string, ReturnType<typeof describedApi>>} */
  const described = new Map();
  const describedBy = (/** @type {string} */ name) => {
    const known = described.get(name) ?? describedApi(parse(publicDocument(name), { logLevel: "error" }));
    described.set(name, known);
    return known;
  };

  /** @param {import("node:http").IncomingMessage} request @param {import("node:http").ServerResponse} response */
  async function serve(request, response) {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces);
    const { method = "GET", url = "/" } = request;
    const [, name = "", area = "", ...rest] = url.split(/[/?]/);
    const scope = scopeOf(name);
    const json = (/** @type {unknown} */ value, status = 200) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (area === "requests") return json(scope.lines);
    scope.lines.push(`${method} ${url.slice(name.length + 1)}`);
    if (area === "away") {
      if (scope.away === "") scope.away = JSON.stringify(request.headers);
      return void response.end(scope.away);
    }
    if (area === "document") {
      if (method === "PUT") scope.document = body.toString("utf8");
      return void response.writeHead(scope.document === "" ? 404 : 200).end(scope.document);
    }
    if (area === "public") return void response.end(publicDocument(rest[0] ?? ""));
    if (area === "operations") return json(describedBy(rest[0] ?? "").ids);
    if (area === "described") {
      const { pathname, searchParams } = new URL(url, "http://api");
      const path = pathname.slice(`/${name}/described/${rest[0]}`.length);
      const requested = { method, path, query: searchParams, headers: request.headers, body };
      const answer = await describedBy(rest[0] ?? "").answer(requested);
      response.setHeader("x-operations", answer.accepting.join(" "));
      if (answer.problems.length > 0) return json({ problems: answer.problems }, answer.status);
      const { type = "application/json" } = answer;
      const text = type.includes("json") ? JSON.stringify(answer.body ?? null) : String(answer.body);
      return void response
        .writeHead(answer.status, { "content-type": type })
        .end(answer.status === 204 ? undefined : text);
    }
    if (rest.includes("slow")) return undefined;
    if (rest.includes("status")) return json({ problem: "refused" }, Number(rest.at(-1)));
    if (rest.includes("large"))
      return void response.writeHead(200, { "content-type": "text/plain" }).end("ä".repeat(150_000));
    if (rest.includes("endless")) return sendEndlessly(response.writeHead(200, { "content-type": "text/plain" }));
    if (rest.includes("long")) {
      const text = `${request.headers.authorization} `.repeat(20);
      return void response.writeHead(200, { "content-type": "text/plain" }).end(text);
    }
    if (rest.includes("away")) {
      const location = `http://localhost:${request.socket.localPort}/${name}/away`;
      return void response.writeHead(302, { location }).end();
    }
    if (rest.includes("image")) {
      return void response.writeHead(200, { "content-type": "image/png" }).end(Buffer.from(pixel, "base64"));
    }
    if (rest.includes("pages")) response.setHeader("link", '<https://elsewhere.example/x?page=2&size=5>; rel="next"');
    return json({ method, url, headers: request.headers, body: body.toString("utf8") });
  }

  const server = createServer((request, response) => void serve(request, response));
  server.keepAliveTimeout = 0;
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve(undefined));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The API server has no port.");
  const close = async () => {
    const closed = new Promise((resolve) => server.close(() => resolve(undefined)));
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${address.port}`, close };
}
