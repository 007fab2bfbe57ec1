// A server that gives the answers of a test's plan, one request after the other, and records the requests.

import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

import { deferred } from "#lib/deferred.ts";

/**
 * An answer. `cut` accepts the request and breaks the connection. `silent` never answers. The header `x-endless` begins an answer without
 * an end. The header `x-broken` breaks the connection in the middle of the answer.
 */
export type PlannedAnswer =
  | "cut"
  | "silent"
  | { status?: number; json?: unknown; text?: string; headers?: Record<string, string> };

/** The recorded requests. */
interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Answers in the order of `plan`, and with its last answer from then on. */
export async function openAnsweringServer(plan: readonly PlannedAnswer[]) {
  const observed: SeenRequest[] = [];
  const watchers = new Set<() => void>();
  const left = deferred<void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("error", () => undefined);
    response.on("close", () => {
      if (!response.writableFinished) left.resolve();
    });
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const answer = plan[Math.min(observed.length, plan.length - 1)] ?? {};
      observed.push({ method, url, headers, body: Buffer.concat(chunks).toString("utf8") });
      for (const watcher of watchers) watcher();
      if (answer === "silent") return;
      if (answer === "cut") {
        request.socket.destroy();
        return;
      }
      const { status = 200, json, text } = answer;
      const type = json === undefined ? "text/html" : "application/json";
      response.writeHead(status, { "content-type": type, ...answer.headers });
      if (answer.headers?.["x-broken"] !== undefined) {
        response.write("{", () => request.socket.destroy());
        return;
      }
      const said = json === undefined ? (text ?? "") : JSON.stringify(json);
      if (answer.headers?.["x-endless"] === undefined) response.end(said);
      else response.write(said);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    observed,
    /** Resolves once that many requests have arrived. */
    async came(count: number): Promise<void> {
      while (observed.length < count) {
        await new Promise<void>((resolve) => {
          const watcher = (): void => {
            watchers.delete(watcher);
            resolve();
          };
          watchers.add(watcher);
        });
      }
    },
    /** Resolves once a client has closed its connection before its answer was complete. */
    left: () => left.promise,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** An error of the contract as an answer. */
export function refusal(status: number, code: string, headers: Record<string, string> = {}): PlannedAnswer {
  return { status, json: { error: { code, message: `It says ${code}.`, details: { why: code } } }, headers };
}
