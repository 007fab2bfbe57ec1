// The rows that a thread of 10,000 messages reads: those of the requested page and a few more, never the whole thread.

import { beforeAll, describe, expect, it } from "vitest";

import { costOf, measured, printCosts, settled, withoutFilterHook } from "./cost-table.ts";
import { admin, converse, crash, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

printCosts();

const length = 10_000;
const little = 20;
const count = length.toLocaleString("en");

/** The rows that a replay of this many messages may read: the search for its beginning, and the borders of its parts, add some. */
function replayBound(missed: number): number {
  return Math.ceil(2.1 * missed) + little;
}

async function longThread(agent: string): Promise<string> {
  const lines = Array.from({ length }, (_, index) => ({ role: "user", content: `line ${index}` }));
  return newThread(agent, { initial_messages: lines });
}

describe(`rows read of a thread of ${count} messages`, () => {
  let id = "";
  let seqs: number[] = [];
  let wholeCost = 0;

  beforeAll(async () => {
    id = await longThread("parallel");
    const { read } = await costOf(id, async () => {
      const all = await follow(id, { after: "0", until: "idle" });
      await all.closed;
      seqs = all.events.flatMap((event) => (event.type === "message_end" ? [event.seq] : []));
    });
    wholeCost = read;
    expect(seqs).toHaveLength(length);
  }, 60_000);

  it("COST4 A page of history reads the rows of the page and a few more", async () => {
    for (const order of ["asc", "desc"] as const) {
      const first = { limit: 50, order, include_silent: false };
      let cursor: string | undefined;
      for (const place of ["first", "second"]) {
        const query = cursor === undefined ? first : { ...first, cursor };
        const { read } = await costOf(id, async () => {
          const page = await value(stubOf(id).call("listMessages", admin, query));
          expect(page.items).toHaveLength(50);
          expect(page.total).toBe(length);
          cursor = page.next_cursor ?? undefined;
        });
        measured(`${place} page of 50 out of ${count}, ${order}`, `${read} read`, `≤ 50 + ${little}`);
        expect(read).toBeLessThanOrEqual(50 + little);
      }
    }
  });

  it("COST5 If a request for a page loads an evicted thread, it reads the rows of the page and a few more", async () => {
    for (const order of ["asc", "desc"] as const) {
      await crash(id);
      await value(stubOf(id).call("listMessages", admin, { limit: 50, order, include_silent: false }));
      const { rowsRead, rowsWritten } = await stubOf(id).rows();
      measured(`cold wake, page of 50 out of ${count}, ${order}`, `${rowsRead} read`, `≤ 50 + ${little}`);
      expect(rowsRead).toBeLessThanOrEqual(50 + little);
      expect(rowsWritten).toBe(0);
    }
  });

  /** Subscribes a reader that missed this many messages, and checks the number of events that it receives. */
  async function comesBack(missed: number): Promise<void> {
    const after = seqs[length - missed - 1] ?? 0;
    const following = await follow(id, { after: String(after), until: "idle" });
    await following.closed;
    expect(following.events).toHaveLength(2 * missed);
  }

  it("COST11 A thread reads about two rows for each message that a resuming reader missed, and a few more", async () => {
    const bound = Math.ceil(1.1 * length) + little;
    measured(`a reader of all ${count} messages`, `${wholeCost} read`, `≤ ${bound}`);
    expect(wholeCost).toBeLessThanOrEqual(bound);
    for (const missed of [0, 1, 100, length / 2]) {
      const { read } = await costOf(id, () => comesBack(missed));
      const bound = replayBound(missed);
      measured(`a reader that missed ${missed} messages of ${count}`, `${read} read`, `≤ ${bound}`);
      expect(read).toBeLessThanOrEqual(bound);
    }
  });

  it("COST11 If a resuming reader loads an evicted thread, the number of rows read depends on the messages that it missed, not on the thread's length", async () => {
    for (const missed of [0, 1, 100, length / 2]) {
      await crash(id);
      await comesBack(missed);
      const { rowsRead, rowsWritten } = await stubOf(id).rows();
      const bound = replayBound(missed);
      measured(`cold wake, a reader that missed ${missed} messages`, `${rowsRead} read`, `≤ ${bound}`);
      expect(rowsRead).toBeLessThanOrEqual(bound);
      expect(rowsWritten).toBe(0);
    }
  });

  it("COST11 If a reader resumes in the middle of the last run, the number of rows read does not depend on the thread's length", async () => {
    await converse(id, "hello");
    const last = await follow(id, { after: String(seqs.at(-1)), until: "idle" });
    await last.closed;
    const after = last.events[Math.floor(last.events.length / 2)]?.seq ?? 0;
    const { read } = await costOf(id, async () => {
      const following = await follow(id, { after: String(after), until: "idle" });
      await following.closed;
      expect(following.events.length).toBeGreaterThan(0);
    });
    measured(`a reader that missed half a run after ${count} messages`, `${read} read`, `≤ ${little}`);
    expect(read).toBeLessThanOrEqual(little);
  });

  it("COST6 A step reads the messages it sends and a few rows more", async () => {
    const before = await value(stubOf(id).call("describe", admin));
    // The reader has all earlier events, so that its reads are not counted with the step.
    const watching = await follow(id, { after: String(before.last_seq) });
    const { read } = await costOf(id, async () => {
      const { run } = await value(stubOf(id).call("postMessage", admin, message("hello again"), null));
      await watching.until((event) => event.type === "run_end" && event.run_id === run?.id);
    });
    watching.close();
    const sent = before.message_count + 1;
    measured(`step that sends ${sent} messages`, `${read} read`, `≤ ${sent} + ${little}`);
    expect(read).toBeLessThanOrEqual(sent + little);
  });

  it("COST6 If a step sends one message of a long thread, the number of rows that it reads does not depend on the thread's length", async () => {
    withoutFilterHook();
    const forgetful = await longThread("forgetful");
    const { read } = await costOf(forgetful, () => converse(forgetful, "hello"));
    measured(`step that sends 1 message of ${count}`, `${read} read`, `≤ 2 + ${little}`);
    expect(read).toBeLessThanOrEqual(2 + little);
    await value(stubOf(forgetful).call("postMessage", admin, message("no run", { run: false }), null));
  });

  it("COST6 If there is a filter_messages hook, a step that sends one message also reads the newest 1,000 messages", async () => {
    const forgetful = await longThread("forgetful");
    const { read } = await costOf(forgetful, () => converse(forgetful, "hello"));
    measured(`step that sends 1 message of ${count}, with a filter hook`, `${read} read`, `≤ 1,000 + 2 + ${little}`);
    expect(read).toBeGreaterThanOrEqual(1000);
    expect(read).toBeLessThanOrEqual(1000 + 2 + little);
  });
});

describe("rows read of a thread of many runs", () => {
  it("COST11 A thread of many runs reads at most five rows for each message that a resuming reader missed, and a few more", async () => {
    const runs = 200;
    const id = await newThread("forgetful");
    const ends = [0];
    for (let run = 0; run < runs; run += 1) ends.push((await converse(id, `run ${run}`)).at(-1)?.seq ?? 0);
    await settled(id);
    for (const missed of [1, 20, runs]) {
      const { read } = await costOf(id, async () => {
        const following = await follow(id, { after: String(ends[runs - missed]), until: "idle" });
        await following.closed;
        expect(following.events.filter(({ type }) => type === "message_end")).toHaveLength(2 * missed);
      });
      // Four rows of each run; a part without space for them reads some of them again.
      const bound = 5 * (2 * missed) + 3 * little;
      measured(`a reader that missed ${missed} runs of ${runs}`, `${read} read`, `≤ ${bound}`);
      expect(read).toBeLessThanOrEqual(bound);
    }
  });
});
