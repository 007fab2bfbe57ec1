// Calls that no model made: queued by definitions, or invoked directly.

import { beforeEach, describe, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";

import { crossing } from "../worker/crossing.ts";
import { effects, hookCalls } from "../worker/definitions.ts";
import { toolEffects, requested, scriptedAnswers } from "../worker/team.ts";
import { latch } from "./team-driver.ts";
import { admin, converse, crash, evict, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };
const logPage = { limit: 100, order: "asc" as const };

beforeEach(() => {
  scriptedAnswers.clear();
  toolEffects.clear();
  requested.length = 0;
});

const messagesOf = async (id: string) => (await value(stubOf(id).call("listMessages", admin, page))).items;
const shape = async (id: string) => (await messagesOf(id)).map(({ role, content }) => [role, content]);

describe("a queued call", () => {
  it("A queued call is made before the next request to the model, and is stored as an assistant message with the mark queued", async () => {
    const id = await newThread("boss");
    const done: string[] = [];
    toolEffects.set("queue", (state) => state.queueTool("act", { key: "later" }));
    toolEffects.set("later", () => done.push("later"));
    scriptedAnswers.set("boss", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "act", arguments: { key: "queue" } }] } : { text: `done ${done.length}` },
    );
    await converse(id, "go");
    expect(await shape(id)).toEqual([
      ["user", "go"],
      ["assistant", null],
      ["tool", "null"],
      ["assistant", null],
      ["tool", "1"],
      ["assistant", "done 1"],
    ]);
    const marked = (await messagesOf(id))[3];
    expect(marked).toMatchObject({ metadata: { queued: true }, model: null });
    const [run] = (await value(stubOf(id).call("listRuns", admin, { limit: 1, order: "desc" }))).items;
    expect(run?.steps).toBe(2);
  });

  it("A queued call of an idle thread begins a run, which makes the call and then continues", async () => {
    const id = await newThread("boss");
    toolEffects.set("later", () => "did it");
    toolEffects.set("queue", (state) => state.queueTool("act", { key: "later" }));
    scriptedAnswers.set("boss", ({ messages }) => ({ text: `after ${messages.at(-1)?.content}` }));
    const following = await follow(id, { after: "0" });
    expect(await value(stubOf(id).call("invokeTool", admin, "act", { key: "queue" }))).toMatchObject({
      status: "success",
    });
    const start = await following.until(({ type }) => type === "run_start");
    expect(start).toMatchObject({ kind: "tool" });
    await following.until(({ type }) => type === "run_end");
    following.close();
    expect(await shape(id)).toEqual([
      ["assistant", null],
      ["tool", '"did it"'],
      ["assistant", 'after "did it"'],
    ]);
  });

  it("A queued call survives a crash before it is made, and is made once", async () => {
    const id = await newThread("boss");
    const done: string[] = [];
    let hang = true;
    const { promise: reached, resolve: reach } = crossing();
    toolEffects.set("both", async (state) => {
      state.queueTool("act", { key: "later" });
      if (!hang) return null;
      reach();
      return new Promise(() => {});
    });
    toolEffects.set("later", () => done.push("later"));
    scriptedAnswers.set("boss", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "act", arguments: { key: "both" } }] } : { text: "done" },
    );
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    await reached;
    hang = false;
    await crash(id);
    const following = await follow(id, { after: "0" });
    await following.until(({ type }) => type === "run_end");
    following.close();
    expect(done).toEqual(["later"]);
    await evict(id);
    expect((await shape(id)).at(-1)).toEqual(["assistant", "done"]);
  });

  it("If a run fails after a call was queued in it, the call begins a new run", async () => {
    const id = await newThread("boss");
    const { promise: failing, resolve: fail } = crossing();
    const { promise: reached, resolve: reach } = crossing();
    toolEffects.set("queue", (state) => state.queueTool("act", { key: "later" }));
    toolEffects.set("later", () => "did it");
    let first = true;
    scriptedAnswers.set("boss", async () => {
      if (!first) return { text: "done" };
      first = false;
      reach();
      await failing;
      return { error: { message: "no", status: 400 } };
    });
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    await reached;
    await value(stubOf(id).call("invokeTool", admin, "act", { key: "queue" }));
    fail();
    await following.until((event) => event.type === "run_end" && event.status === "completed");
    following.close();
    const ends = following.events.flatMap((event) => (event.type === "run_end" ? [event.status] : []));
    expect(ends).toEqual(["error", "completed"]);
    expect((await shape(id)).slice(1)).toEqual([
      ["assistant", null],
      ["tool", '"did it"'],
      ["assistant", "done"],
    ]);
  });

  it("If a run fails after a call was queued in it, the call is made after the waiting inputs, and every reader receives all events", async () => {
    const id = await newThread("boss");
    const [fail, reached] = [latch(), latch()];
    toolEffects.set("queue", (state) => state.queueTool("act", { key: "later" }));
    toolEffects.set("later", () => "did it");
    let first = true;
    scriptedAnswers.set("boss", async () => {
      if (!first) return { text: "done" };
      first = false;
      reached.open();
      await fail.passed;
      return { error: { message: "no", status: 400 } };
    });
    const live = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("A"), null));
    await reached.opened();
    await value(stubOf(id).call("postMessage", admin, message("B"), null));
    await value(stubOf(id).call("invokeTool", admin, "act", { key: "queue" }));
    fail.open();
    const ends = () => live.events.filter(({ type }) => type === "run_end");
    await live.until(() => ends().length === 3);
    live.close();
    expect((await shape(id)).map(([, content]) => content)).toEqual(["A", "B", "done", null, '"did it"', "done"]);
    const lasting = (events: readonly ThreadEvent[]) =>
      events.flatMap(({ seq, type, run_id }) => (type.endsWith("_delta") ? [] : [[seq, type, run_id]]));
    for (const after of [0, ...live.events.map(({ seq }) => seq)]) {
      const again = await follow(id, { after: String(after), until: "idle" });
      await again.closed;
      const expected = live.events.filter(({ seq }) => seq > after);
      expect([after, lasting(again.events)]).toEqual([after, lasting(expected)]);
    }
  });

  it("A queued call of an unknown name is refused at once", async () => {
    const id = await newThread("boss");
    const refused: unknown[] = [];
    toolEffects.set("unknown", (state) => {
      try {
        state.queueTool("nothing", {});
      } catch (thrown) {
        refused.push((thrown as { code: string }).code);
      }
    });
    scriptedAnswers.set("boss", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "act", arguments: { key: "unknown" } }] } : { text: "done" },
    );
    await converse(id, "go");
    expect(refused).toEqual(["tool_not_found"]);
    expect(await shape(id)).toHaveLength(4);
  });

  it("A queued call does not prevent the end of its turn, and a call that queues itself again and again ends at the run's limit of steps", async () => {
    const panel = await newThread("panel");
    const made: string[] = [];
    toolEffects.set("queue", (state) => state.queueTool("act", { key: "later" }));
    toolEffects.set("later", () => made.push("later"));
    scriptedAnswers.set("pro", ({ messages }) => ({
      toolCalls: [
        { name: "act", arguments: { key: "queue" } },
        { name: "pass", arguments: { said: `pro ${messages.length}` } },
      ],
    }));
    scriptedAnswers.set("con", () => ({ toolCalls: [{ name: "conclude", arguments: { said: "done" } }] }));
    const events = await converse(panel, "go");
    expect(requested.map(({ persona }) => persona)).toEqual(["pro", "con"]);
    expect(made).toEqual(["later"]);
    const turns = events.flatMap((event) =>
      event.type === "turn_end" ? [[event.side, event.reason, event.outcome]] : [],
    );
    expect(turns[0]).toEqual(["a", "stop_tool", "pro 1"]);

    const endless = await newThread("boss");
    let times = 0;
    toolEffects.set("again", (state) => {
      times += 1;
      state.queueTool("act", { key: "again" });
    });
    scriptedAnswers.set("boss", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "act", arguments: { key: "again" } }] } : { text: "done" },
    );
    const ended = await converse(endless, "go", { limits: { steps: 5 } });
    expect(ended.at(-1)).toMatchObject({ type: "run_end", status: "limit" });
    expect(times).toBe(5);
  });

  it("A definition can queue a call of a tool that the prompt does not list, of a prompt, or of an agent", async () => {
    const id = await newThread("support");
    toolEffects.set("queue", (state) => {
      state.queueTool("note", { text: "unlisted" });
      state.queueTool("helper", { task: "from the queue" });
      state.queueTool("billing", { task: "hand over" });
    });
    scriptedAnswers.set("desk", () => ({ toolCalls: [{ name: "act", arguments: { key: "queue" } }] }));
    scriptedAnswers.set("helper", () => ({ text: "helped" }));
    scriptedAnswers.set("clerk", () => ({ text: "clerk here" }));
    await converse(id, "go");
    expect(effects).toContain("note unlisted");
    expect(requested.map(({ persona }) => persona)).toEqual(["desk", "helper", "clerk"]);
    expect((await messagesOf(id)).at(-1)?.content).toBe("clerk here");
  });
});

