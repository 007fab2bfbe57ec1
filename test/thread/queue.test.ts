// The queue as its routes show and change it.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import type { InputAttachment } from "#contract/input-attachment.ts";
import type { PatchQueued } from "#contract/queue-route.ts";

import { gate, hookCalls } from "../worker/definitions.ts";
import { atRest, busy, queueOf, said, say, steer, unique } from "./queue-client.ts";
import { admin, crash, follow, message, newThread, stubOf, value } from "./thread-driver.ts";
import { Files } from "./thread-files-client.ts";

const file = (name: string): InputAttachment => ({ name, mime_type: "text/csv", data: btoa("a,b") });

async function pathsIn(id: string): Promise<string[]> {
  const found = await (await new Files(id).ask("GET", "/files-search?glob=**")).json<{ paths: string[] }>();
  return found.paths;
}

/** A thread with an active run and three queued inputs. */
async function waiting() {
  const { id, open } = await busy();
  const ids: string[] = [];
  for (const text of ["one", "two", "three"]) ids.push((await say(id, text)).run?.id ?? "");
  const [one = "", two = "", three = ""] = ids;
  return { id, open, ids, one, two, three };
}

const patch = (id: string, qid: string, change: PatchQueued) => stubOf(id).call("patchQueued", admin, qid, change);

describe("the queue", () => {
  it("INPUT1 The queue lists waiting inputs in their order, with their kinds", async () => {
    const { id, open, one, two, three } = await waiting();
    await say(id, "limited", { metadata: { a: 1 }, limits: { steps: 3 } });
    await value(stubOf(id).call("postRun", admin, { kind: "continue" }, null));
    const inputs = await queueOf(id);
    expect(inputs.slice(0, 3).map((input) => input.id)).toEqual([one, two, three]);
    expect(inputs.slice(3)).toMatchObject([
      {
        kind: "message",
        when: "queue",
        limits: { steps: 3 },
        message: { content: "limited", metadata: { a: 1 }, run_id: inputs[3]?.id },
        created_at: expect.any(Number),
      },
      { kind: "continue", when: "queue", message: null, limits: null },
    ]);
    open();
    await atRest(id);
    expect(await queueOf(id)).toEqual([]);
  });

  it("INPUT1 The queue is listed in pages, bounded by number and bytes, and a cursor whose input no longer waits is refused", async () => {
    const { id, open, ids } = await waiting();
    const first = await value(stubOf(id).call("listQueue", admin, { limit: 2 }));
    expect(first.items.map((input) => input.id)).toEqual(ids.slice(0, 2));
    const cursor = first.next_cursor ?? "";
    const rest = await value(stubOf(id).call("listQueue", admin, { limit: 2, cursor }));
    expect([rest.items.map((input) => input.id), rest.next_cursor]).toEqual([ids.slice(2), null]);
    const large: string[] = [];
    while (large.length < 8) large.push((await say(id, "x".repeat(1_000_000))).run?.id ?? "");
    const bounded = await value(stubOf(id).call("listQueue", admin, { limit: 100 }));
    expect(bounded.items.length).toBeLessThan(11);
    expect(bounded.next_cursor).not.toBeNull();
    await value(stubOf(id).call("deleteQueued", admin, ids[1] ?? ""));
    expect(await stubOf(id).call("listQueue", admin, { limit: 2, cursor })).toMatchObject({
      refusal: { code: "conflict" },
    });
    // Their runs would send all of them to the model again and again.
    for (const input of large) await value(stubOf(id).call("deleteQueued", admin, input));
    open();
    await atRest(id);
  });

  it("INPUT2 A queued input's text and metadata can be changed until it begins, with hooks around the change", async () => {
    const { id, open } = await busy();
    const { run } = await say(id, "before", { metadata: { a: 1, b: 1 }, attachments: [file("kept.csv")] });
    const changed = await value(patch(id, run?.id ?? "", { content: "after", metadata: { b: 2 } }));
    expect(changed.message).toMatchObject({ content: "after", metadata: { a: 1, b: 2 } });
    expect(hookCalls).toContain("updated after");
    await crash(id);
    expect(await queueOf(id)).toEqual([changed]);
    open();
    await atRest(id);
    const { items } = await value(
      stubOf(id).call("listMessages", admin, { limit: 100, order: "asc", include_silent: false }),
    );
    const taken = items.find(({ content }) => content === "after");
    expect(taken).toMatchObject({ metadata: { a: 1, b: 2 }, run_id: run?.id });
    expect(taken?.attachments.map(({ path }) => path)).toEqual(["/attachments/kept.csv"]);
    expect((await said(id)).some((line) => line.startsWith("assistant: echo: after"))).toBe(true);
  });

  it("INPUT3 Queued inputs begin in the order they were moved into, also after a crash", async () => {
    const { id, open, one, two, three } = await waiting();
    await value(patch(id, three, { position: 0 }));
    await value(patch(id, one, { position: 2 }));
    expect((await queueOf(id)).map((input) => input.id)).toEqual([three, two, one]);
    await crash(id);
    open();
    const events = await atRest(id);
    const starts = events.flatMap((event) => (event.type === "run_start" ? [event.run_id] : []));
    expect(starts.slice(1)).toEqual([three, two, one]);
    expect((await said(id)).filter((line) => line.startsWith("user")).slice(1)).toEqual([
      "user: three",
      "user: two",
      "user: one",
    ]);
  });

  it("INPUT4 A queued input that is removed never begins", async () => {
    const { id, open, two, ids } = await waiting();
    await value(stubOf(id).call("deleteQueued", admin, two));
    expect((await queueOf(id)).map((input) => input.id)).toEqual(ids.filter((other) => other !== two));
    expect(await value(stubOf(id).call("getRun", admin, two))).toMatchObject({ status: "stopped", started_at: null });
    open();
    const events = await atRest(id);
    expect(events.filter((event) => event.run_id === two).map(({ type }) => type)).toEqual(["run_end"]);
    expect(await said(id)).not.toContain("user: two");
  });

  it("INPUT6 A change of the queue is emitted with the inputs in their order, live and replayed", async () => {
    const { id, open, one, two, three } = await waiting();
    const following = await follow(id, { after: "0", types: "queue_changed" });
    await value(patch(id, three, { position: 0 }));
    await value(patch(id, two, { content: "changed" }));
    await value(stubOf(id).call("deleteQueued", admin, one));
    const joining = await steer(id, "aside");
    expect(joining.run?.status).toBe("running");
    const [aside = ""] = (await queueOf(id)).map((input) => input.id);
    open();
    const replayed = await atRest(id);
    const emitted = (events: typeof replayed) =>
      events.flatMap((event) => (event.type === "queue_changed" ? [event.queued] : []));
    await following.until(() => emitted(following.events).length === 10);
    following.close();
    const live = emitted(following.events);
    expect(live.slice(3)).toEqual([
      [three, one, two],
      [three, one, two],
      [three, two],
      [aside, three, two],
      [three, two],
      [two],
      [],
    ]);
    expect(emitted(replayed)).toEqual(live);
  });
});

