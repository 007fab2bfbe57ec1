// The port for requests to addresses that users, models or definitions chose, such as attachments by URL and tools over HTTP. Internal
// hosts are reached only if the deployment or a definition allows them (architecture §7).

/** The bounds of one call. `Infinity` removes a bound. */
export interface OutboundLimits {
  /** Bytes of the body as the caller reads it: after decompression. */
  bytes: number;
  /** Milliseconds from sending a request to its response headers, for each redirect again. */
  headersMs: number;
  /** Milliseconds between two pieces of the body, while the caller waits for one. */
  idleMs: number;
  /** Milliseconds from sending the first request to the end of the body. */
  totalMs: number;
  /** The maximum number of redirects. */
  redirects: number;
}

/** The options of a request: the supported fields of `RequestInit`, and bounds. */
export interface OutboundInit {
  /** GET when absent. */
  method?: string;
  headers?: NonNullable<RequestInit["headers"]>;
  /** A stream cannot be sent again after a redirect. */
  body?: RequestInit["body"] | null;
  signal?: AbortSignal | null;
  /** `follow` (when absent), `manual` or `error`. */
  redirect?: string;
  /** Replaces bounds of the deployment for this call. */
  limits?: Partial<OutboundLimits>;
  /** Internal hosts that a definition allows, in addition to those of the deployment: `host`, `host:port`, `*.suffix`. */
  allowedHosts?: readonly string[];
}

/** Why a call was refused or failed: `reason` in the details of its error, next to `host`. */
export type OutboundReason =
  /** No URL, or none with a host. */
  | "malformed"
  /** Not https, nor http to a listed host. */
  | "scheme"
  /** A user name or password in the URL. */
  | "credentials"
  | "port"
  /** The host is internal, by its address or by its name. */
  | "inside"
  /** The name does not exist. */
  | "unknown_host"
  /** The name could not be looked up. */
  | "lookup_failed"
  /** An invalid method, header, limit or allowed host. */
  | "bad_request"
  /** More redirects than allowed. */
  | "redirects"
  /** A redirect from https to http. */
  | "downgrade"
  /** A redirect requires the body again, which was a stream. */
  | "body_gone"
  /** A redirect requires sending the body to another origin. */
  | "body_elsewhere"
  /** No connection, or a broken one. */
  | "connection"
  | "slow_headers"
  | "silent_body"
  | "too_slow"
  | "too_large"
  /** An invalid HTTP response. */
  | "bad_answer";

/**
 * A fetch that checks the address before each request and bounds the response.
 *
 * Contract: rejects with a `ThreadholdError` whose details have `reason` (an `OutboundReason`) and, if the URL has one, `host`; or with
 * the reason of the caller's signal. The body fails in the same ways. Errors contain no part of a URL except its host. The caller reads
 * or cancels the body; an unread body is cancelled after `totalMs`. The response's `url` is that of the last request.
 */
export type OutboundFetch = (input: string | URL, init?: OutboundInit) => Promise<Response>;
