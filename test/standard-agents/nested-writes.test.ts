// Hooks and tools whose own writes call them again: the chain ends, and the thread answers meanwhile.

import { defineHook, defineTool } from "@standardagents/spec";
import type { ThreadState } from "@standardagents/spec";
import { describe, expect, it } from "vitest";

import { answers, calling, start } from "./project.ts";

/** The error of a hook or a tool that has called itself too often. */
const refusal = "Hooks and tools called each other more than 5 deep";

describe("definitions that call each other", () => {
  it("If a hook adds a message for each added message, the chain ends after five messages, with a log entry", async () => {
    const again = defineHook("after_create_message", async (state, { role }) => {
      if (role !== "assistant") await state.injectMessage({ role: "system", content: "again" });
    });
    const { thread } = await start({ hooks: [again], script: answers() });
    await thread.atRest((state) => state.injectMessage({ role: "system", content: "first" }));
    expect(await thread.contents()).toEqual(["first", "again", "again", "again", "again", "again"]);
    expect((await thread.logs("hook")).map(({ data }) => data)).toEqual([
      expect.objectContaining({ hook: "after_create_message", problem: expect.stringContaining(refusal) }),
    ]);
  });

  it("If a hook adds a message before each added message, the chain ends after five messages", async () => {
    const again = defineHook("before_create_message", async (state, message) => {
      await state.injectMessage({ role: "system", content: "again" });
      return message;
    });
    const { thread } = await start({ hooks: [again] });
    await thread.atRest((state) => state.injectMessage({ role: "system", content: "first" }));
    expect(await thread.contents()).toEqual(["again", "again", "again", "again", "again", "first"]);
  });

  it("If a hook updates each updated message, the chain ends after five updates", async () => {
    const received: string[] = [];
    const mark = defineHook("after_update_message", async (state, { id }) => {
      received.push(id);
      await state.updateMessage(id, { metadata: { received: received.length } });
    });
    const { thread } = await start({ hooks: [mark] });
    const metadata = await thread.atRest(async (state) => {
      const { id } = await state.injectMessage({ role: "system", content: "first" });
      await state.updateMessage(id, { content: "second" });
      return (await state.getMessage(id))?.metadata;
    });
    expect([received.length, metadata]).toEqual([6, { received: 5 }]);
  });

  it("The chain of calls ends if a tool invokes itself, in a run or in an idle thread, and if a hook invokes the tool after which it is called", async () => {
    const loop = defineTool("Invokes itself", async (state: ThreadState) => {
      const { status, result = "", error = "" } = await state.invokeTool("loop", {});
      return { status: "success", result: status === "success" ? `${result}+` : error };
    });
    const once = defineTool("Does something", async () => ({ status: "success", result: "done" }));
    const calls: string[] = [];
    const repeat = defineHook("after_tool_call_success", async (state, { function: { name } }) => {
      calls.push(name);
      if (name === "once") await state.invokeTool("once", {});
      return null;
    });
    const { thread } = await start({ tools: { loop, once }, hooks: [repeat], script: answers(calling("loop")) });
    await thread.say("Go");
    const inRun = await thread.result();
    expect(inRun).toMatchObject({ result: expect.stringContaining(refusal) });
    const atRest = await thread.atRest((state) => state.invokeTool("loop", {}));
    expect(atRest).toMatchObject({ result: expect.stringContaining(refusal) });
    await thread.atRest((state) => state.invokeTool("once", {}));
    expect(calls.filter((name) => name === "once")).toHaveLength(3);
  });
});
