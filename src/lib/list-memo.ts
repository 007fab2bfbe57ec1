// Converts the elements of a list that grows from call to call. An element that is at the same index as in the call before is not converted
// again. Owns the last list and its results, and nothing of earlier calls.

/** The results of the last call. Contract of `convert`: pure, and the passed list is not changed afterwards. */
export class ListMemo<In extends object, Out> {
  #from: readonly In[] = [];
  #to: readonly Out[] = [];

  /** Converts each element. The result must not be changed. */
  map(list: readonly In[], convert: (element: In) => Out): readonly Out[] {
    const [from, to] = [this.#from, this.#to];
    // The list has thousands of elements, so nothing is created for an element that was converted before.
    const converted: Out[] = [];
    for (let at = 0; at < list.length; at += 1) {
      const element = list[at] as In;
      converted.push(at < from.length && from[at] === element ? (to[at] as Out) : convert(element));
    }
    this.#from = list;
    this.#to = converted;
    return converted;
  }
}
