// Requests to clouds in tests: each host of a cloud is answered by the model server under the same path, and token endpoints by the test.

import { expect, inject, it } from "vitest";

import type { ModelPart, ModelPort, ModelRequest } from "#core/ports/model-port.ts";
import { createModelPort } from "#models/create-model-port.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { checkedFetch } from "../support/wire-rules/checked-fetch.ts";
import { collect, request } from "./ask-model.ts";

/** The credentials of the application that the model server knows. */
export const clientEnv = {
  AZURE_TENANT_ID: "tenant-of-the-tests",
  AZURE_CLIENT_ID: "client-of-the-tests",
  AZURE_CLIENT_SECRET: "client-secret-0009~abc",
};

/** A request as it was sent. */
export interface SentRequest {
  url: string;
  headers: Headers;
  body: string;
  redirect: string | undefined;
}

/** Answers in place of a host; null for a request that the model server answers. */
type Reply = (url: URL, headers: Headers) => Response | Promise<Response> | null;

/** A fetch whose requests `reply` answers, else the model server. */
function cloudFetch(sent: SentRequest[], reply: Reply = () => null): typeof globalThis.fetch {
  return checkedFetch((input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const headers = new Headers(init?.headers);
    sent.push({
      url: url.href,
      headers,
      body: typeof init?.body === "string" ? init.body : "",
      redirect: init?.redirect,
    });
    const replied = reply(url, headers);
    if (replied !== null) return Promise.resolve(replied);
    // AI Gateway has the path of the provider after the names of the account, the gateway and the provider.
    const path = url.pathname
      .replace(/^\/v1\/acc\/[\w-]+\/azure-openai\/[\w-]+\//, "/openai/deployments/")
      .replace(/^\/v1\/acc\/[\w-]+\/google-vertex-ai\//, "/");
    return fetch(`${inject("modelServer")}${path}${url.search}`, init);
  });
}

/** A port over such a fetch, and what it sent. */
export function cloudPort(env: Record<string, unknown>, reply?: Reply): { port: ModelPort; sent: SentRequest[] } {
  const sent: SentRequest[] = [];
  return { port: createModelPort({ env, fetch: cloudFetch(sent, reply) }), sent };
}

/** Calls a model. Returns what was sent, and the parts of the answer. */
export async function callCloud(
  definition: AnyModelDefinition,
  env: Record<string, unknown>,
  more: Partial<ModelRequest> = {},
): Promise<{ sent: SentRequest[]; parts: ModelPart[] }> {
  const { port, sent } = cloudPort(env);
  return { parts: await collect(port.stream(request(definition, more), new AbortController().signal)), sent };
}

/** Makes the access token of a request expire. */
export async function expireToken({ headers }: SentRequest): Promise<void> {
  const token = (headers.get("authorization") ?? "").replace("Bearer ", "");
  await fetch(`${inject("modelServer")}/__expire-token?token=${encodeURIComponent(token)}`);
}

interface TokenEndpoint {
  host: string;
  /** The variables of the credentials, as errors name them. */
  names: string;
  secret: string;
  definition: AnyModelDefinition;
  /** The environment of a case. */
  envOf: (title: string) => Record<string, unknown>;
  /** The text of a refusal, and its body. */
  text: string;
  body: object;
}

/** Tests how the failures of a token endpoint are reported. */
export function tokenEndpoint({ host, names, secret, definition, envOf, text, body }: TokenEndpoint): void {
  const of = (kind: string, retryable: boolean, message: string) => ({ kind, retryable, message });
  const page = "<html><body>Sign in</body></html>";
  it.for<[string, () => Response | Promise<Response>, ReturnType<typeof of>]>([
    ["refuses the credentials", () => Response.json(body, { status: 400 }), of("auth", false, text)],
    ["answers with a page", () => new Response(page), of("auth", false, "a page in place of a token")],
    ["answers with an empty object", () => Response.json({}), of("auth", false, names)],
    ["answers with a token that is no text", () => Response.json({ access_token: [1] }), of("auth", false, names)],
    [
      "answers with deep JSON",
      () => new Response("[".repeat(100)),
      of("network", true, `No access token came from ${host}`),
    ],
    [
      "answers without an end",
      () => new Response("x".repeat(100_000)),
      of("network", true, `No access token came from ${host}`),
    ],
    [
      "redirects to another host",
      () => new Response(null, { status: 307, headers: { location: "https://evil.example/token" } }),
      of("auth", false, "redirects to another address"),
    ],
    ["is not available", () => new Response("busy", { status: 503 }), of("network", true, "status 503")],
    [
      "has a limit of requests",
      () => new Response("{}", { status: 429, headers: { "retry-after": "7" } }),
      of("rate_limited", true, names),
    ],
    [
      "cannot be reached",
      () => Promise.reject(new TypeError("Network connection lost.")),
      of("network", true, `No access token came from ${host}`),
    ],
  ])(
    "CLOUD2 A token endpoint that %s ends the request without sending it, with the reason",
    async ([title, reply, failure]) => {
      const { port, sent } = cloudPort(envOf(title), (url) => (url.host === host ? reply() : null));
      const parts = await collect(port.stream(request(definition), new AbortController().signal));
      expect(sent.map(({ url }) => new URL(url).host)).toEqual([host]);
      // The platform follows no redirect with the credentials.
      expect(sent.map(({ redirect }) => redirect)).toEqual(["manual"]);
      const { kind, retryable, message } = failure;
      const expected = { kind, retryable, message: expect.stringContaining(message) as string };
      expect(parts).toMatchObject([{ type: "error", failure: expected }]);
      expect(JSON.stringify(parts)).not.toContain(secret);
      if (kind === "rate_limited") expect(parts).toMatchObject([{ failure: { retry_after_ms: 7000 } }]);
    },
  );

  it("An abort ends a request whose token endpoint never responds", async () => {
    const abort = new AbortController();
    const { port } = cloudPort(envOf("silent"), () => {
      abort.abort();
      return new Promise(() => undefined);
    });
    const parts = await collect(port.stream(request(definition), abort.signal));
    expect(parts).toMatchObject([{ type: "error", failure: { kind: "aborted", retryable: false } }]);
  });

  it("CLOUD2 A token endpoint that repeats a secret does not show it", async () => {
    const { port } = cloudPort(envOf("repeats"), (url) =>
      url.host === host ? Response.json({ error: `bad ${secret}` }, { status: 400 }) : null,
    );
    const parts = await collect(port.stream(request(definition), new AbortController().signal));
    expect(JSON.stringify(parts)).toContain("[redacted]");
    expect(JSON.stringify(parts)).not.toContain(JSON.stringify(secret).slice(1, -1));
  });
}
