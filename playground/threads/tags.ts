// Tags as people type them.

/** The tags of a line: separated by commas, each once. */
export function tagsOf(line: string): string[] {
  const tags = line.split(",").map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ""))];
}
