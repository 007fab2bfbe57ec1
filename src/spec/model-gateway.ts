// The option `gateway` of a model: the AI Gateway of Cloudflare through which its requests go.

/** An AI Gateway of Cloudflare, which logs, caches and limits requests to a model. */
export interface ModelGateway {
  /** The id of the gateway in the account. */
  id: string;
  /** How many seconds the gateway keeps an answer for equal requests. Default: the gateway's setting. */
  cacheTtl?: number;
  /** True: the gateway answers no request from its cache. Default: the gateway's setting. */
  skipCache?: boolean;
  /** Requests with the same key get the same cached answer, whatever they contain. Default: a key of the request. */
  cacheKey?: string;
  /** Whether the gateway logs requests. Default: the gateway's setting. */
  collectLog?: boolean;
}
