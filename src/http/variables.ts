// The variables of the deployment that the HTTP application reads.

/**
 * The variables. An invalid value never gives access: an invalid variable of authentication closes the API, and an invalid list of origins
 * allows no origin. A limit with an invalid value has its default.
 */
export interface Variables {
  /** Comma-separated entries `secret` (an administrator) or `secret=user_id` (that user). */
  API_TOKENS?: string | undefined;
  /** Secret of JSON Web Tokens with HS256. */
  JWT_SECRET?: string | undefined;
  /** URL of the key set of JSON Web Tokens with asymmetric signatures: https, or http on a loopback host. */
  JWKS_URL?: string | undefined;
  JWT_ISSUER?: string | undefined;
  JWT_AUDIENCE?: string | undefined;
  /** Signs tickets. Default: a key derived from `JWT_SECRET` and the administrators' tokens; without those no tickets are issued. */
  TICKET_SECRET?: string | undefined;
  /** `true`: while no credentials are configured, serve requests on loopback hosts without credentials. */
  OPEN_LOOPBACK?: string | undefined;
  /** Comma-separated origins whose pages may call the API. */
  ALLOWED_ORIGINS?: string | undefined;
  /** Messages and runs that a user may start in a minute. Default 60. */
  LIMIT_ADMISSIONS_PER_MINUTE?: string | undefined;
  /** Changes of threads, messages and files that a user may make in a minute. Default 300. */
  LIMIT_CHANGES_PER_MINUTE?: string | undefined;
  /** Lists of threads and usage reports that a user may request in a minute. Default 300. */
  LIMIT_LISTS_PER_MINUTE?: string | undefined;
  /** Tools that a user may invoke directly in a minute, and sources and models that may be tried. Default 60. */
  LIMIT_INVOCATIONS_PER_MINUTE?: string | undefined;
  LIMIT_SEARCHES_PER_MINUTE?: string | undefined;
  /** Streams, waits and sockets that a user may have open. Default 20. */
  LIMIT_OPEN_STREAMS?: string | undefined;
  /** Running threads that a user may have. Default 10. */
  LIMIT_ACTIVE_RUNS?: string | undefined;
}
