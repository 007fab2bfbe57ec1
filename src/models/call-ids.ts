// Ids of tool calls, in both directions. Inbound: an id that a provider may use again is namespaced by step, so that ids
// are unique in a thread (decision 30: call ids). Outbound: an id of another provider is changed to a form that this one accepts.
// Invariant: equal ids stay equal, so a call and its result still match.

import type { ModelRequest } from "#core/ports/model-port.ts";

/** A short, stable name for a text (FNV-1a, 32 bits, as eight hexadecimal digits). */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let position = 0; position < text.length; position++) {
    hash = Math.imul(hash ^ text.charCodeAt(position), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** A name for the step of a request. It is the same when the step is requested again. */
function stepName(request: ModelRequest): string {
  const last = request.messages.at(-1);
  const place = `${request.messages.length}:${last?.id ?? last?.tool_call_id ?? ""}`;
  return shortHash(place) + shortHash(`step ${place}`).slice(0, 4);
}

// Ids that no provider uses twice: `toolu_01A09q90qw90lq917835lq9`, a UUID. All others may come again in another answer, scope
// or thread, `google-fc-0` as well as `call_get_weather`; a result for one call must not be taken for the result of another.
const unrepeated = /(?=[0-9a-z-]*\d)(?=[0-9a-z-]*[a-z])[0-9a-z][0-9a-z-]{14,}[0-9a-z]/i;

/** Characters of an id; a longer one is shortened to its beginning and its hash. */
const longestId = 160;

/** Makes the ids of one answer unique: an id that may repeat gets the step's name, an id that still repeats gets a number. */
export function createUniqueIds(request: ModelRequest): (id: string) => string {
  const used = new Set<string>();
  for (const message of request.messages) {
    for (const part of message.parts) if (part.type === "tool_call") used.add(part.id);
  }
  const step = stepName(request);
  return (id) => {
    const short = id.length > longestId ? `${id.slice(0, longestId - 9)}_${shortHash(id)}` : id;
    const base = unrepeated.test(short) ? short : `${short === "" ? "call" : short}_${step}`;
    let unique = base;
    for (let number = 2; used.has(unique); number++) unique = `${base}_${number}`;
    used.add(unique);
    return unique;
  };
}

/** An id without refused characters and within a length. */
export function acceptedCallId(id: string, { refused, length }: { refused: RegExp; length: number }): string {
  const clean = id.replace(refused, "_");
  if (clean === id && id.length <= length) return id;
  return `${clean.slice(0, length - 9)}_${shortHash(id)}`;
}

/** Shortens any id to nine letters and digits, the form that Mistral accepts. */
export function shortCallId(id: string): string {
  return /^[a-zA-Z0-9]{9}$/.test(id) ? id : `c${shortHash(id)}`;
}
