// An HTTP API on the loopback for tests of OpenAPI documents. A scope is the first part of a path, so that tests do not see each other's
// requests.
//
// /:scope/api/…             returns the request as JSON: method, url, headers and body
// /:scope/api/…/slow        never responds
// /:scope/api/…/status/:n   responds with the status
// /:scope/api/…/large       a text of 300,000 bytes of characters with two bytes each
// /:scope/api/…/image       a PNG of one pixel
// /:scope/api/…/pages       a header `Link` with the next page
// PUT and GET /:scope/document   stores a document, and returns it
// GET /:scope/requests      the requests of the scope, without this one: method and url

import { createServer } from "node:http";

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Starts the server on a free port of the loopback. */
export async function startApiServer() {
  /** @type {Map<string, { lines: string[], document: string }>} */
  const scopes = new Map();
  const scopeOf = (/** @type {string} */ name) => {
    const known = scopes.get(name) ?? { lines: [], document: "" };
    scopes.set(name, known);
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
    if (area === "document") {
      if (method === "PUT") scope.document = body.toString("utf8");
      return void response.writeHead(scope.document === "" ? 404 : 200).end(scope.document);
    }
    if (rest.includes("slow")) return undefined;
    if (rest.includes("status")) return json({ problem: "refused" }, Number(rest.at(-1)));
    if (rest.includes("large"))
      return void response.writeHead(200, { "content-type": "text/plain" }).end("ä".repeat(150_000));
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
