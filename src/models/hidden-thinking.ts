// Takes the words out of thinking that a prompt excludes (`reasoning.exclude`, decision 19), wherever a provider repeats
// them: in the chunks kept for the log and in the opaque data that goes back to it. Signatures stay.

const wordsOfThinking = new Set(["thinking", "reasoning", "reasoning_content"]);
const wordsInThinking = new Set(["text", "summary", "delta"]);
// The types of thinking parts in a list of content (Mistral), and of items and events (the Responses API).
const thinkingType = /^(thinking|reasoning|summary_text|response\.reasoning)/;

/** A copy of a JSON value without the words of thinking. */
export function withoutThinkingWords<T>(value: T): T {
  return hidden(value, false) as T;
}

/** `inThinking`: what stands here belongs to thinking, so its text goes too. */
function hidden(value: unknown, inThinking: boolean): unknown {
  if (Array.isArray(value)) return value.map((entry) => hidden(entry, inThinking));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const isThought = ([key, inner]: [string, unknown]): boolean =>
    (key === "thought" && inner === true) || (key === "type" && typeof inner === "string" && thinkingType.test(inner));
  const thought = inThinking || entries.some(isThought);
  return Object.fromEntries(
    entries.map(([key, inner]) => {
      const isWords = wordsOfThinking.has(key) || (thought && wordsInThinking.has(key));
      if (isWords && typeof inner === "string") return [key, ""];
      return [key, hidden(inner, thought || key === "reasoning_details")];
    }),
  );
}
