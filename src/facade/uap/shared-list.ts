// An immutable list. `append` returns a longer list that refers to the shorter one and has only the added items of its own. A shorter list
// does not refer to longer ones, so it does not keep their items in memory.

/** An immutable list. Appending takes constant time, and shares the items of this list. */
export class SharedList<T> {
  readonly length: number;
  readonly #earlier: SharedList<T> | null;
  readonly #added: readonly T[];
  /** A cache of all items. Reading a longer list removes it from the shorter ones, so that one array exists and not one for each list. */
  #items: readonly T[] | null = null;

  /** `added` is not copied. */
  private constructor(earlier: SharedList<T> | null, added: readonly T[]) {
    this.#earlier = earlier;
    this.#added = added;
    this.length = (earlier?.length ?? 0) + added.length;
  }

  /** A list of the given items. */
  static of<T>(items: readonly T[]): SharedList<T> {
    return new SharedList<T>(null, [...items]);
  }

  /** A list with further items. */
  append(items: readonly T[]): SharedList<T> {
    return items.length === 0 ? this : new SharedList<T>(this.length === 0 ? null : this, [...items]);
  }

  /** The items as a frozen array. It is the same array at each read, unless a longer list was read in between. */
  get items(): readonly T[] {
    this.#items ??= Object.freeze(SharedList.#collect<T>(this));
    return this.#items;
  }

  static #collect<T>(list: SharedList<T>): T[] {
    const unread: SharedList<T>[] = [];
    let node: SharedList<T> | null = list;
    while (node !== null && node.#items === null) {
      unread.push(node);
      node = node.#earlier;
    }
    const items = node === null ? [] : [...(node.#items ?? [])];
    if (node !== null) node.#items = null;
    for (const each of unread.toReversed()) for (const item of each.#added) items.push(item);
    return items;
  }
}
