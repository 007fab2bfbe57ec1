// What a Worker may set when it builds its deployment.

import type { Identity } from "#http/auth/own-authentication.ts";
import type { Diagnostic } from "#spec/index.ts";

import type { ThreadholdBindings } from "./bindings.ts";

/** Options of `createThreadhold`. */
export interface ThreadholdOptions {
  /** The findings of the build, from `.threadhold/diagnostics.ts`. `/healthz` and the playground show them. Default: none. */
  diagnostics?: readonly Diagnostic[];
  /** The path under which the Worker serves threads, such as `/agents` for `/agents/api/threads`. Default: the root. */
  prefix?: string;
  /**
   * The path of the playground in the Worker, such as `/studio`: not relative to `prefix`. The Worker has to pass requests below this path
   * to `fetch`, and its static assets need the binding ASSETS. `true`: at `studio` below the prefix. `false`: nowhere. Takes precedence over
   * the variable PLAYGROUND. Default: that variable; without it the root, if `prefix` is the root and the assets are the playground.
   */
  playground?: string | boolean;
  /**
   * Identifies the caller of a request, in place of API_TOKENS, JWT_SECRET and JWKS_URL. Null refuses the request with status 401. The
   * path of `request` has no prefix. A page of another origin, unless it is in ALLOWED_ORIGINS, may only read, because the function may
   * accept a cookie. Set TICKET_SECRET for streams of browsers that send no cookie.
   */
  authenticate?: (request: Request, env: ThreadholdBindings) => Identity | null | Promise<Identity | null>;
}
