// Stands in front of the model server and decides for each conversation which recorded answers it returns. A test
// orders a list of answers and puts the returned mark into its message; each request of that conversation gets the next
// answer. All requests are recorded.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { type ModelServer, startModelServer } from "../../support/model-server/server.mjs";

/** One answer: the name of a fixture, and how it is changed. */
export interface Order {
  fixture: string;
  /** The connection breaks after this many bytes. */
  breakAfter?: number;
  /** Nothing more is sent after this many bytes until the promise resolves. */
  pause?: { afterBytes: number; until: Promise<void> };
  headers?: Record<string, string>;
  /** The first event that contains this text is sent this number of times. */
  repeat?: { text: string; times: number };
  /** Its error messages repeat the key of the request, as some providers do. */
  repeatKey?: true;
}

/** A request as the provider receives it. */
export interface SeenRequest {
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/** An open desk: the server in front of the model server. */
export interface ProviderDesk {
  url: string;
  /** Orders answers. Returns the mark that the message has to contain. */
  order: (orders: Order[]) => string;
  /** The requests with a mark. */
  received: (mark: string) => SeenRequest[];
  close: () => Promise<void>;
}

const markPattern = /desk:\d+:/g;

/** Opens the desk on the loopback. */
export async function openProviderDesk(): Promise<ProviderDesk> {
  const models = await startModelServer();
  const ordered = new Map<string, Order[]>();
  const received = new Map<string, SeenRequest[]>();

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readText(request);
    // The last mark counts, because earlier messages of the conversation contain theirs.
    const mark = text.match(markPattern)?.at(-1) ?? "";
    const body = JSON.parse(text) as Record<string, unknown>;
    const path = request.url ?? "/";
    const headers = request.headers as Record<string, string>;
    received.get(mark)?.push({ path, headers, body });
    const order = ordered.get(mark)?.shift();
    if (order === undefined) {
      response.writeHead(400, { "content-type": "application/json" }).end(`{"error":{"message":"no order ${mark}"}}`);
      return;
    }
    await pass(models, { path, headers, body, order, response });
  };

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    order(orders) {
      const mark = `desk:${String(received.size + 1)}:`;
      ordered.set(mark, [...orders]);
      received.set(mark, []);
      return mark;
    },
    received: (mark) => received.get(mark) ?? [],
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await models.close();
    },
  };
}

interface Passing extends SeenRequest {
  order: Order;
  response: ServerResponse;
}

async function pass(models: ModelServer, { path, headers, body, order, response }: Passing): Promise<void> {
  const model = `case:${order.fixture}`;
  const chosen = path.replace(/(\/models\/)[^/:]+(?=:)/, `$1${encodeURIComponent(model)}`);
  const answer = await fetch(`${models.url}${chosen}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(order.breakAfter === undefined ? {} : { "x-server-break": String(order.breakAfter) }),
    },
    body: JSON.stringify("model" in body ? { ...body, model } : body),
  });
  const type = answer.headers.get("content-type") ?? "";
  response.writeHead(answer.status, { "content-type": type, ...order.headers });
  if (order.repeat !== undefined) {
    response.end(repeated(await answer.text(), order.repeat));
  } else if (order.repeatKey) {
    const key = keyIn(headers);
    response.end((await answer.text()).replace(/"message":\s*"/g, (found) => `${found}${key} is not it. `));
  } else {
    const body: AsyncIterable<Uint8Array> = answer.body ?? Readable.from([]);
    await pipeline(Readable.from(order.pause === undefined ? body : paused(body, order.pause)), response);
  }
}

function repeated(stream: string, { text, times }: NonNullable<Order["repeat"]>): string {
  const events = stream.split(/(?<=\r?\n\r?\n)/);
  const at = events.findIndex((event) => event.includes(text));
  return events.map((event, index) => (index === at ? event.repeat(times) : event)).join("");
}

async function* paused(body: AsyncIterable<Uint8Array>, { afterBytes, until }: NonNullable<Order["pause"]>) {
  let sent = 0;
  for await (const piece of body) {
    const before = Math.max(0, Math.min(piece.length, afterBytes - sent));
    sent += piece.length;
    if (before > 0) yield piece.subarray(0, before);
    if (before === piece.length) continue;
    await until;
    yield piece.subarray(before);
  }
}

function keyIn(headers: Record<string, string>): string {
  const bearer = headers["authorization"]?.replace(/^Bearer /, "");
  return bearer ?? headers["x-api-key"] ?? headers["x-goog-api-key"] ?? "no key";
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
