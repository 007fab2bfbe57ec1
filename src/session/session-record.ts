// Records as a session in memory makes them: messages that no model made, and the run of an execution.

import type { Limits } from "#contract/run.ts";
import { nothingDone, notUnderWay } from "#core/blank-run.ts";
import { messageDraft } from "#core/message-draft.ts";
import type { MessageRecord, RunRecord, StoredPart } from "#core/record.ts";

import { sessionName } from "./definitions.ts";

/** The one branch. */
const branch = "main";

/** A message at its place behind all others. `at` is microseconds. */
export function sessionMessage(
  message: { id: string; role: "user" | "assistant"; parts: StoredPart[] },
  { at, run_id }: { at: number; run_id: string },
): MessageRecord {
  return messageDraft({ ...message, branch, at, run_id });
}

/** An execution that begins. */
export function sessionRun({ id, at, limits }: { id: string; at: number; limits: Limits | undefined }): RunRecord {
  return {
    id,
    branch,
    status: "running",
    kind: "message",
    agent_id: sessionName,
    created_at: at,
    started_at: at,
    ended_at: null,
    queued: null,
    after_position: "",
    counts_before: {},
    ...nothingDone(),
    limits: limits ?? null,
    parent_run_id: null,
    version: null,
    ...notUnderWay(),
  };
}
