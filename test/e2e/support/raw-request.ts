// A request with full control over the wire: its path is sent unchanged, its body piece by piece, and it can be
// interrupted at any point.

import { once } from "node:events";
import { request } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";

import { timeoutMs, within } from "../../support/http-client/deadline.ts";

/** A response that was read to its end. */
export interface RawAnswer {
  status: number;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

/** The server and the credentials. */
export interface RawTarget {
  url: string;
  headers: Record<string, string>;
}

/** A request whose body is still being sent. Without a `content-length` header the body is sent in chunks. */
export class RawRequest {
  readonly #request: ClientRequest;
  readonly #response: Promise<IncomingMessage>;

  constructor(target: RawTarget, method: string, path: string, headers: Record<string, string> = {}) {
    const { hostname, port } = new URL(target.url);
    const all = { host: new URL(target.url).host, ...target.headers, ...headers };
    this.#request = request({ hostname, port, method, path, headers: all, agent: false });
    this.#response = new Promise((resolve, reject) => {
      this.#request.on("response", resolve);
      this.#request.on("error", reject);
    });
    // A caller that waits for the response receives the error. Without a caller it must not count as unhandled.
    this.#response.catch(() => undefined);
    this.#request.flushHeaders();
  }

  /** Sends a piece; resolves when the connection accepts more. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#request.write(bytes)) return;
    await within(
      timeoutMs,
      "the server to take more bytes",
      Promise.race([once(this.#request, "drain"), this.#response]),
    );
  }

  end(): void {
    this.#request.end();
  }

  /**
   * Ends the client's side of the connection in the middle of the body; resolves when the server has given up on it.
   */
  async breakOff(): Promise<void> {
    const socket =
      this.#request.socket ?? ((await once(this.#request, "socket"))[0] as NonNullable<ClientRequest["socket"]>);
    const closed = once(socket, "close");
    socket.end();
    await within(timeoutMs, "the server to close a broken request", closed);
  }

  /** Closes the connection without any further message. */
  vanish(): void {
    this.#request.destroy();
  }

  /** The head of the response; its body is read on demand. */
  response(): Promise<IncomingMessage> {
    return within(timeoutMs, "an answer", this.#response);
  }

  async answer(): Promise<RawAnswer> {
    const response = await this.response();
    const pieces: Uint8Array[] = [];
    for await (const piece of response) pieces.push(piece as Uint8Array);
    return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) };
  }
}

/** Sends a complete request. */
export async function rawCall(
  target: RawTarget,
  method: string,
  path: string,
  { body, headers = {} }: { body?: Uint8Array; headers?: Record<string, string> } = {},
): Promise<RawAnswer> {
  const length = body === undefined ? {} : { "content-length": String(body.byteLength) };
  const sent = new RawRequest(target, method, path, { ...length, ...headers });
  if (body !== undefined) await sent.write(body);
  sent.end();
  return sent.answer();
}

/** The code of a refusal. */
export function codeIn({ body }: RawAnswer): string {
  return (JSON.parse(body.toString()) as { error: { code: string } }).error.code;
}
