// Notes about what the messages of a run do not show: retries, fallbacks, retracted answers, handoffs, errors, written files,
// and a run that did not complete. Each note follows the message of its run that was the last one when its event was emitted.

import type { EventOf, ThreadEvent } from "threadhold/client";

import { duration } from "../kit/duration.ts";

/** A note between messages. */
export interface RunNote {
  key: string;
  tone: "quiet" | "wait" | "wrong";
  text: string;
  /** Number of the note's event; it identifies the note. */
  seq: number;
  /** Microseconds since epoch. */
  at: number;
  /** The note is about an answer that has not started: an answer that starts at the same time follows it. */
  ahead: boolean;
  /** The last version of a file that was written during the run. */
  file?: NonNullable<EventOf<"file_changed">["file"]>;
  /** How the run ended, if it did not complete. */
  ended?: "error" | "stopped" | "limit";
  /** The note's run, and the message whose scope it belongs to. */
  runId: string | null;
  under: string | null;
}

/** The types of events that may result in a note. */
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

/** The note of an event; null for most events. */
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
