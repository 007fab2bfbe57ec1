// The order in which routes are matched: static segments before dynamic ones (`:id`) before a catch-all (`*rest`), from the first
// segment on.

/** Negative if `left` is matched before `right`; 0 if their order does not matter. */
export function compareRoutePatterns(left: string, right: string): number {
  const one = left.split("/");
  const other = right.split("/");
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    const difference = rank(one[index]) - rank(other[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** A pattern that has ended comes before a catch-all that may be empty. No other two patterns of a path differ in length. */
function rank(segment: string | undefined): number {
  if (segment === undefined) return 1;
  if (segment.startsWith("*")) return 3;
  return segment.startsWith(":") ? 2 : 0;
}
