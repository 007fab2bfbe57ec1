// The stored state after a crash, and how a run continues. The object is aborted at a chosen place, and a new stub or the alarm resumes it.

import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { foldAll } from "#contract/fold.ts";

import { skip, testClock } from "../worker/clock.ts";
import { effects, gate, scripts } from "../worker/definitions.ts";
import { soonMs } from "../worker/remote.ts";
import { waitFor, passing, word } from "./team-driver.ts";
import { admin, alarmOf, crash, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };

function rawStub(id: string): DurableObjectStub {
  return env.THREADS.get(env.THREADS.idFromName(id));
}

/** Polls, because a promise that an object resolves in the background does not wake a test that waits for nothing else. */
async function reached(place: ReturnType<typeof gate> | undefined): Promise<void> {
  let there = false;
  void place?.reached.then(() => {
    there = true;
  });
  await waitFor(() => there);
}

describe("a run that a crash interrupted", () => {
  it("SURV10 An active run always has an alarm within the next 15 s, however long it has been active", async () => {
    const id = await newThread("parallel");
    const hold = gate("surv10");
    scripts.set("surv10", () => ({ toolCalls: [{ name: "wait", arguments: { gate: "surv10" } }] }));
    await value(stubOf(id).call("postMessage", admin, message("surv10"), null));
    await hold.reached;
    for (let beats = 0; beats < 6; beats += 1) {
      const at = (await alarmOf(id)) ?? Infinity;
      const ahead = at - testClock.now() / 1000;
      expect(ahead).toBeGreaterThan(0);
      expect(ahead).toBeLessThanOrEqual(15_000);
      skip(ahead);
      expect(await runDurableObjectAlarm(rawStub(id))).toBe(true);
    }
    await value(stubOf(id).call("stop", admin, null));
  });

  it("RECOV1 An alarm resumes a run that a crash interrupted in a model stream, and the partial answer is retracted", async () => {
    const id = await newThread("parallel");
    let requested = 0;
    scripts.set("cutstream", () => {
      requested += 1;
      return requested === 1
        ? { text: Array.from({ length: 5000 }, () => "lost "), delayMs: 20 }
        : { text: "whole answer" };
    });
    await value(stubOf(id).call("postMessage", admin, message("cutstream"), null));
    const before = await follow(id, { after: "0" });
    await before.until((event) => event.type === "text_delta");
    const received = before.events.at(-1)?.seq ?? 0;
    await crash(id);
    expect(await runDurableObjectAlarm(rawStub(id))).toBe(true);

    const after = await follow(id, { after: String(received) });
    await after.until((event) => event.type === "run_end");
    after.close();
    const view = foldAll([...before.events, ...after.events]);
    expect(view.messages.map(({ content }) => content)).toEqual(["cutstream", "whole answer"]);
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items.map(({ content }) => content)).toEqual(["cutstream", "whole answer"]);
    expect(after.events.every((event) => event.seq > received)).toBe(true);
    const thread = await value(stubOf(id).call("describe", admin));
    expect(thread).toMatchObject({ status: "idle", message_count: 2 });
  });

  it("RECOV2 If a crash interrupts a tool, the model is sent an unknown outcome, and the tool does not run again", async () => {
    const id = await newThread("parallel");
    const hold = gate("recov2");
    scripts.set("recov2", ({ step, messages }) =>
      step === 0
        ? {
            toolCalls: [
              { name: "wait", arguments: { gate: "recov2" } },
              { name: "note", arguments: { text: "recov2" } },
            ],
          }
        : {
            text: `saw: ${messages
              .filter(({ role }) => role === "tool")
              .map(({ content }) => content)
              .join(" | ")}`,
          },
    );
    await value(stubOf(id).call("postMessage", admin, message("recov2"), null));
    await hold.reached;
    await crash(id);
    const following = await follow(id, { after: "0", until: "idle" });
    await following.closed;
    const run = following.events.findLast((event) => event.type === "run_end");
    expect(run).toMatchObject({ status: "completed" });
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items.at(-1)?.content).toMatch(/unknown.*noted recov2/s);
    expect(effects.filter((effect) => effect === "wait recov2")).toHaveLength(1);
    expect(effects.filter((effect) => effect === "note recov2")).toHaveLength(1);
  });

  it("RECOV3 A run ends with recovery_failed after five recoveries without a committed step", async () => {
    const id = await newThread("parallel");
    scripts.set("recov3", () => ({ text: Array.from({ length: 5000 }, () => "lost "), delayMs: 50 }));
    const { run } = await value(stubOf(id).call("postMessage", admin, message("recov3"), null));
    for (let crashes = 0; crashes < 6; crashes += 1) {
      await value(stubOf(id).call("describe", admin));
      await crash(id);
    }
    const ended = await value(stubOf(id).call("getRun", admin, run?.id ?? ""));
    expect(ended).toMatchObject({ status: "error", error: { code: "recovery_failed" } });
    expect((await value(stubOf(id).call("describe", admin))).status).toBe("error");
  });

  it("INPUT3 Waiting inputs are processed in their order after a run that a crash interrupted", async () => {
    const id = await newThread("parallel");
    const hold = gate("recov4");
    scripts.set("recov4", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "wait", arguments: { gate: "recov4" } }] } : { text: "first" },
    );
    await value(stubOf(id).call("postMessage", admin, message("recov4"), null));
    await hold.reached;
    await value(stubOf(id).call("postMessage", admin, message("b"), null));
    await value(stubOf(id).call("postMessage", admin, message("c"), null));
    await crash(id);
    const following = await follow(id, { after: "0", until: "idle" });
    await following.closed;
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    const spoken = items.filter(({ role, content }) => role !== "tool" && content !== null);
    expect(spoken.map(({ content }) => content)).toEqual(["recov4", "first", "b", "echo: b", "c", "echo: c"]);
  });

  it("RECOV5 An interrupted run keeps the tokens and cost that were committed before the crash", async () => {
    const id = await newThread("parallel");
    const hold = gate("recov5");
    const usage = { input: 100, output: 10 };
    scripts.set("recov5", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "wait", arguments: { gate: "recov5" } }], usage } : { text: "done", usage },
    );
    const { run } = await value(stubOf(id).call("postMessage", admin, message("recov5"), null));
    await hold.reached;
    await crash(id);
    const following = await follow(id, { after: "0", until: "idle" });
    await following.closed;
    const ended = await value(stubOf(id).call("getRun", admin, run?.id ?? ""));
    expect(ended.usage).toMatchObject({ input: 200, output: 20 });
    expect(ended.cost).toBeCloseTo((200 * 1 + 20 * 2) / 1e6, 10);
  });

  it("RECOV6 Every call of a run that ends with recovery_failed has a result", async () => {
    const id = await newThread("sequential");
    const gates = [gate("recov6")];
    scripts.set("recov6", () => ({
      toolCalls: [
        { name: "again", arguments: { gate: "recov6" } },
        { name: "note", arguments: { text: "recov6" } },
      ],
    }));
    const { run } = await value(stubOf(id).call("postMessage", admin, message("recov6"), null));
    for (let crashes = 0; crashes < 6; crashes += 1) {
      await reached(gates.at(-1));
      gates.push(gate("recov6"));
      await crash(id);
      await value(stubOf(id).call("describe", admin));
    }
    expect(await value(stubOf(id).call("getRun", admin, run?.id ?? ""))).toMatchObject({
      error: { code: "recovery_failed" },
    });
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    const results = items.filter(({ role }) => role === "tool");
    expect(results.map(({ status, result }) => [status, result?.status])).toEqual([
      ["complete", "error"],
      ["complete", "error"],
    ]);
    expect(effects).not.toContain("note recov6");
    const late = await follow(id, { after: "0", until: "idle" });
    await late.closed;
    expect(foldAll(late.events).messages.map(({ content }) => content)).toEqual(items.map(({ content }) => content));
  });

  it("REMOTE7 A call that waits for a client gets an error result if its run ends with recovery_failed, and a later result is ignored", async () => {
    scripts.set("remote7", () => ({
      toolCalls: ["ask", "ask_soon"].map((name) => ({ name, arguments: { q: "remote7" } })),
    }));
    const id = await newThread("asker");
    const describe = () => value(stubOf(id).call("describe", admin));
    const { run } = await value(stubOf(id).call("postMessage", admin, message("remote7"), null));
    await waitFor(async () => (await describe()).pending_tool_calls.length === 2);
    const [open] = (await describe()).pending_tool_calls;
    const isExecution = word("run.assemble", { thread: id });
    const places = passing((place) => (isExecution(place) ? new Promise(() => {}) : undefined));
    // The run is executed at the deadline of the second call, while the first call still waits.
    skip(soonMs + 1000);
    for (let crashes = 1; crashes <= 6; crashes += 1) {
      expect(await runDurableObjectAlarm(rawStub(id))).toBe(true);
      await waitFor(() => places.received.filter(isExecution).length === crashes);
      await crash(id);
    }
    expect(await runDurableObjectAlarm(rawStub(id))).toBe(true);
    expect(await value(stubOf(id).call("getRun", admin, run?.id ?? ""))).toMatchObject({
      error: { code: "recovery_failed" },
    });
    expect((await describe()).pending_tool_calls).toEqual([]);
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    const results = items.filter(({ role }) => role === "tool");
    expect(results.map(({ name, status, result }) => [name, status, result?.status])).toEqual([
      ["ask", "complete", "error"],
      ["ask_soon", "complete", "error"],
    ]);
    const late = { tool_call_id: open?.id ?? "", result: "late" };
    expect(await value(stubOf(id).call("postToolResults", admin, { results: [late] }))).toMatchObject({
      ignored: [late.tool_call_id],
    });
  });

  it("A run ends with recovery_failed if it is interrupted six times in one step, also if a hook causes a log entry after each resume", async () => {
    const id = await newThread("parallel");
    const text = "break the filter";
    scripts.set("break", () => ({ text: Array.from({ length: 5000 }, () => "lost "), delayMs: 50 }));
    const { run } = await value(stubOf(id).call("postMessage", admin, message(text), null));
    for (let crashes = 0; crashes < 6; crashes += 1) {
      const following = await follow(id, { after: "0" });
      await following.until((event) => event.type === "step_start");
      following.close();
      await crash(id);
      await value(stubOf(id).call("describe", admin));
    }
    expect(await value(stubOf(id).call("getRun", admin, run?.id ?? ""))).toMatchObject({
      error: { code: "recovery_failed" },
    });
  });

  it("RECOV3 A run gets five more recoveries with each step that it commits", async () => {
    const id = await newThread("parallel");
    let lives = 0;
    const requested = [0, 0];
    scripts.set("recov8", ({ step }) => {
      const attempt = (requested[step] = (requested[step] ?? 0) + 1);
      if (attempt > 5)
        return step === 0 ? { toolCalls: [{ name: "note", arguments: { text: "recov8" } }] } : { text: "done" };
      lives += 1;
      return { text: Array.from({ length: 5000 }, () => "lost "), delayMs: 50 };
    });
    const { run } = await value(stubOf(id).call("postMessage", admin, message("recov8"), null));
    for (let life = 1; life <= 10; life += 1) {
      await waitFor(() => lives === life);
      await crash(id);
      await value(stubOf(id).call("describe", admin));
    }
    const following = await follow(id, { after: "0", until: "idle" });
    await following.closed;
    expect(await value(stubOf(id).call("getRun", admin, run?.id ?? ""))).toMatchObject({ status: "completed" });
    const { items } = await value(stubOf(id).call("listLogs", admin, { ...page, run_id: run?.id ?? "" }));
    expect(items.filter(({ type }) => type === "recovery")).toHaveLength(10);
  });

  it("RECOV18 An interrupted run is resumed by the next request after the clock was set back, and its alarm is due soon again", async () => {
    const id = await newThread("parallel");
    const hours = 2 * 60 * 60 * 1000;
    const hold = gate("recov18");
    scripts.set("recov18", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "again", arguments: { gate: "recov18" } }] } : { text: "done" },
    );
    skip(hours);
    const { run } = await value(stubOf(id).call("postMessage", admin, message("recov18"), null));
    await reached(hold);
    await crash(id);
    skip(-hours);
    const inMs = async () => ((await alarmOf(id)) ?? Number.POSITIVE_INFINITY) - testClock.now() / 1000;
    expect(await inMs()).toBeGreaterThan(hours);
    await value(stubOf(id).call("describe", admin));
    expect(await inMs()).toBeLessThan(15_001);
    hold.open();
    const following = await follow(id, { after: "0", run_id: run?.id ?? "" });
    await following.closed;
    expect(await value(stubOf(id).call("getRun", admin, run?.id ?? ""))).toMatchObject({ status: "completed" });
  });

  it("RECOV6 A reader that resumes after a run ended with recovery_failed has no partial answer", async () => {
    const id = await newThread("parallel");
    scripts.set("recov9", () => ({ text: Array.from({ length: 5000 }, () => "lost "), delayMs: 50 }));
    await value(stubOf(id).call("postMessage", admin, message("recov9"), null));
    let view = foldAll([]);
    for (let crashes = 0; crashes < 6; crashes += 1) {
      const reader = await follow(id, { after: String(view.last_seq) });
      await reader.until((event) => event.type === "text_delta");
      await crash(id);
      view = foldAll(reader.events, view);
      expect(view.messages.filter(({ streaming }) => streaming)).toHaveLength(1);
    }
    const last = await follow(id, { after: String(view.last_seq), until: "idle" });
    await last.closed;
    view = foldAll(last.events, view);
    expect(Object.values(view.runs)).toMatchObject([{ error: { code: "recovery_failed" } }]);
    expect(view.messages.map(({ content }) => content)).toEqual(["recov9"]);
  });
});
