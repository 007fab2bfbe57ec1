// What a subscription delivers to whoever reads it here in the Worker.

import type { Refusal } from "#contract/error.ts";
import { expiredCloseCode } from "#contract/subscription.ts";

/** One event as the object sent it. `json` is its text, unchanged. */
export interface Frame {
  type: "frame";
  seq: number;
  event: string;
  runId: string | null;
  json: string;
}

/** `end`: rest, or the run's end, was reached. `refused`: the object serves this no longer. `closed`: no more, without a word. */
export type Delivery = Frame | { type: "end" } | { type: "refused"; refusal: Refusal } | { type: "closed" };

/** Reads a frame of the object; null for what is none. */
export function readFrame(text: string): Frame | { type: "end" } | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || !("type" in value)) return null;
  const { type: event } = value;
  if (event === "end") return { type: "end" };
  const seq = "seq" in value ? value.seq : null;
  if (typeof event !== "string" || typeof seq !== "number") return null;
  const runId = "run_id" in value && typeof value.run_id === "string" ? value.run_id : null;
  return { type: "frame", seq, event, runId, json: text };
}

/** What the close of the object's socket means; null when it was cut off and can be attached again. */
export function deliveryOfClose(code: number, reason: string): Delivery | null {
  const refusal = (refused: Refusal["code"], message: string): Delivery => ({
    type: "refused",
    refusal: { code: refused, message: reason === "" ? message : reason },
  });
  switch (code) {
    case 1000:
      return { type: "closed" };
    case 4401:
      return refusal("unauthorized", "The credentials are no longer valid.");
    case 4403:
      return refusal("forbidden", "This is not allowed.");
    case 4404:
      return refusal("thread_not_found", "There is no such thread.");
    case 4429:
      return refusal("rate_limited", "Too many subscribers.");
    default:
      // A client that reconnects needs a new token, so the stream is not attached again with the old one.
      if (code === expiredCloseCode) return { type: "closed" };
      // 4408 tells a reader that it was too slow: it comes back with its last number when it can.
      if (code === 4408) return { type: "closed" };
      return code >= 4400 && code < 4500 ? refusal("invalid_request", "The subscription was refused.") : null;
  }
}
