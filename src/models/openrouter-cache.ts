// Cache marks of Claude behind OpenRouter. It reads a mark only within a block of content, where its package puts none for
// turns of the assistant and results of tools; so the marks are set in the body that is sent. Invariants: at most three
// marks; a message reads the same in every request, marked or not, so that what was cached is found again.

import type { AnyModelDefinition } from "#spec/index.ts";

import { wantedPlaces } from "./cache-marks.ts";

type Fields = Record<string, unknown>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const mark = { type: "ephemeral" };

/** A message whose text is a block, and that carries no mark outside one. */
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
  // As at Anthropic's own address, one message alone is not marked.
  if (turns && spoken.length > 1) {
    const ends = spoken.filter(
      ({ role }, at) => role !== "assistant" && (spoken[at + 1]?.["role"] ?? "assistant") === "assistant",
    );
    for (const end of ends.slice(-2)) markEnd(end);
  }
  return { ...body, messages };
}

/** A fetch that marks what OpenRouter's Claude models may cache; the same fetch for every other model. */
export function cacheMarkedFetch(fetch: typeof globalThis.fetch, model: AnyModelDefinition): typeof globalThis.fetch {
  if (!model.model.startsWith("anthropic/")) return fetch;
  const marking = (input: Parameters<typeof globalThis.fetch>[0], init?: RequestInit): Promise<Response> => {
    const body: unknown = typeof init?.body === "string" ? JSON.parse(init.body) : null;
    return fetch(input, isFields(body) ? { ...init, body: JSON.stringify(marked(body, model)) } : init);
  };
  return marking as typeof globalThis.fetch;
}
