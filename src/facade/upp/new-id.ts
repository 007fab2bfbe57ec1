// Sets the id of a new object, which may be created in the global scope of a Worker.

/**
 * Sets `id` to the given id, or to a new UUIDv4. In the global scope of a Worker no random value can be created, so the id is then created
 * when it is read.
 */
export function setId(target: { readonly id: string }, given: string | undefined): void {
  try {
    (target as { id: string }).id = given ?? crypto.randomUUID();
  } catch {
    let id: string | undefined;
    Object.defineProperty(target, "id", { enumerable: true, get: () => (id ??= crypto.randomUUID()) });
  }
}
