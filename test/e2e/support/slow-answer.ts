// The demo model repeats earlier text, with twelve milliseconds between the pieces, so a long message makes a slow
// answer.

/** A message of this many words. */
export function longQuestion(words: number): string {
  return Array.from({ length: words }, (_, index) => `word${String(index)}`).join(" ");
}

/**
 * A message whose repetition takes a hundred seconds, which is longer than a test waits for anything: the answer cannot end before the test
 * stops it.
 */
export const longestQuestion = longQuestion(8000);

/** The question that makes the demo model repeat it. */
export const slowQuestion = "What did I say before?";
