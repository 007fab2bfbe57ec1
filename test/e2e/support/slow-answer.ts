// The demo model repeats what was said before, twelve milliseconds a piece: a long message makes a slow answer.

/** A message of so many words. */
export function longQuestion(words: number): string {
  return Array.from({ length: words }, (_, index) => `word${String(index)}`).join(" ");
}

/** What makes the demo model repeat it. */
export const slowQuestion = "What did I say before?";
