/** The problems of a request, as sentences; none for a request that the API accepts. */
export function requestProblems(wire: string, body: unknown): string[];

/** The protocol of an address; null for an address of none. */
export function wireOf(address: string): string | null;

/** The header with the reason of a test that sends a broken request on purpose. */
export const brokenOnPurpose: string;

/** The requests of one model server that break the rules of their protocols. The test fails when it closes the server. */
export class BrokenRequests {
  /** The answer with which the API refuses a request that breaks rules; null for a request that the API accepts. */
  check(
    wire: string,
    request: { path: string; body: unknown; headers?: Record<string, unknown> },
  ): { type: "error"; error: { type: string; message: string } } | null;

  /** Throws if a request broke rules. */
  assertNone(): void;
}
