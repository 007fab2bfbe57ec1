// The names of variables that the text of a function reads from `env`. The function is not called, because it may send requests. The text is
// that of the bundled definitions, which has no comments.

/** The names that a text reads as members of `env`, of another name for it, or by destructuring. */
export function namedVariables(text: string): Set<string> {
  const names = new Set<string>();
  for (const alias of aliasesOf(text)) {
    const name = alias.replaceAll("$", String.raw`\$`);
    const member = new RegExp(
      String.raw`(?<![\w$])${name}\s*(?:(?:\?\.|\.)\s*([A-Za-z_$][\w$]*)|(?:\?\.)?\[\s*(["'\x60])([\w$]+)\2\s*\])`,
      "g",
    );
    for (const [, direct, , quoted] of text.matchAll(member)) names.add(direct ?? quoted ?? "");
    const assigned = new RegExp(
      String.raw`\{([^{}]*)\}\s*=\s*(?:[\w$]+\s*\??\.\s*)*${name}(?![\w$]|\s*(?:\?\.|[.[(]))`,
      "g",
    );
    for (const [, pattern = ""] of text.matchAll(assigned)) for (const key of keysOf(pattern)) names.add(key);
  }
  // A pattern inside of another one: `({ env: { NAME } }) => …`.
  for (const [, pattern = ""] of text.matchAll(/(?<![\w$])env\s*:\s*\{([^{}]*)\}/g))
    for (const key of keysOf(pattern)) names.add(key);
  return names;
}

/** `env`, and the names of variables that have the same value. */
function aliasesOf(text: string): Set<string> {
  const aliases = new Set(["env"]);
  for (const [, alias = ""] of text.matchAll(/(?<![\w$])env\s*:\s*([A-Za-z_$][\w$]*)/g)) aliases.add(alias);
  const assigned =
    /(?<![\w$.])([A-Za-z_$][\w$]*)\s*=\s*(?:[\w$]+\s*\??\.\s*)*([A-Za-z_$][\w$]*)(?![\w$]|\s*(?:\?\.|[.[(]))/g;
  // A set is iterated to its end, also over the names that are added meanwhile.
  for (const known of aliases)
    for (const [, alias = "", value] of text.matchAll(assigned)) if (value === known) aliases.add(alias);
  return aliases;
}

/** The keys of an object pattern without nested patterns. A rest element has no key. */
function keysOf(pattern: string): string[] {
  return pattern.split(",").flatMap((part) => /^\s*(["']?)([A-Za-z_$][\w$]*)\1\s*(?:[:=]|$)/.exec(part)?.[2] ?? []);
}
