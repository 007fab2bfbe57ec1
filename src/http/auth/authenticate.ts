// Identifies the caller of a request by its credentials. A check returns a caller or a reason; `refusalOf` turns a reason into an
// error. Wrong credentials count as guesses. After a few guesses the client's address must wait, except for callers whose
// credentials were right from that address before.

import { refuse, ThreadholdError } from "#contract/error.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";

import { createTokenLookup } from "./api-tokens.ts";
import type { AuthSettings, JwtSettings } from "./auth-settings.ts";
import { clientAddress, createFailureThrottle } from "./failure-throttle.ts";
import type { JwtCheck, JwtPorts } from "./json-web-token.ts";
import { createLoopbackProof } from "./loopback-proof.ts";
import { cameByLoopback, provenanceOf } from "./loopback.ts";
import { isForeign } from "./origin.ts";
import type { AllowedOrigins } from "./origin.ts";
import { callerOf } from "./own-authentication.ts";

/** Why no caller was identified. */
type AuthReason = "missing" | "wrong" | "expired" | "spent" | "unavailable" | "foreign" | "not_loopback" | "unproven";

/** A caller, or the reason why there is none. */
export type Identification = { ok: true; caller: Caller } | { ok: false; reason: AuthReason };

/** Identifies callers. The methods throw a `ThreadholdError` to refuse a request. */
export interface Authenticator {
  /** In the open loopback mode, refuses requests, also to public routes, whose host is not a name of this machine. */
  checkHost(request: Request): void;
  /**
   * In the open loopback mode checks whether a request may come from a page on a rebound name (DNS rebinding). Returns the request to
   * serve, or a redirect that only a program follows. The redirected request proves that no such page sent it.
   */
  screen(request: Request): Request | Response;
  /** Returns the caller of the `Authorization` header, or the developer in the open loopback mode. */
  authenticate(request: Request): Promise<Caller>;
  /**
   * Like `authenticate`, for routes with optional credentials: null without valid credentials. In the open loopback mode it throws instead.
   */
  identify(request: Request): Promise<Caller | null>;
  /** Runs another check of credentials under the same limit of wrong attempts. */
  guard(request: Request, check: () => Promise<Identification>): Promise<Caller>;
  /** Whether a header or the open loopback mode identifies the caller, so that no ticket is needed. */
  speaksForItself(request: Request): boolean;
}

/** Dependencies of an authenticator. */
export interface AuthenticatorPorts extends JwtPorts {
  allowedOrigins: AllowedOrigins;
  /** Whether this is a local server. It forwards the client's own address header, so the header cannot be trusted. */
  isLocal: boolean;
}

/** Reasons that reveal something about the credentials. They are not reported while the address must wait. */
const aboutCredentials: ReadonlySet<AuthReason> = new Set(["wrong", "expired", "spent"]);

/** The caller in the open loopback mode: an administrator without a user id. */
const loopbackCaller: Caller = Object.freeze({ user: null, admin: true });

/** Creates the authenticator of a deployment. */
export function createAuthenticator(settings: AuthSettings, ports: AuthenticatorPorts): Authenticator {
  const throttle = createFailureThrottle(ports.now);
  const proof = createLoopbackProof(ports.now);
  const proven = new WeakSet<Request>();
  const check = checkOf(settings, ports, proven);
  /** Returns the result of a check, or the milliseconds that its address must wait. */
  const throttled = async (request: Request, attempt: () => Promise<Identification>) => {
    const result = await attempt();
    const address = clientAddress(request, ports.isLocal);
    const wait = throttle.wait(address);
    if (result.ok) {
      if (wait !== null && !throttle.knows(address, result.caller)) return wait;
      throttle.remember(address, result.caller);
    } else if (aboutCredentials.has(result.reason)) {
      if (wait !== null) return wait;
      if (result.reason === "wrong") throttle.fail(address);
    }
    return result;
  };
  const guard: Authenticator["guard"] = async (request, attempt) => {
    const result = await throttled(request, attempt);
    if (typeof result === "number") throw mustWait(result);
    if (result.ok) return result.caller;
    throw refusalOf(result.reason);
  };
  return {
    checkHost(request) {
      if (settings.state === "open_loopback" && !cameByLoopback(request)) throw refusalOf("not_loopback");
    },
    screen(request) {
      if (settings.state !== "open_loopback" || provenanceOf(request, ports.allowedOrigins) !== "unknown")
        return request;
      const redeemed = proof.redeem(request);
      if (redeemed === null) return proof.ask(request);
      proven.add(redeemed);
      return redeemed;
    },
    async authenticate(request) {
      if (settings.state === "closed") throw notConfigured(settings.reason);
      if (settings.state === "configured" && bearerOf(request) === null) throw refusalOf("missing");
      return guard(request, () => check(request));
    },
    async identify(request) {
      if (settings.state === "closed") throw notConfigured(settings.reason);
      const result = await throttled(request, () => check(request));
      if (typeof result === "number") return null;
      if (result.ok) return result.caller;
      // A page of another origin must not reach even a public route of a development server without authentication.
      if (settings.state === "open_loopback") throw refusalOf(result.reason);
      return null;
    },
    guard,
    speaksForItself: (request) =>
      (settings.state !== "configured" && settings.state !== "own") || request.headers.has("authorization"),
  };
}

