// The initial values of a run's record.

import { zeroUsage } from "#contract/usage.ts";

import type { ExecutedRun, QueuedRun } from "./run-record.ts";

/** Usage and results of a run that has not begun. A new object for each record, because records are changed in place. */
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
  } satisfies Partial<QueuedRun>;
}

/** The progress of a run that begins. A new object for each record, because records are changed in place. */
export function noProgress(): ExecutedRun["progress"] {
  return { suspension: null, reached_limit: null, retry: null, context: {} };
}
