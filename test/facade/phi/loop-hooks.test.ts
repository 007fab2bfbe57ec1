// The hooks of a loop, and its limits.

import { describe, expect, it } from "vitest";

import { createTool, userMessage } from "#facade/phi/index.ts";
import type { AgentLoopConfig } from "#facade/phi/index.ts";

import { play, textsOf } from "./support/play.ts";

const object = { type: "object", properties: {} };
const echo = createTool({
  name: "echo",
  description: "Returns its text",
  parameters: { type: "object", properties: { text: { type: "string" } } },
  execute: ({ text }) => `echo ${text as string}`,
});
const call = (name: string, args: Record<string, string> = {}) => ({ name, arguments: args });

describe("limits", () => {
  it("A loop with max_turns 2 sends two requests and ends with the message of the document", async () => {
    const { returned, provider, order } = await play({
      answers: Array.from({ length: 5 }, () => ({ tool_calls: [call("echo")] })),
      tools: [echo],
      config: { executionLimits: { max_turns: 2, max_total_tokens: 1_000_000, max_duration: { secs: 600 } } },
    });
    expect(provider.requests).toHaveLength(2);
    expect(textsOf(returned).at(-1)).toBe("user: [Agent stopped: max turns exceeded]");
    expect(order.slice(-4)).toEqual(["TurnEnd", "MessageStart user", "MessageEnd user", "AgentEnd"]);
  });
});

describe("hooks", () => {
  it("All hooks are called in the order of the document, around their events", async () => {
    const trace: string[] = [];
    const note = (name: string) => () => void trace.push(name);
    const config: Partial<AgentLoopConfig> = {
      beforeLoop: note("before_loop") as never,
      afterLoop: note("after_loop"),
      beforeTurn: note("before_turn") as never,
      afterTurn: note("after_turn"),
      beforeToolExecution: note("before_tool_execution") as never,
      afterToolExecution: note("after_tool_execution"),
      beforeToolExecutionUpdate: note("before_tool_execution_update") as never,
      afterToolExecutionUpdate: note("after_tool_execution_update"),
    };
    const updates = createTool({
      name: "updates",
      description: "",
      parameters: object,
      execute(_params, { on_update }) {
        on_update({ content: [{ type: "text", text: "half" }], details: null });
        return "whole";
      },
    });
    await play({
      answers: [{ tool_calls: [call("updates")] }, { text: "Done." }],
      tools: [updates],
      config,
      onEvent: ({ type }) => void (type.startsWith("Message") ? null : trace.push(type)),
    });
    expect(trace).toEqual([
      "before_loop",
      "AgentStart",
      "before_turn",
      "TurnStart",
      "before_tool_execution",
      "ToolExecutionStart",
      "before_tool_execution_update",
      "ToolExecutionUpdate",
      "after_tool_execution_update",
      "ToolExecutionEnd",
      "after_tool_execution",
      "TurnEnd",
      "after_turn",
      "before_turn",
      "TurnStart",
      "TurnEnd",
      "after_turn",
      "AgentEnd",
      "after_loop",
    ]);
  });

  it("A loop that before_loop refuses emits its end alone", async () => {
    const ended: number[] = [];
    const { order, provider } = await play({
      answers: [{ text: "never" }],
      config: { beforeLoop: () => false, afterLoop: (messages) => void ended.push(messages.length) },
    });
    expect(order).toEqual(["AgentEnd"]);
    expect(ended).toEqual([0]);
    expect(provider.requests).toHaveLength(0);
  });

  it("before_turn ends the loop before its second turn, with one AgentEnd", async () => {
    const { order, provider } = await play({
      answers: [{ tool_calls: [call("echo")] }, { text: "never" }],
      tools: [echo],
      config: { beforeTurn: (_messages, turn) => turn === 0 },
    });
    expect(provider.requests).toHaveLength(1);
    expect(order.filter((type) => type === "TurnStart")).toHaveLength(1);
    expect(order.filter((type) => type === "AgentEnd")).toHaveLength(1);
  });

  it("A call that before_tool_execution refuses shows only its result, and the other calls run", async () => {
    const { returned, events } = await play({
      answers: [{ tool_calls: [call("echo", { text: "1" }), call("echo", { text: "2" })] }, { text: "Done." }],
      tools: [echo],
      config: { beforeToolExecution: (_name, _id, args) => JSON.stringify(args) !== '{"text":"1"}' },
    });
    expect(textsOf(returned).slice(2, 4)).toEqual([
      "toolResult error: Tool call skipped by before_tool_execution hook",
      "toolResult: echo 2",
    ]);
    expect(events.filter(({ type }) => type === "ToolExecutionStart" || type === "ToolExecutionEnd")).toHaveLength(2);
  });

  it("An update that its hook refuses is not emitted, and the result stays", async () => {
    const after: string[] = [];
    const updates = createTool({
      name: "updates",
      description: "",
      parameters: object,
      execute(_params, { on_update }) {
        for (const text of ["secret", "shown"]) on_update({ content: [{ type: "text", text }], details: null });
        return "whole";
      },
    });
    const { events, returned } = await play({
      answers: [{ tool_calls: [call("updates")] }, { text: "Done." }],
      tools: [updates],
      config: {
        beforeToolExecutionUpdate: (_name, _id, text) => text !== "secret",
        afterToolExecutionUpdate: (_name, _id, text) => void after.push(text),
      },
    });
    expect(events.filter(({ type }) => type === "ToolExecutionUpdate")).toHaveLength(1);
    expect(after).toEqual(["shown"]);
    expect(textsOf(returned)[2]).toBe("toolResult: whole");
  });

  it.each([
    "beforeTurn",
    "afterTurn",
    "beforeToolExecution",
    "afterToolExecution",
    "transformContext",
    "convertToLlm",
    "getSteeringMessages",
    "getFollowUpMessages",
  ] as const)("A %s that throws ends the loop, and its error is the last message", async (name) => {
    const errors: string[] = [];
    const { returned } = await play({
      answers: [{ tool_calls: [call("echo")] }, { text: "Done." }],
      tools: [echo],
      config: {
        [name]: () => {
          throw new Error("broken hook");
        },
        onError: (text) => void errors.push(text),
      },
    });
    expect(returned.at(-1)).toMatchObject({ role: "assistant", stop_reason: "error", error_message: "broken hook" });
    expect(errors).toEqual(["broken hook"]);
  });

  it("transform_context and convert_to_llm change what is sent, and not the context", async () => {
    const { provider, context } = await play({
      answers: [{ text: "Hi." }],
      config: {
        transformContext: (messages) => [userMessage("Be brief."), ...messages],
        convertToLlm: (messages) => messages.flatMap((message) => (message.role === "user" ? [message] : [])),
      },
    });
    expect(textsOf(provider.requests[0]?.messages ?? [])).toEqual(["user: Be brief.", "user: Hello."]);
    expect(context.messages).toHaveLength(2);
  });
});
