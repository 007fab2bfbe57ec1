/** The problems of a request, as sentences; none for a request that the API accepts. */
export function requestProblems(wire: string, body: unknown): string[];

/** The protocol of an address; null for an address of none. */
export function wireOf(address: string): string | null;
