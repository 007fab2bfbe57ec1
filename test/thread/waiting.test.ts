// Lists of the threads that wait for a person: what the catalog and the feed have of each waiting call, and when.

import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";

import type { Thread } from "#contract/thread.ts";
import { createD1Catalog } from "#store/catalog/d1-catalog.ts";

import { skipFor } from "../worker/clock.ts";
import { gate, scripts } from "../worker/definitions.ts";
import { onPlace } from "../worker/places.ts";
import { answer, approve, ask, resetAnswers, named, pay, says, script, send } from "./answer-client.ts";
import { newOwner, watch } from "./feed-watcher.ts";
import { waitFor, lastRunOf } from "./team-driver.ts";
import { admin, crash, evict, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

const catalog = createD1Catalog(env.CATALOG);
const waits = { waiting: true, limit: 50 } as const;

/** The threads of an owner that wait, as the catalog lists them. */
async function waiting(owner: string): Promise<Thread[]> {
  return (await catalog.list({ ...waits, userId: owner, order: "oldest" })).items;
}

/** A thread of a new owner that waits with this many calls, also in the catalog. */
async function waitsWith(agent: string, text: string, count: number) {
  const owner = newOwner();
  const watching = await watch(owner);
  const id = await newThread(agent, { user_id: owner });
  await value(stubOf(id).call("postMessage", admin, message(text), null));
  const listed = await waitFor(async () => {
    const [thread] = await waiting(owner);
    return thread?.pending_tool_calls.length === count && thread;
  });
  return { owner, watching, id, listed };
}

beforeEach(resetAnswers);

describe("the list of threads that wait", () => {
  it("INBOX1 A waiting call is listed by the catalog and the feed with its tool, kind, arguments, deadline and the time at which it began to wait", async () => {
    script("both", [pay("Ada"), ask("why")]);
    const before = Date.now() * 1000;
    const { id, watching, listed } = await waitsWith("payer", "both", 2);
    const after = Date.now() * 1000;
    expect(listed).toMatchObject({
      id,
      agent_id: "payer",
      pending_tool_calls: [
        { name: "pay", kind: "approval", arguments: { to: "Ada", amount: 5 } },
        { name: "ask", kind: "remote", arguments: { q: "why" } },
      ],
    });
    for (const { since, deadline } of listed.pending_tool_calls) {
      expect(since).toBeGreaterThanOrEqual(before);
      expect(since).toBeLessThanOrEqual(after);
      expect(deadline).toBeGreaterThan(since ?? 0);
    }
    const sent = await watching.until((event) => "thread" in event && event.thread.pending_tool_calls.length === 2);
    expect(sent).toMatchObject({ thread: { pending_tool_calls: listed.pending_tool_calls } });
  });

  it("INBOX1 A call keeps the time at which it began to wait while other calls of its step are answered, and answered calls are not listed", async () => {
    script("first", [pay("Ada"), ask("why")]);
    const { owner, id, listed } = await waitsWith("payer", "first", 2);
    await value(answer(id, says(named(listed.pending_tool_calls, "ask"), "because")));
    const [rest] = await waitFor(async () => {
      const threads = await waiting(owner);
      return threads[0]?.pending_tool_calls.length === 1 && threads;
    });
    expect(rest?.pending_tool_calls).toEqual([listed.pending_tool_calls[0]]);
    await value(answer(id, approve(named(listed.pending_tool_calls, "pay"))));
    await waitFor(async () => (await lastRunOf(id)).status === "completed");
    await waitFor(async () => (await waiting(owner)).length === 0);
  });

  it("INBOX1 A call of a child thread is listed once, in the thread that the owner sees, with the child's id and the time at which it began to wait", async () => {
    script("top", [send("pay_room", "inside")]);
    script("inside", [pay("Ada")]);
    const { owner, id, listed } = await waitsWith("house", "top", 1);
    const [call] = listed.pending_tool_calls;
    expect(call).toMatchObject({ name: "pay", kind: "approval", thread_id: expect.any(String) as string });
    expect(call?.since).toEqual(expect.any(Number));
    expect(await waiting(owner)).toHaveLength(1);
    await value(answer(id, approve(call?.id ?? "")));
    await waitFor(async () => (await waiting(owner)).length === 0);
  });

  it("INBOX1 A deleted thread is not listed any more, and no other owner lists a thread that waits", async () => {
    script("mine", [pay("Ada")]);
    const { owner, watching, id } = await waitsWith("payer", "mine", 1);
    expect(await waiting(newOwner())).toEqual([]);
    await value(stubOf(id).call("remove", admin));
    await watching.until(({ type }) => type === "thread_deleted");
    expect(await waiting(owner)).toEqual([]);
  });

  it("INBOX1 A thread and its events show the same times at which calls began to wait as the list, also after an eviction", async () => {
    script("alone", [pay("Ada")]);
    const { id, listed } = await waitsWith("payer", "alone", 1);
    const [call] = listed.pending_tool_calls;
    expect(call?.since).toEqual(expect.any(Number));
    await evict(id);
    expect((await value(stubOf(id).call("describe", admin))).pending_tool_calls).toEqual([call]);
    const following = await follow(id, { after: "0" });
    const event = await following.until(({ type }) => type === "awaiting_tool_execution");
    following.close();
    expect(event).toMatchObject({ tool_calls: [call] });
  });
});

describe("the time of the last change", () => {
  it("CHANGED1 A thread that waits keeps the time of its last change when a request opens its evicted or crashed object", async () => {
    script("pays", [pay("Ada")]);
    const { id, owner, listed } = await waitsWith("payer", "pays", 1);
    for (const end of [evict, crash]) {
      await end(id);
      skipFor(id, 5000);
      const { updated_at } = await value(stubOf(id).call("describe", admin));
      expect(updated_at).toBe(listed.updated_at);
    }
    expect((await waiting(owner)).map(({ updated_at }) => updated_at)).toEqual([listed.updated_at]);
  });

  it("CHANGED1 A run that a crash interrupted changes its thread at the time of its messages, and not when the object is opened", async () => {
    const id = await newThread("parallel");
    const hold = gate("changed");
    scripts.set("changed", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "wait", arguments: { gate: "changed" } }] } : { text: "done" },
    );
    await value(stubOf(id).call("postMessage", admin, message("changed"), null));
    await hold.reached;
    const before = await value(stubOf(id).call("describe", admin));
    onPlace(({ thread, name }) => (thread === id && name === "run.execute" ? new Promise(() => {}) : undefined));
    await crash(id);
    skipFor(id, 60_000);
    const { updated_at } = await value(stubOf(id).call("describe", admin));
    expect(updated_at - before.updated_at).toBeLessThan(30_000_000);
    onPlace(null);
    hold.open();
    await crash(id);
  });
});
