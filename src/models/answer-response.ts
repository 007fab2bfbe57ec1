// The response from which a provider's package reads an answer. A `Response` with a stream would take processor time for each piece, and
// the packages of the AI SDK only read a body's pieces by its reader.

/** The bytes of an answer. */
export interface AnswerBytes {
  /** The next bytes; null at the end. */
  next: () => Promise<Uint8Array | null>;
  cancel: (reason: unknown) => Promise<void>;
}

/** A body without a stream. Its methods are those that the packages call. */
class AnswerBody {
  readonly #bytes: AnswerBytes;

  constructor(bytes: AnswerBytes) {
    this.#bytes = bytes;
  }

  getReader() {
    const { next, cancel } = this.#bytes;
    return {
      read: async () => {
        const value = await next();
        return value === null ? { done: true, value: undefined } : { done: false, value };
      },
      cancel,
      releaseLock: () => {},
    };
  }

  /** The package of OpenRouter passes a body through other streams. */
  pipeThrough(...through: Parameters<ReadableStream<Uint8Array>["pipeThrough"]>) {
    const { next, cancel } = this.#bytes;
    const stream = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const value = await next();
        if (value === null) controller.close();
        else controller.enqueue(value);
      },
      cancel,
    });
    return stream.pipeThrough(...through);
  }
}

const noHeaders = new Headers();

/** A successful response with these bytes and without headers, which the packages do not need. */
export function answerResponse({ status, statusText }: Response, bytes: AnswerBytes): Response {
  const body = new AnswerBody(bytes) as unknown as ReadableStream<Uint8Array>;
  return { ok: true, status, statusText, headers: noHeaders, body } as Response;
}
