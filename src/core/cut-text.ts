// Text and records measured and cut in bytes of JSON, which is what rows hold.

/** Room for the line that says what was cut. */
const noticeBytes = 200;

/** Bytes of a value's JSON. Throws for what has none: a circle, a big number. */
export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).byteLength;
}

/** Text of at most `limit` bytes of JSON. What was cut says so, where there is room to; text that fits stays as it is. */
export function cutText(text: string, limit: number): string {
  // Every character takes at least one byte, so a longer text needs no counting.
  if (text.length <= limit && jsonBytes(text) <= limit) return text.toWellFormed();
  const room = Math.max(0, limit - noticeBytes);
  let kept = text.slice(0, room);
  for (let bytes = jsonBytes(kept); kept !== "" && bytes > room; bytes = jsonBytes(kept)) {
    kept = kept.slice(0, Math.floor((kept.length * room) / bytes));
  }
  if (kept === "") return "";
  return `${kept.toWellFormed()}\n[cut: ${text.length - kept.length} of ${text.length} characters left out]`;
}

/** What was thrown, in words, whatever it is. */
export function errorMessage(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message || thrown.name) : String(thrown);
  } catch {
    return "something that has no words";
  }
}
