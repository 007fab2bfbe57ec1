// The one way out for requests that users, models or definitions name the address of: attachments by URL, tools over HTTP.
// Architecture §7: nothing inside is reached unless the deployment or a definition says so.

/** Bounds of one call. `Infinity` lifts one. */
export interface OutboundLimits {
  /** Bytes of the body as the caller reads it: after decompression. */
  bytes: number;
  /** Milliseconds from a request's dispatch to its headers; each redirect has this again. */
  headersMs: number;
  /** Milliseconds between two pieces of the body, while the caller waits for one. */
  idleMs: number;
  /** Milliseconds from the first dispatch to the end of the body. */
  totalMs: number;
  /** Redirects followed. */
  redirects: number;
}

/** What may be said about a request; the parts of `RequestInit` that have a meaning here. */
export interface OutboundInit {
  /** GET when absent. */
  method?: string;
  headers?: HeadersInit;
  /** A stream cannot be sent again where a redirect asks for that. */
  body?: BodyInit | null;
  signal?: AbortSignal | null;
  /** `follow` (when absent), `manual` or `error`. */
  redirect?: string;
  /** Replaces bounds of the deployment for this call. */
  limits?: Partial<OutboundLimits>;
  /** Hosts that a definition allows to lie inside, besides those of the deployment: `host`, `host:port`, `*.suffix`. */
  allowedHosts?: readonly string[];
}

/** Why a call was refused or failed; `reason` in the details of its error, beside `host`. */
export type OutboundReason =
  /** No URL, or none with a host. */
  | "malformed"
  /** Not https, nor http to a listed host. */
  | "scheme"
  /** A user name or password in the URL. */
  | "credentials"
  | "port"
  /** The host lies inside, by its address or by its name. */
  | "inside"
  /** The name does not exist. */
  | "unknown_host"
  /** The name could not be looked up. */
  | "lookup_failed"
  /** A method, header, limit or listed host that makes no sense. */
  | "bad_request"
  /** More redirects than allowed. */
  | "redirects"
  /** A redirect from https to http. */
  | "downgrade"
  /** A redirect asks for a body that was a stream. */
  | "body_gone"
  /** A redirect asks for the body to be sent to another origin. */
  | "body_elsewhere"
  /** No connection, or a broken one. */
  | "connection"
  | "slow_headers"
  | "silent_body"
  | "too_slow"
  | "too_large"
  /** An answer that HTTP does not know. */
  | "bad_answer";

/**
 * A fetch that checks where it goes before each request and bounds what comes back.
 *
 * Contract: rejects with a `ThreadholdError` whose details have `reason` (an `OutboundReason`) and, where one could be read,
 * `host`; or with the reason of the caller's signal. The body fails in the same ways. No error holds anything of a URL
 * but its host. The caller reads the body or cancels it; one left alone is cancelled after `totalMs`.
 */
export type OutboundFetch = (input: string | URL, init?: OutboundInit) => Promise<Response>;
