// Access tokens of clouds, which are created from credentials in variables. It is loaded with the first request that needs a token. Invariants:
// credentials are sent to the token endpoint alone, which never redirects; a token is kept in the isolate until shortly before it expires,
// as a value and never as a promise; a request whose token is refused is sent once more, with a new token.

import { fieldsOf, textOrJson } from "#lib/json-value.ts";
import { JsonMeter, parseCountedJson } from "#lib/untrusted/bounded-json.ts";
import { countedResponse } from "#lib/untrusted/bounded-response.ts";

import { sentenceOf } from "./error-sentence.ts";
import { fitsHeader } from "./fits-header.ts";
import type { TokenRequest } from "./provider/cloud-access.ts";
import type { ProviderSettings } from "./provider/provider-profile.ts";
import { RefusedRequest } from "./refused-request.ts";
import { readAskedWait } from "./retry-after.ts";

type Fetch = typeof globalThis.fetch;

/** What creates the tokens of one request. */
export interface TokenOptions {
  fetch: Fetch;
  settings: ProviderSettings;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Called with each new token, so that it is removed from texts. */
  created: (token: string) => void;
}

interface KeptToken {
  token: string;
  /** Milliseconds since 1970. */
  until: number;
}

/** The tokens of the isolate, by their credentials and their address. */
const kept = new Map<string, KeptToken>();
const mostTokens = 100;

/** A token is not used in the last minutes before it expires, because a request may wait in a queue of the provider. */
const reserveMs = 5 * 60_000;

/** Bounds of the response of a token endpoint. */
const longestResponse = 64 * 1024;
const responseBounds = { values: 1_000, depth: 16 };

/** Creates a fetch that adds an access token to each request. */
export function tokenFetch(options: TokenOptions): Fetch {
  const { fetch } = options;
  const send = async (input: Parameters<Fetch>[0], init?: RequestInit): Promise<Response> => {
    const signal = init?.signal ?? null;
    const sendWith = (token: string): Promise<Response> => {
      const headers = new Headers(init?.headers);
      headers.set("authorization", `Bearer ${token}`);
      return fetch(input, { ...init, headers });
    };
    const response = await sendWith(keptToken(options) ?? (await newToken(options, signal)));
    if (response.status !== 401) return response;
    await response.body?.cancel();
    const again = await sendWith(await newToken(options, signal));
    if (again.status === 401) kept.delete(keyOf(options));
    return again;
  };
  return send as Fetch;
}

/** The key of a token: what it was created from and where it is used. */
function keyOf({ settings: { tokens, host } }: TokenOptions): string {
  return JSON.stringify([host, tokens?.credentials]);
}

function keptToken(options: TokenOptions): string | null {
  const known = kept.get(keyOf(options));
  if (known === undefined || known.until <= options.now()) return null;
  options.created(known.token);
  return known.token;
}

async function newToken(options: TokenOptions, signal: AbortSignal | null): Promise<string> {
  const { settings, now, created, fetch } = options;
  const { tokens, host } = settings;
  if (tokens === undefined) throw new RefusedRequest("The request has no credentials.");
  const began = now();
  const { url, form } = await tokens.tokenRequest(tokens.credentials, { host, now: began });
  const names = Object.keys(tokens.credentials).join(", ");
  const endpoint = new URL(url).host;
  const response = await sent(fetch, { url, form, signal });
  const fields = fieldsOf(await bodyOf(response, endpoint, signal));
  const token = fields["access_token"];
  if (!response.ok || typeof token !== "string" || token === "" || !fitsHeader(token))
    throw refusal(response, { fields, endpoint, names, now: began });
  created(token);
  const seconds = Number(fields["expires_in"]);
  const lifetime = Number.isFinite(seconds) ? seconds * 1000 : 0;
  const until = began + lifetime - Math.min(reserveMs, lifetime / 2);
  kept.delete(keyOf(options));
  const [oldest] = kept.keys();
  if (kept.size >= mostTokens && oldest !== undefined) kept.delete(oldest);
  kept.set(keyOf(options), { token, until });
  return token;
}

/** Posts the form. A redirect is not followed, because the credentials belong to the endpoint alone. */
async function sent(
  fetch: Fetch,
  { url, form, signal }: TokenRequest & { signal: AbortSignal | null },
): Promise<Response> {
  try {
    return await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body: new URLSearchParams(form).toString(),
      redirect: "manual",
      signal,
    });
  } catch (error) {
    throw lost(error, new URL(url).host, signal);
  }
}

/** The failure of a connection to the token endpoint. An abort stays one. */
function lost(error: unknown, endpoint: string, signal: AbortSignal | null): unknown {
  if (signal?.aborted === true) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new RefusedRequest(`${reason} (No access token came from ${endpoint}.)`, { kind: "network", retryable: true });
}

/** The fields of a response; its text if it is not JSON. */
async function bodyOf(response: Response, endpoint: string, signal: AbortSignal | null): Promise<unknown> {
  let text: string;
  try {
    text = await countedResponse(response, new JsonMeter(responseBounds), { bytes: longestResponse }).text();
  } catch (error) {
    throw lost(error, endpoint, signal);
  }
  try {
    return parseCountedJson(text);
  } catch {
    return text.trim().startsWith("<") ? { error: "a page in place of a token" } : { error: text };
  }
}

interface RefusedToken {
  fields: Readonly<Record<string, unknown>>;
  endpoint: string;
  /** The names of the variables with the credentials. */
  names: string;
  now: number;
}

/** The failure of a token endpoint that sent no token, with its own text, which is cut after secrets are removed from it. */
function refusal(response: Response, { fields, endpoint, names, now }: RefusedToken): RefusedRequest {
  const { status, headers } = response;
  if (status >= 300 && status < 400)
    return new RefusedRequest(
      `The token endpoint ${endpoint} redirects to another address, where the credentials of ${names} are not sent.`,
      { kind: "auth", status },
    );
  const { error, error_description: description } = fields;
  const said = [error, description].filter((text) => typeof text === "string" && text !== "");
  const text = said.length > 0 ? said.join(": ") : (sentenceOf(fields) ?? textOrJson(fields));
  const wait = readAskedWait({ headers, body: fields, sentence: text }, now);
  const isPassing = status === 429 || status >= 500;
  return new RefusedRequest(
    `The token endpoint ${endpoint} sent no access token for ${names} (status ${status}): ${text}`,
    {
      kind: status === 429 ? "rate_limited" : isPassing ? "network" : "auth",
      retryable: isPassing && !wait.tooLong,
      status,
      retry_after_ms: wait.ms,
    },
  );
}
