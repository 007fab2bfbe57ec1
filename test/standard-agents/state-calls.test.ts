// Standard Agents, threads: calls that a definition makes itself, events of its own, and the values that it stores for one run.

import { defineTool } from "@standardagents/spec";
import type { TestRequest, TestTurn, ThreadState } from "@standardagents/spec";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { waitFor } from "../thread/team-driver.ts";
import { admin, crash, evict, follow, message, stubOf, value } from "../thread/thread-driver.ts";
import type { ProjectThread } from "./project-thread.ts";
import { answers, calling, start } from "./project.ts";

const greet = defineTool("Greets", z.object({ name: z.string() }), async (_state: ThreadState, { name }) => ({
  status: "success",
  result: `Hello, ${name}!`,
}));
const count = defineTool("Counts", async ({ context }: ThreadState) => {
  const before = typeof context["count"] === "number" ? context["count"] : 0;
  context["count"] = before + 1;
  return { status: "success", result: String(before) };
});
const tools = { greet, count };

/** Waits for the end of the run that a definition began. */
async function settled(thread: ProjectThread): Promise<void> {
  const following = await follow(thread.id, { after: "0" });
  await following.until(({ type }) => type === "run_end");
  following.close();
}

const shapeOf = async (thread: ProjectThread) => (await thread.messages()).map(({ role, content }) => [role, content]);

describe("queueTool", () => {
  it("SACALL1 In a run, a queued call is made before the next model request", async () => {
    const queue = defineTool("Queues", async (state: ThreadState) => {
      state.queueTool("greet", { name: "Ada" });
      return { status: "success", result: "queued" };
    });
    const { thread, project } = await start({ tools: { ...tools, queue }, script: answers(calling("queue")) });
    await thread.say("Go");
    expect(await shapeOf(thread)).toEqual([
      ["user", "Go"],
      ["assistant", null],
      ["tool", "queued"],
      ["assistant", null],
      ["tool", "Hello, Ada!"],
      ["assistant", "done"],
    ]);
    expect(project.requests).toHaveLength(2);
  });

  it("SACALL2 In an idle thread, a queued call starts a run, which makes the call and then requests the model", async () => {
    const { thread } = await start({ tools, script: answers() });
    await thread.atRest((state) => state.queueTool("greet", { name: "Ada" }));
    await settled(thread);
    expect(await shapeOf(thread)).toEqual([
      ["assistant", null],
      ["tool", "Hello, Ada!"],
      ["assistant", "done"],
    ]);
    expect(await thread.run()).toMatchObject({ kind: "tool", status: "completed" });
  });

  it("SACALL3 The toolName of queueTool names the tool, and an undefined name is refused", async () => {
    const { thread } = await start({ tools, script: answers() });
    await thread.atRest((state) => state.queueTool("count", {}));
    await settled(thread);
    expect((await thread.messages()).find(({ role }) => role === "tool")?.name).toBe("count");
    await expect(thread.atRest((state) => state.queueTool("nobody", {}))).rejects.toThrow(/no tool named "nobody"/);
  });

  it("SACALL4 The args of queueTool are the arguments of the tool", async () => {
    for (const name of ["Ada", "Grace"]) {
      const { thread } = await start({ tools, script: answers() });
      await thread.atRest((state) => state.queueTool("greet", { name }));
      await settled(thread);
      expect(await thread.result()).toMatchObject({ result: `Hello, ${name}!` });
    }
  });
});

describe("invokeTool", () => {
  it("SACALL5 invokeTool runs a tool now and returns its result, with a log row and without a message", async () => {
    const { thread } = await start({ tools });
    const result = await thread.atRest((state) => state.invokeTool("greet", { name: "Ada" }));
    expect(result).toMatchObject({ status: "success", result: "Hello, Ada!" });
    expect(await thread.messages()).toEqual([]);
    expect((await thread.logs("tool_call"))[0]?.data).toMatchObject({ name: "greet", arguments: { name: "Ada" } });
  });

  it("SACALL6 A tool that invokes another tool in a run can await the result", async () => {
    const { thread } = await start({ tools });
    const result = await thread.inRun(async (state) => (await state.invokeTool("greet", { name: "Ada" })).result);
    expect(result).toBe("Hello, Ada!");
  });

  it("SACALL7 In an idle thread, invokeTool passes a new execution to the tool", async () => {
    const received: unknown[] = [];
    const look = defineTool("Looks", async ({ execution }: ThreadState) => {
      received.push(execution?.stepCount, execution?.stopped, typeof execution?.flowId);
      return { status: "success" };
    });
    const { thread } = await start({ tools: { look } });
    await thread.atRest((state) => state.invokeTool("look", {}));
    expect(received).toEqual([0, false, "string"]);
  });

  it("SACALL8 The toolName of invokeTool names the tool, and an undefined name is refused", async () => {
    const { thread } = await start({ tools });
    expect(await thread.atRest((state) => state.invokeTool("count", {}))).toMatchObject({ result: "0" });
    await expect(thread.atRest((state) => state.invokeTool("nobody", {}))).rejects.toThrow(/no tool named "nobody"/);
  });

  it("SACALL9 The args of invokeTool are checked by the tool's schema and passed to the tool", async () => {
    const { thread } = await start({ tools });
    const invoke = (args: Record<string, unknown>) => thread.atRest((state) => state.invokeTool("greet", args));
    expect(await invoke({ name: "Grace" })).toMatchObject({ result: "Hello, Grace!" });
    expect(await invoke({ name: 7 })).toMatchObject({ status: "error", error: expect.stringContaining("name") });
  });
});

