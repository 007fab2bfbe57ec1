// Reads the settings of authentication from the variables. An invalid value closes the whole API, with a reason that names the
// variable and never its value.

import type { Variables } from "../variables.ts";
import { parseApiTokens } from "./api-tokens.ts";
import type { ApiToken } from "./api-tokens.ts";
import { isLoopbackHost } from "./loopback.ts";
import type { Authenticate } from "./own-authentication.ts";

/** Where the keys of JSON Web Tokens come from. */
type JwtKeys = { type: "secret"; secret: string } | { type: "key_set"; url: URL };

/** How JSON Web Tokens are verified. */
export interface JwtSettings {
  keys: JwtKeys;
  issuer: string | undefined;
  audience: string | undefined;
}

/** The state of authentication. */
export type AuthSettings =
  | {
      state: "configured";
      tokens: readonly ApiToken[];
      jwt: JwtSettings | null;
      /** The key that signs tickets. Null without TICKET_SECRET, JWT_SECRET and tokens of administrators: then no tickets are issued. */
      ticketSecret: string | null;
    }
  | {
      /** The Worker's own function identifies callers. */
      state: "own";
      authenticate: Authenticate;
      /** The key that signs tickets. Null without TICKET_SECRET: then no tickets are issued. */
      ticketSecret: string | null;
    }
  | { state: "open_loopback" }
  | { state: "closed"; reason: string };

/** Whether callers are authenticated but no ticket can be signed. */
export function ticketsAreOff(settings: AuthSettings): boolean {
  return (settings.state === "configured" || settings.state === "own") && settings.ticketSecret === null;
}

/** The message for operators if tickets cannot be signed. */
export const ticketsOff = "Tickets are off: no configured secret is unknown to every user. Set TICKET_SECRET.";

const guarded = ["API_TOKENS", "JWT_SECRET", "JWKS_URL", "JWT_ISSUER", "JWT_AUDIENCE", "TICKET_SECRET"] as const;

/** Variables that identify callers, which a function of the Worker replaces. */
const replacedByFunction = ["API_TOKENS", "JWT_SECRET", "JWKS_URL"] as const;

/** Reads the settings of authentication. With `authenticate`, the Worker's own function identifies callers. */
export function readAuthSettings(variables: Variables, authenticate?: Authenticate): AuthSettings {
  const empty = guarded.find((name) => variables[name]?.trim() === "");
  if (empty !== undefined) return closed(`${empty} is set but empty.`);
  const { API_TOKENS, JWT_SECRET, JWKS_URL, TICKET_SECRET } = variables;
  if (authenticate !== undefined) {
    const replaced = replacedByFunction.find((name) => variables[name] !== undefined);
    if (replaced !== undefined)
      return closed(`${replaced} is set, and the Worker has a function authenticate; keep one.`);
    return { state: "own", authenticate, ticketSecret: TICKET_SECRET ?? null };
  }
  if (API_TOKENS === undefined && JWT_SECRET === undefined && JWKS_URL === undefined) {
    if (variables.OPEN_LOOPBACK === "true") return { state: "open_loopback" };
    return closed("Set API_TOKENS, JWT_SECRET or JWKS_URL; OPEN_LOOPBACK=true is for development on this machine.");
  }
  const tokens = API_TOKENS === undefined ? [] : parseApiTokens(API_TOKENS);
  if (typeof tokens === "string") return closed(tokens);
  const keys = readKeys(JWT_SECRET, JWKS_URL);
  if (typeof keys === "string") return closed(keys);
  const repeated = sharedSecret(tokens, { JWT_SECRET, TICKET_SECRET });
  if (repeated !== undefined) return closed(`${repeated} is also a secret of API_TOKENS; each needs its own.`);
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = variables;
  return {
    state: "configured",
    tokens,
    jwt: keys === null ? null : { keys, issuer, audience },
    ticketSecret: TICKET_SECRET ?? derivedTicketSecret(tokens, JWT_SECRET),
  };
}

/** Returns the name of a variable whose value is also an API token, and is therefore known to the token's holder. */
function sharedSecret(
  tokens: readonly ApiToken[],
  values: Pick<Variables, "JWT_SECRET" | "TICKET_SECRET">,
): string | undefined {
  const known = new Set(tokens.map(({ secret }) => secret));
  return (["JWT_SECRET", "TICKET_SECRET"] as const).find((name) => known.has(values[name]?.trim() ?? ""));
}

/**
 * The key for tickets if TICKET_SECRET is absent: derived from JWT_SECRET and the administrators' tokens, which no user knows.
 * Tokens of users are excluded, because a user who knows the whole key could sign a ticket for any other user. Null if none is set.
 */
function derivedTicketSecret(tokens: readonly ApiToken[], jwtSecret: string | undefined): string | null {
  const administrators = tokens.filter(({ caller }) => caller.admin).map(({ secret }) => secret);
  const secrets = [...(jwtSecret === undefined ? [] : [jwtSecret]), ...administrators];
  return secrets.length === 0 ? null : JSON.stringify(secrets);
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
