// Events of the Responses API for tests, and the answer that the model port reads from them.

import { expect } from "vitest";

import { answerTo } from "./answer-to.ts";

/** An event of the Responses API. */
export type Event = { type: string } & Record<string, unknown>;

export const stream = (...events: Event[]): string =>
  events.map((event, at) => `data: ${JSON.stringify({ sequence_number: at, ...event })}\n\n`).join("");
export const added = (output_index: number, item: object): Event => ({
  type: "response.output_item.added",
  output_index,
  item,
});
export const done = (output_index: number, item: object): Event => ({
  type: "response.output_item.done",
  output_index,
  item,
});
export const created: Event = { type: "response.created", response: { id: "resp_1", created_at: 1, model: "gpt-oss" } };
export const completed = (output: object[] = []): Event => ({
  type: "response.completed",
  response: { output, usage: { input_tokens: 12, output_tokens: 8 } },
});
export const call = {
  type: "function_call",
  call_id: "call_aaaabbbbcccc1111",
  name: "get_time",
  arguments: '{"at":"noon"}',
};
export const text = (item_id: string, delta: string, output_index: number | null = 1): Event => ({
  type: "response.output_text.delta",
  item_id,
  content_index: 0,
  delta,
  ...(output_index === null ? {} : { output_index }),
});
export const whole = { thinking: "Two and two.", text: "It is four." };
export const finished = { end: { type: "finish", stop_reason: "stop", usage: { output: 8 } } };

/** The answer of these events, read at once and byte by byte. */
export async function answer(...events: Event[]) {
  const sent = stream(...events);
  const read = await answerTo("openai-responses", sent);
  const bytewise = await answerTo("openai-responses", sent, "bytes");
  expect([bytewise.text, bytewise.thinking, bytewise.calls]).toEqual([read.text, read.thinking, read.calls]);
  return read;
}
