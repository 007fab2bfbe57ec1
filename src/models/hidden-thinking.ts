// Takes the words out of thinking that a prompt excludes (`reasoning.exclude`, decision 19), wherever a provider repeats
// them: in the chunks kept for the log and in the opaque data that goes back to it. Signatures stay.

const wordsOfThinking = new Set(["thinking", "reasoning", "reasoning_content"]);

/** A copy of a JSON value without the words of thinking. */
export function withoutThinkingWords<T>(value: T): T {
  return hidden(value, false) as T;
}

/** `inThinking`: what stands here belongs to thinking, so its text goes too. */
function hidden(value: unknown, inThinking: boolean): unknown {
  if (Array.isArray(value)) return value.map((entry) => hidden(entry, inThinking));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const thought = inThinking || entries.some(([key, inner]) => key === "thought" && inner === true);
  return Object.fromEntries(
    entries.map(([key, inner]) => {
      const isWords = wordsOfThinking.has(key) || (thought && (key === "text" || key === "summary"));
      if (isWords && typeof inner === "string") return [key, ""];
      return [key, hidden(inner, thought || key === "reasoning_details")];
    }),
  );
}
