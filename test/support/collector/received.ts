// What the collector of the tests has received.

/** A span as the collector read it. Times are microseconds. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentId: string | null;
  name: string;
  /** 1: internal, 3: client. */
  kind: 1 | 3;
  startedAt: number;
  endedAt: number;
  failed: boolean;
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
}

/** The spans that the collector accepted, and all requests. `problem`: why the body is not OTLP; null for a valid one. */
export interface Received {
  spans: ReceivedSpan[];
  requests: { headers: Record<string, string>; problem: string | null; status: number | null; spans: number }[];
}

/**
 * Resolves once the collector has at least these numbers of spans and requests of a scope. With `thread`, only the spans of this thread and
 * the requests with such spans count. Throws if a body was not OTLP.
 */
export async function received(
  collector: string,
  scope: string,
  atLeast: { spans?: number; requests?: number; thread?: string },
): Promise<Received> {
  const { spans = 0, requests = 0, thread } = atLeast;
  const filter = thread === undefined ? "" : `&thread=${encodeURIComponent(thread)}`;
  const response = await fetch(`${collector}/${scope}/received?spans=${spans}&requests=${requests}${filter}`);
  const all = (await response.json()) as Received;
  const { problem } = all.requests.find((request) => request.problem !== null) ?? { problem: null };
  if (problem !== null) throw new Error(`The collector refused a body: ${problem}`);
  return all;
}
