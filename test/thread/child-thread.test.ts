// An agent called as a tool works in a child thread: what the parent stores meanwhile, and the effect of a crash, a stop or a deletion on
// either side.

import { createExecutionContext, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";

import { peerCaller } from "#core/rpc/thread-peer.ts";
import type { Environment } from "#worker/bindings.ts";

import { skip } from "../worker/clock.ts";
import app from "../worker/index.ts";
import { scriptedAnswers } from "../worker/team.ts";
import {
  begun,
  latch,
  resetAgents,
  isEnd,
  lastRunOf,
  messagesOf,
  panelWaitingFor,
  whenSuspended,
} from "./team-driver.ts";
import { admin, converse, crash, follow, message, newThread, peerOf, stubOf, value } from "./thread-driver.ts";

const runPage = { limit: 50, order: "desc" as const };

beforeEach(resetAgents);

describe("an agent in a thread of its own", () => {
  it("An agent that is called as a tool runs in a child thread; the parent uses its outcome as the tool's result, counts its usage and emits its events", async () => {
    const id = await newThread("boss");
    scriptedAnswers.set("boss", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "panel", arguments: { task: "decide" } }] } : { text: "boss done" },
    );
    scriptedAnswers.set("pro", () => ({ text: "pro says" }));
    scriptedAnswers.set("con", () => ({ toolCalls: [{ name: "conclude", arguments: { said: "yes" } }] }));
    const following = await follow(id, { after: "0" });
    await converse(id, "go");
    const end = await following.until((event) => event.type === "run_end");
    following.close();
    const messages = await messagesOf(id);
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "go"],
      ["assistant", null],
      ["tool", "yes"],
      ["assistant", "boss done"],
    ]);
    const start = following.events.find((event) => event.type === "subagent_start");
    expect(start).toMatchObject({ subagent_type: "panel", prompt: "decide" });
    const child = start?.type === "subagent_start" ? (start.child_thread_id ?? "") : "";
    const thread = await value(stubOf(child).call("describe", admin));
    expect(thread.parent).toMatchObject({ thread_id: id });
    const inside = following.events.flatMap((event) => (event.type === "subagent_event" ? [event.event["type"]] : []));
    expect(inside).toContain("run_end");
    const [run] = (await value(stubOf(id).call("listRuns", admin, runPage))).items;
    const [childRun] = (await value(stubOf(child).call("listRuns", admin, runPage))).items;
    expect(end).toMatchObject({ status: "completed" });
    expect(run?.usage.total_tokens).toBeGreaterThan(childRun?.usage.total_tokens ?? Infinity);
    expect(childRun?.parent_run_id).toBe(run?.id);
  });
});

