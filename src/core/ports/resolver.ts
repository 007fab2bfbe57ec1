// The domain name system, as far as outbound requests need it.

/** Every address of a name, none when the name does not exist; or that this could not be found out. */
export type Resolution = { ok: true; addresses: readonly string[] } | { ok: false };

/**
 * Contract: answers with all IPv4 and IPv6 addresses, or says that it could not tell: an address left out would be one
 * nobody judged. Bounds its own time. Never rejects; a caller that aborts sees to it itself.
 */
export interface Resolver {
  /** `name` is in lower case and has no trailing dot. */
  resolve(name: string, signal: AbortSignal): Promise<Resolution>;
}
