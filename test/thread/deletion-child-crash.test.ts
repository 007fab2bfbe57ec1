// The object of a child thread crashes while its parent thread is deleted, at each fault point of the child's own deletion. The alarms of both
// finish the deletions. The test sends the parent's request in place of the parent, which receives the error of a broken connection: if an object
// dies while it handles a request of another object, the whole local runtime ends ("Promise callback destroyed itself").

import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";

import { skipFor } from "../worker/clock.ts";
import { crossing } from "../worker/crossing.ts";
import { planFaults } from "../worker/fault-plan.ts";
import { onPlace } from "../worker/places.ts";
import { atPlace, objectOf, problemsOf, rowOf, stage, useDeletionStage, world } from "./deletion-stage.ts";
import { untilDone } from "./fault-stage.ts";
import { admin, stubOf } from "./thread-driver.ts";

const sources = import.meta.glob("../../src/**/*.ts", { query: "?raw", import: "default", eager: true });
/** The fault points of a deletion. */
const points = Object.values(sources).flatMap((text) =>
  [...text.matchAll(/\bfaults\.at\("((?:deletion|destroy)\.[^"]+)"\)/g)].map(([, name]) => name ?? ""),
);

/** A child without child threads and without a counted request, which is deleted with its parent, does not reach these. */
const unreached = new Set(["deletion.children", "deletion.child", "deletion.parent", "deletion.usage"]);

useDeletionStage();

it.each(points.flatMap((point) => (["kept", "lost"] as const).map((mode) => ({ point, mode }))))(
  "DELETE1 A deletion of a thread ends, and deletes its child threads, if a child thread crashes at its fault point $point (writes: $mode)",
  async ({ point, mode }) => {
    const { id, below } = await stage({ children: 2, objects: 1, running: true });
    world.concerned = new Set([id, ...below]);
    const [child = ""] = below;
    const [requested, answered] = [crossing(), crossing()];
    let isBroken = true;
    onPlace(async (place) => {
      if (!isBroken || place.name !== "before remove" || place.to !== child) return atPlace(place);
      requested.resolve();
      await answered.promise;
      throw new Error("the connection to the child broke");
    });
    const removed = untilDone(() => stubOf(id).call("remove", admin));
    await requested.promise;
    const plan = planFaults(child, [{ point, hit: 1, mode }]);
    await stubOf(child)
      .call("remove", admin, true)
      .catch(() => undefined);
    answered.resolve();
    expect(await removed).toMatchObject({ ok: false, refusal: { code: "unavailable" } });
    isBroken = false;
    for (let round = 0; round < 10; round += 1) {
      const rows = await Promise.all([id, ...below].map(rowOf));
      if (rows.every((row) => row === null)) break;
      for (const thread of [id, ...below]) {
        skipFor(thread, 30 * 60_000);
        await untilDone(() => runInDurableObject(objectOf(thread), (object) => object.alarm?.()));
        // A request of another user waits for nothing and changes nothing.
        await untilDone(() => stubOf(thread).call("describe", { user: "eve", admin: false }));
      }
    }
    expect(await problemsOf([id, ...below])).toEqual([]);
    expect([plan.problems, plan.died]).toEqual([[], unreached.has(point) ? 0 : 1]);
  },
);
