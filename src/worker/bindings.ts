// The Worker's bindings and variables, which its wrangler configuration and `.dev.vars` define.

import type { Variables } from "#http/variables.ts";

import type { LimitVariables } from "./deployment-limits.ts";

/**
 * The bindings and variables that a Worker with threads has. Keys and addresses of providers are variables too, under the names that
 * the provider gives them.
 */
export interface ThreadholdBindings extends Variables, LimitVariables {
  THREADS: DurableObjectNamespace;
  FEEDS: DurableObjectNamespace;
  CATALOG: D1Database;
  VERSION?: WorkerVersionMetadata;
  /** The static assets: the built playground, or a page of the project's own, into which the build copies it. Without it there are no pages. */
  ASSETS?: Fetcher;
  /** Reads the size of images and makes thumbnails. Without it, the width and height of images are unknown, and there are no thumbnails. */
  IMAGES?: ImagesBinding;
  /** Counts admissions across the isolates of a location, in addition to each isolate's own count. Its period has to be 60 s. */
  ADMISSION_LIMITER?: RateLimit;
  /** Stores large files. Without it every file is stored in its thread. */
  FILES?: R2Bucket;
  /** The size in bytes from which a file is stored in `FILES`. Default 8 MiB, at most 16 MiB. */
  R2_FILE_THRESHOLD?: string;
  /** The largest file in bytes. Default 1 GiB. */
  MAX_FILE_BYTES?: string;
  /** Comma-separated list of internal hosts that outbound requests may use: `host`, `host:port` or `*.suffix`. Default: none. */
  ALLOWED_OUTBOUND_HOSTS?: string;
  /** The keys that encrypt the tokens for MCP servers with OAuth: base64 of 32 bytes, the current one first, comma-separated. */
  ENCRYPTION_KEY?: string;
  /** The address of the webhook for threads that begin to wait for a person. Default: none. */
  WAITING_WEBHOOK_URL?: string;
  /** The key of the webhook's signature: `whsec_` and base64 of 24 to 64 random bytes. */
  WAITING_WEBHOOK_SECRET?: string;
  /** `true` includes titles of threads and arguments of calls in the webhook's body. Default `false`. */
  WAITING_WEBHOOK_CONTENT?: string;
  /** The path of the playground, or `true` for `studio` below the prefix; `false` for none. `threadhold dev` sets it in a Worker with a page of its own. */
  PLAYGROUND?: string;
  /** `true` logs each call of a tool's function. `threadhold dev` sets it, to name the calls that run when the Worker does not answer. */
  LOG_TOOL_CALLS?: string;
  /** The resolver for the names of outbound requests. Default: Cloudflare's. */
  DNS_OVER_HTTPS_URL?: string;
}

/** The environment that the platform passes to the Worker. */
export interface Environment extends ThreadholdBindings {
  [name: string]: unknown;
}
