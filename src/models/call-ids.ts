// Converts ids of tool calls. Ids from a provider: an id that may occur again gets the name of the step, so that ids are unique in a thread
// (decision 30: call ids). Ids to a provider: an id from another provider is changed to a form that the receiving provider accepts.
// Names of calls to a provider: a name that no provider accepts is changed as well.
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

/** The name of a request's step. It stays the same if the step is requested again. */
function stepName(request: ModelRequest): string {
  const last = request.messages.at(-1);
  const place = `${request.messages.length}:${last?.id ?? last?.tool_call_id ?? ""}`;
  return shortHash(place) + shortHash(`step ${place}`).slice(0, 4);
}

// Ids that no provider uses twice: `toolu_01A09q90qw90lq917835lq9`, a UUID. All other ids, such as `google-fc-0` and `call_get_weather`,
// may occur again in another answer, nested loop or thread; the result of one call must not be taken for the result of another.
const unrepeated = /(?=[0-9a-z-]*\d)(?=[0-9a-z-]*[a-z])[0-9a-z][0-9a-z-]{14,}[0-9a-z]/i;

/** The maximum number of characters of an id. A longer id is shortened to its beginning and its hash. */
const longestId = 160;

/** The ids of the calls in the messages of a request. */
function callIds({ messages }: ModelRequest): Set<string> {
  const ids = new Set<string>();
  for (const { role, parts } of messages) {
    if (role !== "assistant") continue;
    for (const part of parts) if (part.type === "tool_call") ids.add(part.id);
  }
  return ids;
}

/**
 * Returns a function that makes the ids of one answer unique: an id that may occur again gets the step's name, a repeated id also a number.
 */
export function createUniqueIds(request: ModelRequest): (id: string) => string {
  // Most answers have no calls, so the ids of earlier calls are read for the first call.
  let known: Set<string> | undefined;
  let step: string | undefined;
  return (id) => {
    const used = (known ??= callIds(request));
    const short = id.length > longestId ? `${id.slice(0, longestId - 9)}_${shortHash(id)}` : id;
    const base = unrepeated.test(short) ? short : `${short === "" ? "call" : short}_${(step ??= stepName(request))}`;
    let unique = base;
    for (let number = 2; used.has(unique); number++) unique = `${base}_${number}`;
    used.add(unique);
    return unique;
  };
}

// An id that `createUniqueIds` made: the provider's id, the name of the step, and a number if the id was repeated within the step.
const uniqueForm = /^(.+)_[0-9a-f]{12}(?:_\d+)?$/;

/** The id that a provider gave a call, if `createUniqueIds` added the name of a step to it; null for any other id. */
function providersId(id: string): string | null {
  const given = uniqueForm.exec(id)?.[1];
  return given === undefined || given === "call" || unrepeated.test(given) ? null : given;
}

/**
 * Returns the ids that a request sends for the ids of its calls. A call gets the id that its provider gave it, as models expect the form of
 * their own ids, if `accepts` returns this id unchanged and no earlier call of the request has it. Later calls do not change the ids of
 * earlier ones, so that the beginning of a request stays the same. Any other id is sent as `accepts` returns it.
 */
export function createWireIds(accepts: (id: string) => string): (id: string) => string {
  const sent = new Map<string, string>();
  const used = new Set<string>();
  return (id) => {
    const known = sent.get(id);
    if (known !== undefined) return known;
    const given = providersId(id);
    let chosen = given !== null && accepts(given) === given && !used.has(given) ? given : accepts(id);
    for (let number = 2; used.has(chosen); number++) chosen = accepts(`${id}_${number}`);
    sent.set(id, chosen);
    used.add(chosen);
    return chosen;
  };
}

/** Replaces refused characters of an id and shortens it to `length`. A changed id ends with a hash of the original. */
export function acceptedCallId(id: string, { refused, length }: { refused: RegExp; length: number }): string {
  const clean = id.replace(refused, "_");
  if (clean === id && id.length <= length) return id;
  return `${clean.slice(0, length - 9)}_${shortHash(id)}`;
}

/**
 * The name that is sent for a call of a tool that does not exist. Models invent such names, and each API refuses a request with a name of
 * another form, also in earlier calls. A changed name begins with an underscore.
 */
export function acceptedCallName(name: string): string {
  if (/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(name)) return name;
  return acceptedCallId(`_${name}`, { refused: /[^a-zA-Z0-9_-]/g, length: 64 });
}

/** Shortens any id to nine letters and digits, the form that Mistral accepts. */
export function shortCallId(id: string): string {
  return /^[a-zA-Z0-9]{9}$/.test(id) ? id : `c${shortHash(id)}`;
}
