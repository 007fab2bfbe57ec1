// Finds and forges lines of an export.

import { zeroUsage } from "#contract/usage.ts";

import type { Line } from "./archive-client.ts";

/** The record of the first line of a type. */
export const first = (lines: Line[], type: string): Line => lines.find((line) => line["type"] === type)?.[type] as Line;

/** The lines of a type. */
export const all = (lines: Line[], type: string): Line[] => lines.filter((line) => line["type"] === type);

/** The index of the first line of a type. */
export const at = (lines: Line[], type: string): number => lines.findIndex((line) => line["type"] === type);

/** A usage that no run has. */
export const fortune = { ...zeroUsage, output: 5e11, total_tokens: 5e11 };

/** Adds a waiting run that states an enormous usage. */
export function waits(lines: Line[], input: Line = {}): Line {
  const last = all(lines, "run").at(-1)?.["run"] as Line;
  const message = all(lines, "message").at(-1)?.["message"] as Line;
  const [id, messageId] = [last["id"], message["id"]].map((known) => String(known).slice(0, -6) + "ffffff");
  const queued = { message: { ...message, role: "user", id: messageId, position: messageId, ...input } };
  const forged = {
    usage: fortune,
    cost: 123_456,
    spent: { test: { usage: fortune, cost: 123_456 } },
    steps: 7,
    created_at: 9e15,
  };
  const run = { ...last, id, status: "queued", queued, started_at: null, ended_at: null, ...forged };
  lines.splice(at(lines, "message"), 0, { type: "run", run });
  first(lines, "thread")["queue"] = [id];
  return run;
}
