// The JSON object that an answer consists of, as a structured answer does. The page shows it as data in place of Markdown.

import type { Json } from "threadhold/client";

/** The object; undefined for any other text. */
export function answerObject(text: string): Json | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith("{") || !trimmed.endsWith("}")) return undefined;
  try {
    return JSON.parse(trimmed) as Json;
  } catch {
    // The text only looks like JSON.
    return undefined;
  }
}
