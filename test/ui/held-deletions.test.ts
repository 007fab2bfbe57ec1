// Deletions that can be undone.

import { describe, expect, it } from "vitest";

import { HeldDeletions, holdMs } from "#playground/threads/held-deletions.ts";

/** Deletions with timers that a test moves. */
function deletionsWith(answer: () => Promise<void> = () => Promise.resolve()) {
  const waiting: { at: number; run: () => void }[] = [];
  const sent: [string, boolean][] = [];
  let now = 0;
  const deletions = new HeldDeletions({
    after(milliseconds, run) {
      const entry = { at: now + milliseconds, run };
      waiting.push(entry);
      return () => void waiting.splice(waiting.indexOf(entry), 1);
    },
  });
  const hold = (id: string): void =>
    deletions.hold({
      id,
      title: id.toUpperCase(),
      send({ leaving }) {
        sent.push([id, leaving]);
        return answer();
      },
    });
  const pass = (milliseconds: number): void => {
    now += milliseconds;
    for (const entry of waiting.filter(({ at }) => at <= now)) {
      waiting.splice(waiting.indexOf(entry), 1);
      entry.run();
    }
  };
  return { deletions, hold, sent, pass, states: () => deletions.get().map(({ id, state }) => `${id} ${state}`) };
}

describe("held deletions", () => {
  it("A deletion is not sent while it can be undone, and is sent once afterwards", () => {
    const { deletions, hold, sent, pass, states } = deletionsWith();
    hold("a");
    pass(holdMs - 1);
    expect([sent, states()]).toEqual([[], ["a held"]]);
    pass(1);
    expect([sent, states()]).toEqual([[["a", false]], ["a sent"]]);
    deletions.undo("a");
    deletions.leave();
    expect([sent, states()]).toEqual([[["a", false]], ["a sent"]]);
  });

  it("A deletion that was undone is never sent", () => {
    const { deletions, hold, sent, pass, states } = deletionsWith();
    hold("a");
    hold("b");
    deletions.undo("a");
    deletions.leave();
    pass(holdMs);
    expect([sent, states()]).toEqual([[["b", true]], ["b sent"]]);
  });

  it("A deleted entry is distinguished from one that is still being deleted", async () => {
    const { hold, pass, states } = deletionsWith();
    hold("a");
    pass(holdMs);
    expect(states()).toEqual(["a sent"]);
    await Promise.resolve();
    expect(states()).toEqual(["a done"]);
  });

  it("A failed deletion is shown again, with the reason", async () => {
    const { deletions, hold, pass } = deletionsWith(() => Promise.reject(new Error("Not now")));
    hold("a");
    pass(holdMs);
    await Promise.resolve();
    expect(deletions.get()).toMatchObject([{ id: "a", state: "failed", error: { message: "Not now" } }]);
    deletions.forget("a");
    expect(deletions.get()).toEqual([]);
  });
});
