// Creates the records of an in-process run (executed in the caller's process, without a Worker or a thread): the run's record, and those of
// messages that are not a model's answer.

import type { Limits } from "#contract/run.ts";
import { nothingDone, noProgress } from "#core/record/blank-run.ts";
import { messageDraft } from "#core/record/message-draft.ts";
import type { MessageRecord, StoredPart } from "#core/record/record.ts";
import type { ExecutedRun } from "#core/record/run-record.ts";

/** The only branch of an in-process conversation. */
const branch = "main";

/** Creates the record of a run that begins at `at` (microseconds). */
export function hostRun({
  id,
  agent,
  at,
  limits = null,
}: {
  id: string;
  agent: string;
  at: number;
  limits?: Limits | null;
}): ExecutedRun {
  return {
    id,
    branch,
    status: "running",
    kind: "message",
    agent_id: agent,
    created_at: at,
    started_at: at,
    ended_at: null,
    queued: null,
    after_position: "",
    counts_before: {},
    ...nothingDone(),
    limits,
    parent_run_id: null,
    version: null,
    stop: false,
    events: [],
    progress: noProgress(),
  };
}

/** Creates the record of a message of a run. Its position is after every message with a lower id. `at` is microseconds. */
export function hostMessage(
  message: { id: string; role: "user" | "assistant"; parts: StoredPart[] },
  { at, run_id }: { at: number; run_id: string },
): MessageRecord {
  return messageDraft({ ...message, branch, at, run_id });
}
