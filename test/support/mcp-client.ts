// The official client of MCP over any function that sends requests: to the application in this process, or over the network.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { ElicitRequest, ElicitResult, Progress } from "@modelcontextprotocol/sdk/types.js";
import type { jsonSchemaValidator } from "@modelcontextprotocol/sdk/validation";

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Options of a client. */
export interface McpClientOptions {
  fetch: Fetch;
  headers?: Record<string, string>;
  /** Answers the server's questions to a person. Without it the client does not have the capability. */
  elicit?: (params: ElicitRequest["params"]) => ElicitResult | Promise<ElicitResult>;
  /** Replaces the client's check of structured content, which a Worker cannot execute. */
  jsonSchemaValidator?: jsonSchemaValidator;
}

/** A connected client. */
export interface McpClient {
  client: Client;
  transport: StreamableHTTPClientTransport;
  /** Calls a tool. Progress is requested if `progress` is given. */
  call: (name: string, args: object, options?: CallOptions) => Promise<CallAnswer>;
}

/** Options of a call. */
export interface CallOptions {
  progress?: (progress: Progress) => void;
  signal?: AbortSignal;
}

/** The members of a result that the tests read. */
export interface CallAnswer {
  isError: boolean;
  texts: string[];
  /** The fields of the structured content; those that are absent are undefined. */
  data: {
    thread_id: string;
    run_id: string | null;
    status: string | null;
    answer: string | null;
    waiting?: { call_id: string; kind: string; name: string; arguments?: unknown }[];
    data?: unknown;
  };
}

/** Milliseconds that a test waits at most for an answer, in place of the client's minute. */
const timeoutMs = 200_000;

/** Connects a client to the server of an origin. */
export async function connectMcp(origin: string, options: McpClientOptions): Promise<McpClient> {
  const { fetch, headers = {}, elicit, jsonSchemaValidator } = options;
  const capabilities = elicit === undefined ? {} : { elicitation: {} };
  const checks = jsonSchemaValidator === undefined ? {} : { jsonSchemaValidator };
  const client = new Client({ name: "test", version: "1" }, { capabilities, ...checks });
  if (elicit !== undefined) client.setRequestHandler(ElicitRequestSchema, ({ params }) => elicit(params));
  const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), {
    fetch,
    requestInit: { headers },
    reconnectionOptions: {
      initialReconnectionDelay: 1,
      maxReconnectionDelay: 1,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 5,
    },
  });
  // The types of the SDK and of this project treat absent members differently.
  await client.connect(transport as Transport);
  return {
    client,
    transport,
    call: async (name, args, { progress, signal } = {}) => {
      const result = await client.callTool({ name, arguments: { ...args } }, undefined, {
        timeout: timeoutMs,
        ...(progress === undefined ? {} : { onprogress: progress }),
        ...(signal === undefined ? {} : { signal }),
      });
      const content = result.content as { type: string; text: string }[];
      return {
        isError: result.isError === true,
        texts: content.map(({ text }) => text),
        data: result.structuredContent as CallAnswer["data"],
      };
    },
  };
}

/** The JSON-RPC message of a client's request; empty for a request without a body. */
export function sentText(init: RequestInit | undefined): string {
  return typeof init?.body === "string" ? init.body : "";
}

/** The response, whose connection the client closes after a text has arrived. */
export function closedAfter(text: string, response: Response): Response {
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
  const decoder = new TextDecoder();
  let received = "";
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await reader.read();
      if (value !== undefined) {
        received += decoder.decode(value, { stream: true });
        controller.enqueue(value);
      }
      if (!done && !received.includes(text)) return;
      await reader.cancel();
      controller.close();
    },
  });
  return new Response(body, response);
}
