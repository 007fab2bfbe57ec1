// Reads tags from a text field.

/** The tags in a text: separated by commas, each once. */
export function tagsOf(line: string): string[] {
  const tags = line.split(",").map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ""))];
}
