// Signed tokens. The algorithms follow from the configured key, never from the token: a secret takes HS256 alone, a key
// set takes asymmetric signatures alone, so that no public key can pass for a secret and `none` for a signature.

import { createRemoteJWKSet, customFetch, errors, jwtVerify } from "jose";
import type { JWTPayload, JWTVerifyOptions, JWTVerifyResult } from "jose";

import type { Caller } from "#core/thread-rpc.ts";

import type { JwtSettings } from "./auth-settings.ts";

const asymmetric = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/** Microseconds that a token may be valid from now on. */
const longestLifeMicros = 31 * 24 * 3600 * 1e6;

/** What a token proved, or why it proved nothing. `unavailable`: the key set could not be fetched. */
type JwtResult = { ok: true; caller: Caller } | { ok: false; reason: "wrong" | "expired" | "unavailable" };

/** Checks one token. */
export type JwtCheck = (token: string) => Promise<JwtResult>;

/** What a check needs from outside. */
export interface JwtPorts {
  now: () => number;
  fetch: typeof fetch;
}

/** A check over the settings. */
export function createJwtCheck(settings: JwtSettings, ports: JwtPorts): JwtCheck {
  const verify = verifierOf(settings, ports);
  return async (token) => {
    try {
      const options: JWTVerifyOptions = {
        currentDate: new Date(ports.now() / 1000),
        ...(settings.issuer === undefined ? {} : { issuer: settings.issuer }),
        ...(settings.audience === undefined ? {} : { audience: settings.audience }),
      };
      const { payload } = await verify(token, options);
      const until = endOf(payload, ports.now());
      const caller = until === null ? null : callerOf(payload, until);
      return caller === null ? { ok: false, reason: "wrong" } : { ok: true, caller };
    } catch (thrown) {
      return { ok: false, reason: reasonOf(thrown) };
    }
  };
}

type Verifier = (token: string, options: JWTVerifyOptions) => Promise<JWTVerifyResult>;

function verifierOf({ keys }: JwtSettings, ports: JwtPorts): Verifier {
  if (keys.type === "secret") {
    const secret = new TextEncoder().encode(keys.secret);
    return (token, options) => jwtVerify(token, secret, { ...options, algorithms: ["HS256"] });
  }
  const fetchKeys = async (url: string, init: RequestInit): Promise<Response> => {
    try {
      return await ports.fetch(url, init);
    } catch (cause) {
      throw new errors.JWKSTimeout("The key set is out of reach.", { cause });
    }
  };
  const keySet = createRemoteJWKSet(keys.url, { [customFetch]: fetchKeys });
  return (token, options) => jwtVerify(token, keySet, { ...options, algorithms: asymmetric });
}

/** The token's expiry in microseconds; null if it has none or a later one than allowed, because a lost token cannot be revoked. */
function endOf({ exp }: JWTPayload, now: number): number | null {
  return typeof exp === "number" && exp * 1e6 <= now + longestLifeMicros ? Math.floor(exp * 1e6) : null;
}

function callerOf(payload: JWTPayload, until: number): Caller | null {
  const admin = payload["role"] === "admin";
  // The type describes a correct token; a token can hold any JSON.
  const user: unknown = payload.sub;
  if (user === undefined) return admin ? { user: null, admin, until } : null;
  return typeof user !== "string" || user === "" || user.length > 200 ? null : { user, admin, until };
}

function reasonOf(thrown: unknown): "wrong" | "expired" | "unavailable" {
  if (thrown instanceof errors.JWTExpired) return "expired";
  if (thrown instanceof errors.JWKSTimeout) return "unavailable";
  if (!(thrown instanceof errors.JOSEError)) return "wrong";
  // What the key set's server answered with is told by this general code; everything about the token has its own.
  return thrown.code === "ERR_JOSE_GENERIC" || thrown.code === "ERR_JWKS_INVALID" ? "unavailable" : "wrong";
}