describe("late and invalid changes of the queue", () => {
  it("INPUT7 A change of an input that has begun or was removed is refused with conflict, and a change of one that never waited with run_not_found", async () => {
    const { id, open, one, two } = await waiting();
    const refusal = async (qid: string) => [
      (await patch(id, qid, { content: "late" })).ok,
      await patch(id, qid, { position: 0 }),
      await stubOf(id).call("deleteQueued", admin, qid),
    ];
    const both = (code: string) => [false, { refusal: { code } }, { refusal: { code } }];
    expect(await refusal(crypto.randomUUID())).toMatchObject(both("run_not_found"));
    await value(stubOf(id).call("deleteQueued", admin, two));
    expect(await refusal(two)).toMatchObject(both("conflict"));
    await steer(id, "aside");
    const [aside] = await queueOf(id);
    open();
    await atRest(id);
    expect(await refusal(one)).toMatchObject(both("conflict"));
    expect(await refusal(aside?.id ?? "")).toMatchObject(both("conflict"));
    expect(await said(id)).not.toContain("user: late");
  });

  it("INPUT7 Invalid changes of the queue are refused and change nothing", async () => {
    const { id, open, one } = await waiting();
    const { run } = await value(stubOf(id).call("postRun", admin, { kind: "continue" }, null));
    await steer(id, "aside");
    const before = await queueOf(id);
    const wrong: [string, PatchQueued][] = [
      [one, { content: "  " }],
      [one, { content: "\u200b" }],
      [run?.id ?? "", { content: "words" }],
      [run?.id ?? "", { metadata: {} }],
      [one, { position: 0 }],
      [one, { position: 5 }],
      [before[0]?.id ?? "", { position: 1 }],
    ];
    for (const [qid, change] of wrong) {
      expect(await patch(id, qid, change)).toMatchObject({ ok: false, refusal: { code: "invalid_request" } });
    }
    expect(await patch(id, one, { content: "é".repeat(600_000) })).toMatchObject({ refusal: { code: "too_large" } });
    expect(await queueOf(id)).toEqual(before);
    open();
    await atRest(id);
  });

  it("INPUT8 The queue of another user's thread does not exist", async () => {
    const ada = { user: "ada", admin: false };
    const none = { ok: false, refusal: { code: "thread_not_found" } };
    const theirs = await newThread("parallel", { user_id: "bob" });
    const missing = crypto.randomUUID();
    for (const id of [theirs, missing]) {
      expect(await stubOf(id).call("listQueue", ada, { limit: 1 })).toMatchObject(none);
      expect(await stubOf(id).call("patchQueued", ada, missing, { position: 0 })).toMatchObject(none);
      expect(await stubOf(id).call("deleteQueued", ada, missing)).toMatchObject(none);
    }
    expect((await stubOf(missing).rows()).rowsWritten).toBe(0);
  });

  it("If a queued input begins while a hook checks a change of its text, the input keeps its old text and the change is refused with conflict", async () => {
    const { id, open, one } = await waiting();
    const name = unique();
    const paused = gate(name);
    const late = patch(id, one, { content: `slow-update:${name}` });
    await paused.reached;
    open();
    await atRest(id);
    paused.open();
    expect(await late).toMatchObject({ ok: false, refusal: { code: "conflict" } });
    expect(await said(id)).toContain("user: one");
  });
});

