// Requirements of phi-core that no play shows: values, defaults, the channel, tokens, queues and aborts.

import { describe, expect, it, vi } from "vitest";

import {
  BasicAgent,
  cacheHitRate,
  CancellationToken,
  channel,
  branchKind,
  createTool,
  defaultCacheConfig,
  ModelConfig,
  rerunKind,
  textResult,
  ToolError,
  userMessage,
} from "#facade/phi/index.ts";
import type { CacheStrategy, ContinuationKind } from "#facade/phi/index.ts";
import { MockProvider } from "#facade/phi/provider/mock-provider.ts";
import type { MockResponse } from "#facade/phi/provider/mock-provider.ts";
import { ProviderError } from "#facade/phi/provider/provider-error.ts";
import type { StreamProvider } from "#facade/phi/provider/stream-provider.ts";

import { play, textsOf } from "./support/play.ts";

const model = () => ModelConfig.anthropic("claude-sonnet-4-5", "Claude", "sk-key");
const agentOf = (answers: MockResponse[]) =>
  new BasicAgent(model()).withProviderOverride(new MockProvider(answers, { strict: true }));
const call = (name: string, args = {}) => ({ name, arguments: args });
const tool = (name: string, execute: Parameters<typeof createTool>[0]["execute"]) =>
  createTool({ name, description: "A tool.", parameters: { type: "object" }, execute });

/** A promise, and the function that resolves it. */
function gate(): { open: () => void; opened: Promise<void> } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open: () => open(), opened };
}

