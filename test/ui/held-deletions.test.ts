// Deletions that can be taken back.

import { describe, expect, it } from "vitest";

import { HeldDeletions, holdMs } from "#ui/threads/held-deletions.ts";

/** Deletions over time that a test moves. */
function held(answer: () => Promise<void> = () => Promise.resolve()) {
  const waiting: { at: number; run: () => void }[] = [];
  const sent: [string, boolean][] = [];
  let now = 0;
  const deletions = new HeldDeletions(
    (id, { leaving }) => {
      sent.push([id, leaving]);
      return answer();
    },
    {
      after(milliseconds, run) {
        const entry = { at: now + milliseconds, run };
        waiting.push(entry);
        return () => void waiting.splice(waiting.indexOf(entry), 1);
      },
    },
  );
  const pass = (milliseconds: number): void => {
    now += milliseconds;
    for (const entry of waiting.filter(({ at }) => at <= now)) {
      waiting.splice(waiting.indexOf(entry), 1);
      entry.run();
    }
  };
  return { deletions, sent, pass, states: () => deletions.picture().map(({ id, state }) => `${id} ${state}`) };
}

describe("held deletions", () => {
  it("UI62 nothing is sent while it can be taken back, and once afterwards", () => {
    const { deletions, sent, pass, states } = held();
    deletions.hold({ id: "a", title: "A" });
    pass(holdMs - 1);
    expect([sent, states()]).toEqual([[], ["a held"]]);
    pass(1);
    expect([sent, states()]).toEqual([[["a", false]], ["a sent"]]);
    deletions.undo("a");
    deletions.leave();
    expect([sent, states()]).toEqual([[["a", false]], ["a sent"]]);
  });

  it("UI62 what is taken back is never sent", () => {
    const { deletions, sent, pass, states } = held();
    deletions.hold({ id: "a", title: "A" });
    deletions.hold({ id: "b", title: "B" });
    deletions.undo("a");
    deletions.leave();
    pass(holdMs);
    expect([sent, states()]).toEqual([[["b", true]], ["b sent"]]);
  });

  it("UI62 what failed is shown again, with the reason", async () => {
    const { deletions, pass } = held(() => Promise.reject(new Error("Not now")));
    deletions.hold({ id: "a", title: "A" });
    pass(holdMs);
    await Promise.resolve();
    expect(deletions.picture()).toMatchObject([{ id: "a", state: "failed", error: { message: "Not now" } }]);
    deletions.forget("a");
    expect(deletions.picture()).toEqual([]);
  });
});
