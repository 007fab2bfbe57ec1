// Builds the part of a step's log row that describes the request to the model. Every step writes it, so it is small: the first and the last
// message id, the ids between them that were not sent, fingerprints of the system prompt, the tools and the structure, and the options. The log route
// rebuilds the request from it, except for messages that were never stored and definitions that have changed since.

import type { JsonObject } from "#contract/json.ts";
import type { ModelRequest } from "#core/ports/model-port.ts";
import type { StoredProjection } from "#core/record/record.ts";
import { sha256Hex } from "#lib/sha256.ts";

/** Fingerprints by text. Prompts and tool lists are usually the same in each step. */
const fingerprints = new Map<string, string>();
const fingerprintLimit = 64;
/** The longest text in UTF-16 units that is kept as a key. */
const rememberedLength = 32_768;

async function fingerprint(text: string): Promise<string> {
  const known = fingerprints.get(text);
  if (known !== undefined) return known;
  const made = await sha256Hex(text);
  if (text.length > rememberedLength) return made;
  const [oldest] = fingerprints.keys();
  if (fingerprints.size >= fingerprintLimit && oldest !== undefined) fingerprints.delete(oldest);
  fingerprints.set(text, made);
  return made;
}

/**
 * Builds the entry. `candidates` are the ids of the messages that the prompt includes, without those before the projection's position
 * `dropped`. There may be thousands of dropped messages, so the entry has this position and no list of their ids.
 */
export async function requestTrace(
  request: Omit<ModelRequest, "model">,
  candidates: readonly string[],
  projection: StoredProjection | null = null,
): Promise<JsonObject> {
  const { messages } = request;
  const first = messages.find(({ id }) => id !== null);
  let unstored = 0;
  // The messages `joined` were merged into the message before them, so their ids follow its id.
  const sent: string[] = [];
  for (const { id, joined } of messages) {
    if (id === null) unstored += 1;
    else sent.push(id);
    if (joined !== undefined) sent.push(...joined);
  }
  return {
    prompt: request.prompt ?? null,
    system_hash: await fingerprint(request.system),
    tools_hash: await fingerprint(JSON.stringify(request.tools)),
    tools: request.tools.map((tool) => tool.name),
    messages: {
      count: messages.length,
      first: first?.id ?? null,
      last: sent.at(-1) ?? null,
      /** Ids in the range whose messages a hook or a repair removed. */
      left_out: missingIds(candidates, sent),
      /** The number of sent messages that are not stored: a hook, a repair or a strategy added them. */
      unstored,
      /** `dropped_before`: messages before this position were dropped, except those of `head`. Absent if none were dropped. */
      ...droppedFields(projection),
    },
    tool_choice: request.toolChoice,
    parallel_tool_calls: request.parallelToolCalls,
    temperature: request.temperature,
    max_tokens: request.maxTokens,
    reasoning: request.reasoning === null ? null : { ...request.reasoning },
    ...(request.structure === undefined
      ? {}
      : { structure_hash: await fingerprint(JSON.stringify(request.structure)) }),
  };
}

/**
 * The candidates that are not sent. In most requests the messages after the head are the candidates in the same order. These requests need
 * no set of thousands of ids.
 */
function missingIds(candidates: readonly string[], sent: readonly string[]): string[] {
  const missing: string[] = [];
  // The index in `sent` of the message that is expected next.
  let next = candidates[0] === undefined ? -1 : sent.indexOf(candidates[0]);
  const head = new Set(sent.slice(0, Math.max(0, next)));
  for (const id of candidates) {
    if (id === sent[next]) next += 1;
    else if (!head.has(id)) missing.push(id);
  }
  if (next === sent.length) return missing;
  const known = new Set(sent);
  return candidates.filter((id) => !known.has(id));
}

function droppedFields(projection: StoredProjection | null): JsonObject {
  if (projection === null || projection.count === 0) return {};
  const { head, pinned, dropped } = projection;
  return { dropped_before: dropped, head: pinned === null ? head : [...head, pinned] };
}
