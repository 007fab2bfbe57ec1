// A wait that is too long for a timer: the run is suspended, as rows and an alarm (architecture §5.3).
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { skip, testClock } from "../worker/clock.ts";
import { gate, scripts } from "../worker/definitions.ts";
import { admin, alarmOf, crash, evict, follow, message, newThread, stubOf, types, value } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };

function failsOnce(word: string): void {
  let requested = 0;
  scripts.set(word, () => {
    requested += 1;
    return requested === 1
      ? { text: "half", error: { kind: "rate_limited", message: "slow down", retryAfterMs: 60_000 } }
      : { text: `answered at try ${requested}` };
  });
}

async function suspended(word: string) {
  failsOnce(word);
  const id = await newThread("parallel");
  const { run } = await value(stubOf(id).call("postMessage", admin, message(word), null));
  const following = await follow(id, { after: "0" });
  await following.until((event) => event.type === "model_retry");
  following.close();
  return { id, runId: run?.id ?? "" };
}

function wake(id: string): Promise<boolean> {
  return runDurableObjectAlarm(env.THREADS.get(env.THREADS.idFromName(id)));
}

describe("a Retry-After of a minute", () => {
  it("RETRY1 A Retry-After of a minute leaves nothing in memory, and the run wakes at its time and makes the next attempt", async () => {
    const { id, runId } = await suspended("rest1");
    // An eviction waits for running work. It ends at once, so no work is running.
    await evict(id);
    const alarm = await alarmOf(id);
    expect(alarm).toBeGreaterThan(testClock.now() / 1000 + 50_000);
    expect(await wake(id)).toBe(true);
    expect((await value(stubOf(id).call("getRun", admin, runId))).status).toBe("running");
    skip(61_000);
    expect(await wake(id)).toBe(true);
    const following = await follow(id, { after: "0", until: "idle" });
    await following.closed;
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items.map(({ content }) => content)).toEqual(["rest1", "answered at try 2"]);
    expect(types(following.events).filter((type) => type === "message_retracted")).toHaveLength(1);
    const starts = following.events.filter((event) => event.type === "step_start");
    expect(starts.map((event) => event.attempt)).toEqual([1, 2]);
  });

  it("RETRY2 A wait for a Retry-After survives a crash, and does not count as a recovery", async () => {
    const { id } = await suspended("rest2");
    await crash(id);
    skip(61_000);
    await wake(id);
    const following = await follow(id, { after: "0", until: "idle" });
    await following.closed;
    const { items } = await value(stubOf(id).call("listLogs", admin, { limit: 100, order: "asc" }));
    expect(items.map(({ type }) => type)).toEqual(["llm_request", "llm_request"]);
  });

  it("RETRY3 A stop ends a wait for a Retry-After at once, and waiting inputs begin with the next input", async () => {
    const { id, runId } = await suspended("rest3");
    await value(stubOf(id).call("postMessage", admin, message("behind"), null));
    await value(stubOf(id).call("stop", admin, null));
    const following = await follow(id, { after: "0" });
    await following.until((event) => event.type === "run_end" && event.run_id === runId);
    expect((await value(stubOf(id).call("getRun", admin, runId))).status).toBe("stopped");
    const last = await value(stubOf(id).call("postMessage", admin, message("last"), null));
    await following.until((event) => event.type === "run_end" && event.run_id === last.run?.id);
    following.close();
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items.map(({ content }) => content)).toEqual(["rest3", "behind", "echo: behind", "last", "echo: last"]);
  });

  it("After a wait for Retry-After, a later interrupted step still starts at attempt 1", async () => {
    const id = await newThread("parallel");
    let requested = 0;
    const hold = gate("rest4");
    scripts.set("rest4", ({ step }) => {
      requested += 1;
      if (requested === 1) return { error: { kind: "rate_limited", message: "slow down", retryAfterMs: 60_000 } };
      return step === 0 ? { toolCalls: [{ name: "wait", arguments: { gate: "rest4" } }] } : { text: "whole" };
    });
    await value(stubOf(id).call("postMessage", admin, message("rest4"), null));
    const first = await follow(id, { after: "0" });
    await first.until((event) => event.type === "model_retry");
    first.close();
    await evict(id);
    skip(61_000);
    await wake(id);
    await hold.reached;
    await crash(id);
    const following = await follow(id, { after: "0", until: "idle" });
    await following.closed;
    const starts = following.events.filter((event) => event.type === "step_start");
    expect(starts.at(-1)).toMatchObject({ step: 2, attempt: 1 });
  });
});
