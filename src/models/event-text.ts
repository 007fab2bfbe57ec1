// Splits a text/event-stream into events without reading their data. An event ends with an empty line. Lines end with CR, LF
// or both, and a piece of the body may end anywhere, also between CR and LF.

/** One event. */
export interface EventText {
  /** The unchanged text, with the empty line at its end. */
  text: string;
  /** Its data lines, joined; null if it has none (a comment, for example). */
  data: string | null;
  /** The lines before the data, such as `event:`; they are written again before repaired data. */
  head: string;
  /** The rest of a line `error: …`, which some servers send in place of an event. */
  error: string | null;
}

/** Splits text into events. The work grows with the length of the text, also if a long event arrives in many pieces. */
export class EventCutter {
  /** The pieces of the event whose end has not arrived. They are joined once, because a search in a joined text copies it. */
  #pieces: string[] = [];
  /** The last characters of that event, which may be the beginning of its end. */
  #rest = "";

  /** The complete events. `last`: no text follows, so the remaining text is an event too. */
  take(text: string, last: boolean): EventText[] {
    let rest = this.#rest + text;
    const events: EventText[] = [];
    for (;;) {
      const end = endOfEvent(rest, last);
      if (end === null) break;
      events.push(readEvent(this.#begun() + rest.slice(0, end)));
      rest = rest.slice(end);
    }
    if (last) {
      rest = this.#begun() + rest;
      if (rest !== "") events.push(readEvent(`${rest}\n\n`));
      this.#rest = "";
      return events;
    }
    const searched = Math.max(0, rest.length - longestEnd);
    if (searched > 0) this.#pieces.push(rest.slice(0, searched));
    this.#rest = rest.slice(searched);
    return events;
  }

  /** Takes the pieces of the event. */
  #begun(): string {
    if (this.#pieces.length === 0) return "";
    const begun = this.#pieces.join("");
    this.#pieces = [];
    return begun;
  }
}

const emptyLine = /(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n))/;
const longestEnd = "\r\n\r\n".length;

/** The position after the first event; null if it is not complete. A CR at the end may be the first half of a CRLF. */
function endOfEvent(text: string, last: boolean): number | null {
  const match = emptyLine.exec(text);
  if (match === null) return null;
  const end = match.index + match[0].length;
  return end === text.length && text.endsWith("\r") && !last ? null : end;
}

/** An event with only one line of data, as most are. Reading it by this expression is faster. */
const lineOfData = /^data: ?([^\r\n]*)\n\n$/;

function readEvent(text: string): EventText {
  const usual = lineOfData.exec(text);
  if (usual !== null) return { text, data: usual[1] ?? "", head: "", error: null };
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
