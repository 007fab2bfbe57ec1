// Idempotency keys of admitted inputs: the admission is stored under its key, and a repeated request receives it again.

import { refuse } from "#contract/error.ts";
import type { ThreadholdError } from "#contract/error.ts";
import { isJsonObject } from "#contract/json.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Run } from "#contract/run.ts";
import { toMessage } from "#core/record/view.ts";
import type { Admission, RequestKey } from "#core/rpc/thread-rpc.ts";

import type { DeployedThread, LiveThread } from "../live/live-thread.ts";

/** Returns the stored admission if the key was used before. Refuses the request if its body differs. */
export function repeatedAdmission(live: LiveThread, key: RequestKey | null): Admission | null {
  const known = key === null ? null : live.store.key(key.key);
  if (known === null || key === null) return null;
  if (known.fingerprint !== key.fingerprint) {
    throw refuse("conflict", "This Idempotency-Key was used before with another body.");
  }
  if (typeof known.answer["rejected"] === "string") throw rejection(known.answer["rejected"]);
  const { message_id, run, after, input_id, ...more } = known.answer as {
    message_id: string | null;
    run: Run | null;
    after: number;
    /** Id of the queued input; absent if it is the id of the run. */
    input_id?: string;
    files_kept?: number;
  };
  const waiting = run === null ? null : (live.store.run(input_id ?? run.id)?.queued?.message ?? null);
  const shownWaiting = waiting === null ? null : { ...waiting, run_id: run?.id ?? null };
  const message = message_id === null ? null : (live.store.message(message_id) ?? shownWaiting);
  return { message: message === null ? null : toMessage(message), run, after, repeated: true, ...more };
}

/** The id of the run that was started by the message with this key; null if there is none. */
export function runOfKey(live: LiveThread, key: string): string | null {
  const run = live.store.key(key)?.answer["run"];
  return isJsonObject(run) && typeof run["id"] === "string" ? run["id"] : null;
}

/** The refusal of an input that a filter rejected. */
export function rejection(reason: string): ThreadholdError {
  return refuse("input_rejected", `The input was refused: ${reason}`, { reason });
}

/** Stores under the key that a filter rejected the input. */
export function storeRejection(
  { live, deployment: { clock } }: DeployedThread,
  key: RequestKey | null,
  reason: string,
): void {
  if (key !== null) live.store.insertKey({ ...key, answer: { rejected: reason }, created_at: clock.now() });
}

/** Stores the admission under its key and returns it. `inputId`: id of the queued input, if its message joined another run. */
export function storeUnderKey(
  { live, deployment: { clock } }: DeployedThread,
  key: RequestKey | null,
  { answer, inputId }: { answer: Admission; inputId?: string },
): Admission {
  if (key === null) return answer;
  const { message, run, after, files_kept } = answer;
  const other = inputId === undefined || inputId === run?.id ? {} : { input_id: inputId };
  const kept = files_kept === undefined ? {} : { files_kept };
  const record = { message_id: message?.id ?? null, run, after, ...other, ...kept } as unknown as JsonObject;
  live.store.insertKey({ ...key, answer: record, created_at: clock.now() });
  return answer;
}
