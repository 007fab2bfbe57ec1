// Reads an SSE response frame by frame, as a client does.

/** A frame or a comment. */
export interface SseItem {
  comment?: string;
  id?: string;
  event?: string;
  data?: string;
}

export class SseReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #rest = "";

  constructor(response: Response) {
    if (response.body === null) throw new Error("The answer has no body.");
    this.#reader = (response.body as ReadableStream<Uint8Array>).getReader();
  }

  /** The next frame or comment, or null at the end. */
  async next(): Promise<SseItem | null> {
    for (;;) {
      const end = this.#rest.indexOf("\n\n");
      if (end !== -1) {
        const text = this.#rest.slice(0, end);
        this.#rest = this.#rest.slice(end + 2);
        return parse(text);
      }
      const step = await this.#reader.read();
      if (step.done) return null;
      this.#rest += this.#decoder.decode(step.value, { stream: true });
    }
  }

  /** The next frame that is no comment. */
  async nextFrame(): Promise<SseItem | null> {
    for (;;) {
      const item = await this.next();
      if (item === null || item.comment === undefined) return item;
    }
  }

  async rest(): Promise<SseItem[]> {
    const items: SseItem[] = [];
    for (let item = await this.nextFrame(); item !== null; item = await this.nextFrame()) items.push(item);
    return items;
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }
}

function parse(text: string): SseItem {
  const item: SseItem = {};
  for (const line of text.split("\n")) {
    if (line.startsWith(": ")) item.comment = line.slice(2);
    if (line.startsWith("id: ")) item.id = line.slice(4);
    if (line.startsWith("event: ")) item.event = line.slice(7);
    if (line.startsWith("data: "))
      item.data = item.data === undefined ? line.slice(6) : `${item.data}\n${line.slice(6)}`;
  }
  return item;
}
