// The events of a stream (text/event-stream) as text, without reading what they carry. Owns the cutting: an event ends with
// an empty line, and lines end with CR, LF or both, wherever the bytes were cut.

/** One event. */
export interface EventText {
  /** As it came, with the empty line that ends it. */
  text: string;
  /** Its data lines, joined; null where it has none (a comment, for example). */
  data: string | null;
  /** The lines before its data that name it, to stand before other data. */
  head: string;
  /** The rest of a line `error: …`, which some servers send in place of an event. */
  error: string | null;
}

/** Cuts text into events. */
export class EventCutter {
  #rest = "";
  /** Characters of the rest that are known to end no event, so that a long one is not looked through again. */
  #seen = 0;

  /** The events that are whole. `last` says that nothing follows, so what is left is an event too. */
  take(text: string, last: boolean): EventText[] {
    this.#rest += text;
    const events: EventText[] = [];
    for (;;) {
      const end = endOfEvent(this.#rest, this.#seen, last);
      if (end === null) break;
      events.push(readEvent(this.#rest.slice(0, end)));
      this.#rest = this.#rest.slice(end);
      this.#seen = 0;
    }
    this.#seen = Math.max(0, this.#rest.length - longestEnd);
    if (last && this.#rest !== "") {
      events.push(readEvent(`${this.#rest}\n\n`));
      this.#rest = "";
    }
    return events;
  }
}

const emptyLine = /(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n))/g;
const longestEnd = "\r\n\r\n".length;

/** Where the first event ends; null before it does. A CR at the end may be half of a CRLF. */
function endOfEvent(text: string, from: number, last: boolean): number | null {
  emptyLine.lastIndex = from;
  const match = emptyLine.exec(text);
  if (match === null) return null;
  const end = match.index + match[0].length;
  return end === text.length && text.endsWith("\r") && !last ? null : end;
}

function readEvent(text: string): EventText {
  const data: string[] = [];
  const head: string[] = [];
  let error: string | null = null;
  for (const line of text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/)) {
    if (line === "") continue;
    const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === "data") data.push(value);
    else if (name === "error") error = value;
    else head.push(line);
  }
  return {
    text,
    data: data.length === 0 ? null : data.join("\n"),
    head: head.map((line) => `${line}\n`).join(""),
    error,
  };
}
