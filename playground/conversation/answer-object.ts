// Reads an answer that consists of one JSON object, such as a structured answer. The page shows the object as data and not as Markdown.

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
