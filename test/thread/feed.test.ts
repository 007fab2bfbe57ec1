// The messages that threads send to their owner's feed, and how the feed's object distributes them.

import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";

import type { FeedEvent } from "#contract/feed.ts";
import { mostWatchers } from "#contract/stream-limits.ts";
import { feedName } from "#core/rpc/feed-rpc.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";

import { crossing } from "../worker/crossing.ts";
import { gate, scripts } from "../worker/definitions.ts";
import { onPlace } from "../worker/places.ts";
import { scriptedAnswers } from "../worker/team.ts";
import { exported, imported } from "./archive-client.ts";
import { costOf, finish } from "./cost-table.ts";
import { feedOf, newOwner, upgradeOf, watch, withStatus } from "./feed-watcher.ts";
import { admin, converse, crash, kill, message, newThread, stubOf, value } from "./thread-driver.ts";

afterEach(() => onPlace(null));

const isDeleted = ({ type }: FeedEvent) => type === "thread_deleted";
const isCreated = ({ type }: FeedEvent) => type === "thread_created";
const isTitled = (title: string) => (event: FeedEvent) => "thread" in event && event.thread.title === title;

/** A watched owner with a thread whose creation was reported. */
async function watched(agent = "parallel", extra: object = {}) {
  const owner = newOwner();
  const watching = await watch(owner);
  const id = await newThread(agent, { user_id: owner, ...extra });
  await watching.until(isCreated);
  return { owner, watching, id };
}

