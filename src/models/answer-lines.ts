// Reads the lines of an answer's body and finds out whether the answer is complete. The provider packages wait until the
// connection closes, and some servers keep it open long after the last event.

type Fields = Record<string, unknown>;

/** Characters that an event may have, a picture among them: it is kept whole until it ends. */
const longestEvent = 32 * 1024 * 1024;

// A match is only a reason to parse the chunk: the model's own text may hold the same names.
const mayEnd = /"finish_?reason"\s*:\s*"|"response\.(?:completed|incomplete|failed)"/i;
const lastEvent = /^response\.(?:completed|incomplete|failed)$/;

function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function first(value: unknown): Fields {
  return fields(Array.isArray(value) ? value[0] : null);
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** The lines of one body. */
export class AnswerLines {
  readonly #decoder = new TextDecoder();
  /** The beginning of a line whose end has not arrived. */
  #rest = "";
  /** Characters of the event that the line belongs to, in the lines before it. */
  #before = 0;
  /** An event arrived, so the body is a stream. */
  begun = false;
  /** The last event of the protocol or `[DONE]` arrived: no part of the answer follows. */
  ended = false;
  /** The last event reports success. */
  completed = false;
  /** A finish reason arrived. Token counts and `[DONE]` may follow. */
  finished = false;
  /** Token counts arrived. */
  counted = false;

  /** Takes the next piece of the body. Throws where an event gets too long. */
  read(piece: Uint8Array): void {
    const [head = "", ...lines] = this.#decoder.decode(piece, { stream: true }).split(/\r\n|\n|\r/);
    this.#rest += head;
    for (const line of lines) {
      this.#line(this.#rest);
      this.#rest = line;
    }
    if (this.#before + this.#rest.length > longestEvent) {
      throw new Error("The server sent an event that is too long.");
    }
    if (this.#rest.length < 16 && isDone(this.#rest)) this.#done();
  }

  #line(line: string): void {
    this.#before = line === "" ? 0 : this.#before + line.length;
    if (!line.startsWith("data:")) return;
    this.begun = true;
    if (isDone(line)) this.#done();
    else if (mayEnd.test(line) || (this.finished && line.includes('"usage'))) this.#chunk(line.slice("data:".length));
  }

  #done(): void {
    this.ended = true;
    this.completed = true;
  }

  #chunk(json: string): void {
    let chunk: Fields;
    try {
      chunk = fields(JSON.parse(json));
    } catch {
      // The package reports a chunk that is no JSON.
      return;
    }
    const { type, choices, candidates, usage, usageMetadata } = chunk;
    if (typeof type === "string" && lastEvent.test(type)) {
      this.ended = true;
      this.completed = type === "response.completed";
    }
    if (isText(first(choices)["finish_reason"]) || isText(first(candidates)["finishReason"])) this.finished = true;
    this.counted ||= typeof (usage ?? usageMetadata ?? 0) === "object";
  }
}

function isDone(line: string): boolean {
  return /^data:\s*\[DONE\]\s*$/.test(line);
}
