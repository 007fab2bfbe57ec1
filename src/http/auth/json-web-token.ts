// Verifies JSON Web Tokens. The configured key determines the algorithms, never the token: a secret permits only HS256, a key set
// only asymmetric signatures. So a public key cannot be used as a secret, and the algorithm `none` is never accepted.

import { createRemoteJWKSet, customFetch, errors, jwtVerify } from "jose";
import type { JWTPayload, JWTVerifyOptions, JWTVerifyResult } from "jose";

import type { Caller } from "#core/rpc/thread-rpc.ts";
import { JsonMeter } from "#lib/untrusted/bounded-json.ts";
import { countedResponse } from "#lib/untrusted/bounded-response.ts";

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

/** Bounds of a key set, which the package parses. A key has about ten values. */
const keySetBounds = { values: 10_000, depth: 8 };
const keySetBytes = 256 * 1024;

/** Maximal remaining lifetime of a token in microseconds. */
const longestLifeMicros = 31 * 24 * 3600 * 1e6;

/** The caller of a token, or why it was refused. `unavailable`: the key set could not be fetched. */
type JwtResult = { ok: true; caller: Caller } | { ok: false; reason: "wrong" | "expired" | "unavailable" };

/** Verifies one token. */
export type JwtCheck = (token: string) => Promise<JwtResult>;

/** Dependencies of the verification. `now` returns microseconds. */
export interface JwtPorts {
  now: () => number;
  fetch: typeof fetch;
}

/** Creates a check for the given settings. */
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
      return countedResponse(await ports.fetch(url, init), new JsonMeter(keySetBounds), { bytes: keySetBytes });
    } catch (cause) {
      throw new errors.JWKSTimeout("The key set is out of reach.", { cause });
    }
  };
  const keySet = createRemoteJWKSet(keys.url, { [customFetch]: fetchKeys });
  return (token, options) => jwtVerify(token, keySet, { ...options, algorithms: asymmetric });
}

/** The token's expiry in microseconds. Null if the token has no expiry or a too late one, because a leaked token cannot be revoked. */
function endOf({ exp }: JWTPayload, now: number): number | null {
  return typeof exp === "number" && exp * 1e6 <= now + longestLifeMicros ? Math.floor(exp * 1e6) : null;
}

function callerOf(payload: JWTPayload, until: number): Caller | null {
  const admin = payload["role"] === "admin";
  // The library's type describes a correct token; a token can contain any JSON.
  const user: unknown = payload.sub;
  if (user === undefined) return admin ? { user: null, admin, until } : null;
  return typeof user !== "string" || user === "" || user.length > 200 ? null : { user, admin, until };
}

function reasonOf(thrown: unknown): "wrong" | "expired" | "unavailable" {
  if (thrown instanceof errors.JWTExpired) return "expired";
  if (thrown instanceof errors.JWKSTimeout) return "unavailable";
  if (!(thrown instanceof errors.JOSEError)) return "wrong";
  // Failures of the key set's server have these two codes. Errors of the token have codes of their own.
  return thrown.code === "ERR_JOSE_GENERIC" || thrown.code === "ERR_JWKS_INVALID" ? "unavailable" : "wrong";
}
