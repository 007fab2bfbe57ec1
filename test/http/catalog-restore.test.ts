// The route that restores a lost catalog: who may use it, which ids it accepts, and that a failing object does not affect the others.

import { expect, test } from "vitest";

import { threadRecord } from "../support/records.ts";
import { adminToken, testApp } from "./support/test-app.ts";

const id = (digit: string) => digit.repeat(64);
const path = "/api/catalog/restore";

test("A restore of the catalog reports for each object its thread, no thread, an error of the object, or that the object cannot be reached", async () => {
  const { ask, object, log } = testApp();
  object(id("a")).thread = threadRecord({ id: "one" });
  const [broken, away] = [object(id("c")), object(id("d"))];
  broken.failures.push(new Error("secret inside"), new Error("secret inside"));
  const reset = () => Object.assign(new Error("reset"), { durableObjectReset: true });
  away.failures.push(reset(), reset());
  const object_ids = [id("a"), id("b"), id("c"), id("d")];
  const answer = await ask(path, { method: "POST", token: adminToken, json: { object_ids } });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({
    objects: [
      { object_id: id("a"), thread_id: "one", runs: 0, error: null },
      { object_id: id("b"), thread_id: null, runs: 0, error: null },
      { object_id: id("c"), thread_id: null, runs: 0, error: expect.stringMatching(/^The object could not be asked/) },
      { object_id: id("d"), thread_id: null, runs: 0, error: expect.stringContaining("out of reach") },
    ],
  });
  expect(log.join("\n")).toContain('"event":"not_relisted"');
});

test("Only an administrator may restore the catalog, and a request with invalid, no or more than fifty object ids is refused", async () => {
  const { ask, reached } = testApp();
  for (const [token, status] of [
    [null, 401],
    [undefined, 403],
  ] as const) {
    const answer = await ask(path, {
      method: "POST",
      ...(token === undefined ? {} : { token }),
      json: { object_ids: [id("a")] },
    });
    expect(answer.status).toBe(status);
  }
  for (const object_ids of [
    [],
    ["x"],
    [id("A")],
    [`${id("a")}0`],
    Array.from({ length: 51 }, () => id("a")),
    id("a"),
  ]) {
    const answer = await ask(path, { method: "POST", token: adminToken, json: { object_ids } });
    expect([object_ids, answer.status]).toEqual([object_ids, 400]);
  }
  expect(reached).toEqual([]);
});
