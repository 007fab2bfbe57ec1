// Route patterns: what a path must look like, and which of two patterns says more about it.

/** One segment of a pattern. `rest` stands last and takes one segment or more, or none where it is optional. */
export type Segment =
  | { kind: "static"; text: string }
  | { kind: "dynamic"; name: string }
  | { kind: "rest"; name: string; optional: boolean };

/** Values of a pattern's dynamic segments. */
export type Params = Readonly<Record<string, string>>;

/** Reads `/threads/:id/status`, `/files/*path` or `/files/*path?`. */
export function parsePattern(pattern: string): readonly Segment[] {
  return pattern
    .split("/")
    .filter((text) => text !== "")
    .map((text) => {
      if (text.startsWith(":")) return { kind: "dynamic", name: text.slice(1) };
      if (text.startsWith("*")) {
        const optional = text.endsWith("?");
        return { kind: "rest", name: text.slice(1, optional ? -1 : undefined), optional };
      }
      return { kind: "static", text };
    });
}

/** The decoded segments of a path; null where it is not validly encoded, and then no pattern matches it. */
export function splitPath(pathname: string): readonly string[] | null {
  const parts = pathname.split("/").slice(1);
  if (parts.length === 2 && parts[1] === "") parts.pop();
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return null;
  }
}

/** The values of the dynamic segments where the path has the pattern's form, else null. */
export function matchPattern(pattern: readonly Segment[], path: readonly string[]): Params | null {
  const values: [string, string][] = [];
  for (const [index, segment] of pattern.entries()) {
    const text = path[index];
    if (segment.kind === "rest" && segment.optional) {
      values.push([segment.name, path.slice(index).join("/")]);
      return Object.fromEntries(values);
    }
    if (text === undefined || (text === "" && segment.kind !== "static")) return null;
    switch (segment.kind) {
      case "static":
        if (segment.text !== text) return null;
        break;
      case "dynamic":
        values.push([segment.name, text]);
        break;
      case "rest":
        values.push([segment.name, path.slice(index).join("/")]);
        return Object.fromEntries(values);
    }
  }
  return pattern.length === path.length ? Object.fromEntries(values) : null;
}

const ranks = { static: 0, dynamic: 1, rest: 2 };

/** Negative when `left` says more: static before dynamic before catch-all, from the first segment on. */
export function compareSpecificity(left: readonly Segment[], right: readonly Segment[]): number {
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = rankAt(left, index) - rankAt(right, index);
    if (difference !== 0) return difference;
  }
  return 0;
}

function rankAt(pattern: readonly Segment[], index: number): number {
  const segment = pattern[index];
  // An end says more than a rest that may be empty; nothing else that matches a path ends where another goes on.
  return segment === undefined ? ranks.dynamic : ranks[segment.kind];
}