describe("values and defaults", () => {
  it("The hit rate of a cache is its tokens divided by all tokens of the prompt, and 0 without tokens", () => {
    const usage = { input: 60, output: 9, cache_read: 30, cache_write: 10, total_tokens: 109 };
    expect(cacheHitRate(usage)).toBe(0.3);
    expect(cacheHitRate({ input: 0, output: 9, cache_read: 0, cache_write: 0, total_tokens: 9 })).toBe(0);
  });

  it("Each stop reason reaches the answer of a loop by its document's name", async () => {
    for (const stop_reason of ["stop", "length", "error"] as const) {
      const { returned } = await play({ answers: [{ text: "Hi.", stop_reason, error_message: "failed" }] });
      expect(returned.at(-1)).toMatchObject({ role: "assistant", stop_reason });
    }
    const { returned } = await play({ answers: [{ tool_calls: [call("none")] }, { text: "Hi." }] });
    expect(returned[1]).toMatchObject({ stop_reason: "toolUse" });
  });

  it("Marks for the cache are enabled and automatic by default, and a program can name each part", async () => {
    expect(defaultCacheConfig()).toEqual({ enabled: true, strategy: "Auto" });
    const manual = { Manual: { cache_system: true, cache_tools: false, cache_messages: true } };
    for (const strategy of ["Auto", "Disabled", manual] satisfies CacheStrategy[]) {
      const cacheConfig = { enabled: true, strategy };
      const { provider } = await play({ answers: [{ text: "Hi." }], config: { cacheConfig } });
      expect(provider.requests[0]?.cache_config).toEqual(cacheConfig);
    }
  });

  it("A request has the fields of the document, absent options are null, and a tool has its name, description and schema", async () => {
    const { provider } = await play({ answers: [{ text: "Hi." }], tools: [tool("look", () => "")] });
    expect(provider.requests[0]).toMatchObject({
      system_prompt: "",
      max_tokens: null,
      temperature: null,
      tools: [{ name: "look", description: "A tool.", parameters: { type: "object" } }],
    });
  });

  it("Each of the five thinking levels reaches the provider, Off is the default, and another level is refused by name", async () => {
    for (const thinkingLevel of ["Off", "Minimal", "Low", "Medium", "High"] as const) {
      const { provider } = await play({ answers: [{ text: "Hi." }], config: { thinkingLevel } });
      expect(provider.requests[0]?.thinking_level).toBe(thinkingLevel);
    }
    const { provider } = await play({ answers: [{ text: "Hi." }] });
    expect(provider.requests[0]?.thinking_level).toBe("Off");
    const wrong = play({ answers: [], config: { thinkingLevel: "Most" as never } });
    await expect(wrong).rejects.toThrow('The thinking level is "Most".');
  });

  it("The deltas of text, thinking and a call carry their pieces, which together are the blocks of the answer", async () => {
    const inner = new MockProvider([
      { thinking: "Hm.", text: ["Let ", "me look."], tool_calls: [call("look", { at: "here" })] },
      "Done.",
    ]);
    // MockProvider sends no pieces of arguments.
    const provider: StreamProvider = {
      providerId: () => "mock",
      stream: (config, tx, cancel) =>
        inner.stream(
          config,
          {
            send(event) {
              const pieces = event.type === "ToolCallEnd" ? ['{"at"', ':"here"}'] : [];
              for (const delta of pieces) tx.send({ type: "ToolCallDelta", content_index: 2, delta });
              tx.send(event);
            },
          },
          cancel,
        ),
    };
    const { events } = await play({
      answers: [],
      tools: [tool("look", () => "")],
      config: { providerOverride: provider },
    });
    const deltas = events.flatMap((event) => (event.type === "MessageUpdate" ? [event.delta] : [])).slice(0, -1);
    expect(deltas).toEqual([
      { Thinking: { delta: "Hm." } },
      { Text: { delta: "Let " } },
      { Text: { delta: "me look." } },
      { ToolCallDelta: { delta: '{"at"' } },
      { ToolCallDelta: { delta: ':"here"}' } },
    ]);
  });

  it("The kinds of continuations keep their tags through JSON, and reach the start of a loop", async () => {
    const kinds: ContinuationKind[] = ["Default", rerunKind(), branchKind()];
    for (const continuation_kind of kinds) {
      const restored = JSON.parse(JSON.stringify(continuation_kind)) as ContinuationKind;
      expect(restored).toEqual(continuation_kind);
      const { events } = await play({
        answers: [{ text: "Hi." }],
        isContinued: true,
        context: { messages: [userMessage("?")], agent_id: "a", session_id: "s", continuation_kind: restored },
      });
      expect(events[0]).toMatchObject({ type: "AgentStart", continuation_kind });
    }
    const tags = kinds.slice(1).flatMap((kind) => Object.values(kind as object) as { tag: string }[]);
    expect(tags).toHaveLength(2);
    for (const { tag } of tags) expect(new Date(tag).toISOString()).toBe(tag);
  });

  it("The queues of an agent are empty, separate, and read one message at a time by default", () => {
    const agent = agentOf([]);
    expect([agent.steeringQueue, agent.followUpQueue]).toEqual([[], []]);
    expect([agent.steeringMode, agent.followUpMode]).toEqual(["OneAtATime", "OneAtATime"]);
    agent.steer("a");
    expect([agent.steeringQueue.length, agent.followUpQueue.length]).toEqual([1, 0]);
  });

  it("The errors of a tool are texts that the model reads, whatever their kind", async () => {
    const errors = [
      ToolError.failed("oops"),
      ToolError.notFound("look"),
      ToolError.invalidArgs("no city"),
      ToolError.cancelled(),
    ];
    const { returned } = await play({
      answers: [{ tool_calls: errors.map((_error, at) => call(`tool_${at}`)) }, { text: "Done." }],
      tools: errors.map((error, at) =>
        tool(`tool_${at}`, () => {
          throw error;
        }),
      ),
    });
    expect(textsOf(returned.filter(({ role }) => role === "toolResult"))).toEqual([
      "toolResult error: oops",
      "toolResult error: Tool look not found",
      "toolResult error: no city",
      "toolResult error: Cancelled.",
    ]);
    expect(errors.map(({ kind }) => kind)).toEqual(["Failed", "NotFound", "InvalidArgs", "Cancelled"]);
  });

  it("A call that fails names the loop that its tool began, and a call that began no loop or returns another one does not", async () => {
    const work = tool("work", ({ begins, returns, later }, { on_child_loop }) => {
      if (typeof begins === "string") on_child_loop?.(begins);
      const after = Promise.resolve().then(() => {});
      if (typeof later === "string") void after.then(() => {}).then(() => on_child_loop?.(later));
      if (typeof returns !== "string") throw ToolError.failed("broken");
      return { ...textResult("done"), child_loop_id: returns };
    });
    const calls = [
      { begins: "loop-1" },
      {},
      { begins: "loop-2", returns: "loop-3" },
      { later: "loop-4", returns: "loop-5" },
    ];
    const { events } = await play({
      answers: [{ tool_calls: calls.map((args) => call("work", args)) }, "Done."],
      tools: [work],
    });
    const ends = events.flatMap((event) => (event.type === "ToolExecutionEnd" ? [event] : []));
    expect(ends.map(({ child_loop_id, result }) => [child_loop_id, result.child_loop_id])).toEqual([
      ["loop-1", "loop-1"],
      [null, null],
      ["loop-3", "loop-3"],
      ["loop-4", "loop-4"],
    ]);
    const texts = ends.map(({ result }) => result.content);
    expect(texts).toMatchObject([[{ text: "broken" }], [{ text: "broken" }], [{ text: "done" }], [{ text: "done" }]]);
    expect(Object.keys(ends[0]?.result ?? {})).toEqual(["content", "details", "child_loop_id"]);
  });

  it("One loop emits events of all types of the document except a rejection, with deltas of text, thinking and calls", async () => {
    const { events } = await play({
      answers: [
        { thinking: "Hm.", text: "Let me look.", tool_calls: [call("look", { at: "here" })] },
        { text: "Done." },
      ],
      tools: [
        tool("look", (_params, ctx) => {
          ctx.on_progress("looking");
          ctx.on_update(textResult("half"));
          return "all";
        }),
      ],
    });
    expect([...new Set(events.map(({ type }) => type))].toSorted()).toEqual([
      "AgentEnd",
      "AgentStart",
      "MessageEnd",
      "MessageStart",
      "MessageUpdate",
      "ProgressMessage",
      "ToolExecutionEnd",
      "ToolExecutionStart",
      "ToolExecutionUpdate",
      "TurnEnd",
      "TurnStart",
    ]);
    const deltas = events.flatMap((event) => (event.type === "MessageUpdate" ? Object.keys(event.delta) : []));
    expect([...new Set(deltas)]).toEqual(expect.arrayContaining(["Text", "Thinking"]));
  });
});

