// A run of which nothing has been done: what every new record of one begins with.

import { zeroUsage } from "#contract/usage.ts";

import type { RunRecord } from "./record.ts";

/** What a run has come to so far: nothing. A fresh one for each record, which is changed in place. */
export function nothingDone() {
  return {
    steps: 0,
    usage: zeroUsage,
    cost: 0,
    spent: {},
    text: null,
    reason: null,
    outcome: null,
    error: null,
    message_ids: [],
  } satisfies Partial<RunRecord>;
}

/** What only a run under way has: no stop, no rest, no retry, an empty context. */
export function notUnderWay() {
  return { stop: false, resume_at: null, retry: null, context: {}, events: [] } satisfies Partial<RunRecord>;
}