describe("files of an input", () => {
  const notes = (id: string) =>
    runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), (_, { storage }) => {
      const { body } = storage.sql.exec<{ body: string }>("SELECT body FROM thread").one();
      return (JSON.parse(body) as { background: { attachments?: unknown[] } }).background.attachments ?? [];
    });

  it.each(["deleteQueued", "stop"] as const)(
    "INPUT5 Files of a queued input are deleted when it is removed by %s",
    async (method) => {
      const { id, open } = await busy();
      const { run } = await say(id, "with files", { attachments: [file("a.csv"), file("b.csv")] });
      await steer(id, "aside");
      expect(await pathsIn(id)).toEqual(["/attachments/a.csv", "/attachments/b.csv"]);
      await stubOf(id).call(method, admin, run?.id ?? "");
      expect(await pathsIn(id)).toEqual([]);
      expect(await notes(id)).toEqual([]);
      open();
      await atRest(id);
    },
  );

  it("INPUT5 Files of a queued input are kept if another message refers to them when the input is removed, and when the input begins", async () => {
    const { id, open } = await busy();
    const first = await say(id, "with files", {
      attachments: [file("gone.csv"), file("sent.csv"), file("queued.csv")],
    });
    await say(id, "stored", { run: false, attachments: [{ path: "/attachments/sent.csv" }] });
    await say(id, "waits", { attachments: [{ path: "/attachments/queued.csv" }] });
    await say(id, "own", { attachments: [file("own.csv")] });
    await value(stubOf(id).call("deleteQueued", admin, first.run?.id ?? ""));
    const left = ["/attachments/own.csv", "/attachments/queued.csv", "/attachments/sent.csv"];
    expect(await pathsIn(id)).toEqual(left);
    open();
    await atRest(id);
    await crash(id);
    expect(await pathsIn(id)).toEqual(left);
  });
});

describe("the cost of a change", () => {
  it("INPUT9 A change of the queue writes at most four rows", async () => {
    const { id, open, one, three } = await waiting();
    const written = async () => (await stubOf(id).rows()).rowsWritten;
    const changes = [
      () => patch(id, one, { content: "other", metadata: { a: 1 }, position: 1 }),
      () => patch(id, three, { position: 0 }),
      () => stubOf(id).call("deleteQueued", admin, one),
      () => stubOf(id).call("postMessage", admin, message("aside", { when: "steer" }), null),
    ];
    for (const change of changes) {
      const before = await written();
      await change();
      expect((await written()) - before).toBeLessThanOrEqual(4);
    }
    open();
    await atRest(id);
  });
});
