// Removes the text of thinking that a prompt excludes (`reasoning.exclude`, decision 19: thinking) from the chunks in the log and from the
// opaque data that is sent back. Signatures stay. The field names of all providers are tested, because gateways pass on the fields of other
// providers, and excluded text must not be stored.

const textFields = new Set(["thinking", "reasoning", "reasoning_content"]);
const textFieldsInThinking = new Set(["text", "summary", "delta"]);
// The types of thinking parts in a list of content (Mistral), and of items and events (the Responses API).
const thinkingType = /^(thinking|reasoning|summary_text|response\.reasoning)/;

/** A copy of a JSON value without the text of thinking. */
export function withoutThinkingText<T>(value: T): T {
  return hidden(value, false) as T;
}

/** `inThinking`: the value belongs to thinking, so its text is removed too. */
function hidden(value: unknown, inThinking: boolean): unknown {
  if (Array.isArray(value)) return value.map((entry) => hidden(entry, inThinking));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const isThought = ([key, inner]: [string, unknown]): boolean =>
    (key === "thought" && inner === true) || (key === "type" && typeof inner === "string" && thinkingType.test(inner));
  const thought = inThinking || entries.some(isThought);
  return Object.fromEntries(
    entries.map(([key, inner]) => {
      const isText = textFields.has(key) || (thought && textFieldsInThinking.has(key));
      if (isText && typeof inner === "string") return [key, ""];
      return [key, hidden(inner, thought || key === "reasoning_details")];
    }),
  );
}