describe("messages of a thread to its owner's feed", () => {
  it("FEED4 A feed receives a message when a thread is created, becomes active or idle, is changed or is deleted, and the messages contain the thread as the API returns it", async () => {
    const { owner, watching, id } = await watched("parallel", { tags: ["new"] });
    expect(watching.events[0]).toMatchObject({ type: "feed_start", user_id: owner });
    const latch = gate("feed");
    scripts.set("feed", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "wait", arguments: { gate: "feed" } }] } : { text: "done" },
    );
    const { run } = await value(stubOf(id).call("postMessage", admin, message("feed me"), null));
    const running = await watching.until(withStatus("running"));
    expect(running).toMatchObject({ thread: { id, user_id: owner, tags: ["new"], active_run_id: run?.id } });
    latch.open();
    const idle = await watching.until(withStatus("idle"));
    const shown = "thread" in idle ? idle.thread : null;
    expect(shown).toEqual(await value(stubOf(id).call("describe", admin)));
    expect(shown?.message_count).toBeGreaterThan(1);
    await value(stubOf(id).call("patch", admin, { title: "Named", tags: [], metadata: { a: 1 } }));
    expect(await watching.until(isTitled("Named"))).toMatchObject({ thread: { tags: [], metadata: { a: 1 } } });
    await value(stubOf(id).call("remove", admin));
    expect(await watching.until(isDeleted)).toMatchObject({ thread_id: id });
    expect(watching.emitted()).toEqual([
      "start",
      "created idle",
      "updated running",
      "updated idle",
      "updated idle",
      "deleted",
    ]);
  });

  it("FEED4 A feed receives a message when a run waits for its client and when it is active again", async () => {
    scripts.set("ask", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "ask", arguments: { q: "one" } }] } : { text: "Thanks." },
    );
    const { watching, id } = await watched("asker");
    await value(stubOf(id).call("postMessage", admin, message("ask"), null));
    const waits = await watching.until(withStatus("awaiting_tool_execution"));
    const pending = "thread" in waits ? waits.thread.pending_tool_calls : [];
    expect(pending).toMatchObject([{ name: "ask", arguments: { q: "one" } }]);
    const results = [{ tool_call_id: pending[0]?.id ?? "", result: "yes" }];
    await value(stubOf(id).call("postToolResults", admin, { results }));
    await watching.until(withStatus("running"));
    await watching.until(withStatus("idle"));
  });

  it("FEED4 A feed receives a message when a thread fails, has another agent, or has a new message while it is idle", async () => {
    const { watching, id } = await watched("support");
    scriptedAnswers.set("desk", () => ({ toolCalls: [{ name: "billing", arguments: { task: "x" } }] }));
    scriptedAnswers.set("clerk", () => ({ text: "hello" }));
    await converse(id, "my bill");
    const handed = (event: FeedEvent) => "thread" in event && event.thread.agent_id === "billing";
    await watching.until((event) => handed(event) && withStatus("idle")(event));
    await value(stubOf(id).call("postMessage", admin, message("only kept", { run: false }), null));
    const counts = (event: FeedEvent) => ("thread" in event ? event.thread.message_count : 0);
    const before = counts(watching.events.at(-1) as FeedEvent);
    await watching.until((event) => counts(event) === before + 1);
    scriptedAnswers.set("clerk", () => ({ error: { kind: "auth", message: "no key" } }));
    await converse(id, "again");
    await watching.until(withStatus("error"));
    scriptedAnswers.clear();
  });

  it("FEED4 When a user imports another user's deleted thread, the importer's feed receives its messages, and the earlier owner's feed receives no more", async () => {
    const { watching, id } = await watched();
    const lines = await exported(id);
    await value(stubOf(id).call("remove", admin));
    await watching.until(isDeleted);
    const other = newOwner();
    const others = await watch(other);
    const ben: Caller = { user: other, admin: false };
    expect((await imported(id, lines, ben)).status).toBe(201);
    expect(await others.until(isCreated)).toMatchObject({ thread: { id, user_id: other } });
    // The earlier owner receives nothing more about it.
    await value(stubOf(id).call("patch", ben, { title: "Mine now" }));
    await others.until(isTitled("Mine now"));
    await value(stubOf(id).call("remove", ben));
    await others.until(isDeleted);
    expect(watching.emitted()).toEqual(["start", "created idle", "deleted"]);
    expect(others.emitted()).toEqual(["start", "created idle", "updated idle", "deleted"]);
  });

  it("FEED4 A feed receives the message of an import only after the thread is in the catalog", async () => {
    const id = await newThread("parallel");
    const lines = await exported(id);
    await value(stubOf(id).call("remove", admin));
    const passed: string[] = [];
    const emitted = crossing();
    onPlace(({ thread, name }) => {
      if (thread !== id) return;
      passed.push(name);
      if (name === "before tell") emitted.resolve();
    });
    expect((await imported(id, lines)).status).toBe(201);
    await emitted.promise;
    expect(passed.indexOf("outbox.send")).toBeGreaterThanOrEqual(0);
    expect(passed.indexOf("before tell")).toBeGreaterThan(passed.indexOf("outbox.send"));
    expect(await env.CATALOG.prepare("SELECT id FROM thread WHERE id = ?").bind(id).first()).toEqual({ id });
  });

  it("FEED5 The feed has no messages about a child thread, or about a thread whose creation was refused", async () => {
    const { owner, watching, id } = await watched();
    const child = crypto.randomUUID();
    const parent = { thread_id: id, run_id: "r", tool_call_id: "c", message_id: "m" };
    const input = { id: child, agent_id: "parallel", user_id: owner, creation: child, parent };
    await value(stubOf(child).call("create", admin, input as never));
    await converse(child, "hello");
    const tooLong = [{ role: "user", content: "x".repeat(2_100_000) }];
    await expect(newThread("parallel", { user_id: owner, initial_messages: tooLong })).rejects.toThrow(/too_large/);
    await value(stubOf(id).call("patch", admin, { title: "Last" }));
    await watching.until(isTitled("Last"));
    expect(watching.emitted()).toEqual(["start", "created idle", "updated idle"]);
  });

  it("A thread sends one feed message at a time, and all changes during that time lead to one more message with the newest state", async () => {
    const { watching, id } = await watched();
    const paused = crossing();
    const reached = crossing();
    const words: string[] = [];
    onPlace(async ({ thread, name }) => {
      if (thread !== id || name !== "before tell") return;
      words.push(name);
      reached.resolve();
      await paused.promise;
    });
    await value(stubOf(id).call("patch", admin, { title: "first" }));
    await reached.promise;
    for (let at = 0; at < 20; at += 1) await value(stubOf(id).call("patch", admin, { title: `title ${String(at)}` }));
    expect(words).toHaveLength(1);
    paused.resolve();
    await watching.until(isTitled("title 19"));
    const titles = watching.events.flatMap((event) => ("thread" in event ? [event.thread.title] : []));
    expect(titles).toEqual([null, "first", "title 19"]);
    expect(words).toHaveLength(2);
  });

  it("A feed receives the deletion of a thread before the creation of another thread under the same id", async () => {
    const { owner, watching, id } = await watched();
    const paused = crossing();
    const reached = crossing();
    onPlace(async ({ thread, name }) => {
      if (thread !== id || name !== "before tell") return;
      reached.resolve();
      await paused.promise;
    });
    await value(stubOf(id).call("patch", admin, { title: "old" }));
    await reached.promise;
    await value(stubOf(id).call("remove", admin));
    const other = newOwner();
    const others = await watch(other);
    const made = { id, agent_id: "parallel", user_id: other, creation: "new" };
    await value(stubOf(id).call("create", admin, made));
    paused.resolve();
    await watching.until(isDeleted);
    await others.until(isCreated);
    expect([watching.emitted(), others.emitted()]).toEqual([
      ["start", "created idle", "updated idle", "deleted"],
      ["start", "created idle"],
    ]);
    expect(owner).not.toBe(other);
  });
});

