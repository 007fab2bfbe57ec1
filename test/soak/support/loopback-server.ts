// A server on the loopback, outside of the project: its own failures are reported, never swallowed.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** An open server. */
export interface LoopbackServer {
  url: string;
  close: () => Promise<void>;
}

/** Serves requests until it is closed. `failed` receives the error of a request that failed. */
export async function openLoopback(
  serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  failed: (thrown: unknown) => void,
): Promise<LoopbackServer> {
  const server = createServer((request, response) => {
    // The connection of a killed peer is reset.
    request.on("error", () => response.destroy());
    serve(request, response).catch((thrown: unknown) => {
      response.destroy();
      // A request whose sender was killed in the middle fails here. That is no failure of this server.
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

/** Reads the body of a request. */
export async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
