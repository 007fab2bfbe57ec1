// The cost of a child whose call has stopped waiting for it: reported once, counted once, in every state of the parent.

import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";

import { peerCaller } from "#core/rpc/thread-peer.ts";
import type { TestTurn } from "#spec/index.ts";

import { skip } from "../worker/clock.ts";
import { scriptedAnswers } from "../worker/team.ts";
import {
  childOf,
  latch,
  resetAgents,
  waitFor,
  isEnd,
  lastRunOf,
  messagesOf,
  passing,
  whenSuspended,
  wake,
  word,
} from "./team-driver.ts";
import { admin, crash, evict, follow, message, newThread, peerOf, stubOf, value } from "./thread-driver.ts";

beforeEach(resetAgents);

const call = (name: string): TestTurn => ({ toolCalls: [{ name, arguments: { task: "decide" } }] });

/** A boss that calls a panel whose second side never answers; the panel's last report waits until a latch opens. */
async function waiting(boss: (step: number) => TestTurn | Promise<TestTurn>) {
  const [paused, reached] = [latch(), latch()];
  scriptedAnswers.set("boss", ({ step }) => (step === 0 ? call("panel") : boss(step)));
  scriptedAnswers.set("pro", () => ({ text: "pro says" }));
  scriptedAnswers.set("con", () => {
    reached.open();
    return new Promise(() => {});
  });
  const id = await newThread("boss");
  const places = passing((place) => (word("before deliver", { to: id })(place) ? paused.passed : undefined));
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message("go"), null));
  const child = childOf(await following.until((event) => event.type === "subagent_start"));
  await reached.opened();
  await whenSuspended(id);
  const deliver = () => paused.open();
  const delivered = async (from = child) => {
    deliver();
    await places.until(word("after deliver", { thread: from, to: id }));
  };
  return { id, child, following, places, deliver, delivered };
}

/** The call stops waiting, and the child is stopped. */
async function timesOut(id: string, child: string): Promise<void> {
  const own = await follow(child, { after: "0" });
  skip(25 * 3_600_000);
  await wake(id);
  await own.until(isEnd);
  own.close();
}

/** The run's totals are those of its models and of its children, and the thread's totals are the run's. */
async function expectCounted(id: string, children: readonly string[]): Promise<void> {
  const messages = await messagesOf(id);
  const run = await lastRunOf(id);
  const calls = messages.filter(({ role }) => role === "tool");
  let own = { tokens: 0, cost: 0 };
  for (const { usage, cost, model } of messages) {
    if (model !== null) own = { tokens: own.tokens + (usage?.total_tokens ?? 0), cost: own.cost + (cost ?? 0) };
  }
  for (const [at, child] of children.entries()) {
    const { usage, cost } = await lastRunOf(child);
    expect(usage.total_tokens).toBeGreaterThan(0);
    expect(calls[at]).toMatchObject({ usage, cost });
    own = { tokens: own.tokens + usage.total_tokens, cost: own.cost + (cost ?? 0) };
  }
  expect(run.usage.total_tokens).toBe(own.tokens);
  expect(run.cost).toBeCloseTo(own.cost, 12);
  const thread = await value(stubOf(id).call("describe", admin));
  expect(thread.usage).toEqual(run.usage);
  expect(thread.cost).toBeCloseTo(own.cost, 12);
}

