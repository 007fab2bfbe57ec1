// The projections of a thread: which messages its requests contain after the conversation was compacted. The thread's row stores them for
// the next runs; the log row of the step that compacted the conversation stores the projection for a run that is interrupted before that.

import { isJsonObject } from "#contract/json.ts";
import type { ScopedProjection } from "#core/ports/step-port.ts";
import type { LogRecord } from "#core/record/record.ts";
import type { Projections } from "#flow/request/select-messages.ts";

import type { LiveThread } from "../live/live-thread.ts";

/** The maximum number of projections of a thread: one for each side and prompt that it used last. */
const mostProjections = 20;

/** The projections of the log rows of an interrupted run, oldest first. */
export function recordedProjections(logs: readonly LogRecord[]): ScopedProjection[] {
  // `attemptLog` wrote the field.
  return logs.flatMap(({ data: { projection } }) =>
    isJsonObject(projection) ? [projection as unknown as ScopedProjection] : [],
  );
}

/** The projections of a run. A projection of a nested loop, whose name is the id of a message, is kept only as long as the run. */
export function threadProjections(live: LiveThread, recorded: readonly ScopedProjection[]): Projections {
  const known = new Map(Object.entries(live.record.projections ?? {}));
  const projections: Projections = {
    get: (of) => known.get(of),
    set: (of, is) => {
      known.delete(of);
      known.set(of, is);
      if (!of.includes("/")) return;
      const ofThread = [...known].filter(([name]) => name.includes("/")).slice(-mostProjections);
      live.change({ projections: Object.fromEntries(ofThread) });
    },
  };
  for (const { of, is } of recorded) projections.set(of, is);
  return projections;
}
