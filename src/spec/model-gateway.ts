// The option `gateway` of a model: the AI Gateway of Cloudflare through which its requests go.

/** An AI Gateway of Cloudflare, which logs, caches and limits requests to a model. */
export interface ModelGateway {
  /** The id of the gateway in the account. */
  id: string;
  /**
   * The account of the gateway. Default: the variable `CLOUDFLARE_ACCOUNT_ID`; without it, the Worker's binding `AI` returns the address. Not
   * for `workers-ai`.
   */
  accountId?: string;
  /**
   * The environment variable with the token of an authenticated gateway, sent as `cf-aig-authorization`. Default: `CF_AIG_TOKEN`, if it is
   * set. Not for `workers-ai`, whose binding authenticates itself.
   */
  tokenVariable?: string;
  /** How many seconds the gateway keeps an answer for equal requests. Default: the gateway's setting. */
  cacheTtl?: number;
  /** True: the gateway answers no request from its cache. Default: the gateway's setting. */
  skipCache?: boolean;
  /** Requests with the same key get the same cached answer, whatever they contain. Default: a key of the request. */
  cacheKey?: string;
  /** Whether the gateway logs requests. Default: the gateway's setting. */
  collectLog?: boolean;
  /** Milliseconds until the first part of an answer, after which the gateway uses its fallback. Default: the gateway's setting. */
  requestTimeoutMs?: number;
  /**
   * At most two entries of the gateway's log, in addition to `thread`, `run` and `user`, which are the ids of the request's thread. False sends
   * no entries.
   */
  metadata?: Record<string, string | number | boolean> | false;
}
