// Formats events as server-sent events. A `data:` line cannot contain a line break, so text with line breaks becomes several lines.

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

/** The frame that ends a stream because the thread is idle. */
export const sseEnd = "event: end\ndata: {}\n\n";

/** The frame that ends a stream with an error. It has no number, because it is not an event of the thread. */
export function sseRefusal({ code, message }: Refusal): string {
  return `event: ${sseEventName("error")}\n${dataLines(JSON.stringify({ type: "error", code, message }))}\n`;
}

/** A comment, which clients ignore. It keeps the connection open. */
export function sseComment(text: string): string {
  return `: ${text}\n\n`;
}

function dataLines(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}\n`)
    .join("");
}
