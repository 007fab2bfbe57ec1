// The record of an authorization, as it is sealed and stored: tokens, and what is needed to refresh and to revoke them. The responses of an
// authorization server are checked here: a token becomes a header of requests.

import type { OAuthTokens } from "@modelcontextprotocol/client";
import { z } from "zod";

import { parseOwnJson } from "#lib/untrusted/own-json.ts";

import { McpServerError } from "../server-error.ts";
import type { OAuthClient } from "./oauth-options.ts";
import type { AuthorizationServer } from "./server-metadata.ts";

/** The maximum length of a token. */
const tokenLimit = 16 * 1024;

const clientSchema = z.object({
  client_id: z.string(),
  client_secret: z.string().exactOptional(),
  token_endpoint_auth_method: z.string().exactOptional(),
});

const serverSchema = z.object({
  issuer: z.string(),
  tokenEndpoint: z.string(),
  revocationEndpoint: z.string().nullable(),
  clientMethods: z.array(z.string()),
  resource: z.string().nullable(),
});

/** The parts of an authorization server that later requests need. */
export type TokenServer = z.infer<typeof serverSchema>;

const recordSchema = z.object({
  server: serverSchema,
  /** The registered client; null if the definition names the client. */
  client: clientSchema.nullable(),
  access_token: z.string(),
  refresh_token: z.string().nullable(),
  /** Microseconds since epoch; null if the server did not state it. */
  expires_at: z.number().nullable(),
  /** Microseconds since epoch from which the token is refreshed before it is used; null if the server did not state its lifetime. */
  refresh_at: z.number().nullable(),
});

/** Seconds before the expiry at which a token is refreshed. A token with a short lifetime is refreshed after half of it. */
const earlySeconds = 60;

/**
 * The least number of seconds for which a token is used without a refresh, whatever lifetime the server states. Without it, a server with a
 * lifetime of 0 would get a refresh with every request. A token that has expired earlier is refreshed after the server has refused it.
 */
const leastSeconds = 30;

export type TokenRecord = z.infer<typeof recordSchema>;

/** The record as text. */
export function writeRecord(record: TokenRecord): string {
  return JSON.stringify(recordSchema.parse(record));
}

/** Reads the text of a record. Null if the text has another form, as a record of another version may have. */
export function readRecord(text: string | null): TokenRecord | null {
  return text === null ? null : (recordSchema.safeParse(parseOwnJson(text)).data ?? null);
}

/** The parts of a server that a record keeps. */
export function tokenServer(server: AuthorizationServer): TokenServer {
  return serverSchema.parse(server);
}

/** A client without the fields that no request needs. */
export function clientOf(client: OAuthClient): OAuthClient {
  return clientSchema.parse(client);
}

/** The characters of a token (RFC 6750) that a header may contain. */
const tokenForm = /^[\x21-\x7e]+$/;

/** Returns the checked tokens of a response with the time of their expiry. `now` is microseconds since epoch. */
export function readTokens(
  name: string,
  tokens: OAuthTokens,
  now: number,
): Pick<TokenRecord, "access_token" | "refresh_token" | "expires_at" | "refresh_at"> {
  const { access_token, refresh_token = null, token_type, expires_in } = tokens;
  const isValid = (token: string) => token.length <= tokenLimit && tokenForm.test(token);
  if (token_type.toLowerCase() !== "bearer" || !isValid(access_token)) {
    throw new McpServerError(`The authorization server of the MCP server "${name}" did not return a bearer token.`);
  }
  const isStated = expires_in !== undefined && Number.isFinite(expires_in) && expires_in >= 0;
  const seconds = isStated ? Math.min(expires_in, mostSeconds) : null;
  const after = (delay: number) => now + Math.round(delay * 1_000_000);
  return {
    access_token,
    refresh_token: refresh_token !== null && isValid(refresh_token) ? refresh_token : null,
    expires_at: seconds === null ? null : after(seconds),
    refresh_at: seconds === null ? null : after(Math.max(seconds - earlySeconds, seconds / 2, leastSeconds)),
  };
}

/** The longest lifetime that is stored: ten years. */
const mostSeconds = 10 * 366 * 24 * 3600;
