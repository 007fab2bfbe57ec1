// Compares the number of avoided words in each file with its allowance: the file's count when the check was introduced, which may only
// fall. If text moves to a new file, its allowance moves too: new files share what older files no longer use.

/** @typedef {Record<string, number>} Counts by path */

/**
 * @param {Counts} counts of today's files; those without any word are left out
 * @param {Counts} allowed
 * @param {(path: string) => boolean} exists
 * @returns {{ path: string, over: number }[]} files with more words than they may have
 */
export function filesOver(counts, allowed, exists) {
  let shared = 0;
  for (const [path, count] of Object.entries(allowed)) {
    shared += Math.max(0, count - (exists(path) ? (counts[path] ?? 0) : 0));
  }
  return Object.entries(counts)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([path, count]) => {
      const own = allowed[path];
      if (own !== undefined) return count > own ? [{ path, over: count - own }] : [];
      const taken = Math.min(shared, count);
      shared -= taken;
      return count > taken ? [{ path, over: count - taken }] : [];
    });
}

/** @param {Counts} counts */
export const total = (counts) => Object.values(counts).reduce((sum, count) => sum + count, 0);

/**
 * The allowance after a clean-up: today's counts. Never more in all than before.
 *
 * @param {Counts} counts
 * @param {Counts} allowed
 * @returns {Counts | null} null when the words have become more
 */
export function lowered(counts, allowed) {
  if (total(counts) > total(allowed)) return null;
  return Object.fromEntries(Object.entries(counts).toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
