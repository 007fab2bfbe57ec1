// What a subscription delivers to whoever reads it here in the Worker.

import { tooSlowCloseCode, webSocketCloseCode } from "#contract/error.ts";
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

/** Refusals with a close code of their own, and their message where the object sent none. */
const refusals: readonly [Refusal["code"], string][] = [
  ["unauthorized", "The credentials are no longer valid."],
  ["forbidden", "This is not allowed."],
  ["thread_not_found", "There is no such thread."],
  ["rate_limited", "Too many subscribers."],
];

/** What the close of the object's socket means; null when it was cut off and can be attached again. */
export function deliveryOfClose(code: number, reason: string): Delivery | null {
  // A client whose token expired needs a new one, and a reader that was too slow comes back with its last number.
  if ([1000, expiredCloseCode, tooSlowCloseCode].includes(code)) return { type: "closed" };
  if (code < 4400 || code >= 4500) return null;
  const known = refusals.find(([refused]) => webSocketCloseCode(refused) === code);
  const [refused, message] = known ?? ["invalid_request", "The subscription was refused."];
  return { type: "refused", refusal: { code: refused, message: reason === "" ? message : reason } };
}
