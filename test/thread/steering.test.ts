// Messages that join an active run (decision 28: queue, steer, interrupt).

import { beforeEach, describe, expect, it } from "vitest";

import { effects, gate, scripts } from "../worker/definitions.ts";
import { requested, scriptedAnswers } from "../worker/team.ts";
import { atRest, busy, messagesOf, notesBehind, queueOf, said, say, speaking, steer, unique } from "./queue-client.ts";
import { latch, resetAgents, waitFor } from "./team-driver.ts";
import { admin, message, newThread, stubOf, value } from "./thread-driver.ts";

beforeEach(resetAgents);

const starts = (events: Awaited<ReturnType<typeof atRest>>) => events.filter(({ type }) => type === "run_start").length;

describe("a message that steers", () => {
  it("All waiting steering messages join the active run together, in order, after the tool results and before the next request to the model", async () => {
    const { id, runId, open } = await busy();
    await steer(id, "first");
    await say(id, "later");
    await steer(id, "second");
    expect((await queueOf(id)).map((input) => [input.when, input.message?.content])).toEqual([
      ["steer", "first"],
      ["steer", "second"],
      ["queue", "later"],
    ]);
    open();
    const events = await atRest(id);
    const messages = await messagesOf(id);
    expect((await said(id)).slice(1)).toEqual([
      "assistant: calls",
      "tool success",
      "user: first",
      "user: second",
      "assistant: echo: second",
      "user: later",
      "assistant: echo: later",
    ]);
    expect(messages.slice(0, 6).map((one) => one.run_id)).toEqual(Array(6).fill(runId));
    expect((await value(stubOf(id).call("getRun", admin, runId))).message_ids).toEqual(
      messages.slice(0, 6).map((one) => one.id),
    );
    expect(starts(events)).toBe(2);
    expect((await value(stubOf(id).call("describe", admin))).message_count).toBe(8);
  });

  it("The response to a steering message contains the active run, also when the request is repeated with its idempotency key", async () => {
    const { id, runId, open } = await busy();
    const key = { key: "k", fingerprint: "f" };
    const post = () => value(stubOf(id).call("postMessage", admin, message("aside", { when: "steer" }), key));
    const first = await post();
    expect(first).toMatchObject({
      run: { id: runId, status: "running" },
      message: { content: "aside", run_id: runId },
    });
    expect(await post()).toEqual({ ...first, repeated: true });
    expect(await queueOf(id)).toHaveLength(1);
    open();
    await atRest(id);
    const again = await post();
    expect(again).toMatchObject({ repeated: true, run: { id: runId }, message: { id: first.message?.id } });
    expect((await said(id)).filter((line) => line === "user: aside")).toHaveLength(1);
  });

  it.each(["sequential", "batched"])(
    "A call that has not begun gets an error result because of a steering message if its step is %s",
    async (agent) => {
      const { id, open } = await busy(agent, notesBehind);
      await steer(id, "wait a moment");
      open();
      await atRest(id);
      const [, , first, second, third] = await messagesOf(id);
      expect(third?.content).toBe("wait a moment");
      expect([first?.result?.status, second?.result?.status]).toEqual(["success", "error"]);
      expect(second?.result?.error).toMatch(/^This call was skipped/);
      expect(effects.filter((done) => done.startsWith("note behind q"))).toEqual([]);
    },
  );

  it("A steering message lets every call of a parallel step run", async () => {
    const { id, open } = await busy("parallel", (name) => [
      { name: "wait", arguments: { gate: name } },
      { name: "note", arguments: { text: `beside ${name}` } },
    ]);
    await steer(id, "wait a moment");
    open();
    await atRest(id);
    const results = (await messagesOf(id)).flatMap(({ result }) => (result === null ? [] : [result.status]));
    expect(results).toEqual(["success", "success"]);
  });

  it("A steering message in an idle thread, and one while the active run is being stopped, begins a run like any other message", async () => {
    const id = await newThread("parallel");
    const alone = await steer(id, "alone");
    expect(alone.run?.status).toBe("running");
    await atRest(id);
    expect(await said(id)).toEqual(["user: alone", "assistant: echo: alone"]);

    const slow = await busy();
    const name = unique();
    const paused = gate(name);
    // A hook delays the step, so that the run is still active when the stop is requested.
    scripts.set("stubborn", () => ({ text: `slow:${name}` }));
    slow.open();
    await atRest(slow.id);
    const { run } = await say(slow.id, "stubborn");
    await paused.reached;
    await value(stubOf(slow.id).call("stop", admin, null));
    const late = await steer(slow.id, "too late");
    expect(late.run).toMatchObject({ status: "queued" });
    expect(late.run?.id).not.toBe(run?.id);
    expect(await queueOf(slow.id)).toMatchObject([{ when: "queue" }]);
    paused.open();
    await atRest(slow.id);
    expect((await said(slow.id)).slice(-2)).toEqual(["user: too late", "assistant: echo: too late"]);
  });

  it("A steering message can be listed, changed, moved among the steering messages and removed until it joins", async () => {
    const { id, runId, open } = await busy();
    for (const text of ["one", "two", "three"]) await steer(id, text);
    await say(id, "behind");
    const [one, two, three] = (await queueOf(id)).map((input) => input.id);
    await value(stubOf(id).call("patchQueued", admin, three ?? "", { position: 0, content: "three changed" }));
    await value(stubOf(id).call("deleteQueued", admin, two ?? ""));
    expect((await queueOf(id)).map((input) => [input.when, input.message?.content])).toEqual([
      ["steer", "three changed"],
      ["steer", "one"],
      ["queue", "behind"],
    ]);
    open();
    await atRest(id);
    expect((await said(id)).filter((line) => line.startsWith("user")).slice(1)).toEqual([
      "user: three changed",
      "user: one",
      "user: behind",
    ]);
    const { items } = await value(stubOf(id).call("listRuns", admin, { limit: 50, order: "asc" }));
    expect(items.map((run) => [run.id === runId, run.status])).toEqual([
      [true, "completed"],
      [false, "stopped"],
      [false, "completed"],
    ]);
    expect(await stubOf(id).call("getRun", admin, one ?? "")).toMatchObject({ refusal: { code: "run_not_found" } });
  });

  it("A steering message that is removed before it joins the run changes nothing", async () => {
    const { id, open } = await busy();
    await steer(id, "never mind");
    const [input] = await queueOf(id);
    await value(stubOf(id).call("deleteQueued", admin, input?.id ?? ""));
    open();
    await atRest(id);
    expect((await said(id)).at(-1)).toMatch(/done$/);
  });

  it("A steering message that joined does not appear in a page of runs, and leaves no gap there", async () => {
    const { id, runId, open } = await busy();
    for (const text of ["one", "two", "three"]) await steer(id, text);
    open();
    await atRest(id);
    const behind = await say(id, "behind");
    await atRest(id);
    for (const order of ["asc", "desc"] as const) {
      const ids = [runId, behind.run?.id];
      const first = await value(stubOf(id).call("listRuns", admin, { limit: 1, order }));
      expect(first.items.map((run) => run.id)).toEqual([order === "asc" ? ids[0] : ids[1]]);
      const cursor = first.next_cursor ?? "";
      const second = await value(stubOf(id).call("listRuns", admin, { limit: 1, order, cursor }));
      expect(second.items.map((run) => run.id)).toEqual([order === "asc" ? ids[1] : ids[0]]);
      expect(second.next_cursor).toBeNull();
    }
  });

  it("A steering message that waited is paused with the other inputs after a stop", async () => {
    const { id } = await busy();
    await say(id, "behind");
    await steer(id, "aside");
    await value(stubOf(id).call("stop", admin, null));
    await atRest(id);
    expect((await queueOf(id)).map((input) => [input.when, input.message?.content])).toEqual([
      ["queue", "aside"],
      ["queue", "behind"],
    ]);
    await say(id, "go on");
    await atRest(id);
    expect((await said(id)).filter((line) => line.startsWith("user")).slice(1)).toEqual([
      "user: aside",
      "user: behind",
      "user: go on",
    ]);
  });
});

