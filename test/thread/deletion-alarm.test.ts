// The alarm of a deletion that has not ended: each unfinished attempt leaves one, at the time of the next attempt.

import { runDurableObjectAlarm } from "cloudflare:test";
import { describe, expect, it } from "vitest";

import { clockOf, skipFor } from "../worker/clock.ts";
import { onPlace } from "../worker/places.ts";
import { addChildren, atPlace, objectOf, problemsOf, rowOf, stage, useDeletionStage, world } from "./deletion-stage.ts";
import type { Failing } from "./deletion-stage.ts";
import { waitFor } from "./team-driver.ts";
import { admin, alarmOf, stubOf } from "./thread-driver.ts";

useDeletionStage();

describe("the alarm of a deletion", () => {
  it.each<Failing>(["entry", "totals", "bucket", "child"])(
    "DELETE1 After each failed attempt of a deletion (%s) the alarm is set to the time of the next one, also if it fires before",
    async (what) => {
      const { id, below } = await stage({ children: 1, objects: 1, running: false });
      world.concerned = new Set([id, ...below]);
      if (what === "totals") {
        // The run does not end before the deletion sends its usage.
        onPlace((place) => (place.name === "run.execute" ? new Promise(() => {}) : atPlace(place)));
      }
      world.failing = { [what]: Number.POSITIVE_INFINITY };
      expect(await stubOf(id).call("remove", admin)).toMatchObject({ refusal: { code: "unavailable" } });
      const retryOf = async () => (await rowOf(id))?.deletion?.retry;
      const fire = () => runDurableObjectAlarm(objectOf(id));
      for (const failures of [1, 2, 3]) {
        const retry = await retryOf();
        expect(retry?.failures).toBe(failures);
        const due = Math.ceil((retry?.at ?? 0) / 1000);
        expect(await alarmOf(id)).toBe(due);
        // The alarm fires too early: no attempt is made, and it is set again.
        expect(await fire()).toBe(true);
        expect([await retryOf(), await alarmOf(id)]).toEqual([retry, due]);
        skipFor(id, due - clockOf(id).now() / 1000 + 1);
        if (failures === 3) world.failing = {};
        expect(await fire()).toBe(true);
        await waitFor(async () => (await retryOf())?.failures !== failures);
      }
      expect(await problemsOf([id])).toEqual([]);
    },
  );

  it("DELETE4 A deletion with more than 500 child threads deletes 500 of them, and sets the alarm to continue at once", async () => {
    const { id } = await stage({ children: 0, objects: 0, running: false });
    await addChildren(id, 503);
    let requested = 0;
    onPlace(({ name, thread }) => {
      if (thread === id && name === "before remove") requested += 1;
    });
    const answer = await stubOf(id).call("remove", admin);
    expect(answer).toMatchObject({ ok: false, refusal: { code: "unavailable" } });
    expect(answer.ok ? "" : answer.refusal.message).toContain("many child threads");
    const row = await rowOf(id);
    expect([requested, row?.children?.length, row?.deletion?.retry]).toEqual([500, 3, undefined]);
    const alarm = await alarmOf(id);
    expect(alarm).not.toBeNull();
    // The alarm that begins an attempt would be later than now.
    expect(alarm).toBeLessThanOrEqual(Math.ceil(clockOf(id).now() / 1000));
    expect(await runDurableObjectAlarm(objectOf(id))).toBe(true);
    await waitFor(async () => (await rowOf(id)) === null);
    expect(requested).toBe(503);
    expect(await problemsOf([id])).toEqual([]);
  });
});