describe("a feed that fails", () => {
  it.each([
    ["throws", () => Promise.reject(new Error("no feed"))],
    ["hangs", () => new Promise<void>(() => {})],
  ])(
    "FEED7 A feed that %s does not affect the runs, changes and deletions of a thread, and costs the thread no row",
    async (_how, fail) => {
      const [calm, hit] = [await newThread("parallel"), await newThread("parallel")];
      let words = 0;
      onPlace(({ thread, name }) => {
        if (thread !== hit || name !== "before tell") return undefined;
        words += 1;
        return fail();
      });
      const costs = await Promise.all([calm, hit].map((id) => costOf(id, () => finish(id, "hello there"))));
      expect(words).toBeGreaterThan(0);
      expect(costs[1]?.written).toBe(costs[0]?.written);
      const { items } = await value(
        stubOf(hit).call("listMessages", admin, { limit: 10, order: "asc", include_silent: false } as never),
      );
      expect(items.map(({ content }) => content)).toEqual(["hello there", "echo: hello there"]);
      expect((await value(stubOf(hit).call("patch", admin, { title: "Named" }))).title).toBe("Named");
      expect((await value(stubOf(hit).call("describe", admin))).status).toBe("idle");
      await value(stubOf(hit).call("remove", admin));
    },
  );

  it("FEED7 If the feed's object is reset while a thread sends a message to it, the thread sends the message once more", async () => {
    const { owner, watching, id } = await watched();
    await kill(env.FEEDS.get(env.FEEDS.idFromName(feedName(owner))));
    expect(await watching.closed).not.toBe(1000);
    const back = await watch(owner);
    let failures = 0;
    onPlace(({ thread, name }) => {
      if (thread !== id || name !== "before tell" || failures === 1) return;
      failures += 1;
      throw new Error("reset");
    });
    await value(stubOf(id).call("patch", admin, { title: "Said twice" }));
    await back.until(isTitled("Said twice"));
    expect(failures).toBe(1);
  });

  it("FEED8 A text turn costs two feed messages and no row for them", async () => {
    const { owner, watching, id } = await watched();
    let words = 0;
    onPlace(({ thread, name }) => {
      if (thread === id && name === "before tell") words += 1;
    });
    scripts.set("long", () => ({ text: Array.from({ length: 1000 }, (_, at) => `w${String(at)} `) }));
    const { written } = await costOf(id, () => finish(id, "long answer"));
    await watching.until(withStatus("idle"));
    expect([written, words]).toEqual([9, 2]);
    const feed = env.FEEDS.get(env.FEEDS.idFromName(feedName(owner)));
    const kept = await runInDurableObject(feed, async (_, { storage }) => ({
      rows: storage.sql.exec("SELECT count(*) AS n FROM sqlite_master WHERE name NOT LIKE '_cf_%'").one()["n"],
      keys: (await storage.list()).size,
      alarm: await storage.getAlarm(),
    }));
    expect(kept).toEqual({ rows: 0, keys: 0, alarm: null });
  });
});

