// A server of the tests on the loopback: starts on a free port, and keeps what it received by scope, which tests wait for.

import { createServer } from "node:http";

/**
 * @typedef {import("node:http").IncomingMessage} Request
 * @typedef {import("node:http").ServerResponse} Response
 */

/**
 * Starts a server on a free port of the loopback. A request whose answer fails, because its client has left for example, loses its connection.
 * @param {(request: Request, response: Response) => void | Promise<void>} answer
 */
export async function startServer(answer) {
  const server = createServer((request, response) => {
    Promise.resolve(answer(request, response)).catch((error) => response.destroy(error));
  });
  // A connection that the server closes while a request arrives would be a failure that no test intends.
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

/**
 * What a server received, by scope. A scope is made when it is first named.
 * @template Record
 */
export class Scopes {
  /** @type {Map<string, Record & { waiting: Set<() => void> }>} */
  #scopes = new Map();
  #create;

  /** @param {() => Record} create */
  constructor(create) {
    this.#create = create;
  }

  /** @param {string} name */
  of(name) {
    const scope = this.#scopes.get(name) ?? { ...this.#create(), waiting: new Set() };
    this.#scopes.set(name, scope);
    return scope;
  }

  /**
   * Answers a request once what it waits for has arrived. `find` returns undefined before that.
   * @param {string} name @param {Response} response @param {(scope: Record) => object | undefined} find
   */
  answerOnce(name, response, find) {
    const scope = this.of(name);
    const look = () => {
      const found = find(scope);
      if (found === undefined) return;
      scope.waiting.delete(look);
      response.setHeader("content-type", "application/json").end(JSON.stringify(found));
    };
    scope.waiting.add(look);
    look();
  }

  /** Has to be called after a scope has received something. @param {string} name */
  notify(name) {
    for (const look of this.of(name).waiting) look();
  }
}

/** Reads the body of a request as text. @param {Request} request */
export async function bodyOf(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}