describe("a parent that waits", () => {
  it("While a parent waits for a child, the parent can be evicted and has only an alarm at the deadline; the child's result wakes the parent", async () => {
    const { passed, open } = latch();
    panelWaitingFor(passed);
    const { id, following } = await begun();
    const before = Date.now();
    const alarm = await whenSuspended(id);
    expect(alarm - before).toBeGreaterThan(23 * 3_600_000);
    open();
    expect(await following.until(isEnd)).toMatchObject({ status: "completed" });
    expect((await messagesOf(id)).at(-1)?.content).toBe("boss done");
    following.close();
  });

  it("After a crash of a waiting parent and its child, the parent's run completes with one result of the child and one final answer", async () => {
    const { passed, open } = latch();
    panelWaitingFor(passed);
    const { id, child, following } = await begun();
    following.close();
    await crash(id);
    await crash(child);
    expect(await value(stubOf(id).call("describe", admin))).toMatchObject({ status: "running" });
    await value(stubOf(child).call("describe", admin));
    open();
    const again = await follow(id, { after: "0" });
    await again.until(isEnd);
    again.close();
    const messages = await messagesOf(id);
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "go"],
      ["assistant", null],
      ["tool", "yes"],
      ["assistant", "boss done"],
    ]);
    expect((await messagesOf(child)).filter(({ role }) => role === "tool")).toHaveLength(1);
    const types = again.events.map(({ type }) => type);
    expect(types.filter((type) => type === "tool_execution_end")).toHaveLength(1);
    expect(types.filter((type) => type === "subagent_end")).toHaveLength(1);
    const [run, childRun] = [await lastRunOf(id), await lastRunOf(child)];
    const own = messages.reduce((sum, { usage, model }) => sum + (model === null ? 0 : (usage?.total_tokens ?? 0)), 0);
    expect(run?.usage.total_tokens).toBe(own + (childRun?.usage.total_tokens ?? 0));
  });

  it("A waiting parent accepts a result only from its child, and only once", async () => {
    const { passed, open } = latch();
    panelWaitingFor(passed);
    const { id, child, following } = await begun();
    const call = (await messagesOf(id)).find(({ role }) => role === "tool");
    const peer = peerOf(id);
    const usage = { input: 0, output: 0, cache_read: 0, cache_write: 0, total_tokens: 0 };
    const forged = { answer: { status: "success" as const, result: "forged" }, usage, cost: 0, tool_executions: 0 };
    await peer.call("deliver", peerCaller, { ...forged, from: crypto.randomUUID(), message_id: call?.id ?? "" });
    await peer.call("deliver", peerCaller, { ...forged, from: child, message_id: crypto.randomUUID() });
    open();
    await following.until(isEnd);
    await peer.call("deliver", peerCaller, { ...forged, from: child, message_id: call?.id ?? "" });
    following.close();
    expect((await messagesOf(id)).find(({ role }) => role === "tool")?.content).toBe("yes");
  });

  it("If a parent is stopped while it waits for a child, the call gets an error result and the child is stopped", async () => {
    const { passed, open } = latch();
    panelWaitingFor(passed);
    const { id, child, following } = await begun();
    await whenSuspended(id);
    const own = await follow(child, { after: "0" });
    await value(stubOf(id).call("stop", admin, null));
    expect(await following.until(isEnd)).toMatchObject({ status: "stopped" });
    expect(await own.until(isEnd)).toMatchObject({ status: "stopped" });
    own.close();
    following.close();
    open();
    const tool = (await messagesOf(id)).find(({ role }) => role === "tool");
    expect(tool).toMatchObject({ status: "complete", result: { status: "error" } });
  });

  it("If a child thread is stopped, the parent's call gets an error result, and the parent's run continues", async () => {
    const { passed, open } = latch();
    panelWaitingFor(passed);
    const { id, child, following } = await begun();
    await value(stubOf(child).call("stop", admin, null));
    expect(await following.until(isEnd)).toMatchObject({ status: "completed" });
    following.close();
    open();
    const tool = (await messagesOf(id)).find(({ role }) => role === "tool");
    expect(tool?.result).toMatchObject({ status: "error", error: expect.stringContaining("stopped") });
  });
});

describe("deletion", () => {
  it("The deletion of a parent deletes its children, and the deletion of a child gives the parent's call an error result", async () => {
    const first = latch();
    panelWaitingFor(first.passed);
    const { id, child, following } = await begun();
    following.close();
    await value(stubOf(id).call("remove", admin));
    for (const gone of [id, child]) {
      expect(await stubOf(gone).call("describe", admin)).toMatchObject({
        ok: false,
        refusal: { code: "thread_not_found" },
      });
    }
    first.open();

    const second = latch();
    panelWaitingFor(second.passed);
    const other = await begun();
    await value(stubOf(other.child).call("remove", admin));
    expect(await other.following.until(isEnd)).toMatchObject({ status: "completed" });
    other.following.close();
    second.open();
    const tool = (await messagesOf(other.id)).find(({ role }) => role === "tool");
    expect(tool?.result?.status).toBe("error");
  });
});

describe("children of children", () => {
  it("Child threads can be nested three levels deep, and an agent that calls itself without end gets an error result about the depth", async () => {
    const id = await newThread("boss");
    scriptedAnswers.set("boss", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "nest", arguments: { task: "3" } }] } : { text: "boss done" },
    );
    scriptedAnswers.set("nester", ({ messages, lastUser, step }) => {
      const left = Number(lastUser);
      if (step > 0) return { text: `from ${String(messages.at(-1)?.content)}` };
      return left > 1 ? { toolCalls: [{ name: "nest", arguments: { task: String(left - 1) } }] } : { text: "bottom" };
    });
    await converse(id, "go");
    expect((await messagesOf(id)).find(({ role }) => role === "tool")?.content).toBe("from from bottom");

    const endless = await newThread("boss");
    scriptedAnswers.set("nester", ({ messages, step }) =>
      step > 0
        ? { text: String(messages.at(-1)?.content) }
        : { toolCalls: [{ name: "nest", arguments: { task: "again" } }] },
    );
    await converse(endless, "go");
    expect((await messagesOf(endless)).find(({ role }) => role === "tool")?.content).toContain("threads deep");
  });
});

