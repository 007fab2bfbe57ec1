// Answers for calls of child threads that a parent receives: too early or late, for another run, repeated, or for unknown calls.

import { beforeEach, describe, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import { foldAll } from "#contract/fold.ts";

import { duringCall, ran } from "../worker/approval.ts";
import { testClock } from "../worker/clock.ts";
import { scripts } from "../worker/definitions.ts";
import { onPlace } from "../worker/places.ts";
import {
  answer,
  approve,
  ask,
  erase,
  resetAnswers,
  named,
  pay,
  suspended,
  says,
  script,
  send,
  shown,
} from "./answer-client.ts";
import { childOf, latch, waitFor, lastRunOf, messagesOf, passing, word } from "./team-driver.ts";
import { admin, alarmOf, converse, crash, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

const isRest = (event: ThreadEvent) => event.type === "awaiting_tool_execution";
const isEnd = ({ type }: ThreadEvent) => type === "run_end";
const paid = () => ran.filter((line) => line.startsWith("pay {"));

beforeEach(resetAnswers);

describe("an approval that is posted to a parent", () => {
  it.each(["stop", "interrupt"])(
    "If a parent's run is ended by %s, an approval that is posted to the parent is ignored and not passed on to the child",
    async (how) => {
      script(`ended_${how}`, [send("pay_room", "ended_inside")]);
      script("ended_inside", [pay("Ada")]);
      const { id, following, calls } = await suspended("house", `ended_${how}`, 1);
      const child = calls[0]?.thread_id ?? "";
      const paused = latch();
      onPlace((place) => (place.name === "before stop" && place.to === child ? paused.passed : undefined));
      if (how === "stop") await value(stubOf(id).call("stop", admin, null));
      else await value(stubOf(id).call("postMessage", admin, { ...message("now"), when: "interrupt" }, null));
      await following.until(isEnd);
      const taken = await answer(id, approve(named(calls, "pay")));
      expect(taken).toMatchObject({ ok: true, value: { ignored: [named(calls, "pay")] } });
      expect(await shown(child)).toHaveLength(1);
      paused.open();
      await waitFor(async () => (await shown(child)).length === 0);
      expect(ran).toEqual([]);
      following.close();
    },
  );

  it("If a parent thread is stopped while it processes a posted approval, the approval is ignored and not passed on to the child", async () => {
    script("stopped_between", [send("pay_room", "between_inside")]);
    script("between_inside", [pay("Ada")]);
    const { id, following, calls } = await suspended("house", "stopped_between", 1);
    const child = calls[0]?.thread_id ?? "";
    const [reading, telling] = [latch(), latch()];
    let reached = false;
    onPlace((place) => {
      if (place.name === "before stop" && place.to === child) return telling.passed;
      if (place.thread !== id || place.name !== "results.children") return undefined;
      reached = true;
      return reading.passed;
    });
    const consent = answer(id, approve(named(calls, "pay")));
    await waitFor(() => reached);
    await value(stubOf(id).call("stop", admin, null));
    reading.open();
    expect(await consent).toMatchObject({ ok: true, value: { ignored: [named(calls, "pay")] } });
    expect(await shown(child)).toHaveLength(1);
    telling.open();
    await following.until(isEnd);
    await waitFor(async () => (await shown(child)).length === 0);
    expect(ran).toEqual([]);
    following.close();
  });

  it("An approval is not passed on to a child if the same request contains a wrong result for a call of the parent, or a result for an unknown call", async () => {
    script("refused", [send("pay_room", "refused_inside"), ask("own")]);
    script("refused_inside", [pay("Ada")]);
    const { id, following, calls } = await suspended("house", "refused", 2);
    const child = calls.find(({ thread_id }) => thread_id !== undefined)?.thread_id ?? "";
    const consent = approve(named(calls, "pay"));
    // An approval in place of a result.
    expect(await answer(id, consent, approve(named(calls, "ask")))).toMatchObject({ refusal: { code: "conflict" } });
    expect(await answer(id, consent, says("call_of_nobody", "x"))).toMatchObject({
      refusal: { code: "tool_call_not_found" },
    });
    expect([await shown(child), await shown(id)].map((list) => list.length)).toEqual([1, 2]);
    expect(ran).toEqual([]);
    following.close();
  });

  it("An approval of a child's call that is posted to the parent is refused if its run_id is wrong, also before the child has reported the call", async () => {
    script("meant", [send("pay_room", "meant_inside")]);
    script("meant_inside", [pay("Ada")]);
    const id = await newThread("house");
    const paused = latch();
    const places = passing((place) => (word("before childCalls", { to: id })(place) ? paused.passed : undefined));
    await value(stubOf(id).call("postMessage", admin, message("meant"), null));
    const { thread: child } = await places.until(word("before childCalls", { to: id }));
    const [call] = await shown(child);
    const consent = { results: [approve(call?.id ?? "")] };
    expect(await stubOf(id).call("postToolResults", admin, { ...consent, run_id: "another" })).toMatchObject({
      refusal: { code: "conflict" },
    });
    expect([await shown(child), ran]).toMatchObject([{ length: 1 }, []]);
    const { id: run_id } = await lastRunOf(id);
    await value(stubOf(id).call("postToolResults", admin, { ...consent, run_id }));
    paused.open();
    await waitFor(async () => (await lastRunOf(id)).status === "completed");
    expect(paid()).toHaveLength(1);
  });

  it("An approval applies to one call only, even if a provider gives two calls the same id or the approval is sent twice", async () => {
    script("repeats", [send("pay_room", "repeats_ada"), send("pay_room", "repeats_bob")]);
    script("repeats_ada", [{ ...pay("Ada"), id: "call_pay_tool" }]);
    script("repeats_bob", [{ ...pay("Bob"), id: "call_pay_tool" }]);
    const { id, following, calls } = await suspended("house", "repeats", 2);
    const [first = "", second = ""] = calls.map((call) => call.id);
    expect(first).not.toBe(second);
    await value(answer(id, approve(first)));
    await waitFor(() => paid().length > 0);
    await value(answer(id, approve(first)));
    expect((await shown(id)).map((call) => call.id)).toEqual([second]);
    await value(answer(id, { tool_call_id: second, approved: false }));
    await following.until(isEnd);
    expect(paid()).toHaveLength(1);
    following.close();
  });

  it("Waiting calls of parallel sub-prompts have different ids, also if a provider repeats ids", async () => {
    script("lines", [send("cashier", "lines_ada"), send("cashier", "lines_bob")]);
    script("lines_ada", [{ ...pay("Ada"), id: "call_pay_tool" }]);
    script("lines_bob", [{ ...pay("Bob"), id: "call_pay_tool" }]);
    const { following, calls } = await suspended("head_cashier", "lines", 2);
    expect(new Set(calls.map((call) => call.id)).size).toBe(2);
    following.close();
  });

  it("An approval for a deleted child is refused as an unknown call, and the call is no longer shown", async () => {
    script("deleted", [send("pay_room", "deleted_inside")]);
    script("deleted_inside", [pay("Ada")]);
    const { id, following, calls } = await suspended("house", "deleted", 1);
    const child = calls[0]?.thread_id ?? "";
    onPlace((place) =>
      word("before deliver", { thread: child })(place) ? Promise.reject(new Error("unreachable")) : undefined,
    );
    await value(stubOf(child).call("remove", admin));
    onPlace(null);
    expect(await answer(id, approve(named(calls, "pay")))).toMatchObject({
      refusal: { code: "tool_call_not_found" },
    });
    expect(await shown(id)).toEqual([]);
    following.close();
  });

  it("A request with results for a hundred unknown calls asks each child thread only once whether it has them", async () => {
    scripts.set("quiet_inside", () => ({ text: "nothing to ask" }));
    const id = await newThread("house");
    for (const turn of ["quiet_1", "quiet_2", "quiet_3"]) {
      script(turn, [send("pay_room", "quiet_inside")]);
      const { run } = await value(stubOf(id).call("postMessage", admin, message(turn), null));
      await waitFor(async () => {
        const last = await lastRunOf(id);
        return last.id === run?.id && last.status === "completed";
      });
    }
    const places = passing();
    const results = Array.from({ length: 100 }, (_, at) => says(`call_unknown_${at}`, "x"));
    expect(await stubOf(id).call("postToolResults", admin, { results })).toMatchObject({
      refusal: { code: "tool_call_not_found" },
    });
    expect(places.received.filter(word("before knownCalls", {})).length).toBe(3);
    expect(places.received.filter(word("before postToolResults", {}))).toEqual([]);
  });

  it("A request with results for unknown calls asks at most 20 child threads, those of the last calls", async () => {
    scripts.set("quiet_inside", () => ({ text: "nothing to ask" }));
    script(
      "many",
      Array.from({ length: 23 }, () => send("pay_room", "quiet_inside")),
    );
    const id = await newThread("house");
    const events = await converse(id, "many");
    const started = new Map<string, string>(
      events.flatMap((event) =>
        event.type === "subagent_start" ? [[event.parent_tool_call_id, childOf(event)] as const] : [],
      ),
    );
    const children = (await messagesOf(id)).flatMap(({ tool_call_id }) => started.get(tool_call_id ?? "") ?? []);
    expect(children).toHaveLength(23);
    const places = passing();
    expect(await answer(id, says("call_unknown", "x"))).toMatchObject({ refusal: { code: "tool_call_not_found" } });
    const requested = places.received.filter(word("before knownCalls", {})).map(({ to }) => to ?? "");
    expect(requested.toSorted()).toEqual(children.slice(-20).toSorted());
  });
});

describe("reports of a child to its parent", () => {
  /** The milliseconds until the thread's alarm. */
  const wakesIn = async (id: string) => ((await alarmOf(id)) ?? Number.POSITIVE_INFINITY) - testClock.now() / 1000;

  it("If a child crashes after one of its calls was answered and before it reports this to its parent, the child has an alarm within a minute", async () => {
    script("owes", [send("pay_room", "owes_inside")]);
    script("owes_inside", [erase("all"), ask("why")]);
    const { id, following, calls } = await suspended("house", "owes", 2);
    const child = calls[0]?.thread_id ?? "";
    const tells = word("before childCalls", { to: id });
    const places = passing((place) => (tells(place) ? new Promise(() => {}) : undefined));
    await value(answer(child, approve(named(calls, "erase"))));
    await places.until(tells);
    await crash(child);
    expect(await wakesIn(child)).toBeLessThan(60_000);
    following.close();
  });

  it("If the middle one of three nested threads crashes before it reports to its parent, it has an alarm within a minute", async () => {
    script("passes_on", [send("pay_lobby", "passes_middle")]);
    script("passes_middle", [send("pay_room", "passes_inside")]);
    script("passes_inside", [erase("all"), ask("why")]);
    const { id, following, calls } = await suspended("house", "passes_on", 2);
    const tells = word("before childCalls", { to: id });
    const places = passing((place) => (tells(place) ? new Promise(() => {}) : undefined));
    await value(answer(calls[0]?.thread_id ?? "", approve(named(calls, "erase"))));
    const { thread: middle } = await places.until(tells);
    await crash(middle);
    expect(await wakesIn(middle)).toBeLessThan(60_000);
    following.close();
  });

  it("A child reports its waiting calls to the parent again if the parent crashes after one was approved and before the parent stored this", async () => {
    script("between", [send("pay_room", "between_inside"), ask("own")]);
    script("between_inside", [erase("all"), ask("why")]);
    const { id, following, calls } = await suspended("house", "between", 3);
    const handed = word("after postToolResults", { thread: id });
    const places = passing((place) => (handed(place) ? new Promise(() => {}) : undefined));
    void answer(id, approve(named(calls, "erase"))).catch(() => undefined);
    await places.until(handed);
    await crash(id);
    onPlace(null);
    await waitFor(async () => (await shown(id)).length === 2);
    expect((await lastRunOf(id)).status).toBe("awaiting_tool_execution");
    following.close();
  });
});

describe("readers of a parent", () => {
  const statusIn = (events: ThreadEvent[], run: string) => foldAll(events).runs[run]?.status;
  const rests = (events: ThreadEvent[]) =>
    events.flatMap((event) => (event.type === "awaiting_tool_execution" ? [event.tool_calls] : []));

  it("A reader of the parent receives a child's remaining waiting calls after one was answered, also if the reader connects later", async () => {
    script("fewer", [send("pay_room", "fewer_inside")]);
    script("fewer_inside", [erase("all"), ask("why")]);
    const { id, following, calls } = await suspended("house", "fewer", 2);
    await value(answer(id, approve(named(calls, "erase"))));
    await following.until((event) => event.type === "awaiting_tool_execution" && event.tool_calls.length === 1);
    const again = await follow(id, { after: "0", until: "idle" });
    await again.closed;
    expect(rests(again.events)).toEqual(rests(following.events));
    following.close();
  });

  it("A reader of the parent sees the parent's run as awaiting_tool_execution while a child's call waits, also if another child is active", async () => {
    script("one_asks", [send("pay_room", "asks_inside"), send("pay_room", "works_inside")]);
    script("asks_inside", [pay("Ada")]);
    const [first, second] = [latch(), latch()];
    scripts.set("works_inside", async ({ step }) => {
      await (step === 0 ? first : second).passed;
      return step === 0
        ? { text: "noting", toolCalls: [{ name: "note", arguments: { text: "x" } }] }
        : { text: "done" };
    });
    const { id, following } = await suspended("house", "one_asks", 1);
    first.open();
    await following.until((event) => event.type === "subagent_event" && event.event["type"] === "tool_execution_end");
    const run = await lastRunOf(id);
    expect([run.status, statusIn(following.events, run.id)]).toEqual([
      "awaiting_tool_execution",
      "awaiting_tool_execution",
    ]);
    second.open();
    following.close();
  });

  it("If a child's call is answered in the child's thread, readers of the parent are notified that the parent's run no longer waits", async () => {
    script("there", [send("pay_room", "there_inside")]);
    script("there_inside", [pay("Ada")]);
    const { id, following, calls } = await suspended("house", "there", 1);
    duringCall.run = () => new Promise(() => {});
    await value(answer(calls[0]?.thread_id ?? "", approve(named(calls, "pay"))));
    const isNone = (event: ThreadEvent) => event.type === "awaiting_tool_execution" && event.tool_calls.length === 0;
    await following.until(isNone);
    const run = await lastRunOf(id);
    const later = await follow(id, { after: "0" });
    await later.until(isNone);
    expect([run.status, statusIn(following.events, run.id), statusIn(later.events, run.id)]).toEqual([
      "running",
      "running",
      "running",
    ]);
    expect((await messagesOf(id)).at(-1)?.status).toBe("started");
    expect(following.events.filter(isRest)).toHaveLength(2);
    following.close();
    later.close();
  });
});