describe("the channel and tokens", () => {
  it("A channel takes 1,000 events without a reader, and returns them in order", async () => {
    const { tx, rx } = channel();
    for (let index = 0; index < 1000; index += 1) tx.send({ type: "InputRejected", loop_id: "l", reason: `${index}` });
    tx.close();
    const reasons: string[] = [];
    for await (const event of rx) if (event.type === "InputRejected") reasons.push(event.reason);
    expect(reasons).toEqual(Array.from({ length: 1000 }, (_none, index) => `${index}`));
    expect(await rx.recv()).toBeNull();
  });

  it("A token cancels its children and theirs, and never its parent; a signal of the program cancels a token", () => {
    const root = new CancellationToken();
    const child = root.childToken();
    const grandchild = child.childToken();
    const sibling = root.childToken();
    child.cancel();
    expect([root, child, grandchild, sibling].map((token) => token.isCancelled())).toEqual([false, true, true, false]);
    root.cancel();
    expect(sibling.isCancelled()).toBe(true);
    expect(root.childToken().isCancelled()).toBe(true);
    expect(new CancellationToken(AbortSignal.abort()).isCancelled()).toBe(true);
  });

  it("An abort cancels the tokens of all running calls at once", async () => {
    const begun = [gate(), gate()];
    const tokens: CancellationToken[] = [];
    const agent = agentOf([{ tool_calls: [call("a"), call("b")] }]).withTools(
      ["a", "b"].map((name, at) =>
        tool(name, (_params, { cancel }) => {
          tokens.push(cancel);
          begun[at]?.open();
          return new Promise<string>(() => undefined);
        }),
      ),
    );
    const run = agent.prompt("Go.");
    await Promise.all(begun.map(({ opened }) => opened));
    expect(tokens.map((token) => token.isCancelled())).toEqual([false, false]);
    agent.abort();
    expect(tokens.map((token) => token.isCancelled())).toEqual([true, true]);
    await run.done;
  });
});

