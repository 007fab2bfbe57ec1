// Reads the fault points of all sources and finds names that two of them share, which the linter cannot, since it sees one file at a time.

/** @typedef {{ name: string, place: string }} FaultPoint */

/**
 * @param {{ path: string, text: string }[]} sources
 * @returns {{ points: FaultPoint[], problems: string[] }}
 */
export function readFaultPoints(sources) {
  /** @type {FaultPoint[]} */
  const points = [];
  for (const { path, text } of sources) {
    for (const match of text.matchAll(/\bfaults\.at\("(?<name>[^"]*)"\)/g)) {
      const place = `${path}:${text.slice(0, match.index).split("\n").length}`;
      points.push({ name: match.groups?.name ?? "", place });
    }
  }
  const first = new Map();
  const problems = points.flatMap(({ name, place }) => {
    const known = first.get(name);
    if (known === undefined) first.set(name, place);
    return known === undefined ? [] : [`${place}  ${name} is already a fault point at ${known}`];
  });
  return { points, problems };
}
