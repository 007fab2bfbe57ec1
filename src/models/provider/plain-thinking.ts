// Earlier thinking that its server did not encrypt, in requests with the Responses API. OpenAI's package leaves such thinking out of requests that
// store nothing, because OpenAI refuses it; servers of open models expect it. So it passes the package with a mark, and the body of the
// request gets its text.

import type { JSONObject } from "@ai-sdk/provider";

import { fieldsOf, isObject, listOf, type Fields } from "#lib/json-value.ts";
import { parseOwnJson } from "#lib/untrusted/own-json.ts";
import { isVisible } from "#lib/visible-text.ts";

/** It stands in the place of encrypted content. */
const mark = "plain thinking";

/** The stored data of thinking, with the mark if nothing is encrypted. */
export function markedThinking(own: Readonly<Record<string, JSONObject>>): Record<string, JSONObject> {
  const data = own["openai"] ?? {};
  return typeof data["reasoningEncryptedContent"] === "string"
    ? { ...own }
    : { ...own, openai: { ...data, reasoningEncryptedContent: mark } };
}

/** An item of the input, with the text of marked thinking; null if the text has no visible character. */
function plainItem(item: unknown): unknown {
  if (!isObject(item) || item["type"] !== "reasoning" || item["encrypted_content"] !== mark) return item;
  const { encrypted_content: _, summary, ...rest } = item;
  const texts = listOf(summary).map((part) => fieldsOf(part)["text"]);
  const visible = texts.filter((text) => typeof text === "string" && isVisible(text));
  if (visible.length === 0) return null;
  return { ...rest, summary: [], content: visible.map((text) => ({ type: "reasoning_text", text })) };
}

function withPlainThinking(body: Fields): Fields {
  return {
    ...body,
    input: listOf(body["input"])
      .map(plainItem)
      .filter((item) => item !== null),
  };
}

/** Creates a fetch that replaces marked thinking in the body of a request. */
export function plainThinkingFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  const replacing = (input: Parameters<typeof globalThis.fetch>[0], init?: RequestInit): Promise<Response> => {
    const isMarked = typeof init?.body === "string" && init.body.includes(`"${mark}"`);
    const body: unknown = isMarked ? parseOwnJson(init.body as string) : null;
    return fetch(input, isObject(body) ? { ...init, body: JSON.stringify(withPlainThinking(body)) } : init);
  };
  return replacing as typeof globalThis.fetch;
}
