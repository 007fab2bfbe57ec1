// A server on the loopback, outside the project's own: what goes wrong inside it is told, never swallowed.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** An open server. */
export interface LoopbackServer {
  url: string;
  close: () => Promise<void>;
}

/** Serves requests until closed. `failed` is told what a request broke on. */
export async function openLoopback(
  serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  failed: (thrown: unknown) => void,
): Promise<LoopbackServer> {
  const server = createServer((request, response) => {
    // A peer that was killed resets its connections.
    request.on("error", () => response.destroy());
    serve(request, response).catch((thrown: unknown) => {
      response.destroy();
      // A request whose sender was killed while it sent breaks here, and that is the sender's end alone.
      if (!request.destroyed || request.complete) failed(thrown);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A request's body. */
export async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
