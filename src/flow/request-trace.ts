// What a log row keeps of a request, small enough to be written each step and enough to build the request again: the ids of
// the messages, as a range with the exceptions named, fingerprints of prompt and tools, the options.

import type { JsonObject } from "#contract/json.ts";
import type { ModelRequest } from "#core/ports/model-port.ts";
import { sha256Hex } from "#lib/sha256.ts";

/** Fingerprints of prompts and lists of tools: the same ones are sent step after step. */
const fingerprints = new Map<string, string>();
const fingerprintLimit = 64;
/** UTF-16 units of a text that is worth remembering as a key. */
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

/** The trace of a request. `candidates` are the ids of the messages the filter hooks were given. */
export async function requestTrace(
  prompt: string,
  request: Omit<ModelRequest, "model">,
  candidates: readonly string[],
): Promise<JsonObject> {
  const ids = request.messages.map((message) => message.id);
  const stored = ids.filter((id) => id !== null);
  const sent = new Set([...stored, ...request.messages.flatMap((message) => message.joined ?? [])]);
  return {
    prompt,
    system_hash: await fingerprint(request.system),
    tools_hash: await fingerprint(JSON.stringify(request.tools)),
    tools: request.tools.map((tool) => tool.name),
    messages: {
      count: ids.length,
      first: stored[0] ?? null,
      last: [...sent].at(-1) ?? null,
      /** In the range, but left out by a hook or a repair. */
      left_out: candidates.filter((id) => !sent.has(id)),
      /** Sent, but not stored: made up by a hook, a repair or a strategy. */
      unstored: ids.length - stored.length,
    },
    tool_choice: request.toolChoice,
    parallel_tool_calls: request.parallelToolCalls,
    temperature: request.temperature,
    max_tokens: request.maxTokens,
    reasoning: request.reasoning === null ? null : { ...request.reasoning },
  };
}
