// Events as SSE frames. A data line holds no line break, so text with some becomes several lines.

import type { Refusal } from "#contract/error.ts";
import { sseEventName } from "#contract/event.ts";

import type { Frame } from "./delivery.ts";

/** A frame with an event's number, name and JSON. */
export function sseFrame({ seq, event, json }: Frame): string {
  return `id: ${String(seq)}\nevent: ${sseEventName(event)}\n${dataLines(json)}\n`;
}

/** A frame without a number. */
export function sseFrameOf(event: string, json: string): string {
  return `event: ${event}\n${dataLines(json)}\n`;
}

/** The frame that says rest was reached. */
export const sseEnd = "event: end\ndata: {}\n\n";

/** The frame that says why there is nothing more. It has no number: it is no event of the thread. */
export function sseRefusal({ code, message }: Refusal): string {
  return `event: ${sseEventName("error")}\n${dataLines(JSON.stringify({ type: "error", code, message }))}\n`;
}

/** A comment. Readers pass over it; it keeps the connection alive. */
export function sseComment(text: string): string {
  return `: ${text}\n\n`;
}

function dataLines(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}\n`)
    .join("");
}
