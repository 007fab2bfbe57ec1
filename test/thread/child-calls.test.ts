// Waiting calls of child threads: shown by the parents above them, and answered there.

import { beforeEach, describe, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import type { PostedResult } from "#contract/tool-route.ts";

import { duringCall, ran } from "../worker/approval.ts";
import { skip, testClock } from "../worker/clock.ts";
import { crossing } from "../worker/crossing.ts";
import { scripts } from "../worker/definitions.ts";
import { onPlace } from "../worker/places.ts";
import { waitFor, lastRunOf, messagesOf, passing, wake, word } from "./team-driver.ts";
import { admin, alarmOf, crash, evict, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

const isRest = (event: ThreadEvent) => event.type === "awaiting_tool_execution";
const isEnd = ({ type }: ThreadEvent) => type === "run_end";

type Call = { name: string; arguments: Record<string, unknown> };

function script(name: string, calls: Call[]): void {
  scripts.set(name, ({ step }) => (step === 0 ? { toolCalls: calls } : { text: `${name} done` }));
}

const pay = (to: string): Call => ({ name: "pay", arguments: { to, amount: 5 } });
const ask = (q: string): Call => ({ name: "ask", arguments: { q } });
const send = (name: string, task: string): Call => ({ name, arguments: { task } });

const answer = (id: string, ...results: PostedResult[]) => stubOf(id).call("postToolResults", admin, { results });
const approve = (call: string): PostedResult => ({ tool_call_id: call, approved: true });
const says = (call: string, result: string): PostedResult => ({ tool_call_id: call, result });

const shown = async (id: string) => (await value(stubOf(id).call("describe", admin))).pending_tool_calls;

/** Begins a run of the agent and waits until `count` calls are shown. */
async function suspended(first: string, count: number) {
  const id = await newThread("house");
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message(first), null));
  const calls = await waitFor(async () => {
    const pending = await shown(id);
    return pending.length === count && pending;
  });
  return { id, following, calls };
}

beforeEach(() => {
  ran.length = 0;
  duringCall.run = null;
  onPlace(null);
});

