// Server-sent events out of text that comes in pieces: lines may end in any of three ways, and a piece may end anywhere.

/** One event. */
export interface ServerSentEvent {
  /** Null where it has none: it is no event of a thread then. */
  id: string | null;
  name: string;
  data: string;
}

/** A parser that calls `take` for each event; comments and fields it does not know are passed over. */
export function sseParser(take: (event: ServerSentEvent) => void): (text: string) => void {
  let rest = "";
  let event: { id: string | null; name: string; data: string[] } = { id: null, name: "message", data: [] };
  const line = (text: string): void => {
    if (text === "") {
      const { id, name, data } = event;
      event = { id: null, name: "message", data: [] };
      if (data.length > 0) take({ id, name, data: data.join("\n") });
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
    rest += text;
    // A carriage return at the very end may be the first half of a line's end.
    const whole = rest.endsWith("\r") ? rest.slice(0, -1) : rest;
    const lines = whole.split(/\r\n|\r|\n/);
    rest = (lines.pop() ?? "") + rest.slice(whole.length);
    for (const one of lines) line(one);
  };
}
