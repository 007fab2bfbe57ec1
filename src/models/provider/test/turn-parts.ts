// The parts of one scripted turn, as a model streams them: thinking, text, calls. Text is cut at the ends of words, arguments at
// any position, so that readers cannot rely on complete pieces.

import type { ModelPart } from "#core/ports/model-port.ts";
import type { ProviderData } from "#core/record/record.ts";
import type { TestTurn, TestToolCall } from "#spec/index.ts";

const argumentsChunk = 12;

function words(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

function slices(text: string): string[] {
  // By code point, because half a surrogate pair cannot be sent.
  const points = Array.from(text);
  const chunks: string[] = [];
  for (let start = 0; start < points.length; start += argumentsChunk) {
    chunks.push(points.slice(start, start + argumentsChunk).join(""));
  }
  return chunks;
}

interface Spoken {
  kind: "text" | "thinking";
  chunks: string[];
  signature?: string | undefined;
}

function* spoken({ kind, chunks, signature }: Spoken, index: number): Generator<ModelPart> {
  yield { type: `${kind}_start`, index };
  for (const delta of chunks) yield { type: `${kind}_delta`, index, delta };
  const data: ProviderData | null = signature === undefined ? null : { provider: "test", data: { signature } };
  yield { type: `${kind}_end`, index, ...(data === null ? {} : { provider_data: data }) };
}

function* called(call: TestToolCall, index: number, id: string): Generator<ModelPart> {
  const { name } = call;
  const text = typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
  yield { type: "toolcall_start", index, id, name };
  for (const delta of slices(text)) yield { type: "toolcall_delta", index, delta };
  yield { type: "toolcall_end", index, id, name, arguments: text.trim() === "" ? "{}" : text };
}

/** The parts of a turn before its end. `callId` makes the id of a call, from the id in the script if there is one. */
export function* turnParts(turn: TestTurn, callId: (named: string | undefined) => string): Generator<ModelPart> {
  let index = 0;
  const { thinking = "", signature } = turn;
  if (thinking !== "") yield* spoken({ kind: "thinking", chunks: words(thinking), signature }, index++);
  const chunks = typeof turn.text === "string" ? words(turn.text) : (turn.text ?? []);
  if (chunks.length > 0) yield* spoken({ kind: "text", chunks }, index++);
  for (const call of turn.toolCalls ?? []) yield* called(call, index++, callId(call.id));
}
