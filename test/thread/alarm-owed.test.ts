// A thread with open work, a step of its run or a message to another thread, has an alarm at every moment at which its object may die.

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { skip, testClock } from "../worker/clock.ts";
import { toolEffects, scriptedAnswers } from "../worker/team.ts";
import {
  begun,
  latch,
  resetAgents,
  waitFor,
  lastRunOf,
  panelWaitingFor,
  passing,
  whenSuspended,
  wake,
  word,
} from "./team-driver.ts";
import { admin, alarmOf, converse, crash, evict, message, newThread, stubOf, value } from "./thread-driver.ts";

beforeEach(resetAgents);

const soon = 60_000;

describe("a run that was suspended and resumed at once", () => {
  it("If a suspended run resumes immediately, its thread still has an alarm, and the alarm resumes the run after a crash", async () => {
    const slow = latch();
    let reached = false;
    let hangs = true;
    toolEffects.set("slow", async () => {
      await slow.passed;
      return "slow";
    });
    toolEffects.set("queue", async (state) => {
      // This writes the run's row during its execution.
      state.queueTool("act", { key: "later" });
      reached = true;
      if (hangs) await new Promise(() => {});
      return "queued";
    });
    toolEffects.set("later", () => "later");
    panelWaitingFor(Promise.resolve());
    scriptedAnswers.set("boss", ({ step }) => {
      if (step > 1) return { text: "boss done" };
      const act = (key: string) => ({ name: "act", arguments: { key } });
      return {
        toolCalls: step === 1 ? [act("queue")] : [{ name: "panel", arguments: { task: "decide" } }, act("slow")],
      };
    });
    const id = await newThread("boss");
    const places = passing();
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    // The child answers while the other call still runs, so the work for its answer is done before the suspension begins.
    await places.until(word("after deliver", { to: id }));
    slow.open();
    await waitFor(() => reached);
    hangs = false;
    await crash(id);
    expect(await wake(id)).toBe(true);
    const alarm = await alarmOf(id);
    if (alarm !== null) expect(alarm - testClock.now() / 1000).toBeLessThan(soon);
    await waitFor(async () => (await lastRunOf(id)).status === "completed");
  });
});

describe("a child with an undelivered result", () => {
  it("A child thread with an undelivered result still has an alarm after its heartbeat, and after a crash the alarm delivers the result without a request", async () => {
    const { passed, open } = latch();
    panelWaitingFor(passed);
    const { id, child, following } = await begun();
    following.close();
    await whenSuspended(id);
    const emitted = word("before deliver", { thread: child, to: id });
    let isLost = true;
    const places = passing((place) => (emitted(place) && isLost ? new Promise(() => {}) : undefined));
    open();
    await places.until(emitted);
    expect(await wake(child)).toBe(true);
    expect(await alarmOf(child)).not.toBeNull();
    isLost = false;
    await crash(child);
    expect(await wake(child)).toBe(true);
    await waitFor(async () => (await lastRunOf(id)).status === "completed");
  });
});

describe("a catalog that does not answer", () => {
  afterEach(async () => {
    await env.CATALOG.prepare("ALTER TABLE thread_away RENAME TO thread").run();
  });

  it("COST12 If the catalog does not answer, a thread retries its update after pauses that grow from 5 seconds to 15 minutes, also after evictions, until it succeeds", async () => {
    const id = await newThread("parallel");
    await env.CATALOG.prepare("ALTER TABLE thread RENAME TO thread_away").run();
    await converse(id, "say it");
    const pauses: number[] = [];
    for (let nth = 0; nth < 10; nth += 1) {
      await evict(id);
      const pause = ((await alarmOf(id)) ?? 0) - testClock.now() / 1000;
      pauses.push(Math.round(pause / 1000));
      skip(pause);
      expect(await wake(id)).toBe(true);
    }
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 900, 900]);

    await env.CATALOG.prepare("ALTER TABLE thread_away RENAME TO thread").run();
    await evict(id);
    skip(900_000);
    await wake(id);
    await waitFor(async () => (await alarmOf(id)) === null);
    const count = env.CATALOG.prepare("SELECT count(*) AS runs FROM run_total WHERE thread_id = ?").bind(id);
    expect(await count.first("runs")).toBe(1);
    await env.CATALOG.prepare("ALTER TABLE thread RENAME TO thread_away").run();
    // The next failure begins with the shortest pause.
    await converse(id, "say it again");
    await evict(id);
    expect(Math.round(((await alarmOf(id)) ?? 0) / 1000 - testClock.now() / 1_000_000)).toBe(5);
  });
});
