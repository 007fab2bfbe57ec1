// Stops: durable, idempotent, and the text so far is stored (decision 20: a stop keeps partial text).

import { describe, expect, it } from "vitest";

import { effects, gate, scripts } from "../worker/definitions.ts";
import { latch, passing, word } from "./team-driver.ts";
import { admin, converse, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };

describe("stop", () => {
  it("STOP1 A stop keeps the partial answer with stop_reason aborted and ends the run as stopped", async () => {
    const id = await newThread("parallel");
    scripts.set("endless", () => ({ text: Array.from({ length: 1000 }, () => "word "), delayMs: 20 }));
    const { run } = await value(stubOf(id).call("postMessage", admin, message("endless"), null));
    const following = await follow(id, { after: "0", run_id: run?.id ?? "" });
    await following.until((event) => event.type === "text_delta");
    await value(stubOf(id).call("stop", admin, null));
    await value(stubOf(id).call("stop", admin, null));
    const end = await following.until((event) => event.type === "run_end");
    expect(end).toMatchObject({ status: "stopped" });
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    const answer = items.at(-1);
    expect(answer?.stop_reason).toBe("aborted");
    expect(answer?.content).toMatch(/^(word )+$/);
    const deltas = following.events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : []));
    expect(answer?.content?.startsWith(deltas.join("").slice(0, 5))).toBe(true);
    expect((await value(stubOf(id).call("describe", admin))).status).toBe("idle");
  });

  it("STOP1 A second stop has no further effect: it writes nothing, does not pause the queue that a new input has resumed, and does not stop the next run", async () => {
    const id = await newThread("parallel");
    const [ending, next] = [latch(), latch()];
    const isPartial = word("loop.commit-partial", { thread: id });
    const places = passing((place) => (isPartial(place) ? ending.passed : undefined));
    scripts.set("twice", () => ({ text: Array.from({ length: 1000 }, () => "word "), delayMs: 20 }));
    scripts.set("next", async () => {
      await next.passed;
      return { text: "next done" };
    });
    const first = (await value(stubOf(id).call("postMessage", admin, message("twice"), null))).run?.id ?? "";
    const following = await follow(id, { after: "0" });
    await following.until((event) => event.type === "text_delta");
    await value(stubOf(id).call("stop", admin, null));
    await places.until(isPartial);
    const second = (await value(stubOf(id).call("postMessage", admin, message("next"), null))).run?.id ?? "";
    const { rowsWritten } = await stubOf(id).rows();
    for (const run of [null, first]) await value(stubOf(id).call("stop", admin, run));
    expect((await stubOf(id).rows()).rowsWritten).toBe(rowsWritten);
    ending.open();
    await following.until((event) => event.type === "step_start" && event.run_id === second);
    expect(await value(stubOf(id).call("stop", admin, first))).toEqual({ status: "running" });
    next.open();
    await following.until((event) => event.type === "run_end" && event.run_id === second);
    following.close();
    expect(following.events.filter(({ type }) => type === "run_end")).toMatchObject([
      { run_id: first, status: "stopped" },
      { run_id: second, status: "completed" },
    ]);
  });

  it("STOP6 A stopped answer's usage is counted up to the stop, in run, thread and log", async () => {
    const id = await newThread("parallel");
    scripts.set("endless", () => ({ text: Array.from({ length: 1000 }, () => "word "), delayMs: 20 }));
    const { run } = await value(stubOf(id).call("postMessage", admin, message("endless"), null));
    const following = await follow(id, { after: "0", run_id: run?.id ?? "" });
    await following.until((event) => event.type === "text_delta");
    await value(stubOf(id).call("stop", admin, null));
    const end = await following.until((event) => event.type === "run_end");
    following.close();
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    const answer = items.at(-1);
    const output = Math.ceil((answer?.content?.length ?? 0) / 4);
    expect(output).toBeGreaterThan(0);
    expect(answer?.usage?.output).toBe(output);
    expect(answer?.usage?.input).toBeGreaterThan(0);
    expect(end).toMatchObject({ usage: answer?.usage, cost: answer?.cost });
    expect((await value(stubOf(id).call("describe", admin))).usage).toEqual(answer?.usage);
    const logs = await value(stubOf(id).call("listLogs", admin, { limit: 10, order: "asc", type: "llm_request" }));
    expect(logs.items).toMatchObject([{ data: { usage: answer?.usage, usage_estimated: true } }]);
  });

  it("STOP2 A stop aborts a running tool, gives every call a result and leaves the thread usable", async () => {
    const id = await newThread("sequential");
    const hold = gate("stop2");
    scripts.set("stop2", ({ step }) =>
      step === 0
        ? {
            toolCalls: [
              { name: "wait", arguments: { gate: "stop2" } },
              { name: "note", arguments: { text: "never" } },
            ],
          }
        : { text: "done" },
    );
    const { run } = await value(stubOf(id).call("postMessage", admin, message("stop2"), null));
    await hold.reached;
    await value(stubOf(id).call("stop", admin, run?.id ?? ""));
    const following = await follow(id, { after: "0", run_id: run?.id ?? "" });
    await following.closed;
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items.map(({ role, result }) => [role, result?.status ?? null])).toEqual([
      ["user", null],
      ["assistant", null],
      ["tool", "error"],
      ["tool", "error"],
    ]);
    expect(effects).not.toContain("note never");
    const events = await converse(id, "and now");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
  });

  it("STOP3 A stop pauses the queue until the next input, which begins after the waiting inputs", async () => {
    const id = await newThread("parallel");
    const hold = gate("stop3");
    scripts.set("stop3", () => ({ toolCalls: [{ name: "wait", arguments: { gate: "stop3" } }] }));
    await value(stubOf(id).call("postMessage", admin, message("stop3"), null));
    await hold.reached;
    await value(stubOf(id).call("postMessage", admin, message("waited"), null));
    const first = await follow(id, { after: "0" });
    await value(stubOf(id).call("stop", admin, null));
    await first.until((event) => event.type === "run_end");
    expect((await value(stubOf(id).call("describe", admin))).status).toBe("idle");
    const last = await value(stubOf(id).call("postMessage", admin, message("last"), null));
    await first.until((event) => event.type === "run_end" && event.run_id === last.run?.id);
    first.close();
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    const said = items.filter(({ role }) => role === "user").map(({ content }) => content);
    expect(said).toEqual(["stop3", "waited", "last"]);
  });

  it("STOP4 A stop of an idle thread returns its status, and a stop of an unknown run is refused with run_not_found", async () => {
    const id = await newThread("parallel");
    expect(await value(stubOf(id).call("stop", admin, null))).toEqual({ status: "idle" });
    const refused = await stubOf(id).call("stop", admin, crypto.randomUUID());
    expect(refused).toMatchObject({ ok: false, refusal: { code: "run_not_found" } });
  });

  it("STOP5 execution.stop() ends the run before its next step", async () => {
    const id = await newThread("parallel");
    let requested = 0;
    scripts.set("halt", () => {
      requested += 1;
      return { toolCalls: [{ name: "halt", arguments: {} }] };
    });
    const events = await converse(id, "halt");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "stopped", reason: "stop_called" });
    expect(requested).toBe(1);
    const { items } = await value(stubOf(id).call("listLogs", admin, { limit: 10, order: "asc", type: "llm_request" }));
    expect(items[0]?.data).toMatchObject({ stop_asked: true });
  });
});