describe("a call that stopped waiting for its child", () => {
  it("If a parent's run is stopped before its child ends, the child's cost is counted once in the stopped run, in its thread and in the catalog", async () => {
    const { id, child, following, delivered } = await waiting(() => ({ text: "boss done" }));
    await value(stubOf(id).call("stop", admin, null));
    const end = await following.until(isEnd);
    following.close();
    const before = await messagesOf(id);
    await delivered();
    await expectCounted(id, [child]);
    const run = await lastRunOf(id);
    expect(end).toMatchObject({ status: "stopped" });
    expect(end.type === "run_end" && end.usage.total_tokens).toBeLessThan(run.usage.total_tokens);
    const after = await messagesOf(id);
    expect(after.map(({ content, result }) => [content, result])).toEqual(
      before.map(({ content, result }) => [content, result]),
    );

    const call = after.find(({ role }) => role === "tool");
    const { usage, cost } = await lastRunOf(child);
    const answer = { status: "success" as const, result: "late" };
    const again = { answer, usage, cost, tool_executions: 0, message_id: call?.id ?? "" };
    const peer = peerOf(id);
    await peer.call("deliver", peerCaller, { ...again, from: child });
    await peer.call("deliver", peerCaller, { ...again, from: child, usage: { ...usage, total_tokens: 1 }, cost: 0 });
    await peer.call("deliver", peerCaller, {
      ...again,
      from: crypto.randomUUID(),
      usage: { ...usage, total_tokens: 1_000_000 },
    });
    await expectCounted(id, [child]);
    expect(await messagesOf(id)).toEqual(after);

    const totals = async (thread: string) => {
      const row = env.CATALOG.prepare("SELECT sum(total_tokens) AS n FROM run_total WHERE thread_id = ?").bind(thread);
      return (await row.first<{ n: number }>())?.n;
    };
    const listed = async () => {
      const row = env.CATALOG.prepare("SELECT body FROM thread WHERE id = ?").bind(id);
      return JSON.parse((await row.first<{ body: string }>())?.body ?? "{}") as { usage?: object };
    };
    await waitFor(async () => JSON.stringify((await listed()).usage) === JSON.stringify(run.usage));
    expect(await totals(id)).toBe(run.usage.total_tokens - usage.total_tokens);
    await waitFor(async () => (await totals(child)) === usage.total_tokens);
  });

  for (const crashes of [false, true]) {
    it(`If a call's wait for a child times out, the child's cost is counted at the end of the run that is still active${crashes ? ", also after a crash" : ""}`, async () => {
      const { passed, open } = latch();
      const { id, child, following, delivered } = await waiting(async () => {
        await passed;
        return { text: "boss done" };
      });
      await timesOut(id, child);
      await following.until((event) => event.type === "step_start" && event.step === 2);
      await delivered();
      if (crashes) {
        await crash(id);
        await wake(id);
      }
      open();
      const again = await follow(id, { after: "0" });
      const end = await again.until(isEnd);
      again.close();
      await expectCounted(id, [child]);
      expect(end).toMatchObject({ status: "completed", usage: (await lastRunOf(id)).usage });
    });
  }

  it("If a call's wait for a child times out, the child's cost is counted while the run waits for another child, also after an eviction", async () => {
    const { passed, open } = latch();
    const { id, child, following, delivered } = await waiting((step) =>
      step === 1 ? call("nest") : { text: "boss done" },
    );
    scriptedAnswers.set("nester", async () => {
      await passed;
      return { text: "nested" };
    });
    await timesOut(id, child);
    const starts = () => following.events.filter(({ type }) => type === "subagent_start");
    await following.until(() => starts().length === 2);
    const second = starts().map(childOf)[1] ?? "";
    await whenSuspended(id);
    await delivered();
    await evict(id);
    open();
    await following.until(isEnd);
    following.close();
    await expectCounted(id, [child, second]);
  });

  it("The cost of a child is counted if the child reports it while a stop stores the result of the child's call", async () => {
    const [paused, reached] = [latch(), latch()];
    const { id, child, following, deliver, places } = await waiting(() => ({ text: "boss done" }));
    const settles = /^(tool\.store|result\.before-create)$/;
    const both = passing((place) => {
      if (place.thread !== id || !settles.test(place.name)) return;
      reached.open();
      return paused.passed;
    });
    await value(stubOf(id).call("stop", admin, null));
    await reached.opened();
    deliver();
    await both.until(word("after deliver", { thread: child, to: id }));
    paused.open();
    await following.until(isEnd);
    following.close();
    expect(places.received.length).toBeGreaterThan(0);
    await expectCounted(id, [child]);
  });
});

