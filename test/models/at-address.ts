// A provider at an address that a test chooses, answered by the model server: its requests show what the port knows of that host.

import { inject } from "vitest";

import type { ModelMessage, ModelPart, ModelRequest } from "#core/ports/model-port.ts";
import type { StoredPart } from "#core/record/record.ts";
import { createModelPort } from "#models/create-model-port.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { checkedFetch } from "../support/wire-rules/checked-fetch.ts";
import { collect, keys, message, model, request, user } from "./ask-model.ts";
import type { Sent } from "./sent-request.ts";

/** The sent request, and the parts of its answer. */
export interface AtAddress {
  url: string;
  body: Sent;
  headers: Headers;
  parts: ModelPart[];
}

/** Calls the provider `openai` at an address. The model server answers in place of that address, under the same path. */
export async function askAt(
  baseUrl: string | null,
  more: Partial<ModelRequest> = {},
  definition: Partial<AnyModelDefinition> = {},
): Promise<AtAddress> {
  const sent: Omit<AtAddress, "parts">[] = [];
  const port = createModelPort({
    env: keys,
    fetch: checkedFetch((input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const body = typeof init?.body === "string" ? init.body : "null";
      sent.push({ url: url.href, body: JSON.parse(body) as Sent, headers: new Headers(init?.headers) });
      // The end of the path is the one of the protocol, whatever the address is.
      const [path = ""] = /\/(chat\/completions|responses)$/.exec(url.pathname) ?? [];
      return fetch(`${inject("modelServer")}/v1${path}`, init);
    }),
  });
  const at = baseUrl === null ? {} : { baseUrl };
  const requested = request(model("openai", "case:text", { ...at, ...definition }), more);
  const parts = await collect(port.stream(requested, new AbortController().signal));
  const [only, ...others] = sent;
  if (only === undefined || others.length > 0) throw new Error(`not one request: ${JSON.stringify(parts)}`);
  return { ...only, parts };
}

/** The assistant message that is stored for an answer. */
export function storedAnswer(parts: readonly ModelPart[]): ModelMessage {
  const texts = new Map<number, string>();
  const blocks: StoredPart[] = [];
  for (const part of parts) {
    if (part.type === "text_delta" || part.type === "thinking_delta") {
      texts.set(part.index, (texts.get(part.index) ?? "") + part.delta);
    }
    if (part.type !== "text_end" && part.type !== "thinking_end" && part.type !== "toolcall_end") continue;
    const text = texts.get(part.index) ?? "";
    const data = part.provider_data === undefined ? {} : { provider_data: part.provider_data };
    if (part.type === "text_end") blocks.push({ type: "text", text, ...data });
    else if (part.type === "thinking_end") blocks.push({ type: "thinking", thinking: text, ...data });
    else {
      const given = JSON.parse(part.arguments) as Record<string, string>;
      blocks.push({ type: "tool_call", id: part.id, name: part.name, arguments: given, ...data });
    }
  }
  return message("assistant", { parts: blocks });
}

/** A question, an answer and the results of its calls: the messages of a run's next step. */
export function stepAfter(answer: ModelMessage): ModelMessage[] {
  const results = answer.parts.flatMap((part) =>
    part.type === "tool_call"
      ? [message("tool", { name: part.name, tool_call_id: part.id, result: { status: "success", result: "sunny" } })]
      : [],
  );
  return [user("Weather?"), answer, ...results];
}
