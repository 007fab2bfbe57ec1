// Admission of input: queue, refusal, keys, and stored messages that start no run.

import { describe, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";

import { gate, scripts } from "../worker/definitions.ts";
import { admin, converse, follow, message, newThread, stubOf, types, value } from "./thread-driver.ts";

function waiting(name: string) {
  const opened = gate(name);
  scripts.set(name, ({ step }) =>
    step === 0 ? { toolCalls: [{ name: "wait", arguments: { gate: name } }] } : { text: `${name} done` },
  );
  return opened;
}

const page = { limit: 100, order: "asc" as const, include_silent: false };

describe("while a run is active", () => {
  it("A run's first_seq is null while the run is queued, and then the number of its first event; a reader that starts there receives all events of the run", async () => {
    const id = await newThread("parallel");
    const hold = waiting("hold12");
    const first = await value(stubOf(id).call("postMessage", admin, message("hold12"), null));
    await hold.reached;
    const second = await value(stubOf(id).call("postMessage", admin, message("second"), null));
    expect([first, second].map(({ run }) => run?.first_seq)).toEqual([1, null]);
    const whole = await follow(id, { after: "0" });
    hold.open();
    const isLast = (event: ThreadEvent): boolean => event.type === "run_end" && event.run_id === second.run?.id;
    await whole.until(isLast);
    const { first_seq } = await value(stubOf(id).call("getRun", admin, second.run?.id ?? ""));
    const own = await follow(id, { after: String((first_seq ?? 0) - 1) });
    await own.until(isLast);
    for (const reader of [whole, own]) reader.close();
    expect(own.events[0]).toMatchObject({ type: "run_start", seq: first_seq, run_id: second.run?.id });
    const ofSecond = whole.events.filter(({ run_id }) => run_id === second.run?.id).map(({ seq }) => seq);
    expect(own.events.map(({ seq }) => seq)).toEqual(ofSecond);
  });

  it("ADMIT1 A queued message is answered after the run it waited for, and is positioned after that run's messages", async () => {
    const id = await newThread("parallel");
    const hold = waiting("hold1");
    const first = await value(stubOf(id).call("postMessage", admin, message("hold1"), null));
    await hold.reached;
    const second = await value(stubOf(id).call("postMessage", admin, message("second"), null));
    const third = await value(stubOf(id).call("postMessage", admin, message("third"), null));
    expect([first, second, third].map(({ run }) => run?.status)).toEqual(["running", "queued", "queued"]);
    expect((await value(stubOf(id).call("describe", admin))).status).toBe("running");

    const following = await follow(id, { after: "0" });
    hold.open();
    await following.until((event) => event.type === "run_end" && event.run_id === third.run?.id);
    following.close();
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items.filter(({ role }) => role !== "tool").map(({ content }) => content)).toEqual([
      "hold1",
      null,
      "hold1 done",
      "second",
      "echo: second",
      "third",
      "echo: third",
    ]);
    const found = await value(stubOf(id).call("getMessage", admin, second.message?.id ?? ""));
    expect(found.content).toBe("second");
    const starts = following.events.filter((event) => event.type === "run_start");
    expect(starts.map((event) => event.trigger)).toEqual(["user", "queue", "queue"]);
  });

  it("ADMIT2 A message with when=reject is refused during a run and stores nothing", async () => {
    const id = await newThread("parallel");
    const hold = waiting("hold2");
    const { run } = await value(stubOf(id).call("postMessage", admin, message("hold2"), null));
    await hold.reached;
    const refused = await stubOf(id).call("postMessage", admin, message("no", { when: "reject" }), null);
    expect(refused).toMatchObject({ ok: false, refusal: { code: "conflict" } });
    hold.open();
    const following = await follow(id, { after: "0", run_id: run?.id ?? "" });
    await following.closed;
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items.some(({ content }) => content === "no")).toBe(false);
  });

  it("INPUT4 If a queued run is stopped, it never begins, and its message never appears in the thread", async () => {
    const id = await newThread("parallel");
    const hold = waiting("hold3");
    await value(stubOf(id).call("postMessage", admin, message("hold3"), null));
    await hold.reached;
    const { run } = await value(stubOf(id).call("postMessage", admin, message("doomed"), null));
    await value(stubOf(id).call("stop", admin, run?.id ?? ""));
    const following = await follow(id, { after: "0", until: "idle" });
    hold.open();
    await following.closed;
    expect((await value(stubOf(id).call("getRun", admin, run?.id ?? ""))).status).toBe("stopped");
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items.some(({ content }) => content === "doomed")).toBe(false);
    expect(types(following.events).filter((type) => type === "run_start")).toHaveLength(1);
  });
});