describe("the feed's object", () => {
  it("A feed sends the active threads to a client that connects later", async () => {
    const { owner, watching, id } = await watched();
    const latch = gate("late");
    scripts.set("late", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "wait", arguments: { gate: "late" } }] } : { text: "done" },
    );
    await value(stubOf(id).call("postMessage", admin, message("late comer"), null));
    await watching.until(withStatus("running"));
    const late = await watch(owner);
    expect(await late.until(withStatus("running"))).toMatchObject({ thread: { id } });
    // A feed that was evicted receives the active threads again with their next heartbeats.
    const unsafe = (await import("workerd:unsafe")).default;
    await unsafe.evict(env.FEEDS.get(env.FEEDS.idFromName(feedName(owner))), { webSockets: "hibernate" });
    const later = await watch(owner);
    await later.until(({ type }) => type === "feed_start");
    expect(later.emitted()).toEqual(["start"]);
    await runDurableObjectAlarm(env.THREADS.get(env.THREADS.idFromName(id)));
    await later.until(withStatus("running"));
    latch.open();
    for (const one of [watching, late, later]) await one.until(withStatus("idle"));
    const last = await watch(owner);
    await value(stubOf(id).call("patch", admin, { title: "Last" }));
    await last.until(isTitled("Last"));
    expect(last.emitted()).toEqual(["start", "updated idle"]);
  });

  it("FEED10 A feed disconnects a watcher that acknowledges nothing, keeps a watcher that acknowledges messages, and sends no messages of other owners", async () => {
    const owner = newOwner();
    const [slow, fast] = [await watch(owner, { acknowledges: false }), await watch(owner)];
    const id = await newThread("parallel", { user_id: owner, metadata: { text: "x".repeat(60_000) } });
    const thread = await value(stubOf(id).call("describe", admin));
    await fast.until(isCreated);
    for (let at = 0; at < 40; at += 1) {
      await feedOf(owner).publish(owner, {
        type: "thread_updated",
        thread: { ...thread, title: `title ${String(at)}` },
      });
      await fast.until(isTitled(`title ${String(at)}`));
    }
    expect(await slow.closed).toBe(4408);
    expect(slow.events.length).toBeLessThan(12);
    expect(fast.events.length).toBe(42);
    // An acknowledgement of a number that was not sent yet frees no space.
    const liar = await watch(owner, { acknowledges: false });
    liar.socket.send('{"type":"ack","seq":9007199254740991}');
    for (let at = 0; at < 12; at += 1) {
      await feedOf(owner).publish(owner, { type: "thread_updated", thread });
    }
    expect(await liar.closed).toBe(4408);
    const before = fast.events.length;
    await feedOf(owner).publish(newOwner(), { type: "thread_deleted", thread_id: id });
    await feedOf(owner).publish(owner, { type: "thread_updated", thread: { ...thread, title: "end" } });
    await fast.until(isTitled("end"));
    expect(fast.events.slice(before).map(({ type }) => type)).not.toContain("thread_deleted");
  });

  it("FEED10 A feed refuses a watcher above the limit with status 429, and accepts a new watcher after another one has left", async () => {
    const owner = newOwner();
    const all = await Promise.all(Array.from({ length: mostWatchers }, () => watch(owner)));
    const full = await upgradeOf(owner);
    expect([full.status, full.headers.get("retry-after")]).toEqual([429, "5"]);
    expect(await full.json()).toMatchObject({ error: { code: "rate_limited" } });
    all[0]?.socket.close(1000, "done");
    await all[0]?.closed;
    await watch(owner);
  });

  it("A hibernated feed answers pings, and sends later messages to its watchers", async () => {
    const { owner, watching, id } = await watched();
    const unsafe = (await import("workerd:unsafe")).default;
    await unsafe.evict(env.FEEDS.get(env.FEEDS.idFromName(feedName(owner))), { webSockets: "hibernate" });
    const pong = new Promise((resolve) => watching.socket.addEventListener("message", ({ data }) => resolve(data)));
    watching.socket.send("ping");
    expect(await pong).toBe("pong");
    await value(stubOf(id).call("patch", admin, { title: "Awake" }));
    await watching.until(isTitled("Awake"));
  });

  it("FEED1 Each user's feed is separate from those of other users and of threads without a user, whatever the user's name", async () => {
    const odd = [
      "nobody",
      "user nobody",
      'user "a"',
      "a",
      '"a"',
      "A",
      "a ",
      "a\0",
      "é",
      "e\u0301",
      "\ud800",
      "\udfff",
      "\ufffd",
      "",
      "null",
      "__proto__",
      "x".repeat(5000),
    ];
    const ids = [null, ...odd].map((owner) => env.FEEDS.idFromName(feedName(owner)).toString());
    expect(new Set(ids).size).toBe(ids.length);
    const thread = await value(stubOf(await newThread("parallel")).call("describe", admin));
    const watching = await Promise.all(odd.map((owner) => watch(owner)));
    for (const owner of odd)
      await feedOf(owner).publish(owner, { type: "thread_updated", thread: { ...thread, title: owner } });
    for (const [at, owner] of odd.entries()) {
      await watching[at]?.until(isTitled(owner));
      expect(watching[at]?.events).toHaveLength(2);
      expect(watching[at]?.events[0]).toMatchObject({ user_id: owner });
    }
  });
});

describe("after a crash", () => {
  it("FEED4 The feed receives a message when a run that was resumed after a crash ends", async () => {
    const { watching, id } = await watched();
    const latch = gate("cut");
    scripts.set("cut", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "again", arguments: { gate: "cut" } }] } : { text: "done" },
    );
    await value(stubOf(id).call("postMessage", admin, message("cut it"), null));
    await latch.reached;
    await watching.until(withStatus("running"));
    await crash(id);
    latch.open();
    await runDurableObjectAlarm(env.THREADS.get(env.THREADS.idFromName(id)));
    await watching.until(withStatus("idle"));
  });
});