describe("invokeTool", () => {
  it("An invoked tool runs its function with its hooks, returns the result, writes a log row and no message", async () => {
    const id = await newThread("parallel");
    toolEffects.set("improve", () => "improve me");
    hookCalls.length = 0;
    const result = await value(stubOf(id).call("invokeTool", admin, "act", { key: "improve" }));
    expect(result).toEqual({ status: "success", result: "improved" });
    expect(hookCalls).toEqual(["success act"]);
    expect(await messagesOf(id)).toEqual([]);
    const logs = (await value(stubOf(id).call("listLogs", admin, { ...logPage, type: "tool_call" }))).items;
    expect(logs.map(({ data }) => [data["what"], data["name"], data["is_error"]])).toEqual([["invoked", "act", false]]);
  });

  it("An invoked tool passes its result to `before_store_tool_result` before the log row stores it", async () => {
    const id = await newThread("parallel");
    toolEffects.set("tell", () => "the secret word");
    const result = await value(stubOf(id).call("invokeTool", admin, "act", { key: "tell" }));
    expect(result).toEqual({ status: "success", result: '"the *** word"' });
    const logs = (await value(stubOf(id).call("listLogs", admin, { ...logPage, type: "tool_call" }))).items;
    expect(logs.map(({ data }) => data["result"])).toEqual([{ status: "success", result: '"the *** word"' }]);
    expect(JSON.stringify(logs)).not.toContain("secret");
  });

  it("An invoked tool has an error result if its arguments are wrong or it throws, and the names of prompts and unknown names are refused", async () => {
    const id = await newThread("parallel");
    expect(await value(stubOf(id).call("invokeTool", admin, "note", { text: 7 }))).toMatchObject({ status: "error" });
    const thrown = await value(stubOf(id).call("invokeTool", admin, "broken", {}));
    expect(thrown).toEqual({ status: "error", error: "the tool broke" });
    const code = async (name: string) => {
      const answer = await stubOf(id).call("invokeTool", admin, name, {});
      return answer.ok ? null : answer.refusal.code;
    };
    expect(await code("nothing")).toBe("tool_not_found");
    expect(await code("helper")).toBe("conflict");
  });

  it("An invoked tool receives a new execution in an idle thread, and the run's execution during a run", async () => {
    const id = await newThread("boss");
    const flows: unknown[] = [];
    toolEffects.set("look", (state) => void flows.push(state.execution?.flowId));
    toolEffects.set("nested", (state) => state.invokeTool("act", { key: "look" }));
    await value(stubOf(id).call("invokeTool", admin, "act", { key: "look" }));
    scriptedAnswers.set("boss", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "act", arguments: { key: "nested" } }] } : { text: "done" },
    );
    const events = await converse(id, "go");
    expect(flows[0]).toMatch(/^call_/);
    expect(flows[1]).toBe(events[0]?.run_id);
  });
});