describe("emit", () => {
  /** The custom events that a follower receives. */
  async function emitted(...events: [string, unknown][]) {
    const { thread } = await start();
    const following = await follow(thread.id, { after: "0" });
    await thread.atRest((state) => events.forEach(([name, data]) => state.emit(name, data)));
    await following.until((event) => event.type === "custom" && event.name === events.at(-1)?.[0]);
    following.close();
    return following.events.flatMap((event) => (event.type === "custom" ? [[event.name, event.data]] : []));
  }

  it("SACALL10 A custom event reaches the thread's followers, in a run and in an idle thread", async () => {
    expect(await emitted(["first", 1], ["second", 2])).toEqual([
      ["first", 1],
      ["second", 2],
    ]);
    const { thread } = await start();
    const following = await follow(thread.id, { after: "0" });
    await thread.inRun((state) => state.emit("inside", { a: 1 }));
    expect(await following.until(({ type }) => type === "custom")).toMatchObject({ name: "inside", data: { a: 1 } });
    following.close();
  });

  it("SACALL11 The event argument of emit is the name that followers receive", async () => {
    expect(await emitted(["progress", null])).toEqual([["progress", null]]);
    expect(await emitted(["other name", null])).toEqual([["other name", null]]);
  });

  it("SACALL12 The data argument of emit is JSON and arrives unchanged", async () => {
    const data = { list: [1, "two", null], nested: { yes: true } };
    expect(await emitted(["data", data])).toEqual([["data", data]]);
    const { thread } = await start();
    await expect(thread.atRest((state) => state.emit("data", { when: 1n }))).rejects.toThrow();
  });
});

describe("context", () => {
  const twice = () => answers(calling("count"), calling("count"), { text: "end" }, calling("count"));

  it("SACALL13 The context keeps its values from one tool call to the next within a run", async () => {
    const { thread } = await start({ tools, script: twice() });
    await thread.say("one");
    const results = (await thread.messages()).filter(({ role }) => role === "tool").map(({ content }) => content);
    expect(results).toEqual(["0", "1"]);
  });

  it("SACALL13 An object that a definition assigns to state.context survives a wait, an eviction and a crash", async () => {
    const assign = defineTool("Assigns", async (state: ThreadState) => {
      const mine: Record<string, unknown> = { x: 1 };
      state.context = mine;
      mine["y"] = 2;
      return { status: "success", result: JSON.stringify(state.context) };
    });
    const look = defineTool("Looks", async (state: ThreadState) => ({
      status: "success",
      result: JSON.stringify(state.context),
    }));
    const far = defineTool("Is answered by the client", z.object({}));
    let isCut = false;
    const script = async (request: TestRequest): Promise<TestTurn> => {
      const names = ["assign", "look", "far", "look"];
      const { length } = request.messages.filter(({ role }) => role === "tool");
      if (length === 3 && !isCut) {
        isCut = true;
        await new Promise(() => {});
      }
      const name = names[length];
      return name === undefined ? { text: "end" } : { toolCalls: [{ name, arguments: {} }] };
    };
    const { thread } = await start({ tools: { assign, look, far }, script });
    const following = await follow(thread.id, { after: "0" });
    await value(stubOf(thread.id).call("postMessage", admin, message("go"), null));
    const rest = await following.until(({ type }) => type === "awaiting_tool_execution");
    following.close();
    await evict(thread.id);
    const call = rest.type === "awaiting_tool_execution" ? rest.tool_calls[0]?.id : undefined;
    const results = [{ tool_call_id: call ?? "", result: "far away" }];
    await value(stubOf(thread.id).call("postToolResults", admin, { results }));
    await waitFor(() => isCut);
    await crash(thread.id);
    await settled(thread);
    const received = (await thread.messages()).filter(({ role }) => role === "tool").map(({ content }) => content);
    const whole = '{"x":1,"y":2}';
    expect(received).toEqual([whole, whole, "far away", whole]);
  });

  it("SACALL13 state.context accepts only an object", async () => {
    const refused = defineTool("Assigns nothing", async (state: ThreadState) => {
      try {
        state.context = null as never;
      } catch (thrown) {
        return { status: "success", result: `${(thrown as Error).message} ${JSON.stringify(state.context)}` };
      }
      return { status: "error", error: "was taken" };
    });
    const { thread } = await start({ tools: { refused }, script: answers(calling("refused")) });
    await thread.say("go");
    expect(await thread.result()).toMatchObject({ result: "state.context takes an object. {}" });
  });

  it("SACALL14 The context is empty at the beginning of each run, and in an idle thread", async () => {
    const { thread } = await start({ tools, script: twice() });
    await thread.say("one");
    await thread.say("two");
    expect((await thread.result())?.result).toBe("0");
    expect(await thread.atRest((state) => state.context)).toEqual({});
  });
});