describe("a call whose child was deleted, or whose run failed to recover", () => {
  it("If a child is deleted, the parent's call and run count the tokens that the child had used", async () => {
    const { id, child, following, delivered } = await waiting(() => ({ text: "boss done" }));
    const used = (await messagesOf(child)).reduce((sum, { usage }) => sum + (usage?.total_tokens ?? 0), 0);
    const gone = stubOf(child).call("remove", admin);
    await delivered();
    await value(gone);
    await following.until(isEnd);
    following.close();
    expect(used).toBeGreaterThan(0);
    const messages = await messagesOf(id);
    expect(messages.find(({ role }) => role === "tool")?.usage?.total_tokens).toBe(used);
    const own = messages.reduce((sum, { usage, model }) => sum + (model === null ? 0 : (usage?.total_tokens ?? 0)), 0);
    expect((await lastRunOf(id)).usage.total_tokens).toBe(own + used);
  });

  it("If a parent's run ends with recovery_failed, the cost of its stopped child is still counted for the call", async () => {
    const reached = latch();
    scriptedAnswers.set("boss", () => call("panel"));
    scriptedAnswers.set("pro", () => ({ text: "pro says" }));
    scriptedAnswers.set("con", () => {
      reached.open();
      return new Promise(() => {});
    });
    const id = await newThread("boss");
    const starts = word("after startChild", { thread: id });
    const places = passing((place) => (starts(place) ? new Promise(() => {}) : undefined));
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    for (let crashes = 1; crashes <= 6; crashes += 1) {
      await places.until(() => places.received.filter(starts).length === crashes);
      if (crashes === 1) await reached.opened();
      await crash(id);
      await wake(id);
    }
    const { thread: child } = await places.until(word("after deliver", { to: id }));
    expect(await lastRunOf(id)).toMatchObject({ status: "error", reason: "recovery_failed" });
    await expectCounted(id, [child]);
  });
});

describe("a child's child", () => {
  it("If a grandchild's cost is reported after the parent's run has ended, each thread above the grandchild counts the cost once", async () => {
    const [paused, reached] = [latch(), latch()];
    scriptedAnswers.set("boss", ({ step }) => (step === 0 ? call("nest") : { text: "boss done" }));
    scriptedAnswers.set("nester", ({ step }) => (step === 0 ? call("debate") : { text: "nested" }));
    scriptedAnswers.set("pro", () => ({ text: "pro says" }));
    scriptedAnswers.set("con", () => {
      reached.open();
      return new Promise(() => {});
    });
    const id = await newThread("boss");
    const following = await follow(id, { after: "0" });
    let child = "";
    const places = passing((place) => (word("before deliver", { to: child })(place) ? paused.passed : undefined));
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    child = childOf(await following.until((event) => event.type === "subagent_start"));
    // The event of the call comes before its child exists, and the last side to answer is deeper than both threads.
    await reached.opened();
    const own = await follow(child, { after: "0" });
    const grandchild = childOf(await own.until((event) => event.type === "subagent_start"));
    own.close();
    await value(stubOf(id).call("stop", admin, null));
    await following.until(isEnd);
    following.close();
    await places.until(word("after deliver", { thread: child, to: id }));
    const early = (await lastRunOf(id)).usage.total_tokens;
    paused.open();
    await places.until(word("after deliver", { thread: grandchild, to: child }));
    const emitted = () => places.received.filter(word("after deliver", { thread: child, to: id })).length;
    await places.until(() => emitted() === 2);
    await expectCounted(child, [grandchild]);
    await expectCounted(id, [child]);
    expect((await lastRunOf(id)).usage.total_tokens).toBeGreaterThan(early);
  });
});
