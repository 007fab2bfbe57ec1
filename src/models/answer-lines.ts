// Reads from the lines of an answer's body whether the answer is whole. The provider packages wait for the connection to close,
// and some servers keep it open long after the answer.

type Fields = Record<string, unknown>;

// A match is only a reason to parse the chunk: what a model wrote may hold the same names.
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
  /** The line that is not complete yet. */
  #rest = "";
  /** An event came: the body is a stream. */
  begun = false;
  /** The provider's last event came, or `[DONE]`: nothing of the answer follows. */
  ended = false;
  /** The last event is one of success. */
  completed = false;
  /** A finish reason came. Counts may follow, and `[DONE]`. */
  finished = false;
  /** Token counts came. */
  counted = false;

  /** Takes the next piece of the body. */
  read(piece: Uint8Array): void {
    const [head = "", ...lines] = this.#decoder.decode(piece, { stream: true }).split(/\r\n|\n|\r/);
    this.#rest += head;
    for (const line of lines) {
      this.#line(this.#rest);
      this.#rest = line;
    }
    if (this.#rest.length < 16 && isDone(this.#rest)) this.#done();
  }

  #line(line: string): void {
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
