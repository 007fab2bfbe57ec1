// Counts a stream of server-sent events while it arrives: the length of a line and of an event, the lines of an event and of the stream,
// and the JSON in the data of each event. The parsers of packages add a line to the data of an event in time that grows with the data, and
// parse the JSON of an event at once.

import { JsonMeter, type JsonBounds } from "./bounded-json.ts";

/** Bounds of a stream of events. */
export interface EventBounds {
  /** The number of UTF-16 units of an event, with the names of its fields. A line has at most as many. */
  units: number;
  /** The number of lines of an event. */
  lines: number;
  /** The number of lines, and of events, of the whole stream. Absent: not bounded. */
  allLines?: number;
  events?: number;
  /** The JSON in the data of each event. */
  json: JsonBounds;
}

/** A stream that exceeds one of its bounds. */
class EventBoundError extends Error {
  override readonly name = "EventBoundError";
}

const carriageReturn = 13;

/** Counts one stream. */
export class EventMeter {
  readonly #bounds: EventBounds;
  #json: JsonMeter;
  /** The beginning of the current line, until its field is known; null after that. */
  #head: string | null = "";
  #isData = false;
  #isEmpty = true;
  /** The last piece ended with `\r`, which may be the first half of `\r\n`. */
  #endsInReturn = false;
  #units = 0;
  #lines = 0;
  #allLines = 0;
  #events = 0;
  #valuesBefore = 0;

  constructor(bounds: EventBounds) {
    this.#bounds = bounds;
    this.#json = new JsonMeter(bounds.json);
  }

  /** The number of JSON values in all events so far. */
  get values(): number {
    return this.#valuesBefore + this.#json.values;
  }

  /** Counts the next piece. Throws an `EventBoundError` or a `JsonBoundError`. */
  read(piece: string): void {
    // The line of the first half has ended already.
    let begin = this.#endsInReturn && piece.startsWith("\n") ? 1 : 0;
    if (piece !== "") this.#endsInReturn = piece.charCodeAt(piece.length - 1) === carriageReturn;
    // The next positions are kept, because a search from each line would read a piece with one kind of line end again and again.
    let feed = piece.indexOf("\n", begin);
    let back = piece.indexOf("\r", begin);
    while (feed !== -1 || back !== -1) {
      const end = feed === -1 || (back !== -1 && back < feed) ? back : feed;
      this.#part(piece.slice(begin, end));
      this.#endLine();
      begin = end === back && feed === end + 1 ? end + 2 : end + 1;
      if (feed !== -1 && feed < begin) feed = piece.indexOf("\n", begin);
      if (back !== -1 && back < begin) back = piece.indexOf("\r", begin);
    }
    this.#part(piece.slice(begin));
  }

  #part(text: string): void {
    if (text === "") return;
    this.#isEmpty = false;
    this.#units += text.length;
    if (this.#units > this.#bounds.units) {
      throw new EventBoundError(`has an event of more than ${this.#bounds.units} characters`);
    }
    if (this.#head === null) {
      if (this.#isData) this.#json.read(text);
      return;
    }
    this.#head += text;
    if (this.#head.length >= longestField || this.#head.includes(":")) this.#readHead();
  }

  /** Reads the field of a line. Only the data of an event is counted as JSON, because parsers ignore all other fields. */
  #readHead(): void {
    const head = this.#head ?? "";
    this.#head = null;
    const field = (this.#allLines === 0 ? firstDataField : dataField).exec(head)?.[0];
    this.#isData = field !== undefined;
    if (field !== undefined) this.#json.read(head.slice(field.length));
  }

  #endLine(): void {
    const { lines, allLines = Infinity } = this.#bounds;
    this.#lines += 1;
    this.#allLines += 1;
    if (this.#lines > lines) throw new EventBoundError(`has an event of more than ${lines} lines`);
    if (this.#allLines > allLines) throw new EventBoundError(`has more than ${allLines} lines`);
    if (this.#isEmpty) this.#endEvent();
    else if (this.#head !== null) this.#readHead();
    // A line break in the data separates values, as it does in the text that a parser joins.
    if (this.#isData) this.#json.read("\n");
    this.#head = "";
    this.#isData = false;
    this.#isEmpty = true;
  }

  #endEvent(): void {
    this.#units = 0;
    this.#lines = 0;
    const { events = Infinity } = this.#bounds;
    if (this.#json.values > 0) this.#events += 1;
    if (this.#events > events) throw new EventBoundError(`has more than ${events} events`);
    this.#valuesBefore += this.#json.values;
    // Also if the event had no value: its brackets and quotes must not change how the next event is counted.
    this.#json = new JsonMeter(this.#bounds.json);
  }
}

const dataField = /^data:/;
// A parser skips a byte order mark at the beginning of a stream, also one that was decoded as three characters.
const firstDataField = /^(?:\uFEFF|\u00EF\u00BB\u00BF)?data:/;
/** The number of units after which the field is known: a byte order mark of three characters, and the longest field. */
const longestField = 3 + "data:".length;
