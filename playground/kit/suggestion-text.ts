// Writes the suggestion of a build finding as a sentence: a command to run, the name that was probably meant, or code to write.

/** The sentence, without a full stop if it ends with code. */
export function suggestionText(suggestion: string): string {
  if (suggestion.startsWith("npm ")) return `Run: ${suggestion}`;
  return /^[\w.\-/[\]~]+$/.test(suggestion) ? `Did you mean "${suggestion}"?` : `Write: ${suggestion}`;
}
