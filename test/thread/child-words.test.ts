// Messages between threads when one of the threads cannot be reached, receives a message twice, or has no watchers.

import { beforeEach, describe, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import { foldAll } from "#contract/fold.ts";
import { peerCaller } from "#core/rpc/thread-peer.ts";

import { skip, testClock } from "../worker/clock.ts";
import { scriptedAnswers } from "../worker/team.ts";
import {
  begun,
  childOf,
  latch,
  resetAgents,
  waitFor,
  isEnd,
  messagesOf,
  panelWaitingFor,
  passing,
  whenSuspended,
  wake,
  word,
} from "./team-driver.ts";
import { admin, alarmOf, evict, follow, message, newThread, peerOf, stubOf, value } from "./thread-driver.ts";

beforeEach(resetAgents);

/** A child of a thread that does not have to exist. */
function childInput(parentId: string) {
  const parent = {
    thread_id: parentId,
    run_id: crypto.randomUUID(),
    tool_call_id: "c1",
    message_id: crypto.randomUUID(),
    depth: 1,
  };
  return { id: crypto.randomUUID(), agent_id: "panel", user_id: null, parent, text: "decide", limits: {} };
}

const twoCalls = {
  toolCalls: [
    { name: "panel", arguments: { task: "one" } },
    { name: "nest", arguments: { task: "two" } },
  ],
};

describe("a result that cannot be delivered", () => {
  it("The alarm resends a child's undelivered result after a pause of 2 seconds that doubles up to an hour, the pauses survive an eviction, and the result arrives once", async () => {
    const { passed, open } = latch();
    panelWaitingFor(passed);
    const { id, child } = await begun();
    await whenSuspended(id);
    let away = true;
    const emitted = word("before deliver", { thread: child, to: id });
    const places = passing((place) => {
      if (emitted(place) && away) throw new Error("away");
    });
    const tries = () => places.received.filter(emitted).length;
    let before = testClock.now() / 1000;
    open();
    await places.until(emitted);
    for (let failures = 1; failures <= 12; failures += 1) {
      // The eviction waits for the try that is under way.
      await evict(child);
      expect(tries()).toBe(failures);
      const pause = Math.min(2000 * 2 ** (failures - 1), 3_600_000);
      expect(await alarmOf(child)).toBeGreaterThanOrEqual(Math.floor(before + pause));
      expect(await alarmOf(child)).toBeLessThanOrEqual(Math.ceil(testClock.now() / 1000 + pause));
      if (failures === 12) break;
      skip(3_600_000);
      before = testClock.now() / 1000;
      await wake(child);
    }
    expect(await alarmOf(child)).toBeGreaterThan(testClock.now() / 1000 + 30 * 60_000);
    expect(await alarmOf(child)).toBeLessThanOrEqual(testClock.now() / 1000 + 60 * 60_000);
    // A wake for another reason makes no try before its time.
    await wake(child);
    await evict(child);
    expect(tries()).toBe(12);
    expect(await alarmOf(child)).toBeGreaterThan(testClock.now() / 1000 + 30 * 60_000);
    away = false;
    skip(3_600_000);
    await wake(child);
    await places.until(word("after deliver", { thread: child, to: id }));
    const again = await follow(id, { after: "0" });
    expect(await again.until(isEnd)).toMatchObject({ status: "completed" });
    again.close();
    expect((await messagesOf(id)).map(({ content }) => content)).toEqual(["go", null, "yes", "boss done"]);
    expect(tries()).toBe(13);
    await waitFor(async () => (await alarmOf(child)) === null);
  });

  it("If a message cannot be delivered to one thread, messages to other threads are not delayed", async () => {
    const { passed, open } = latch();
    panelWaitingFor(passed);
    scriptedAnswers.set("boss", ({ step }) => (step === 0 ? twoCalls : { text: "boss done" }));
    scriptedAnswers.set("nester", async () => {
      await passed;
      return { text: "nested" };
    });
    const id = await newThread("boss");
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    const starts = () => following.events.filter(({ type }) => type === "subagent_start");
    await following.until(() => starts().length === 2);
    const [first = "", second = ""] = starts().map(childOf);
    await whenSuspended(id);
    const places = passing((place) => {
      if (word("before stop", { to: first })(place)) throw new Error("away");
    });
    await value(stubOf(id).call("stop", admin, null));
    await following.until(isEnd);
    await places.until(word("after stop", { to: second }));
    expect(places.received.filter(({ name }) => name === "before stop").map(({ to }) => to)).toEqual([first, second]);
    open();
  });

  it("A child whose parent thread does not exist sends its result once and is deleted", async () => {
    panelWaitingFor(Promise.resolve());
    const input = childInput(crypto.randomUUID());
    const places = passing();
    await peerOf(input.id).call("startChild", peerCaller, input);
    await places.until(word("after deliver", { thread: input.id }));
    await waitFor(async () => (await alarmOf(input.id)) === null);
    expect(places.received.filter(word("before deliver", { thread: input.id }))).toHaveLength(1);
    await waitFor(async () => !(await stubOf(input.id).call("listRuns", admin, { limit: 1, order: "asc" })).ok);
  });
});

describe("the start of a child", () => {
  it("If the start of a child is repeated, the child still has one message and one run, and delivers one result", async () => {
    const { passed, open } = latch();
    panelWaitingFor(passed);
    const input = childInput(await newThread("boss"));
    const places = passing();
    const first = peerOf(input.id).call("startChild", peerCaller, input);
    await Promise.all([
      first,
      peerOf(input.id).call("startChild", peerCaller, input),
      peerOf(input.id).call("startChild", peerCaller, input),
    ]);
    open();
    await places.until(word("after deliver", { thread: input.id }));
    await evict(input.id);
    await peerOf(input.id).call("startChild", peerCaller, input);
    await evict(input.id);
    const runs = await value(stubOf(input.id).call("listRuns", admin, { limit: 50, order: "asc" }));
    expect(runs.items.map(({ status }) => status)).toEqual(["completed"]);
    expect((await messagesOf(input.id)).filter(({ content }) => content === "decide")).toHaveLength(1);
    expect(places.received.filter(word("before deliver", { thread: input.id }))).toHaveLength(1);
  });

  it("A child that has started is not started again when another child of the same step has delivered its result", async () => {
    const [one, two] = [latch(), latch()];
    panelWaitingFor(one.passed);
    scriptedAnswers.set("boss", ({ step }) => (step === 0 ? twoCalls : { text: "boss done" }));
    scriptedAnswers.set("nester", async () => {
      await two.passed;
      return { text: "nested" };
    });
    const id = await newThread("boss");
    const places = passing();
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    const starts = () => following.events.filter(({ type }) => type === "subagent_start");
    await following.until(() => starts().length === 2);
    await whenSuspended(id);
    one.open();
    await following.until(({ type }) => type === "subagent_end");
    await whenSuspended(id);
    two.open();
    await following.until(isEnd);
    const requested = places.received.filter(({ name }) => name === "before startChild").map(({ to }) => to);
    expect(requested).toEqual(starts().map(childOf));
  });
});

describe("a parent without readers", () => {
  it("A child stops sending events to a parent without readers after one attempt, and sends events again when a reader connects to the parent", async () => {
    const [answered, reached, reachedAgain, paused, heldAgain] = [latch(), latch(), latch(), latch(), latch()];
    panelWaitingFor(Promise.resolve());
    let turns = 0;
    scriptedAnswers.set("con", async () => {
      turns += 1;
      if (turns === 1) await answered.passed;
      if (turns === 2) {
        reached.open();
        await paused.passed;
      }
      if (turns < 3) return { text: "go on" };
      reachedAgain.open();
      await heldAgain.passed;
      return { toolCalls: [{ name: "conclude", arguments: { said: "yes" } }] };
    });
    const id = await newThread("boss");
    const places = passing(({ name }) => {
      if (name === "after relay") answered.open();
    });
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    await reached.opened();
    const { received } = places;
    const child = received.find(({ name }) => name === "after startChild")?.to ?? "";
    await peerOf(child).call("watch", peerCaller, crypto.randomUUID());
    paused.open();
    await reachedAgain.opened();
    expect(received.filter(({ name }) => name === "before relay")).toHaveLength(1);
    const following = await follow(id, { after: "0" });
    await places.until(word("after watch", { thread: id, to: child }));
    heldAgain.open();
    const end = await following.until(({ type }) => type === "subagent_end");
    const inside = following.events.flatMap((event) => (event.type === "subagent_event" ? [event] : []));
    expect(inside.at(-1)?.event).toMatchObject({ type: "run_end" });
    expect(inside.at(-1)?.seq).toBeLessThan(end.seq);
    await following.until(isEnd);
  });
});

/** The types of the events of threads below, by their depth. */
function typesByDepth(events: readonly ThreadEvent[]): Map<number, unknown[]> {
  const emitted = new Map<number, unknown[]>();
  for (const event of events) {
    let inner: object = event;
    let depth = 0;
    while (Reflect.get(inner, "type") === "subagent_event") {
      inner = Reflect.get(inner, "event") as object;
      depth += 1;
    }
    if (depth > 0) emitted.set(depth, [...(emitted.get(depth) ?? []), Reflect.get(inner, "type")]);
  }
  return emitted;
}

describe("a reader of the top of three threads", () => {
  const nest = (task: string) => ({ toolCalls: [{ name: "nest", arguments: { task } }] });

  it("A reader of the top of three nested threads receives all events of the lowest thread", async () => {
    scriptedAnswers.set("boss", ({ step }) => (step === 0 ? nest("3") : { text: "boss done" }));
    scriptedAnswers.set("nester", ({ lastUser, step }) => {
      const left = Number(lastUser);
      return step === 0 && left > 1 ? nest(String(left - 1)) : { text: "from here" };
    });
    const id = await newThread("boss");
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    await following.until(isEnd);
    following.close();
    const emitted = typesByDepth(following.events);
    expect([...emitted.keys()].toSorted((one, other) => one - other)).toEqual([1, 2, 3]);
    for (const types of emitted.values()) {
      expect(types).toContain("run_start");
      expect(types.filter((type) => type === "message_end").length).toBeGreaterThan(0);
      expect(types.filter((type) => type === "run_end")).toHaveLength(1);
    }
  });

  it("If a reader joins the top of three nested threads late, the reader receives the later events of the lowest thread, even if that thread sent none before", async () => {
    const [reached, paused] = [latch(), latch()];
    scriptedAnswers.set("boss", ({ step }) => (step === 0 ? nest("2") : { text: "boss done" }));
    scriptedAnswers.set("nester", async ({ lastUser, step }) => {
      if (step === 0 && lastUser === "2") return nest("1");
      if (lastUser === "1") {
        reached.open();
        await paused.passed;
      }
      return { text: "from here" };
    });
    const id = await newThread("boss");
    const places = passing(() => undefined);
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    await reached.opened();
    const [child, grandchild] = places.received.flatMap(({ name, to }) =>
      name === "after startChild" ? [to ?? ""] : [],
    );
    const following = await follow(id, { after: "0" });
    await places.until(word("after watch", { thread: child ?? "", to: grandchild ?? "" }));
    paused.open();
    await following.until(isEnd);
    following.close();
    expect(typesByDepth(following.events).get(2)).toContain("run_end");
  });
});

describe("a reader that joins while a call waits", () => {
  it("If a reader joins while a call waits for its child thread, the reader receives the call and the child's id, also after an eviction", async () => {
    const { passed, open } = latch();
    panelWaitingFor(passed);
    scriptedAnswers.set("boss", ({ step }) =>
      step === 0
        ? {
            toolCalls: [
              { name: "pass", arguments: { said: "quick" } },
              { name: "panel", arguments: { task: "decide" } },
            ],
          }
        : { text: "boss done" },
    );
    const { id, child, following } = await begun();
    following.close();
    const views = [];
    for (let life = 0; life < 2; life += 1) {
      const joining = await follow(id);
      await joining.until(({ type }) => type === "snapshot");
      joining.close();
      views.push(foldAll(joining.events));
      await whenSuspended(id);
    }
    open();
    const [before, after] = views;
    const calls = Object.values(after?.tools ?? {});
    expect(calls.map(({ tool_name, running, child_thread_id }) => [tool_name, running, child_thread_id])).toEqual([
      ["pass", false, null],
      ["panel", true, child],
    ]);
    const picture = (view: typeof after) => [view?.messages, view?.tools, view?.runs, view?.active_run_id];
    expect(picture(after)).toEqual(picture(before));
  });
});
