// The body of the one request that a call sends to a provider.

import type { ModelRequest } from "#core/ports/model-port.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { collect, model, request, serverPort, type Provider } from "./ask-model.ts";

/** A JSON value whose shape a test does not know. */
export type Sent = { [key: string]: Sent } & { [index: number]: Sent } & Iterable<Sent>;

/** One captured request. */
export interface Captured {
  url: string;
  headers: Record<string, string>;
  body: Sent;
}

/** The request of a call, captured before it is sent. */
export async function capture(
  provider: Provider,
  more: Partial<ModelRequest> = {},
  definition: Partial<AnyModelDefinition> = {},
): Promise<Captured> {
  const caught: Captured[] = [];
  const port = serverPort({
    fetch: (input, init) => {
      const sent = new Request(input as RequestInfo, init);
      const body = typeof init?.body === "string" ? init.body : "";
      caught.push({ url: sent.url, headers: Object.fromEntries(sent.headers), body: JSON.parse(body) as Sent });
      return Promise.resolve(Response.json({ error: { message: "caught" } }, { status: 400 }));
    },
  });
  const requested = request(model(provider, "some-model", definition), more);
  const parts = await collect(port.stream(requested, new AbortController().signal));
  const [only] = caught;
  if (only === undefined || caught.length !== 1) {
    throw new Error(`${caught.length} requests were sent: ${JSON.stringify(parts)}`);
  }
  return only;
}
