// Lists that come in pages: one page by awaiting it, every item of all pages by a loop over it.

/** A page of a list, whatever the list is called on the wire. */
export interface Page<T> {
  items: T[];
  /** Asks for the next page; null on the last. */
  next_cursor: string | null;
}

/** A list that was asked for. Nothing is sent before it is awaited or looped over. */
export interface Pages<T, P extends Page<T> = Page<T>> extends PromiseLike<P>, AsyncIterable<T> {}

/** A list from what asks for one page. Each loop begins at the page that was asked for, and asks for no page before its turn. */
export function pages<T, P extends Page<T>>(ask: (cursor: string | undefined) => Promise<P>): Pages<T, P> {
  return {
    // oxlint-disable-next-line unicorn/no-thenable -- awaiting a list gives its page; a loop over it gives all
    then: (fulfilled, rejected) => ask(undefined).then(fulfilled, rejected),
    async *[Symbol.asyncIterator]() {
      let cursor: string | undefined;
      for (;;) {
        const { items, next_cursor } = await ask(cursor);
        yield* items;
        if (next_cursor === null) return;
        cursor = next_cursor;
      }
    },
  };
}
