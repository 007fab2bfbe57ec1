// A catalog that never answers: requests that need it are refused in time, and all others work.

import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { hanging } from "../worker/hanging-database.ts";
import { admin, converse, message, newThread, stubOf, value } from "./thread-driver.ts";

const logged = vi.spyOn(console, "error");

beforeEach(() => {
  logged.mockClear();
});

afterEach(() => hanging.end());

/** The result of the work. Meanwhile every wait for the catalog reaches its time limit. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let over = false;
  const done = work.finally(() => (over = true));
  const passing = (async () => {
    while (!over) await Promise.race([hanging.passTime(), done.catch(() => undefined)]);
  })();
  await passing;
  return done;
}

const loggedCauses = (id: string): unknown[] =>
  logged.mock.calls
    .map(([line]) => JSON.parse(String(line)) as { event: string; thread_id: string; cause: unknown })
    .filter(({ event, thread_id }) => event === "catalog_unreachable" && thread_id === id)
    .map(({ cause }) => cause);

it("A thread can be created, changed and run while the catalog does not answer, and the log contains the cause", async () => {
  hanging.begin();
  const id = await inTime(newThread("parallel"));
  expect(loggedCauses(id)[0]).toContain("no answer within 5000 ms");
  const patched = await inTime(value(stubOf(id).call("patch", admin, { title: "changed" })));
  expect(patched.title).toBe("changed");
  await inTime(converse(id, "say this"));
  hanging.end();
  await value(stubOf(id).call("patch", admin, { title: "again" }));
  expect(await value(stubOf(id).call("describe", admin))).toMatchObject({ title: "again", status: "idle" });
});

it("DELETE2 A deletion is answered unavailable while the catalog does not answer, the thread answers nothing more, and a second deletion deletes the rest", async () => {
  const id = await newThread("parallel");
  await converse(id, "say before");
  const gone = { ok: false, refusal: { code: "thread_not_found" } };
  hanging.begin();
  expect(await inTime(stubOf(id).call("remove", admin))).toMatchObject({ ok: false, refusal: { code: "unavailable" } });
  expect(await stubOf(id).call("describe", admin)).toMatchObject(gone);
  expect(await stubOf(id).call("postMessage", admin, message("say after", { run: false }), null)).toMatchObject(gone);
  hanging.end();
  await value(stubOf(id).call("remove", admin));
  expect(await stubOf(id).call("remove", admin)).toMatchObject(gone);
});
