// Reads how callers prove who they are. Fail closed: what is set but makes no sense closes everything, with a reason that
// names the variable and never its value.

import type { Variables } from "../dependencies.ts";
import { parseApiTokens } from "./api-tokens.ts";
import type { ApiToken } from "./api-tokens.ts";
import { isLoopbackHost } from "./loopback.ts";

/** Where the keys of signed tokens come from. */
export type JwtKeys = { type: "secret"; secret: string } | { type: "key_set"; url: URL };

/** How signed tokens are checked. */
export interface JwtSettings {
  keys: JwtKeys;
  issuer: string | undefined;
  audience: string | undefined;
}

/** The state of authentication. */
export type AuthSettings =
  | { state: "configured"; tokens: readonly ApiToken[]; jwt: JwtSettings | null; ticketSecret: string | null }
  | { state: "open_loopback"; hostChecked: boolean }
  | { state: "closed"; reason: string };

const guarded = ["API_TOKENS", "JWT_SECRET", "JWKS_URL", "JWT_ISSUER", "JWT_AUDIENCE", "TICKET_SECRET"] as const;

/** Reads the variables. */
export function readAuthSettings(variables: Variables): AuthSettings {
  const empty = guarded.find((name) => variables[name]?.trim() === "");
  if (empty !== undefined) return closed(`${empty} is set but empty.`);
  const { API_TOKENS, JWT_SECRET, JWKS_URL, TICKET_SECRET } = variables;
  if (API_TOKENS === undefined && JWT_SECRET === undefined && JWKS_URL === undefined) {
    if (variables.OPEN_LOOPBACK === "true") {
      return { state: "open_loopback", hostChecked: variables.HOST_CHECKED === "true" };
    }
    return closed("Set API_TOKENS, JWT_SECRET or JWKS_URL; OPEN_LOOPBACK=true is for development on this machine.");
  }
  const tokens = API_TOKENS === undefined ? [] : parseApiTokens(API_TOKENS);
  if (typeof tokens === "string") return closed(tokens);
  const keys = readKeys(JWT_SECRET, JWKS_URL);
  if (typeof keys === "string") return closed(keys);
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = variables;
  const derived = [API_TOKENS, JWT_SECRET].filter((secret) => secret !== undefined).join("\n");
  return {
    state: "configured",
    tokens,
    jwt: keys === null ? null : { keys, issuer, audience },
    ticketSecret: TICKET_SECRET ?? (derived === "" ? null : derived),
  };
}

function readKeys(secret: string | undefined, address: string | undefined): JwtKeys | string | null {
  if (secret !== undefined && address !== undefined) return "JWT_SECRET and JWKS_URL are both set; keep one.";
  if (secret !== undefined) return { type: "secret", secret };
  if (address === undefined) return null;
  const url = URL.parse(address);
  if (url === null) return "JWKS_URL is not a URL.";
  const safe = url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.host));
  return safe ? { type: "key_set", url } : "JWKS_URL has to be https.";
}

function closed(reason: string): AuthSettings {
  return { state: "closed", reason };
}
