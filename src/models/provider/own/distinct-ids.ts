// Makes the ids of the calls of one answer different. Some servers give each call the same id, and a call without an id of its own has no
// result of its own.

/** The ids of the calls of one answer. */
export class DistinctIds {
  /** How often each id was given. */
  readonly #given = new Map<string, number>();
  /** The ids of the calls that are not complete, by the ids that the provider uses. */
  readonly #open = new Map<string, string>();

  /** The id of a call that may not be complete. */
  open(id: string): string {
    const known = this.#open.get(id);
    if (known !== undefined) return known;
    let count = this.#given.get(id) ?? 0;
    let own = id;
    for (; this.#given.has(own); count += 1) own = `${id}~${String(count)}`;
    this.#given.set(id, count).set(own, 1);
    this.#open.set(id, own);
    return own;
  }

  /** The id of a call that is complete. A later call with the same id is another call. */
  close(id: string): string {
    const own = this.open(id);
    this.#open.delete(id);
    return own;
  }
}
