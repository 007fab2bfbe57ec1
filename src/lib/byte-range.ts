// Reads the `Range` header of a request (RFC 9110 §14): one range of bytes, or one from the end. Whatever else it says,
// several ranges included, is no reason to answer less than the whole.

/** What of a whole to send. */
export type RangeOutcome =
  | { kind: "whole" }
  | { kind: "part"; offset: number; length: number }
  /** Nothing of the range lies inside. */
  | { kind: "outside" };

const single = /^bytes=(\d*)-(\d*)$/i;

/** What a header asks of something that is `size` bytes long. Null stands for no header. */
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
  // Nothing has no last bytes; all of it is the most that can be sent.
  if (size === 0) return { kind: "whole" };
  const length = Math.min(wanted, size);
  return { kind: "part", offset: size - length, length };
}

/** The value of `Content-Range` for a part. */
export function contentRange(part: { offset: number; length: number }, size: number): string {
  return `bytes ${String(part.offset)}-${String(part.offset + part.length - 1)}/${String(size)}`;
}
