// Ids of tool calls, in both directions. Inbound: an id that a provider may use again is namespaced by step, so that ids
// are unique in a thread (decision 30). Outbound: an id another provider made is bent to what this one accepts.
// Invariant: the same id always bends the same way, so a call and its result still meet.

import type { ModelRequest } from "#core/ports/model-port.ts";
import type { AnyModelProvider } from "#spec/index.ts";

/** A short, stable name for a text (FNV-1a, 32 bits, as eight hexadecimal digits). */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let position = 0; position < text.length; position++) {
    hash = Math.imul(hash ^ text.charCodeAt(position), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** A name for the step a request belongs to; the same when the step is asked again. */
function stepName(request: ModelRequest): string {
  const last = request.messages.at(-1);
  const place = `${request.messages.length}:${last?.id ?? last?.tool_call_id ?? ""}`;
  return shortHash(place) + shortHash(`step ${place}`).slice(0, 4);
}

// `google-fc-0`, `functions.get_weather:0`, `call_1`: counters that start again with every answer.
const counter = /(^|[^0-9a-z])\d{1,4}$/i;
const shortestUnique = 8;

/** Makes the ids of one answer unique: what may repeat gets the step's name, what repeats anyway gets a number. */
export function createUniqueIds(request: ModelRequest): (id: string) => string {
  const used = new Set<string>();
  for (const message of request.messages) {
    for (const part of message.parts) if (part.type === "tool_call") used.add(part.id);
  }
  const step = stepName(request);
  return (id) => {
    const mayRepeat = id.length < shortestUnique || counter.test(id);
    const base = mayRepeat ? `${id === "" ? "call" : id}_${step}` : id;
    let unique = base;
    for (let number = 2; used.has(unique); number++) unique = `${base}_${number}`;
    used.add(unique);
    return unique;
  };
}

interface Accepted {
  characters: RegExp;
  length: number;
}

// Anthropic: letters, digits, `_` and `-`, 64 of them. OpenAI: any text up to 40 characters.
const accepted: Partial<Record<AnyModelProvider, Accepted>> = {
  anthropic: { characters: /[^a-zA-Z0-9_-]/g, length: 64 },
  openai: { characters: /[^\x21-\x7e]/g, length: 40 },
};

/** The form of a call's id that a provider accepts. */
export function wireCallId(id: string, provider: AnyModelProvider): string {
  const rule = accepted[provider];
  if (rule === undefined) return id;
  const clean = id.replace(rule.characters, "_");
  if (clean === id && id.length <= rule.length) return id;
  return `${clean.slice(0, rule.length - 9)}_${shortHash(id)}`;
}
