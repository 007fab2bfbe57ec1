// Reads the `Range` header of a request (RFC 9110 §14): one range of bytes, or the last bytes. A header that is invalid or names
// several ranges is ignored, so the whole is sent.

/** The part to send. */
export type RangeOutcome =
  | { kind: "whole" }
  | { kind: "part"; offset: number; length: number }
  /** No byte of the range exists. */
  | { kind: "outside" };

const single = /^bytes=(\d*)-(\d*)$/i;

/** Reads a header for a body of `size` bytes. Null: the request has no such header. */
export function readByteRange(header: string | null, size: number): RangeOutcome {
  const [, first = "", last = ""] = single.exec(header?.trim() ?? "") ?? [];
  if (first === "") return last === "" ? { kind: "whole" } : fromTheEnd(Number(last), size);
  const offset = Number(first);
  const end = last === "" ? Number.POSITIVE_INFINITY : Number(last);
  if (end < offset) return { kind: "whole" };
  if (offset >= size) return { kind: "outside" };
  return { kind: "part", offset, length: Math.min(end, size - 1) - offset + 1 };
}

function fromTheEnd(wanted: number, size: number): RangeOutcome {
  if (wanted === 0) return { kind: "outside" };
  // An empty body has no last bytes, so the whole is sent.
  if (size === 0) return { kind: "whole" };
  const length = Math.min(wanted, size);
  return { kind: "part", offset: size - length, length };
}

/** The value of `Content-Range` for a part. */
export function contentRange(part: { offset: number; length: number }, size: number): string {
  return `bytes ${String(part.offset)}-${String(part.offset + part.length - 1)}/${String(size)}`;
}