describe("several children", () => {
  it("Several children of one step work at the same time, and the model is asked when all of them have answered", async () => {
    const { passed, open } = latch();
    panelWaitingFor(passed);
    scriptedAnswers.set("boss", ({ step, messages }) =>
      step === 0
        ? {
            toolCalls: [
              { name: "panel", arguments: { task: "one" } },
              { name: "debate", arguments: { task: "two" } },
            ],
          }
        : {
            text: messages
              .filter(({ role }) => role === "tool")
              .map(({ content }) => content)
              .join(" and "),
          },
    );
    const id = await newThread("boss");
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    const starts = () => following.events.filter(({ type }) => type === "subagent_start");
    await following.until(() => starts().length === 2);
    open();
    await following.until(isEnd);
    following.close();
    expect((await messagesOf(id)).at(-1)?.content).toMatch(/^yes and /);
    expect(following.events.filter(({ type }) => type === "subagent_end")).toHaveLength(2);
  });
});

describe("lists and readers of child threads", () => {
  it("Child threads are listed only for the id of their parent, and not in the list of all threads", async () => {
    const { passed, open } = latch();
    panelWaitingFor(passed);
    const { id, child, following } = await begun();
    open();
    await following.until(isEnd);
    following.close();
    const list = async (query: string) => {
      const answer = await app.fetch(
        new Request(`http://localhost/api/threads?${query}`),
        env as unknown as Environment,
        createExecutionContext(),
      );
      const { threads } = (await answer.json()) as { threads: { id: string; parent: unknown }[] };
      return threads.map((thread) => thread.id);
    };
    expect(await list(`parent_id=${id}`)).toEqual([child]);
    expect(await list("limit=200")).not.toContain(child);
  });

  it("Readers of a parent receive the child's events live, in order and before the result, and never in a replay", async () => {
    const { passed, open } = latch();
    panelWaitingFor(passed);
    const { id, child, following } = await begun();
    open();
    await following.until(isEnd);
    following.close();
    const { events } = following;
    const inside = events.flatMap((event) => (event.type === "subagent_event" ? [event] : []));
    const own = await follow(child, { after: "0", until: "idle" });
    await own.closed;
    const expected = own.events.filter(({ type }) => !type.endsWith("_delta")).map(({ seq }) => seq);
    expect(inside.map(({ event }) => event["seq"])).toEqual(expected);
    const last = inside.at(-1)?.seq ?? 0;
    expect(last).toBeLessThan(events.find(({ type }) => type === "subagent_end")?.seq ?? 0);
    const again = await follow(id, { after: "0", until: "idle" });
    await again.closed;
    expect(again.events.some(({ type }) => type === "subagent_event")).toBe(false);
    expect(again.events.filter(({ type }) => type === "subagent_start")).toHaveLength(1);
  });

  it("If a call still waits for a child thread at its deadline, the call gets an error result and the child is stopped", async () => {
    const { passed, open } = latch();
    panelWaitingFor(passed);
    const { id, child, following } = await begun();
    await whenSuspended(id);
    const own = await follow(child, { after: "0" });
    skip(25 * 3_600_000);
    await runDurableObjectAlarm(env.THREADS.get(env.THREADS.idFromName(id)));
    expect(await following.until(isEnd)).toMatchObject({ status: "completed" });
    expect(await own.until(isEnd)).toMatchObject({ status: "stopped" });
    own.close();
    following.close();
    open();
    const tool = (await messagesOf(id)).find(({ role }) => role === "tool");
    expect(tool?.result).toMatchObject({ status: "error", error: expect.stringContaining("in time") });
  });

  it("A message to a parent that waits for a child is queued, and a stream of the queued run lasts until that run ends", async () => {
    const { passed, open } = latch();
    panelWaitingFor(passed);
    const { id, following } = await begun();
    await whenSuspended(id);
    const { run, after } = await value(stubOf(id).call("postMessage", admin, message("and then?"), null));
    expect(run?.status).toBe("queued");
    const second = await follow(id, { after: String(after), run_id: run?.id ?? "" });
    expect(following.events.some(({ type }) => type === "awaiting_tool_execution")).toBe(false);
    open();
    await second.closed;
    following.close();
    expect(second.events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    const said = (await messagesOf(id)).filter(({ role }) => role === "user").map(({ content }) => content);
    expect(said).toEqual(["go", "and then?"]);
  });
});
