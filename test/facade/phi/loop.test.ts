// The loop of `threadhold/loop`: its events, messages, calls and ends, and the options that it refuses.

import { describe, expect, it } from "vitest";

import {
  agentLoop,
  CancellationToken,
  channel,
  createTool,
  extensionMessage,
  ModelConfig,
  ToolError,
  userMessage,
} from "#facade/phi/index.ts";
import { MockProvider } from "#facade/phi/provider/mock-provider.ts";
import type { MockResponse } from "#facade/phi/provider/mock-provider.ts";
import { ProviderError } from "#facade/phi/provider/provider-error.ts";

import { play, textsOf } from "./support/play.ts";

const object = { type: "object", properties: {} };
const echo = createTool({
  name: "echo",
  description: "Returns its text",
  parameters: { type: "object", properties: { text: { type: "string" } } },
  execute: ({ text }) => `echo ${text as string}`,
});
const call = (name: string, args: Record<string, string> = {}) => ({ name, arguments: args });

describe("a loop", () => {
  it("A text is answered by the events of the document, and prompt and answer are in the context and returned", async () => {
    const { order, returned, context, events } = await play({ answers: [{ text: "Hi." }] });
    expect(order).toEqual([
      "AgentStart",
      "TurnStart",
      "MessageStart user",
      "MessageEnd user",
      "MessageStart assistant",
      "MessageUpdate assistant",
      "MessageEnd assistant",
      "TurnEnd",
      "AgentEnd",
    ]);
    expect(textsOf(returned)).toEqual(["user: Hello.", "assistant stop: Hi."]);
    expect(context.messages).toEqual(returned);
    expect(events[0]).toMatchObject({
      type: "AgentStart",
      agent_id: context.agent_id,
      session_id: context.session_id,
      loop_id: context.loop_id,
      parent_loop_id: null,
      continuation_kind: null,
    });
    expect(events.find(({ type }) => type === "TurnStart")).toMatchObject({ turn_index: 0, triggered_by: "User" });
  });

  it("A call runs between the answer and the end of its turn, and its result is sent with the next request", async () => {
    const { order, returned, provider } = await play({
      answers: [{ tool_calls: [call("echo", { text: "a" })] }, { text: "Done." }],
      tools: [echo],
    });
    const first = order.slice(order.indexOf("MessageEnd assistant") + 1, order.indexOf("TurnEnd") + 1);
    expect(first).toEqual([
      "ToolExecutionStart",
      "ToolExecutionEnd",
      "MessageStart toolResult",
      "MessageEnd toolResult",
      "TurnEnd",
    ]);
    expect(textsOf(returned)).toEqual([
      "user: Hello.",
      "assistant toolUse: <toolCall>",
      "toolResult: echo a",
      "assistant stop: Done.",
    ]);
    expect(provider.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult"]);
  });

  it("Results of parallel calls are in the order of the calls", async () => {
    let release = (): void => undefined;
    const paused = new Promise<void>((resolve) => (release = resolve));
    const slow = createTool({
      name: "slow",
      description: "",
      parameters: object,
      execute: () => paused.then(() => "slow"),
    });
    const fast = createTool({ name: "fast", description: "", parameters: object, execute: () => (release(), "fast") });
    const { returned, events } = await play({
      answers: [{ tool_calls: [call("slow"), call("fast")] }, { text: "Done." }],
      tools: [slow, fast],
    });
    expect(textsOf(returned).slice(2, 4)).toEqual(["toolResult: slow", "toolResult: fast"]);
    const end = events.find(({ type }) => type === "TurnEnd");
    expect(end?.type === "TurnEnd" && textsOf(end.tool_results)).toEqual(["toolResult: slow", "toolResult: fast"]);
  });

  it.each([
    ["throws an error", () => Promise.reject(new Error("oops")), "oops"],
    ["throws a ToolError", () => Promise.reject(ToolError.invalidArgs("no city")), "no city"],
    ["was cancelled", () => Promise.reject(ToolError.cancelled()), "Cancelled."],
    ["returns nothing", () => undefined as never, "returned nothing"],
    ["returns a list", () => [] as never, "returned"],
    [
      "returns blocks of another form",
      () => ({ content: [{ type: "video" }], details: null }) as never,
      "neither text nor an image",
    ],
    ["returns a value without JSON", () => ({ content: [], details: new Map() }) as never, "has no JSON form"],
  ])("A tool that %s leaves one error result that the model reads", async (_what, execute, text) => {
    const tool = { ...echo, execute: execute as never };
    const { returned } = await play({ answers: [{ tool_calls: [call("echo")] }, { text: "Done." }], tools: [tool] });
    expect(textsOf(returned)).toHaveLength(4);
    expect(textsOf(returned)[2]).toContain("toolResult error: ");
    expect(textsOf(returned)[2]).toContain(text);
  });

  it("A call of an unknown tool is answered with the text of the document", async () => {
    const { returned } = await play({ answers: [{ tool_calls: [call("nothing")] }, { text: "Done." }], tools: [echo] });
    expect(textsOf(returned)[2]).toBe("toolResult error: Tool nothing not found");
  });

  it("Images, details and partial results of a tool reach events and messages as the tool made them", async () => {
    const image = { type: "image" as const, data: "AAAA", mime_type: "image/png" };
    const draw = createTool({
      name: "draw",
      description: "",
      parameters: object,
      execute(_params, { on_update, on_progress, tool_call_id }) {
        on_progress("drawing");
        on_update({ content: [{ type: "text", text: "half" }], details: { part: 1 } });
        return { content: [{ type: "text", text: "whole" }, image], details: { id: tool_call_id.length > 0 } };
      },
    });
    const { returned, events, provider } = await play({
      answers: [{ tool_calls: [call("draw")] }, { text: "Done." }],
      tools: [draw],
    });
    expect(events.filter(({ type }) => type === "ProgressMessage")).toMatchObject([
      { text: "drawing", tool_name: "draw" },
    ]);
    expect(events.filter(({ type }) => type === "ToolExecutionUpdate")).toMatchObject([
      { partial_result: { content: [{ type: "text", text: "half" }], details: { part: 1 } } },
    ]);
    expect(events.find(({ type }) => type === "ToolExecutionEnd")).toMatchObject({
      result: { content: [{ type: "text", text: "whole" }, image], details: { id: true } },
      is_error: false,
      child_loop_id: null,
    });
    expect(returned[2]).toMatchObject({ role: "toolResult", content: [{ type: "text", text: "whole" }, image] });
    expect(provider.requests[1]?.messages[2]).toMatchObject({ content: [{ type: "text" }, image] });
  });

  it("Messages of the application stay in the context and are not sent", async () => {
    const { provider, context } = await play({
      answers: [{ text: "Hi." }],
      context: { messages: [extensionMessage("note", { a: 1 })] },
    });
    expect(provider.requests[0]?.messages.map(({ role }) => role)).toEqual(["user"]);
    expect(context.messages.map(({ role }) => role)).toEqual(["extension", "user", "assistant"]);
  });

  it("A failed answer is a message with the error, the hook receives its text, and the loop ends", async () => {
    const errors: string[] = [];
    const { returned, order } = await play({
      answers: [{ error: ProviderError.api("out of order") }],
      config: { onError: (text) => void errors.push(text) },
    });
    expect(returned.at(-1)).toMatchObject({ role: "assistant", content: [], stop_reason: "error" });
    expect(errors).toEqual([expect.stringContaining("out of order")]);
    expect(order.slice(-4)).toEqual(["MessageStart assistant", "MessageEnd assistant", "TurnEnd", "AgentEnd"]);
  });

  it("A loop that is cancelled in a call ends its turn, and requests nothing more", async () => {
    const cancel = new CancellationToken();
    let received: CancellationToken | undefined;
    const waits = createTool({
      name: "waits",
      description: "",
      parameters: object,
      execute: (_params, ctx) => {
        received = ctx.cancel;
        cancel.cancel();
        return new Promise(() => undefined);
      },
    });
    const { returned, provider, order } = await play({
      answers: [{ tool_calls: [call("waits")] }, { text: "never" }],
      tools: [waits],
      cancel,
    });
    expect(received?.isCancelled()).toBe(true);
    expect(provider.requests).toHaveLength(1);
    expect(textsOf(returned)[2]).toBe("toolResult error: Cancelled.");
    expect(order.slice(-2)).toEqual(["TurnEnd", "AgentEnd"]);
  });

  it("A loop that is cancelled before it begins emits its start and its end alone", async () => {
    const { order, provider } = await play({ answers: [{ text: "never" }], cancel: AbortSignal.abort() });
    expect(order).toEqual(["AgentStart", "MessageStart user", "MessageEnd user", "AgentEnd"]);
    expect(provider.requests).toHaveLength(0);
  });
});

describe("a loop that continues", () => {
  const ids = { agent_id: "agent", session_id: "session" };

  it("A loop that continues answers the last message of the context without adding it again", async () => {
    const { returned, order, events } = await play({
      answers: [{ text: "Hi." }],
      isContinued: true,
      context: { ...ids, messages: [userMessage("Hello.")], parent_loop_id: "a.b.1", continuation_kind: "Default" },
    });
    expect(textsOf(returned)).toEqual(["assistant stop: Hi."]);
    expect(order.slice(0, 3)).toEqual(["AgentStart", "TurnStart", "MessageStart assistant"]);
    expect(events[0]).toMatchObject({ parent_loop_id: "a.b.1", continuation_kind: "Default" });
    expect(events[1]).toMatchObject({ triggered_by: "Continuation" });
  });

  it("The first turn of a branch has the trigger Branch", async () => {
    const { events } = await play({
      answers: [{ tool_calls: [call("echo")] }, { text: "Hi." }],
      tools: [echo],
      isContinued: true,
      context: {
        ...ids,
        messages: [userMessage("Hello.")],
        continuation_kind: { Branch: { tag: "2026-01-01T00:00:00Z" } },
      },
    });
    expect(events.filter(({ type }) => type === "TurnStart")).toMatchObject([
      { triggered_by: "Branch" },
      { triggered_by: "Continuation" },
    ]);
  });

  it.each([
    ["without agent_id", { agent_id: undefined }, /requires context.agent_id to be set/],
    ["without session_id", { session_id: undefined }, /requires context.session_id to be set/],
    ["without messages", { messages: [] }, /requires messages/],
    [
      "after an answer",
      { messages: [userMessage("Hello."), { ...userMessage("Hi."), role: "assistant" } as never] },
      /after an answer/,
    ],
  ])("A loop that continues %s is refused before anything is sent", async (_what, context, message) => {
    const promise = play({
      answers: [{ text: "never" }],
      isContinued: true,
      context: { ...ids, messages: [userMessage("Hello.")], ...context },
    });
    await expect(promise).rejects.toThrow(message);
  });
});

describe("two loops", () => {
  it("A second loop with a context in use is refused, and the context can be used again when the first loop has ended", async () => {
    const context = { system_prompt: "", messages: [], tools: [] };
    const run = (answers: MockResponse[]) =>
      agentLoop(
        [userMessage("Hello.")],
        context,
        { modelConfig: ModelConfig.anthropic("m", "M", "key"), providerOverride: new MockProvider(answers) },
        channel().tx,
      );
    const first = run([{ text: "One." }]);
    await expect(run([{ text: "never" }])).rejects.toThrow("Another loop uses this context.");
    await first;
    await run([{ text: "Two." }]);
    expect(textsOf(context.messages)).toEqual([
      "user: Hello.",
      "assistant stop: One.",
      "user: Hello.",
      "assistant stop: Two.",
    ]);
  });
});

describe("wrong options", () => {
  it.each([
    ["maxToken", { maxToken: 1 }, /There is no option `maxToken`/],
    ["maxTokens", { maxTokens: -1 }, /`maxTokens` is -1/],
    ["temperature", { temperature: Number.NaN }, /`temperature` is NaN/],
    ["toolExecution", { toolExecution: { Batched: { size: 0 } } }, /`toolExecution.Batched.size` is 0/],
    ["member of toolExecution", { toolExecution: { Batched: { size: 1, more: 1 } } }, /`toolExecution` is/],
    ["member next to Batched", { toolExecution: { Batched: { size: 1 }, more: 1 } }, /`toolExecution` is/],
    ["beforeTurn", { beforeTurn: "yes" }, /`beforeTurn` is yes\. It has to be a function/],
    ["inputFilters", { inputFilters: [() => "Pass"] }, /`inputFilters\[0\]`/],
    ["getSteeringMessages", { getSteeringMessages: async () => [] }, /has to be synchronous/],
    [
      "executionLimits",
      { executionLimits: { max_turns: -1, max_total_tokens: 1, max_duration: { secs: 1 } } },
      /max_turns/,
    ],
    ["compactionStrategy", { compactionStrategy: { compact: () => [] } }, /needs `contextConfig`/],
  ])("A wrong %s is refused by its name before anything is sent", async (_name, config, message) => {
    await expect(play({ answers: [{ text: "never" }], config: config as never })).rejects.toThrow(message);
  });

  it.each([
    ["of one name", [echo, echo], /Two tools have the name "echo"/],
    ["without a schema", [{ ...echo, parametersSchema: () => undefined as never }], /"echo" has no schema/],
    ["without a function", [{ ...echo, execute: undefined as never }], /no function `execute`/],
  ])("Tools %s are refused", async (_what, tools, message) => {
    await expect(play({ answers: [{ text: "never" }], tools })).rejects.toThrow(message);
  });
});
