// Decodes bytes as text, only if all of them are valid UTF-8, so that a saved file keeps its bytes. A part may end
// within a character, which the next part completes.

/** A decoded text. */
export interface ReadText {
  text: string;
  /** The kind of its line endings; `mixed` covers every other combination. */
  ends: "lf" | "crlf" | "mixed";
}

/** The text of consecutive parts; null if it is not UTF-8. `whole`: the last part is the end of the file. */
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

/** The kind of a text's line endings. A text field has line feeds only, so a save restores the original endings. */
export function endsOf(text: string): ReadText["ends"] {
  const both = text.match(/\r\n/g)?.length ?? 0;
  const feeds = text.match(/\n/g)?.length ?? 0;
  const returns = text.match(/\r/g)?.length ?? 0;
  if (returns === 0) return "lf";
  return both === feeds && both === returns ? "crlf" : "mixed";
}

/** The text as a text field has it. */
export function fieldText(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}

/** The text as the file has it. */
export function fileText(text: string, ends: ReadText["ends"]): string {
  return ends === "crlf" ? text.replaceAll("\n", "\r\n") : text;
}
