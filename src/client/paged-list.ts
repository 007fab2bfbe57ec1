// Lists in pages. Awaiting a list gives one page; a loop over the list yields the items of all pages. A page of the server may be short, or
// empty, and still have a cursor.

/** A page of a list. `items` is the field that the API names by its content, such as `threads`. */
export interface Page<T> {
  items: T[];
  /** The cursor that requests the next page; null on the last page. */
  next_cursor: string | null;
}

/** A list that is requested in pages. Nothing is sent before the list is awaited or looped over. */
export interface Pages<T, P extends Page<T> = Page<T>> extends PromiseLike<P>, AsyncIterable<T> {}

/** Requests with which one page is filled at most. */
export const mostRequests = 10;

/** Where a page begins and how long it may be; it is added to the query. */
export interface PagePosition {
  cursor?: string;
  limit?: number;
}

/**
 * Requests pages until they have `length` items together, no page follows, or `most` requests were made. The result has `next_cursor` if
 * more may follow, and the number of requests.
 */
export async function fillPage<T>(
  fetchPage: (position: PagePosition) => Promise<Page<T>>,
  length: number,
  most = mostRequests,
): Promise<[Page<T>, number]> {
  const items: T[] = [];
  let next_cursor: string | null = null;
  let requests = 0;
  do {
    const page = await fetchPage(next_cursor === null ? {} : { cursor: next_cursor, limit: length - items.length });
    items.push(...page.items);
    ({ next_cursor } = page);
    requests += 1;
  } while (next_cursor !== null && items.length < length && requests < most);
  return [{ items, next_cursor }, requests];
}

/**
 * Builds a list from a function that requests one page; its argument is added to the query. Each loop starts at the first page, and
 * requests a page only when it reaches the page's first item. An awaited list is the result of `first`, by default the server's first page.
 */
export function pages<T, P extends Page<T>>(
  fetchPage: (position: PagePosition) => Promise<P>,
  first: () => Promise<P> = () => fetchPage({}),
): Pages<T, P> {
  return {
    // oxlint-disable-next-line unicorn/no-thenable -- awaiting a list gives its page; a loop over it gives all
    then: (fulfilled, rejected) => first().then(fulfilled, rejected),
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

/** The page in a response that names its items, such as `{ runs, next_cursor }`. */
export async function pageOf<N extends string, T>(
  response: Promise<Record<N, T[]> & { next_cursor: string | null }>,
  name: N,
): Promise<Page<T>> {
  const { [name]: items, next_cursor } = await response;
  return { items, next_cursor };
}
