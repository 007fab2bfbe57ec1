// Builds a logged model request again: the messages from their rows, the system prompt from the definitions if its fingerprint still
// matches. If the system prompt has changed, the result states that and does not contain it.

import type { Json, JsonObject } from "#contract/json.ts";
import type { LogRecord, MessageRecord } from "#core/record.ts";
import { toMessage } from "#core/view.ts";
import { earlierMessages } from "#flow/history.ts";
import { sectionSources, systemPrompt } from "#flow/system-prompt.ts";
import { sha256Hex } from "#lib/sha256.ts";
import type { AnyPromptDefinition } from "#spec/index.ts";

import type { ObjectContext } from "../object-context.ts";

/** The request of a log row, without the parts that no longer exist. */
export async function rebuiltRequest(context: ObjectContext, row: LogRecord): Promise<JsonObject> {
  const request = row.data["request"];
  if (typeof request !== "object" || request === null || Array.isArray(request)) return {};
  const prompt = await context.definitions.prompt(text(request["prompt"])).catch(() => null);
  const system =
    prompt === null ? null : await systemPrompt(prompt, sectionSources(context.definitions)).catch(() => null);
  const same = system !== null && (await sha256Hex(system)) === request["system_hash"];
  const messages = sentMessages(context, { row, request, prompt });
  return {
    system: same ? system : null,
    ...(same ? {} : { system_changed: "This request had another system prompt than the definitions give now." }),
    messages: messages as unknown as Json,
    tools: request["tools"] ?? [],
  };
}

function sentMessages(
  { live }: ObjectContext,
  { row, request, prompt }: { row: LogRecord; request: JsonObject; prompt: AnyPromptDefinition | null },
) {
  const sent = request["messages"];
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return [];
  const first = live.store.message(text(sent["first"]));
  const last = live.store.message(text(sent["last"]));
  if (first === null || last === null) return [];
  const leftOut = new Set(Array.isArray(sent["left_out"]) ? sent["left_out"] : []);
  const after = live.store
    .messagesAfter(first.branch, first.position)
    .filter((message) => message.position <= last.position);
  const range = [first, ...after].filter((message) => !leftOut.has(message.id));
  const isOwn = (message: MessageRecord) => message.run_id === row.run_id;
  const own = range.filter(isOwn);
  const earlier = range.filter((message) => !isOwn(message));
  const kept = prompt === null ? earlier : earlierMessages(earlier, prompt, own);
  return [...kept, ...own].map(toMessage);
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