describe("a call of a child thread", () => {
  it("A child's waiting call is shown by the parent with its kind, arguments and thread, and can be answered at the parent", async () => {
    script("top", [send("pay_room", "inside")]);
    script("inside", [pay("Ada"), ask("why")]);
    const { id, following, calls } = await suspended("top", 2);
    const rest = await following.until(isRest);
    expect(rest).toMatchObject({
      tool_calls: [
        { name: "pay", kind: "approval", arguments: { to: "Ada", amount: 5 }, thread_id: expect.any(String) },
        { name: "ask", kind: "remote", arguments: { q: "why" }, thread_id: expect.any(String) },
      ],
    });
    const [first, second] = calls;
    const child = first?.thread_id ?? "";
    expect(await value(stubOf(id).call("describe", admin))).toMatchObject({ status: "awaiting_tool_execution" });
    expect(await lastRunOf(id)).toMatchObject({ status: "awaiting_tool_execution" });
    await evict(id);
    await evict(child);
    const part = await value(
      stubOf(id).call("postToolResults", { user: "ada", admin: true }, { results: [approve(first?.id ?? "")] }),
    );
    expect(part.run.id).toBe((await lastRunOf(id)).id);
    expect((await shown(id)).map(({ name }) => name)).toEqual(["ask"]);
    expect(ran).toEqual([]);
    const eve = { user: "eve", admin: true };
    const both = { results: [approve(first?.id ?? ""), says(second?.id ?? "", "because")] };
    await value(stubOf(id).call("postToolResults", eve, both));
    await following.until(isEnd);
    expect(ran).toEqual(['pay {"to":"Ada","amount":5} 1', "pay done"]);
    expect((await messagesOf(child)).filter(({ role }) => role === "tool").map(({ content }) => content)).toEqual([
      'pay {"to":"Ada","amount":5}',
      "because",
    ]);
    expect(await value(stubOf(id).call("describe", admin))).toMatchObject({ status: "idle", pending_tool_calls: [] });
    const paid = (await messagesOf(child)).find(({ name }) => name === "pay");
    expect(paid?.approval).toMatchObject({ approved: true, by: "ada" });
    following.close();
  });

  it("A child's waiting call is sent from the parent's stored rows to readers that connect to the parent later", async () => {
    script("later", [send("pay_room", "later_inside")]);
    script("later_inside", [pay("Ada")]);
    const { id, following, calls } = await suspended("later", 1);
    following.close();
    await evict(id);
    const again = await follow(id, { after: "0" });
    expect(await again.until(isRest)).toMatchObject({
      tool_calls: [{ id: calls[0]?.id, arguments: { to: "Ada", amount: 5 }, kind: "approval" }],
    });
    again.close();
  });

  it("If a child's call is answered in the child's thread, the parent no longer shows the call", async () => {
    script("direct", [send("pay_room", "direct_inside")]);
    script("direct_inside", [pay("Ada")]);
    const { id, following, calls } = await suspended("direct", 1);
    const [call] = calls;
    const { promise: paused, resolve: release } = crossing();
    duringCall.run = () => paused;
    await value(answer(call?.thread_id ?? "", approve(call?.id ?? "")));
    await waitFor(async () => (await shown(id)).length === 0);
    expect(await value(stubOf(id).call("describe", admin))).toMatchObject({ status: "running" });
    expect(await lastRunOf(id)).toMatchObject({ status: "running" });
    release();
    await following.until(isEnd);
    following.close();
  });

  it("A thread shows the waiting calls of the threads below it in addition to its own calls, and passes their answers down", async () => {
    script("deep", [send("pay_lobby", "deep_middle"), ask("top")]);
    script("deep_middle", [send("pay_room", "deep_inside"), ask("middle")]);
    script("deep_inside", [pay("Ada")]);
    const { id, following, calls } = await suspended("deep", 3);
    const byName = (name: string, thread: boolean) =>
      calls.find((call) => call.name === name && (call.thread_id !== undefined) === thread)?.id ?? "";
    expect(new Set(calls.map(({ thread_id }) => thread_id)).size).toBe(3);
    await value(
      answer(id, approve(byName("pay", true)), says(byName("ask", true), "m"), says(byName("ask", false), "t")),
    );
    await following.until(isEnd);
    expect(ran).toHaveLength(2);
    expect(await lastRunOf(id)).toMatchObject({ status: "completed" });
    following.close();
  });

  it("Answers to a child's call are checked at the parent as in the child: wrong ones are refused, the first one counts, and other users get thread_not_found", async () => {
    script("strict", [send("pay_room", "strict_inside")]);
    script("strict_inside", [pay("Ada"), ask("why")]);
    const { id, following, calls } = await suspended("strict", 2);
    const [payCall = "", askCall = ""] = calls.map((call) => call.id);
    const conflict = { ok: false, refusal: { code: "conflict" } };
    expect(await answer(id, says(payCall, "paid"))).toMatchObject(conflict);
    expect(await answer(id, approve("call_nobody"))).toMatchObject({ refusal: { code: "tool_call_not_found" } });
    expect(
      await stubOf(id).call("postToolResults", admin, { results: [approve(payCall)], run_id: "other" }),
    ).toMatchObject(conflict);
    expect(
      await stubOf(id).call("postToolResults", { user: "mallory", admin: false }, { results: [approve(payCall)] }),
    ).toMatchObject({ ok: false, refusal: { code: "thread_not_found" } });
    const declined: PostedResult = { tool_call_id: payCall, approved: false };
    await value(answer(id, declined));
    await value(answer(id, declined));
    expect(await answer(id, approve(payCall))).toMatchObject(conflict);
    await value(answer(id, says(askCall, "x")));
    await following.until(isEnd);
    // The child's run has ended, and the thread still compares an answer with the first one.
    const after = await value(answer(id, declined, says(askCall, "x")));
    expect(after).toMatchObject({ run: { status: "completed" }, missing: [], ignored: [] });
    expect(await answer(id, says(askCall, "y"))).toMatchObject(conflict);
    expect(ran).toEqual([]);
    following.close();
  });

  it("A child's waiting call survives a crash of the child before it reports, and of the parent after that", async () => {
    script("crashes_up", [send("pay_room", "crashes_inside")]);
    script("crashes_inside", [pay("Ada")]);
    const id = await newThread("house");
    let crashes = 0;
    const places = passing((place) =>
      word("before childCalls", { to: id })(place) && crashes === 0 ? new Promise(() => {}) : undefined,
    );
    await value(stubOf(id).call("postMessage", admin, message("crashes_up"), null));
    const { thread: child } = await places.until(word("before childCalls", { to: id }));
    crashes += 1;
    await crash(child);
    // The alarm is due long before the call's own deadline.
    expect(((await alarmOf(child)) ?? Infinity) - testClock.now() / 1000).toBeLessThan(60_000);
    expect(await wake(child)).toBe(true);
    const [call] = await waitFor(async () => {
      const pending = await shown(id);
      return pending.length > 0 && pending;
    });
    await crash(id);
    expect(await shown(id)).toHaveLength(1);
    await value(answer(id, approve(call?.id ?? "")));
    await waitFor(async () => (await lastRunOf(id)).status === "completed");
    expect(ran).toHaveLength(2);
  });

  it("A child's waiting call is reported again if the parent could not be reached", async () => {
    script("unreached", [send("pay_room", "unreached_inside")]);
    script("unreached_inside", [pay("Ada")]);
    const id = await newThread("house");
    let tries = 0;
    const tells = word("before childCalls", { to: id });
    const places = passing((place) => {
      if (!tells(place)) return undefined;
      tries += 1;
      return tries === 1 ? Promise.reject(new Error("unreachable")) : undefined;
    });
    await value(stubOf(id).call("postMessage", admin, message("unreached"), null));
    const { thread: child } = await places.until(tells);
    await waitFor(async () => ((await alarmOf(child)) ?? Infinity) - testClock.now() / 1000 < 60_000);
    expect(await shown(id)).toEqual([]);
    skip(10_000);
    expect(await wake(child)).toBe(true);
    await waitFor(async () => (await shown(id)).length === 1);
    expect(tries).toBe(2);
  });

  it("If a child's call is answered at the parent, the parent no longer shows the call, even before the child reports the answer", async () => {
    script("at_once", [send("pay_room", "at_once_inside")]);
    script("at_once_inside", [pay("Ada"), ask("why")]);
    const { id, following, calls } = await suspended("at_once", 2);
    const paused = passing((place) =>
      word("before childCalls", { to: id })(place) ? new Promise(() => {}) : undefined,
    );
    await value(answer(id, approve(calls.find(({ name }) => name === "pay")?.id ?? "")));
    expect((await shown(id)).map(({ name }) => name)).toEqual(["ask"]);
    expect(paused.received.length).toBeGreaterThan(0);
    following.close();
  });

  it("A child's waiting call with more than 8 KiB of arguments is shown by the parent without its arguments", async () => {
    script("large", [send("pay_room", "large_inside")]);
    script("large_inside", [ask("small"), ask("x".repeat(100_000))]);
    const { following, calls: inThread } = await suspended("large", 2);
    expect(inThread.map((call) => "arguments" in call)).toEqual([true, false]);
    const rest = await following.until(isRest);
    const calls = rest.type === "awaiting_tool_execution" ? rest.tool_calls : [];
    expect(calls.map((call) => "arguments" in call)).toEqual([true, false]);
    following.close();
  });
});
