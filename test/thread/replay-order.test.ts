// Replay of a thread whose runs began in another order than they were admitted.

import { beforeEach, describe, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";

import { exported, replaced } from "./archive-client.ts";
import { atRest, busy, queueOf, say, steer } from "./queue-client.ts";
import { resetAgents } from "./team-driver.ts";
import { admin, evict, follow, stubOf, value } from "./thread-driver.ts";

beforeEach(resetAgents);

const seqs = (events: readonly ThreadEvent[]) => events.map(({ seq }) => seq);

/** A thread in which everything that can be out of order is out of order: moved inputs, interrupts, steering messages. */
async function disordered(texts: readonly string[]): Promise<string> {
  const { id, open } = await busy();
  for (const text of texts) await say(id, text);
  const ids = (await queueOf(id)).map((input) => input.id);
  for (const [at, qid] of ids.toReversed().entries()) {
    if (at % 3 !== 1) await value(stubOf(id).call("patchQueued", admin, qid, { position: 0 }));
  }
  await steer(id, "joins");
  await say(id, "now", { when: "interrupt" });
  await say(id, "now too", { when: "interrupt" });
  open();
  await atRest(id);
  return id;
}

describe("a reader that resumes", () => {
  it("FOLLOW2 A reader that resumes from any number receives exactly the later events, also if runs began out of order", async () => {
    const id = await disordered(["one", "two", "three", "four", "five"]);
    const all = await atRest(id);
    expect(all.filter(({ type }) => type === "run_start")).toHaveLength(9);
    await evict(id);
    for (const { seq } of all) {
      const following = await follow(id, { after: String(seq), until: "idle" });
      await following.closed;
      expect(seqs(following.events)).toEqual(seqs(all).filter((known) => known > seq));
    }
  });

  it("FOLLOW2 A reader of a copy of the thread receives the same replay as a reader of the original", async () => {
    const id = await disordered(["one", "two", "three"]);
    const all = await atRest(id);
    await replaced(id, await exported(id));
    for (const { seq } of all) {
      const following = await follow(id, { after: String(seq), until: "idle" });
      await following.closed;
      expect(seqs(following.events)).toEqual(seqs(all).filter((known) => known > seq));
    }
  });

  it("FOLLOW2 A reader that resumes receives every later event although the replay is split into many parts", async () => {
    // Each answer repeats its question: two rows of a run exceed half of the size of a part.
    const large = (word: string) => `${word} ${"x".repeat(150_000)}`;
    const id = await disordered(["one", "two", "three", "four"].map(large));
    const all = await atRest(id);
    await evict(id);
    const again = await atRest(id);
    expect(seqs(again)).toEqual(seqs(all));
    const half = all[Math.floor(all.length / 2)]?.seq ?? 0;
    const following = await follow(id, { after: String(half), until: "idle" });
    await following.closed;
    expect(seqs(following.events)).toEqual(seqs(all).filter((known) => known > half));
  });
});