describe("Idempotency-Key", () => {
  it("ADMIT4 A repeated request with the same idempotency key receives the first response again, and a request with the same key and a different body is refused", async () => {
    const id = await newThread("parallel");
    const key = { key: "k1", fingerprint: "a" };
    const post = () => stubOf(id).call("postMessage", admin, message("once"), key);
    const [first, again] = await Promise.all([value(post()), value(post())]);
    expect(again.message?.id).toBe(first.message?.id);
    expect(again.run?.id).toBe(first.run?.id);
    expect([first, again].filter(({ repeated }) => repeated)).toHaveLength(1);
    const other = await stubOf(id).call("postMessage", admin, message("other"), { key: "k1", fingerprint: "b" });
    expect(other).toMatchObject({ ok: false, refusal: { code: "conflict" } });
    const following = await follow(id, { after: "0", until: "idle" });
    await following.closed;
    expect(types(following.events).filter((type) => type === "run_start")).toHaveLength(1);
  });
});

describe("messages without a run, and large messages", () => {
  it("ADMIT5 A message with run=false is stored and sent to readers, and no run begins", async () => {
    const id = await newThread("parallel");
    const { run, message: stored } = await value(
      stubOf(id).call("postMessage", admin, message("just so", { run: false, role: "assistant" }), null),
    );
    expect(run).toBeNull();
    expect(stored?.content).toBe("just so");
    const following = await follow(id, { after: "0", until: "idle" });
    await following.closed;
    expect(types(following.events)).toEqual(["message_start", "message_end"]);
  });

  it("HTTP4 A message over 1 MiB is refused and stores nothing, and one of a million characters is accepted", async () => {
    const id = await newThread("parallel");
    const refused = await stubOf(id).call("postMessage", admin, message("é".repeat(600_000)), null);
    expect(refused).toMatchObject({ ok: false, refusal: { code: "too_large" } });
    await value(stubOf(id).call("postMessage", admin, message("a".repeat(1_000_000), { run: false }), null));
    const { total } = await value(stubOf(id).call("listMessages", admin, page));
    expect(total).toBe(1);
  });
});

describe("a run without a message", () => {
  it("ADMIT7 A run without a message continues from the thread's history, and is refused in an empty thread", async () => {
    const empty = await newThread("parallel");
    expect(await stubOf(empty).call("postRun", admin, { kind: "continue" }, null)).toMatchObject({
      ok: false,
      refusal: { code: "conflict" },
    });
    const id = await newThread("parallel", { initial_messages: [{ role: "user", content: "from before" }] });
    const { run, after } = await value(stubOf(id).call("postRun", admin, { kind: "continue" }, null));
    const following = await follow(id, { after: String(after), run_id: run?.id ?? "" });
    await following.closed;
    expect(following.events[0]).toMatchObject({ type: "run_start", trigger: "continuation" });
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items.map(({ content }) => content)).toEqual(["from before", "echo: from before"]);
  });

  it("ADMIT7 A continue request after a failed run sends the messages and tool results of that run to the model, also if the prompt does not set includeChat", async () => {
    const id = await newThread("forgetful");
    let sent: string[][] = [];
    scripts.set("flaky", ({ step, messages }) => {
      sent = [...sent, messages.map(({ role, content }) => `${role} ${content ?? ""}`)];
      if (step === 0) return { toolCalls: [{ name: "note", arguments: { text: "once" } }] };
      return sent.length < 4 ? { error: { kind: "auth", message: "no such key" } } : { text: "at last" };
    });
    expect((await converse(id, "flaky please")).at(-1)).toMatchObject({ status: "error" });
    for (const status of ["error", "completed"]) {
      const { run, after } = await value(stubOf(id).call("postRun", admin, { kind: "continue" }, null));
      const following = await follow(id, { after: String(after), run_id: run?.id ?? "" });
      await following.closed;
      expect(following.events.at(-1)).toMatchObject({ type: "run_end", status });
    }
    const history = ["user flaky please", "assistant ", "tool noted once"];
    expect(sent).toEqual([["user flaky please"], history, history, history]);
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    // A completed run is not continued, so a prompt without includeChat begins with an empty history again.
    const { run, after } = await value(stubOf(id).call("postRun", admin, { kind: "continue" }, null));
    const last = await follow(id, { after: String(after), run_id: run?.id ?? "" });
    await last.closed;
    expect(last.events.at(-1)).toMatchObject({ error: { message: expect.stringContaining("includeChat") } });
  });

  it("ADMIT8 If a continue request would send no message to the model, its run ends with an error that names includeChat", async () => {
    const id = await newThread("forgetful", { initial_messages: [{ role: "user", content: "from before" }] });
    const { run, after } = await value(stubOf(id).call("postRun", admin, { kind: "continue" }, null));
    const following = await follow(id, { after: String(after), run_id: run?.id ?? "" });
    await following.closed;
    expect(following.events.at(-1)).toMatchObject({
      status: "error",
      error: { message: expect.stringContaining("includeChat") },
    });
  });
});

