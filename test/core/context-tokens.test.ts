// The estimated tokens of a request, with those of images, files and tools (docs/reference/figures.md: Tokens).

import { expect, it } from "vitest";

import { TokenEstimates, contextTokens } from "#core/context/compact.ts";
import { requestTokens } from "#core/model/estimate-tokens.ts";
import type { ModelMessage } from "#core/ports/model-port.ts";
import type { StoredPart } from "#core/record/record.ts";

function message(parts: StoredPart[], changes: Partial<ModelMessage> = {}): ModelMessage {
  return { id: "1", role: "user", parts, name: null, tool_call_id: null, result: null, ...changes };
}

const image = (bytes: number): StoredPart => ({
  type: "image",
  mime_type: "image/png",
  data: Buffer.alloc(bytes).toString("base64"),
});
const file = (mime_type: string, size: number): StoredPart => ({ type: "file", mime_type, size, path: "/a" });
const picture = (size: number): StoredPart => ({ type: "image", mime_type: "image/png", size, path: "/a.png" });

it.for<[string, ModelMessage, number]>([
  ["a text of 9 bytes", message([{ type: "text", text: "Grüße, A" }]), 4 + 3],
  ["an image of 75,000 bytes", message([image(75_000)]), 4 + 100],
  ["a small image", message([image(3)]), 4 + 85],
  ["a large image", message([image(15_000_000)]), 4 + 16_000],
  ["an image of the thread's files with 150,000 bytes", message([picture(150_000)]), 4 + 30 + 200],
  ["a document of 75,000 bytes", message([file("application/pdf", 75_000)]), 4 + 30 + 100],
  ["a text file of 4,000 bytes", message([file("text/plain", 4000)]), 4 + 30 + 1000],
  ["a text file that is too large to be sent", message([file("text/plain", 70_000)]), 4 + 30],
  ["a call", message([{ type: "tool_call", id: "c", name: "look", arguments: { at: "x" } }]), 4 + 1 + 3 + 8],
  [
    "a tool result of 40 bytes",
    message([], { role: "tool", name: "look", result: { status: "success", result: "x".repeat(40) } }),
    8 + 10 + 1,
  ],
])("The token estimate of %s is the number that docs/reference/figures.md states", ([, one, tokens]) => {
  expect(contextTokens(one, true)).toBe(tokens);
});

it("A file that is sent as a line of text counts 30 tokens, and the estimate changes when files leave the request", () => {
  const messages = [message([picture(150_000)]), message([picture(150_000)])];
  expect(messages.map((one) => contextTokens(one, false))).toEqual([34, 34]);
  const estimates = new TokenEstimates();
  expect(estimates.of(messages, 0)).toEqual([234, 234]);
  expect(estimates.of(messages, 1)).toEqual([34, 234]);
  expect(estimates.of(messages, 2)).toEqual([34, 34]);
});

it("A tool in a request counts with its name, its description and its schema", () => {
  const tool = { name: "look", description: "Looks", parameters: { type: "object" } };
  const request = { system: "Be kind.", messages: [] };
  expect(requestTokens({ ...request, tools: [] })).toBe(2);
  expect(requestTokens({ ...request, tools: [tool] })).toBe(2 + Math.ceil(JSON.stringify(tool).length / 4));
});
