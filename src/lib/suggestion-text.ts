// A finding's suggestion as a sentence: a command to run, one word that was probably meant, or something to write.

/** The sentence, without a full stop where it ends in code. */
export function suggestionText(suggestion: string): string {
  if (suggestion.startsWith("npm ")) return `Run: ${suggestion}`;
  return /^[\w.\-/[\]~]+$/.test(suggestion) ? `Did you mean "${suggestion}"?` : `Write: ${suggestion}`;
}