describe("a full queue", () => {
  it("A continue request resumes a full queue that a stop paused, also if the full queue refused an input before", async () => {
    const id = await newThread("parallel");
    const hold = waiting("hold9");
    await value(stubOf(id).call("postMessage", admin, message("hold9"), null));
    await hold.reached;
    for (let count = 0; count < 100; count += 1) {
      await value(stubOf(id).call("postMessage", admin, message(`q${count}`), null));
    }
    const following = await follow(id, { after: "0", types: "run_end" });
    await value(stubOf(id).call("stop", admin, null));
    await following.until((event) => event.type === "run_end");
    expect(await stubOf(id).call("postMessage", admin, message("one too many"), null)).toMatchObject({
      refusal: { code: "conflict" },
    });
    expect((await value(stubOf(id).call("postRun", admin, { kind: "continue" }, null))).run?.status).toBe("running");
    await following.until(() => following.events.length === 101);
    following.close();
    expect((await value(stubOf(id).call("describe", admin))).status).toBe("idle");
  });
});

describe("idempotency keys of queued inputs", () => {
  it("ADMIT4 A repeated message with the same idempotency key returns the queued message, and a repeated continue request starts no second run", async () => {
    const id = await newThread("parallel");
    const hold = waiting("hold10");
    await value(stubOf(id).call("postMessage", admin, message("hold10"), null));
    await hold.reached;
    const key = { key: "k10", fingerprint: "f" };
    const first = await value(stubOf(id).call("postMessage", admin, message("waits"), key));
    const again = await value(stubOf(id).call("postMessage", admin, message("waits"), key));
    expect(again.message?.id).toBe(first.message?.id);
    const following = await follow(id, { after: "0", types: "run_end" });
    await value(stubOf(id).call("stop", admin, null));
    await following.until((event) => event.type === "run_end");
    const onward = { key: "k11", fingerprint: "f" };
    const one = await value(stubOf(id).call("postRun", admin, { kind: "continue" }, onward));
    await following.until((event) => event.type === "run_end" && event.run_id === one.run?.id);
    following.close();
    const two = await value(stubOf(id).call("postRun", admin, { kind: "continue" }, onward));
    expect(two).toMatchObject({ repeated: true, run: { id: one.run?.id } });
  });
});

describe("limits of a request", () => {
  it("LIMIT8 A user's request for more steps than the deployment allows is refused, and a request for fewer steps limits its run", async () => {
    const id = await newThread("parallel", { user_id: "ada" });
    const ada = { user: "ada", admin: false };
    for (const steps of [null, 251]) {
      const refused = await stubOf(id).call("postMessage", ada, message("more", { limits: { steps } }), null);
      expect(refused).toMatchObject({ ok: false, refusal: { code: "forbidden" } });
    }
    scripts.set("two", () => ({ toolCalls: [{ name: "note", arguments: { text: "again" } }] }));
    const events = await converse(id, "two steps", { limits: { steps: 2 } });
    expect(events.at(-1)).toMatchObject({ status: "limit", reason: "max_steps" });
    expect(types(events).filter((type) => type === "step_end")).toHaveLength(2);
  });
});
