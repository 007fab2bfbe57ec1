// What a run tells beside its messages, and what a list of messages cannot show: retries, fallbacks, answers taken back, handoffs,
// ends that were not good ones. Each stands behind the message that was last when it was told.

import type { EventOf, ThreadEvent } from "threadhold/client";

import { duration } from "../kit/duration.ts";

/** A note between messages. */
export interface RunNote {
  key: string;
  tone: "quiet" | "wait" | "wrong";
  text: string;
  /** Number of its event: two tell the same where it is the same. */
  seq: number;
  /** Microseconds since epoch. */
  at: number;
  /** It is about an answer that is still to come: one that begins at the same time comes behind it. */
  ahead: boolean;
  /** A file that was written during the run, in its last version. */
  file?: NonNullable<EventOf<"file_changed">["file"]>;
  /** How the run ended, if it did not complete. */
  ended?: "error" | "stopped" | "limit";
  /** The run that tells it, and the message that its line hangs under. */
  runId: string | null;
  under: string | null;
}

/** The events that have something to note. */
export const notedTypes = [
  "model_retry",
  "model_fallback",
  "message_retracted",
  "agent_handoff",
  "run_end",
  "error",
] as const;

const aheadTypes: ReadonlySet<string> = new Set(["model_retry", "model_fallback", "message_retracted"]);

const taken: Readonly<Record<"recovery" | "retry" | "fallback", string>> = {
  recovery: "A partial answer was discarded after an interruption; the model is asked again.",
  retry: "A partial answer was discarded; the model is asked again.",
  fallback: "A partial answer was discarded; another model is asked.",
};

/** What an event has to note; null for most. */
export function noteOf(event: ThreadEvent): RunNote | null {
  const note = (tone: RunNote["tone"], text: string): RunNote => ({
    key: `note-${event.seq}`,
    tone,
    text,
    seq: event.seq,
    at: event.at,
    ahead: aheadTypes.has(event.type),
    runId: event.run_id ?? null,
    under: event.parent_id ?? null,
  });
  switch (event.type) {
    case "model_retry":
      return note(
        "wait",
        `Attempt ${event.attempt} of ${event.max} in ${duration(event.delay_ms)}: ${event.error.message}`,
      );
    case "model_fallback":
      return note("wait", `Switched from ${event.from} to ${event.to}: ${event.error.message}`);
    case "message_retracted":
      return note("wait", taken[event.reason]);
    case "agent_handoff":
      return note("quiet", `${event.from} handed over to ${event.to}`);
    case "run_end":
      return endNote(event, note);
    case "error":
      return note("wrong", event.message);
    default:
      return null;
  }
}

type Note = (tone: RunNote["tone"], text: string) => RunNote;

function endNote(event: Extract<ThreadEvent, { type: "run_end" }>, note: Note): RunNote | null {
  switch (event.status) {
    case "error":
      return {
        ...note("wrong", `The run failed: ${event.error?.message ?? event.reason ?? "no reason was given"}`),
        ended: "error",
      };
    case "stopped":
      return { ...note("quiet", "The run was stopped."), ended: "stopped" };
    case "limit":
      return {
        ...note("wait", `The run ended at a limit: ${(event.reason ?? "unknown").replaceAll("_", " ")}`),
        ended: "limit",
      };
    default:
      return null;
  }
}