type Check = (request: Request) => Promise<Identification>;

function checkOf(settings: AuthSettings, ports: AuthenticatorPorts, proven: WeakSet<Request>): Check {
  if (settings.state === "open_loopback") {
    return (request) => Promise.resolve(checkLoopback(request, { proven, ...ports }));
  }
  if (settings.state === "closed") return () => Promise.resolve({ ok: false, reason: "missing" });
  if (settings.state === "own") {
    const { authenticate } = settings;
    return async (request) => {
      // The function may accept a cookie, which a browser also sends with requests of foreign pages.
      if (!isSafe(request.method) && isForeign(request, ports.allowedOrigins)) return { ok: false, reason: "foreign" };
      const caller = callerOf(await authenticate(request));
      return caller === null ? { ok: false, reason: "missing" } : { ok: true, caller };
    };
  }
  const lookUp = createTokenLookup(settings.tokens);
  const checkJwt = settings.jwt === null ? null : loadJwtCheck(settings.jwt, ports);
  return async (request) => {
    const token = bearerOf(request);
    if (token === null) return { ok: false, reason: "missing" };
    const caller = await lookUp(token);
    if (caller !== null) return { ok: true, caller };
    return checkJwt === null ? { ok: false, reason: "wrong" } : checkJwt(token);
  };
}

/** A check whose code is loaded with the first token, because most Workers have no JSON Web Tokens. */
function loadJwtCheck(settings: JwtSettings, ports: JwtPorts): JwtCheck {
  let check: JwtCheck | undefined;
  return async (token) => {
    if (check === undefined) {
      const { createJwtCheck } = await import("./json-web-token.ts");
      // Another request may have loaded the code meanwhile. The check keeps the key set.
      check ??= createJwtCheck(settings, ports);
    }
    return check(token);
  };
}

const isSafe = (method: string): boolean => method === "GET" || method === "HEAD";

interface LoopbackRule {
  /** Requests that followed the redirect of `screen`. */
  proven: WeakSet<Request>;
  allowedOrigins: AllowedOrigins;
}

function checkLoopback(request: Request, { proven, allowedOrigins }: LoopbackRule): Identification {
  if (!cameByLoopback(request)) return { ok: false, reason: "not_loopback" };
  const provenance = provenanceOf(request, allowedOrigins);
  if (provenance === "foreign") return { ok: false, reason: "foreign" };
  if (provenance !== "here" && !proven.has(request)) return { ok: false, reason: "unproven" };
  return { ok: true, caller: loopbackCaller };
}

function bearerOf(request: Request): string | null {
  return /^Bearer +(\S+)$/i.exec(request.headers.get("authorization")?.trim() ?? "")?.[1] ?? null;
}

function mustWait(wait: number): ThreadholdError {
  const message = "Too many wrong credentials came from this address. Right ones are checked again after a while.";
  return new ThreadholdError({ code: "rate_limited", message, retry_after_ms: wait });
}

/** The refusal of every request while authentication is not configured. */
export function notConfigured(reason: string): ThreadholdError {
  return refuse("auth_not_configured", `Nothing is served until authentication is configured. ${reason}`);
}

function refusalOf(reason: AuthReason): ThreadholdError {
  switch (reason) {
    case "missing":
      return refuse("unauthorized", 'Send credentials as "Authorization: Bearer …".');
    case "wrong":
      return refuse("unauthorized", "The credentials are not valid.");
    case "expired":
      return refuse("unauthorized", "The credentials have expired.");
    case "spent":
      return refuse("unauthorized", "The ticket is expired, used, or made for another path.");
    case "unavailable":
      return new ThreadholdError({
        code: "unavailable",
        message: "The key set that checks credentials is out of reach.",
        retry_after_ms: 1000,
      });
    case "foreign":
      return refuse("forbidden", "A page of another origin may not call this. ALLOWED_ORIGINS lists those that may.");
    case "not_loopback":
      return notConfigured("The open loopback mode answers only on localhost, 127.0.0.0/8 and [::1].");
    case "unproven":
      return refuse(
        "forbidden",
        'This could be a page under a name that leads to this machine. A program sends "Sec-Fetch-Site: none".',
      );
  }
}
