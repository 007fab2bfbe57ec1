// Cache marks for Claude through OpenRouter. OpenRouter reads a mark only inside a block of content, and its package writes no
// such marks for turns of the assistant and results of tools. So the marks are set in the request's body. Invariants: at most
// three marks; a message has the same form in every request, marked or not, so that the provider finds it in its cache.

import type { AnyModelDefinition } from "#spec/index.ts";

import { wantedPlaces } from "./cache-marks.ts";

type Fields = Record<string, unknown>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const mark = { type: "ephemeral" };

/** The message with its text as a block of content, and without a mark outside of blocks. */
function inBlocks(message: Fields): Fields {
  const { cache_control: _outside, ...rest } = message;
  const { content } = rest;
  return typeof content === "string" && content !== "" ? { ...rest, content: [{ type: "text", text: content }] } : rest;
}

function blocksOf(message: Fields | undefined): Fields[] {
  const content = message?.["content"];
  return Array.isArray(content) ? content.filter((block) => isFields(block)) : [];
}

/** Marks the last text of a message, or its last block where it has no text. */
function markEnd(message: Fields | undefined): void {
  const blocks = blocksOf(message);
  const end = blocks.findLast((block) => block["type"] === "text") ?? blocks.at(-1);
  if (end !== undefined) end["cache_control"] = mark;
}

/** The body of a request with its marks: the system prompt, and the ends of the last two turns that are not the assistant's. */
function marked(body: Fields, model: AnyModelDefinition): Fields {
  const given = Array.isArray(body["messages"]) ? body["messages"].filter((message) => isFields(message)) : [];
  const messages = given.map((message) => inBlocks(message));
  const { system, messages: turns } = wantedPlaces(model);
  if (system) markEnd(messages.findLast(({ role }) => role === "system"));
  const spoken = messages.filter(({ role }) => role !== "system");
  // A single message gets no mark, as in requests to Anthropic's own address.
  if (turns && spoken.length > 1) {
    const ends = spoken.filter(
      ({ role }, at) => role !== "assistant" && (spoken[at + 1]?.["role"] ?? "assistant") === "assistant",
    );
    for (const end of ends.slice(-2)) markEnd(end);
  }
  return { ...body, messages };
}

/** A fetch that adds cache marks to requests for Claude models; for every other model the given fetch. */
export function cacheMarkedFetch(fetch: typeof globalThis.fetch, model: AnyModelDefinition): typeof globalThis.fetch {
  if (!model.model.startsWith("anthropic/")) return fetch;
  const marking = (input: Parameters<typeof globalThis.fetch>[0], init?: RequestInit): Promise<Response> => {
    const body: unknown = typeof init?.body === "string" ? JSON.parse(init.body) : null;
    return fetch(input, isFields(body) ? { ...init, body: JSON.stringify(marked(body, model)) } : init);
  };
  return marking as typeof globalThis.fetch;
}
