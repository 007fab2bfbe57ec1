// Ids of tool calls, in both directions. Inbound: an id that a provider may use again is namespaced by step, so that ids
// are unique in a thread (decision 30). Outbound: an id another provider made is bent to what this one accepts.
// Invariant: the same id always bends the same way, so a call and its result still meet.

import type { ModelRequest } from "#core/ports/model-port.ts";

import { serverTraits } from "./openai-compatible.ts";
import type { NetworkProvider, ProviderSettings } from "./provider-settings.ts";

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

// What no provider gives twice: `toolu_01A09q90qw90lq917835lq9`, a UUID. All else may come again, in another answer, line or
// thread, `google-fc-0` as well as `call_get_weather`; and an answer to the one must never be taken for one to the other.
const drawn = /(?=[0-9a-z-]*\d)(?=[0-9a-z-]*[a-z])[0-9a-z][0-9a-z-]{14,}[0-9a-z]/i;

/** Characters of an id; a longer one is shortened to its beginning and its hash. */
const longestId = 160;

/** Makes the ids of one answer unique: what may repeat gets the step's name, what repeats anyway gets a number. */
export function createUniqueIds(request: ModelRequest): (id: string) => string {
  const used = new Set<string>();
  for (const message of request.messages) {
    for (const part of message.parts) if (part.type === "tool_call") used.add(part.id);
  }
  const step = stepName(request);
  return (id) => {
    const short = id.length > longestId ? `${id.slice(0, longestId - 9)}_${shortHash(id)}` : id;
    const base = drawn.test(short) ? short : `${short === "" ? "call" : short}_${step}`;
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
const openai: Accepted = { characters: /[^\x21-\x7e]/g, length: 40 };
const accepted: Partial<Record<NetworkProvider, Accepted>> = {
  anthropic: { characters: /[^a-zA-Z0-9_-]/g, length: 64 },
  openai,
  "openai-responses": openai,
  "openai-compatible": openai,
};

/** Shortens any id to nine letters and digits, the form that Mistral accepts. */
function shortCallId(id: string): string {
  return /^[a-zA-Z0-9]{9}$/.test(id) ? id : `c${shortHash(id)}`;
}

/** The form of a call's id that a provider accepts. */
export function wireCallId(id: string, to: ProviderSettings): string {
  if (to.provider === "openai-compatible" && serverTraits(to.baseUrl).shortCallIds) return shortCallId(id);
  const rule = accepted[to.provider];
  if (rule === undefined) return id;
  const clean = id.replace(rule.characters, "_");
  if (clean === id && id.length <= rule.length) return id;
  return `${clean.slice(0, rule.length - 9)}_${shortHash(id)}`;
}
