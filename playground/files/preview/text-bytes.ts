// Bytes as text: only where they are UTF-8 to the last, so that what is saved again is what was there. A part may end within a
// character, whose rest comes with the next part.

/** A text as it was read. */
export interface ReadText {
  text: string;
  /** Of its lines; `mixed` covers every other way to end one. */
  ends: "lf" | "crlf" | "mixed";
}

/** The text of parts that follow each other; null where it is none. `whole`: nothing comes after the last of them. */
export function textOf(parts: readonly Uint8Array[], whole: boolean): string | null {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  try {
    for (const part of parts) text += decoder.decode(part, { stream: true });
    if (whole) text += decoder.decode();
  } catch {
    return null;
  }
  return text.includes("\0") ? null : text;
}

/** How the lines end. A field for text knows line feeds alone, so this is what is put back when it is saved. */
export function endsOf(text: string): ReadText["ends"] {
  const both = text.match(/\r\n/g)?.length ?? 0;
  const feeds = text.match(/\n/g)?.length ?? 0;
  const returns = text.match(/\r/g)?.length ?? 0;
  if (returns === 0) return "lf";
  return both === feeds && both === returns ? "crlf" : "mixed";
}

/** As a field for text holds it. */
export function fieldText(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}

/** As a file holds it. */
export function fileText(text: string, ends: ReadText["ends"]): string {
  return ends === "crlf" ? text.replaceAll("\n", "\r\n") : text;
}