describe("a run that would end", () => {
  it("A run makes another step for waiting steering messages before it ends, and ends once", async () => {
    const { id, runId, name, open } = await speaking();
    await steer(id, "one more thing");
    open();
    const events = await atRest(id);
    expect(await said(id)).toEqual([
      `user: ${name}`,
      "assistant: last words",
      "user: one more thing",
      "assistant: echo: one more thing",
    ]);
    expect(events.filter(({ type }) => type === "run_end")).toMatchObject([{ run_id: runId, status: "completed" }]);
    expect(await value(stubOf(id).call("getRun", admin, runId))).toMatchObject({
      steps: 2,
      text: "echo: one more thing",
    });
  });

  it("Steering messages that wait when a run fails begin a new run, before the other inputs", async () => {
    const { id, runId, open } = await speaking("parallel", { error: { kind: "auth", message: "no" } });
    await say(id, "behind");
    const { run } = await steer(id, "aside");
    expect(run?.id).toBe(runId);
    open();
    const events = await atRest(id);
    expect((await said(id)).slice(1)).toEqual([
      "user: aside",
      "assistant: echo: aside",
      "user: behind",
      "assistant: echo: behind",
    ]);
    expect(events.flatMap((event) => (event.type === "run_end" ? [event.status] : []))).toEqual([
      "error",
      "completed",
      "completed",
    ]);
  });

  it("Steering messages that wait when a run reaches a limit begin the next run", async () => {
    const { id, open } = await speaking("short", { toolCalls: [{ name: "note", arguments: { text: "n" } }] });
    await value(stubOf(id).call("stop", admin, null));
    await atRest(id);
    const name = unique();
    const { passed, open: pass } = latch();
    let steps = 0;
    scripts.set(name, async () => {
      steps += 1;
      if (steps === 3) await passed;
      return { toolCalls: [{ name: "note", arguments: { text: "again" } }] };
    });
    await say(id, name);
    await waitFor(() => steps === 3);
    await steer(id, "aside");
    pass();
    open();
    const events = await atRest(id);
    expect(events.flatMap((event) => (event.type === "run_end" ? [event.status] : []))).toEqual([
      "stopped",
      "limit",
      "completed",
    ]);
    expect((await said(id)).slice(-2)).toEqual(["user: aside", "assistant: echo: aside"]);
  });

  it("Steering messages that wait when a run completes with its last allowed step begin the next run", async () => {
    const { passed, open } = latch();
    const name = unique();
    let steps = 0;
    scripts.set(name, async () => {
      steps += 1;
      if (steps < 3) return { toolCalls: [{ name: "note", arguments: { text: "again" } }] };
      await passed;
      return { text: "last words" };
    });
    const id = await newThread("parallel");
    await say(id, name, { limits: { steps: 3 } });
    await waitFor(() => steps === 3);
    await steer(id, "aside");
    open();
    const events = await atRest(id);
    expect(events.flatMap((event) => (event.type === "run_end" ? [event.status] : []))).toEqual([
      "completed",
      "completed",
    ]);
    expect((await said(id)).slice(-3)).toEqual(["assistant: last words", "user: aside", "assistant: echo: aside"]);
  });

  it("If `endSessionTool` ends a run, waiting steering messages begin a new run", async () => {
    const { passed, open } = latch();
    let ends = 0;
    scriptedAnswers.set("con", async () => {
      ends += 1;
      await passed;
      return { toolCalls: [{ name: "conclude", arguments: { said: "done" } }] };
    });
    const id = await newThread("panel");
    const { run } = await say(id, "go");
    await waitFor(() => ends === 1);
    await steer(id, "one more thing");
    open();
    const events = await atRest(id);
    const finished = events.flatMap((event) =>
      event.type === "run_end" ? [[event.run_id === run?.id, event.reason]] : [],
    );
    expect(finished).toEqual([
      [true, "end_session_tool"],
      [false, "end_session_tool"],
    ]);
    const human = (await messagesOf(id)).find(({ content }) => content === "one more thing");
    expect(human?.run_id).not.toBe(run?.id);
  });

  it("A user's steering message in a conversation of two sides is marked as from a human and sent to the side that answers next", async () => {
    const { passed, open } = latch();
    let turns = 0;
    scriptedAnswers.set("pro", async () => {
      turns += 1;
      if (turns === 1) await passed;
      return { text: "pro says" };
    });
    scriptedAnswers.set("con", () => ({ toolCalls: [{ name: "conclude", arguments: { said: "done" } }] }));
    const id = await newThread("panel");
    const { run } = await say(id, "go");
    await waitFor(() => turns === 1);
    await steer(id, "I object");
    open();
    await atRest(id);
    const human = (await messagesOf(id)).find(({ content }) => content === "I object");
    expect(human).toMatchObject({ run_id: run?.id, metadata: { from: "human" } });
    const con = requested.filter(({ persona }) => persona === "con");
    const sent = con.map(({ request }) => request.messages.map(({ role, content }) => [role, content]));
    expect(sent).toMatchObject([
      [
        ["assistant", "go"],
        ["user", "pro says"],
        ["user", "I object"],
      ],
    ]);
  });
});
