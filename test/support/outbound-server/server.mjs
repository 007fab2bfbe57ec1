// A host on the loopback that misbehaves on demand, and a DNS resolver. The path decides how it answers. A request with
// an id (`?id=`) can be observed: GET /__asked returns what arrived, /__arrived waits for its arrival, /__closed waits
// until its connection is closed and returns whether the whole answer was sent.

import { gzipSync } from "node:zlib";

import { bodyOf, startServer } from "../record-server.mjs";
import { answerQuestion, createMemory } from "./resolver.mjs";

/**
 * @typedef {import("node:http").IncomingMessage} Request
 * @typedef {import("node:http").ServerResponse} Response
 * @typedef {{ method: string, path: string, headers: Record<string, unknown>, body: string }} Asked
 */

const bombBytes = 64 * 1024 * 1024;
const bomb = gzipSync(Buffer.alloc(bombBytes));

/** Answers that no HTTP library would send. */
const raw = {
  "/status-999": "HTTP/1.1 999 Odd\r\ncontent-length: 2\r\n\r\nhi",
  "/upgrade": "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\nhi",
  // The body is five times as long as its content-length.
  "/understated":
    "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n",
  "/overstated": "HTTP/1.1 200 OK\r\ncontent-length: 4000000000\r\n\r\nhi",
  "/broken": "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhi",
};

/** @type {Record<string, (response: Response, url: URL, asked: Asked) => void>} */
const pages = {
  "/echo": (response, _url, requested) => void response.end(JSON.stringify(requested)),
  "/redirect": (response, url) => {
    const location = url.searchParams.get("to");
    const status = Number(url.searchParams.get("status") ?? 302);
    response.writeHead(status, location === null ? {} : { location }).end("moved");
  },
  // Redirects this many times, always to itself; without a number for ever.
  "/hop": (response, url, requested) => {
    const left = url.searchParams.get("left");
    if (left === "0") return void response.end(JSON.stringify(requested));
    const next = new URLSearchParams(url.searchParams);
    if (left !== null) next.set("left", String(Number(left) - 1));
    response.writeHead(302, { location: `/hop?${next}` }).end();
  },
  // A page of any type; `body` is base64url.
  "/page": (response, url) => {
    const type = url.searchParams.get("type");
    const status = Number(url.searchParams.get("status") ?? 200);
    response.writeHead(status, type === null ? {} : { "content-type": type });
    response.end(Buffer.from(url.searchParams.get("body") ?? "", "base64url"));
  },
  "/empty": (response, url) => void response.writeHead(Number(url.searchParams.get("status"))).end(),
  "/bytes": (response, url) => {
    const bytes = Buffer.alloc(Number(url.searchParams.get("n")), "x");
    response.writeHead(200, { "content-length": bytes.length }).end(bytes);
  },
  "/gzip": (response) => {
    const bytes = gzipSync("unpacked");
    response.writeHead(200, { "content-encoding": "gzip", "content-length": bytes.length }).end(bytes);
  },
  "/bomb": (response) => {
    response.writeHead(200, { "content-encoding": "gzip", "content-length": bomb.length }).end(bomb);
  },
  "/endless": (response) => {
    const piece = Buffer.alloc(65_536, "x");
    const more = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", more);
    more();
  },
  // One piece, then nothing more.
  "/silent": (response) => void response.write("a piece"),
  // Sends a piece for each GET /__piece.
  "/pieces": (response) => response.flushHeaders(),
  "/hold": () => undefined,
};

/** Named notices: a promise for each name, which tests wait for. */
class Notices {
  /** @type {Map<string, { promise: Promise<unknown>, resolve: (value: unknown) => void }>} */
  #notices = new Map();

  /** @param {string} name */
  of(name) {
    const known = this.#notices.get(name);
    if (known !== undefined) return known;
    /** @type {(value: unknown) => void} */
    let resolve = () => undefined;
    const promise = new Promise((settle) => {
      resolve = settle;
    });
    const notice = { promise, resolve };
    this.#notices.set(name, notice);
    return notice;
  }
}

/** Starts the server on a free port. */
export async function startOutboundServer() {
  /** @type {Map<string, Asked[]>} */
  const requested = new Map();
  /** @type {Map<string, Response>} */
  const open = new Map();
  const notices = new Notices();
  const memory = createMemory();

  /**
   * @param {Response} response
   * @param {URL} url
   * @param {string} id
   */
  const tell = async (response, url, id) => {
    if (url.pathname === "/__asked") return void response.end(JSON.stringify(requested.get(id) ?? []));
    if (url.pathname === "/__piece") {
      open.get(id)?.write("a piece");
      return void response.end("{}");
    }
    const notice = notices.of(`${url.pathname} ${id}`);
    response.end(JSON.stringify((await notice.promise) ?? {}));
  };

  /**
   * @param {Request} request
   * @param {Response} response
   */
  const answer = async (request, response) => {
    const url = new URL(request.url ?? "/", "http://outbound-server");
    const id = url.searchParams.get("id") ?? "";
    if (url.pathname.startsWith("/__")) return tell(response, url, id);
    const body = await bodyOf(request);
    const one = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
    requested.set(id, [...(requested.get(id) ?? []), one]);
    open.set(id, response);
    response.on("close", () => notices.of(`/__closed ${id}`).resolve({ complete: response.writableFinished }));
    notices.of(`/__arrived ${id}`).resolve({});

    if (url.pathname === "/dns-query") return answerQuestion(memory, response, url);
    const bytes = raw[/** @type {keyof typeof raw} */ (url.pathname)];
    if (bytes !== undefined) return void request.socket.end(bytes);
    const page = pages[url.pathname];
    if (page === undefined) response.writeHead(404).end();
    else page(response, url, one);
  };

  return startServer(answer);
}
