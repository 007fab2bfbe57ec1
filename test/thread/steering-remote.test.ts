// Steering and interrupting while a run waits for its client or for a child: no message is lost, a steering message wakes no run, and an
// interrupt ends the wait.

import { beforeEach, describe, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";

import { ran } from "../worker/approval.ts";
import { scripts } from "../worker/definitions.ts";
import { scriptedAnswers } from "../worker/team.ts";
import { atRest, busy, queueOf, said, say, steer, unique } from "./queue-client.ts";
import { begun, latch, resetAgents, waitFor, lastRunOf, panelWaitingFor, whenSuspended } from "./team-driver.ts";
import { admin, alarmOf, crash, evict, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

beforeEach(resetAgents);

/** A run that waits for its client to answer two calls; a third call records `word`. */
async function waiting(agent = "asker") {
  const word = unique();
  const calls = [
    { name: "ask", arguments: { q: "one" } },
    { name: "ask", arguments: { q: "two" } },
  ];
  scripts.set(word, ({ step }) => (step === 0 ? { toolCalls: calls } : { text: "thanks" }));
  const id = await newThread(agent);
  const { run } = await say(id, word);
  await waitFor(async () => (await value(stubOf(id).call("describe", admin))).status === "awaiting_tool_execution");
  const { pending_tool_calls: pending } = await value(stubOf(id).call("describe", admin));
  return { id, word, runId: run?.id ?? "", ids: pending.map((call) => call.id) };
}

const answers = (ids: string[]) => ({ results: ids.map((tool_call_id) => ({ tool_call_id, result: "yes" })) });

const ends = (events: ThreadEvent[]) =>
  events.flatMap((event) => (event.type === "run_end" ? [[event.run_id, event.status]] : []));

describe("a run that waits for its client", () => {
  it.each(["asker", "one_by_one"])(
    "A run that waits for its client continues to wait when a steering message arrives, and the message joins after the results (%s)",
    async (agent) => {
      const { id, word, runId, ids } = await waiting(agent);
      await evict(id);
      const alarm = await alarmOf(id);
      const steered = await steer(id, "aside");
      expect(steered.run).toMatchObject({ id: runId, status: "awaiting_tool_execution" });
      expect(await alarmOf(id)).toBe(alarm);
      expect(await value(stubOf(id).call("describe", admin))).toMatchObject({ status: "awaiting_tool_execution" });
      await crash(id);
      await value(stubOf(id).call("postToolResults", admin, answers(ids.slice(1))));
      expect((await queueOf(id)).map(({ when }) => when)).toEqual(["steer"]);
      await value(stubOf(id).call("postToolResults", admin, answers(ids)));
      const events = await atRest(id);
      expect(await said(id)).toEqual([
        `user: ${word}`,
        "assistant: calls",
        "tool success",
        "tool success",
        "user: aside",
        "assistant: echo: aside",
      ]);
      expect(ends(events)).toEqual([[runId, "completed"]]);
    },
  );

  it.each([
    ["one_by_one", "error"],
    ["asker", "success"],
  ])(
    "A remote call that was not requested yet is skipped because of a steering message, unless calls run in parallel (agent %s)",
    async (agent, status) => {
      const { id, open } = await busy(agent, (name) => [
        { name: "wait", arguments: { gate: name } },
        { name: "ask", arguments: { q: "one" } },
      ]);
      await steer(id, "aside");
      open();
      if (status === "success") {
        await waitFor(
          async () => (await value(stubOf(id).call("describe", admin))).status === "awaiting_tool_execution",
        );
        const { pending_tool_calls: pending } = await value(stubOf(id).call("describe", admin));
        await value(stubOf(id).call("postToolResults", admin, answers(pending.map((call) => call.id))));
      }
      const events = await atRest(id);
      expect(events.some(({ type }) => type === "awaiting_tool_execution")).toBe(status === "success");
      expect((await said(id)).slice(2)).toEqual([
        "tool success",
        `tool ${status}`,
        "user: aside",
        "assistant: echo: aside",
      ]);
    },
  );

  it("An interrupt ends a run that waits for its client, and its open calls get error results; later results change nothing", async () => {
    const { id, word, runId, ids } = await waiting();
    await value(stubOf(id).call("postToolResults", admin, answers(ids.slice(1))));
    await steer(id, "aside");
    await evict(id);
    const now = await say(id, "now", { when: "interrupt" });
    const events = await atRest(id);
    expect(ends(events).slice(0, 2)).toEqual([
      [runId, "stopped"],
      [now.run?.id, "completed"],
    ]);
    const before = await said(id);
    expect(before.slice(2, 4)).toEqual(["tool error", "tool success"]);
    expect(before.slice(4)).toEqual(["user: now", "assistant: echo: now", "user: aside", "assistant: echo: aside"]);
    expect(before[0]).toBe(`user: ${word}`);
    const late = await value(stubOf(id).call("postToolResults", admin, answers(ids.slice(0, 1))));
    expect(late).toMatchObject({ missing: [], ignored: ids.slice(0, 1) });
    expect(await said(id)).toEqual(before);
    expect(await value(stubOf(id).call("describe", admin))).toMatchObject({ status: "idle", pending_tool_calls: [] });
  });

  it("A reader that follows a waiting run from the response to a steering message receives the run's awaiting_tool_execution event", async () => {
    const { id, runId, ids } = await waiting();
    const { after } = await steer(id, "aside");
    const following = await follow(id, { run_id: runId, after: String(after) });
    await following.closed;
    expect(following.events.map(({ type }) => type)).toEqual(["awaiting_tool_execution"]);
    await value(stubOf(id).call("postToolResults", admin, answers(ids)));
    await atRest(id);
  });
});

describe("a run that waits for a child", () => {
  it("If a run waits for a child, a steering message joins the run after the child's result", async () => {
    const { passed, open } = latch();
    panelWaitingFor(passed);
    const { id, following } = await begun();
    following.close();
    await whenSuspended(id);
    const { run } = await steer(id, "aside");
    expect(await said(id)).toHaveLength(3);
    await evict(id);
    scriptedAnswers.set("boss", () => ({ text: "boss done" }));
    open();
    const events = await atRest(id);
    expect(await said(id)).toEqual([
      "user: go",
      "assistant: calls",
      "tool success",
      "user: aside",
      "assistant: boss done",
    ]);
    expect(ends(events)).toEqual([[run?.id, "completed"]]);
  });

  it("A parent's run continues if a message interrupts the child for which it waits", async () => {
    panelWaitingFor(new Promise(() => {}));
    const { id, child, following } = await begun();
    following.close();
    await whenSuspended(id);
    scriptedAnswers.set("pro", () => ({ text: "pro now" }));
    const now = await value(stubOf(child).call("postMessage", admin, message("now", { when: "interrupt" }), null));
    await atRest(id);
    expect(await said(id)).toEqual(["user: go", "assistant: calls", "tool error", "assistant: boss done"]);
    await waitFor(async () => (await lastRunOf(child)).status === "completed");
    expect(await lastRunOf(child)).toMatchObject({ id: now.run?.id, parent_run_id: null });
  });
});

/** A run that waits for approval of two calls, which run one after the other. */
async function asking() {
  const word = unique();
  const calls = ["one", "two"].map((what) => ({ name: "erase", arguments: { what } }));
  scripts.set(word, ({ step }) => (step === 0 ? { toolCalls: calls } : { text: "thanks" }));
  const id = await newThread("careful_payer");
  const { run } = await say(id, word);
  await waitFor(async () => (await value(stubOf(id).call("describe", admin))).status === "awaiting_tool_execution");
  const { pending_tool_calls: pending } = await value(stubOf(id).call("describe", admin));
  ran.length = 0;
  return { id, runId: run?.id ?? "", ids: pending.map((call) => call.id) };
}

const decisions = (ids: string[]) => ({ results: ids.map((tool_call_id) => ({ tool_call_id, approved: true })) });

describe("a run that waits for approval", () => {
  it("An approved call still runs although a steering message waits, and the message joins after it", async () => {
    const { id, ids } = await asking();
    await steer(id, "aside");
    await value(stubOf(id).call("postToolResults", admin, decisions(ids)));
    await atRest(id);
    expect(ran.filter((line) => line.endsWith("done"))).toHaveLength(2);
    expect((await said(id)).slice(2)).toEqual([
      "tool success",
      "tool success",
      "user: aside",
      "assistant: echo: aside",
    ]);
  });

  it("An interrupt ends a run that waits for approval, the call does not run, and a later approval changes nothing", async () => {
    const { id, runId, ids } = await asking();
    await evict(id);
    await value(stubOf(id).call("postMessage", admin, { ...message("now"), when: "interrupt" }, null));
    const events = await atRest(id);
    expect(ends(events)[0]).toEqual([runId, "stopped"]);
    expect(await value(stubOf(id).call("postToolResults", admin, decisions(ids)))).toMatchObject({ ignored: ids });
    expect(ran).toEqual([]);
    expect((await said(id)).slice(2)).toEqual(["tool error", "tool error", "user: now", "assistant: echo: now"]);
  });
});
