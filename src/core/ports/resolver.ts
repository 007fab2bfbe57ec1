// The port for looking up host names, for outbound requests.

/** All addresses of a name, an empty list if the name does not exist; or `ok: false` if the lookup failed. */
export type Resolution = { ok: true; addresses: readonly string[] } | { ok: false };

/**
 * Contract: returns all IPv4 and IPv6 addresses or fails, because the caller checks each address. Has a time limit of its own. Never
 * rejects; after an abort the caller ignores the result.
 */
export interface Resolver {
  /** `name` is in lower case and has no trailing dot. */
  resolve(name: string, signal: AbortSignal): Promise<Resolution>;
}
