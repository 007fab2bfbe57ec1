// The transport for MCP servers of the protocol version 2024-11-05: HTTP with SSE.

import { SSEClientTransport } from "@modelcontextprotocol/client";
import type { SSEClientTransportOptions, Transport } from "@modelcontextprotocol/client";

/** Creates the transport for servers of the protocol version 2024-11-05. */
export function sseTransport(url: URL, options: SSEClientTransportOptions): Transport {
  // oxlint-disable-next-line typescript/no-deprecated -- the only transport of the SDK for servers of 2024-11-05
  const transport: Transport = new SSEClientTransport(url, options);
  const start = transport.start.bind(transport);
  // The transport's event source calls its handler `onmessage`, and the runtime calls the handler of this name again. A server's request would
  // be answered twice.
  transport.start = () => {
    const receive = transport.onmessage;
    const ids = new Set<unknown>();
    transport.onmessage = (message, extra) => {
      const isRepeated = "method" in message && "id" in message && ids.has(message.id);
      if ("method" in message && "id" in message) ids.add(message.id);
      if (!isRepeated) receive?.(message, extra);
    };
    return start();
  };
  return transport;
}
