// The fetch function for requests to authorization servers, and the errors of these requests. An error contains no text of a response,
// because a server may repeat a code or a token there.

import { OAuthError } from "@modelcontextprotocol/client";
import type { FetchLike } from "@modelcontextprotocol/client";
import { z } from "zod";

import { ThreadholdError } from "#contract/error.ts";
import type { OutboundFetch } from "#core/ports/outbound-fetch.ts";
import { JsonMeter } from "#lib/untrusted/bounded-json.ts";
import { countedResponse } from "#lib/untrusted/bounded-response.ts";

import { McpServerError } from "../server-error.ts";

/** Bounds of a request from when it is sent. The time in the queue of requests does not count; the signal of a request ends it. */
const limits = { bytes: 256 * 1024, headersMs: 10_000, idleMs: 5000, totalMs: 12_000, redirects: 2 };

/** Bounds of a response, which the SDK parses: metadata, a registration, a token. */
const bounds = { values: 10_000, depth: 16 };

/** Creates the fetch function. A request with a body follows no redirect, because its body has secrets. */
export function oauthFetch(fetch: OutboundFetch, allowedHosts: readonly string[]): FetchLike {
  return async (url, { method = "GET", headers, body, redirect, signal } = {}) => {
    const response = await fetch(url, {
      method,
      ...(headers === undefined ? {} : { headers }),
      // The guarded fetch sends a text as it is.
      ...(body == null ? {} : { body: body instanceof URLSearchParams ? body.toString() : body }),
      redirect: method === "GET" ? (redirect ?? "follow") : "error",
      signal: signal ?? null,
      allowedHosts,
      limits,
    });
    return countedResponse(response, new JsonMeter(bounds));
  };
}

/** The addresses of the authorization server of a request for tokens. */
interface TokenServerAddresses {
  issuer: string;
  tokenEndpoint: string;
  clientMethods: string[];
}

/**
 * The metadata and the fetch function for requests for tokens. The SDK refuses an endpoint with http, except on this machine. An endpoint with
 * http was checked: its host is in `allowedHosts`. So the SDK gets the address with https, and the request is sent to the checked address.
 */
export function tokenRequests({ issuer, tokenEndpoint, clientMethods }: TokenServerAddresses, send: FetchLike) {
  return {
    metadata: {
      issuer,
      authorization_endpoint: issuer,
      token_endpoint: tokenEndpoint.replace(/^http:/, "https:"),
      response_types_supported: ["code"],
      token_endpoint_auth_methods_supported: clientMethods,
    },
    fetchFn: ((_address, init) => send(tokenEndpoint, init)) satisfies FetchLike,
  };
}

/** Ends a response whose body is not read. */
export async function dropBody({ body }: Response): Promise<void> {
  // The connection may be broken already.
  await body?.cancel().catch(() => undefined);
}

/** The codes of OAuth that an error text may repeat. */
const knownCodes = new Set([
  "access_denied",
  "invalid_client",
  "invalid_client_metadata",
  "invalid_grant",
  "invalid_redirect_uri",
  "invalid_request",
  "invalid_scope",
  "invalid_target",
  "server_error",
  "temporarily_unavailable",
  "too_many_requests",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
]);

/** Returns a code that is safe to repeat; null for any other text. */
export function knownCode(code: string | undefined): string | null {
  return code !== undefined && knownCodes.has(code) ? code : null;
}

/** Converts a thrown value to an error. `action` names what failed: "The registration at the authorization server". */
export function oauthError(name: string, action: string, thrown: unknown): McpServerError {
  return thrown instanceof McpServerError
    ? thrown
    : new McpServerError(`${action} of the MCP server "${name}" failed: ${reason(thrown)}`);
}

function reason(thrown: unknown): string {
  if (thrown instanceof ThreadholdError) return thrown.message;
  if (thrown instanceof OAuthError) {
    const code = knownCode(thrown.code);
    return code === null ? "the server refused the request." : `the server refused the request (${code}).`;
  }
  if (thrown instanceof z.core.$ZodError || thrown instanceof SyntaxError)
    return "the response has an unexpected form.";
  return "the connection failed, or the response is unexpected.";
}