describe("aborts", () => {
  it("An abort in the middle of an answer keeps its text, and the turn ends with its hook and its events", async () => {
    const hooks: string[] = [];
    const token = new CancellationToken();
    const { returned, order } = await play({
      answers: [{ text: ["Half", " of it"], ends_after: new Promise(() => undefined) }],
      cancel: token,
      config: { afterTurn: () => void hooks.push("afterTurn"), onError: () => void hooks.push("onError") },
      onEvent(event) {
        if (event.type === "MessageUpdate" && "Text" in event.delta && event.delta.Text.delta === " of it")
          token.cancel();
      },
    });
    expect(textsOf(returned)).toEqual(["user: Hello.", "assistant aborted: Half of it"]);
    expect(order.slice(-3)).toEqual(["MessageEnd assistant", "TurnEnd", "AgentEnd"]);
    expect(hooks).toEqual(["afterTurn"]);
  });

  it.each(["before the loop", "in the request", "in the answer", "in a call"])(
    "A loop that is cancelled %s emits AgentEnd exactly once, as its last event",
    async (where) => {
      const token = new CancellationToken();
      if (where === "before the loop") token.cancel();
      const never = new Promise<void>(() => undefined);
      const answer: MockResponse =
        where === "in a call"
          ? { tool_calls: [call("wait")] }
          : where === "in the request"
            ? () => (token.cancel(), { text: "never", begins_after: never })
            : { text: ["a", "b"], ends_after: never };
      const { order, events } = await play({
        answers: [answer],
        tools: [
          tool("wait", () => {
            token.cancel();
            return never.then(() => "");
          }),
        ],
        cancel: token,
        onEvent: (event) => {
          if (where === "in the answer" && event.type === "MessageUpdate") token.cancel();
        },
      });
      expect(order.filter((name) => name === "AgentEnd")).toHaveLength(1);
      expect(events.at(-1)?.type).toBe("AgentEnd");
      expect(order.filter((name) => name === "TurnEnd")).toHaveLength(
        order.filter((name) => name === "TurnStart").length,
      );
    },
  );
});

describe("hooks and requests", () => {
  it("after_turn is called exactly once in a turn that fails, and on_error with its text", async () => {
    const calls: string[] = [];
    await play({
      answers: [{ error: ProviderError.auth("The key was refused.") }],
      config: { afterTurn: () => void calls.push("afterTurn"), onError: (text) => void calls.push(text) },
    });
    expect(calls).toEqual(["The key was refused.", "afterTurn"]);
  });

  it("A first message that transform_context adds is in every request of a loop", async () => {
    const { provider } = await play({
      answers: [{ tool_calls: [call("look")] }, { text: "Done." }],
      tools: [tool("look", () => "seen")],
      config: { transformContext: (messages) => [userMessage("Be brief."), ...messages] },
    });
    expect(provider.requests.map(({ messages }) => textsOf(messages)[0])).toEqual([
      "user: Be brief.",
      "user: Be brief.",
    ]);
  });

  it("A strategy that returns an empty list sends no history", async () => {
    const { provider, context } = await play({
      answers: [{ text: "Hi." }],
      config: { contextConfig: {}, compactionStrategy: { compact: () => [] } },
    });
    expect(provider.requests[0]?.messages).toEqual([]);
    expect(context.messages).toHaveLength(2);
  });

  it("A retry writes one line with the attempt, the maximum, the delay and the error", async () => {
    const lines = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    try {
      await play({
        answers: [ProviderError.network("The connection broke."), { text: "Hi." }],
        config: { retryConfig: { max_retries: 2, initial_delay_ms: 0, backoff_multiplier: 1, max_delay_ms: 0 } },
      });
      const [line] = lines.mock.calls.map(([text]) => String(text)).filter((text) => text.includes("model_retry"));
      expect(JSON.parse(line ?? "{}")).toMatchObject({
        attempt: 1,
        max_retries: 2,
        delay_ms: 0,
        error: "The connection broke.",
      });
    } finally {
      lines.mockRestore();
    }
  });
});
