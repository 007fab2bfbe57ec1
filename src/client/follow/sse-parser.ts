// Parses server-sent events from text that arrives in pieces. A line may end with CR, LF or CRLF, and a piece may end anywhere.

/** One server-sent event. */
export interface ServerSentEvent {
  /** The event's id; null for a frame that is not an event of a thread. */
  id: string | null;
  name: string;
  data: string;
}

/** Returns a parser that calls `onEvent` for each event. It ignores comments and unknown fields. */
export function sseParser(onEvent: (event: ServerSentEvent) => void): (text: string) => void {
  let remaining = "";
  let event: { id: string | null; name: string; data: string[] } = { id: null, name: "message", data: [] };
  const line = (text: string): void => {
    if (text === "") {
      const { id, name, data } = event;
      event = { id: null, name: "message", data: [] };
      if (data.length > 0) onEvent({ id, name, data: data.join("\n") });
      return;
    }
    const colon = text.indexOf(":");
    const field = colon === -1 ? text : text.slice(0, colon);
    const value = colon === -1 ? "" : text.slice(colon + 1).replace(/^ /, "");
    if (field === "data") event.data.push(value);
    else if (field === "id") event.id = value;
    else if (field === "event") event.name = value;
  };
  return (text) => {
    remaining += text;
    // A carriage return at the end of a piece may be the first half of CRLF.
    const complete = remaining.endsWith("\r") ? remaining.slice(0, -1) : remaining;
    const lines = complete.split(/\r\n|\r|\n/);
    remaining = (lines.pop() ?? "") + remaining.slice(complete.length);
    for (const one of lines) line(one);
  };
}
