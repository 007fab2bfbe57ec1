// Lists in pages. Awaiting a list requests one page; a loop over the list yields the items of all pages.

/** A page of a list. `items` is the field that the API names by its content, such as `threads`. */
export interface Page<T> {
  items: T[];
  /** The cursor that requests the next page; null on the last page. */
  next_cursor: string | null;
}

/** A list that is requested in pages. Nothing is sent before the list is awaited or looped over. */
export interface Pages<T, P extends Page<T> = Page<T>> extends PromiseLike<P>, AsyncIterable<T> {}

/**
 * Builds a list from a function that requests one page; its argument is added to the query. Each loop starts at the first page, and
 * requests a page only when it reaches the page's first item.
 */
export function pages<T, P extends Page<T>>(fetchPage: (position: { cursor?: string }) => Promise<P>): Pages<T, P> {
  return {
    // oxlint-disable-next-line unicorn/no-thenable -- awaiting a list gives its page; a loop over it gives all
    then: (fulfilled, rejected) => fetchPage({}).then(fulfilled, rejected),
    async *[Symbol.asyncIterator]() {
      let position = {};
      for (;;) {
        const { items, next_cursor } = await fetchPage(position);
        yield* items;
        if (next_cursor === null) return;
        position = { cursor: next_cursor };
      }
    },
  };
}
