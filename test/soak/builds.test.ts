// A deploy while runs are active: an older build starts threads and is killed; this build opens the same state
// folder and finishes their runs. Two older builds are used: that of the previous commit, and the one whose threads the
// repository stores.

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  actorCalled,
  beginThreads,
  type Look,
  lookAtRest,
  note,
  readNote,
  threadNames,
} from "./support/begun-threads.ts";
import { drain, type DrainedThread } from "./support/drain.ts";
import { checkOutPrevious, previousCommit } from "./support/previous-build.ts";
import { addSoakAgent } from "./support/soak-agents.ts";
import { openSoak, type Soak } from "./support/soak.ts";
import { talk } from "./support/stop-points.ts";
import { restoreThreads, storeThreads } from "./support/stored-threads.ts";

/**
 * Starts the threads, or restores threads that an older build started. Returns what the API showed of the idle thread.
 */
type Beginning = (soak: Soak) => Promise<Look>;

const byPrevious: Beginning = async (soak) => {
  const previous = checkOutPrevious();
  try {
    addSoakAgent(previous, soak.effects.url);
    const before = await beginThreads(soak, previous.root);
    if (process.env["SOAK_STORE"] === "1") storeThreads(soak, before);
    return before;
  } finally {
    previous.remove();
  }
};
const byStored: Beginning = (soak) => Promise.resolve(restoreThreads(soak));

const commit = previousCommit();
if (commit === null) {
  console.log(
    "THERE IS NO COMMIT BEFORE THIS ONE HERE (a shallow clone?): only the kept threads of an older build are finished.",
  );
}

describe.each<{ build: string; begin: Beginning }>([
  ...(commit === null ? [] : [{ build: `the previous commit, ${commit}`, begin: byPrevious }]),
  { build: "an older release, as they are kept", begin: byStored },
])("threads of $build", ({ build, begin }) => {
  let soak: Soak;
  let drained: Map<string, DrainedThread>;
  let before: Look;
  let after: Look;
  let read: string;

  beforeAll(async () => {
    console.log(`threads of ${build}`);
    soak = await openSoak(
      0,
      threadNames.map((name) => ({ name, role: "regular" })),
    );
    before = await begin(soak);
    drained = await drain(soak, async (api) => {
      after = await lookAtRest(soak, api);
      read = await readNote(soak, api);
      const rest = actorCalled(soak, "rest");
      await api.say(rest.id, rest.say(talk(5)).content);
    });
  });
  afterAll(async () => {
    await soak?.close();
  });

  it("SURV11 An idle thread of an older build can be read as before, page by page, with its runs and its files, and continues", () => {
    expect(before.messages.length).toBeGreaterThan(8);
    expect(before.pages.length).toBeGreaterThan(2);
    // This build may return more fields than the older one. All others have to be equal.
    expect(after).toMatchObject(before);
    expect(read).toBe(note);
    expect(soak.models.completed("rest.4", 0)).toHaveLength(1);
  });

  it.for(threadNames)("SURV12 A run of an older build is finished by the current one: %s", (name) => {
    const { runs, messages } = drained.get(name) ?? { runs: [], messages: [] };
    expect(runs).toHaveLength({ rest: 3, queue: 3 }[String(name)] ?? 1);
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(["completed"]));
    expect(messages.at(-1)).toMatchObject({ role: "assistant", status: "complete" });
  });

  it("SURV13 Followers of threads of an older build lose no event, and each call of those threads took effect once", () => {
    for (const rule of ["SURV2", "SURV3", "SURV4", "SURV5", "SURV6", "SURV7"])
      expect(soak.findings.of(rule).join("\n")).toBe("");
    expect(soak.effects.reconciled).toBeGreaterThan(0);
    expect(soak.effects.repetitions).toBe(1);
  });
});
