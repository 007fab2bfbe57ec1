// The server of a scenario: a fetch that answers each request with the bytes that the author of a provider gives for its parts. The bytes arrive
// one by one, so that a provider which splits characters or lines at the wrong place is found.

import type { ProviderPart } from "#spec/index.ts";

import type { ProviderScenario, SentRequest } from "./provider-rules.ts";

/** The server, and the requests that it received. */
export interface ProviderServer {
  fetch: typeof globalThis.fetch;
  requests: readonly SentRequest[];
}

interface ServerOptions {
  respond: (parts: readonly ProviderPart[], request: Request) => string | Promise<string>;
  headers?: Record<string, string> | undefined;
}

/** Creates the server of one scenario. */
export function scriptedServer(scenario: ProviderScenario, { respond, headers }: ServerOptions): ProviderServer {
  const requests: SentRequest[] = [];
  const answer = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input as RequestInfo, init as RequestInit);
    const sent: SentRequest = { body: await request.clone().text(), signal: init?.signal ?? null };
    requests.push(sent);
    const { status } = scenario;
    if (status !== null) {
      const body = JSON.stringify({ error: { message: `The server refused the request with ${status}.` } });
      const wait = status === 429 ? { "retry-after": "7" } : {};
      return new Response(body, { status, headers: { "content-type": "application/json", ...wait } });
    }
    const text = await respond(scenario.parts, request);
    return new Response(bodyOf(new TextEncoder().encode(text), scenario.end === "open"), {
      headers: headers ?? { "content-type": "text/event-stream" },
    });
  };
  return { fetch: answer as typeof globalThis.fetch, requests };
}

function bodyOf(bytes: Uint8Array, staysOpen: boolean): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.subarray(at, ++at));
      else if (staysOpen) return new Promise<void>(() => undefined);
      else controller.close();
      return undefined;
    },
  });
}
