// The ids of traces and spans, and the header `traceparent` (W3C Trace Context) that carries them between services and threads. Ids are
// computed from the ids of rows. So a run that resumes after a crash continues its trace, and a span that is sent twice has one id.

/** The position of a run in a trace. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** The span above the run, 16 hexadecimal digits; null if the run is the root of its trace. */
  parentId: string | null;
  /** Whether the spans of the run are exported. */
  sampled: boolean;
}

const header = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads a `traceparent` header; null for a missing or invalid one. */
export function parseTraceparent(text: string | null | undefined): TraceContext | null {
  const [, traceId = "", parentId = "", flags = ""] = header.exec(text?.trim() ?? "") ?? [];
  if (/^0*$/.test(traceId) || /^0*$/.test(parentId)) return null;
  return { traceId, parentId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The `traceparent` for work below a span. */
export function traceparent({ traceId, sampled }: TraceContext, spanId: string): string {
  return `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
}

const mask = 0xffff_ffff_ffff_ffffn;

/** A hash of 64 bits as hexadecimal digits: FNV-1a, and the finaliser of MurmurHash3 for an even distribution. */
function hash(text: string): string {
  let sum = 0xcbf2_9ce4_8422_2325n;
  for (let at = 0; at < text.length; at += 1) {
    sum = ((sum ^ BigInt(text.charCodeAt(at))) * 0x100_0000_01b3n) & mask;
  }
  sum = ((sum ^ (sum >> 33n)) * 0xff51_afd7_ed55_8ccdn) & mask;
  sum = ((sum ^ (sum >> 33n)) * 0xc4ce_b9fe_1a85_ec53n) & mask;
  sum ^= sum >> 33n;
  return (sum === 0n ? 1n : sum).toString(16).padStart(16, "0");
}

/** The id of the trace whose root is a run. */
export function traceIdOf(runId: string): string {
  return hash(`trace ${runId}`) + hash(`trace of ${runId}`);
}

/** The id of the span of a row or of a step, from a text that names it. */
export function spanIdOf(kind: "run" | "step" | "attempt" | "call", name: string): string {
  return hash(`${kind} ${name}`);
}
