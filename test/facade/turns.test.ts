// Turns of UPP over the scripted provider and the real loop: `generate`, and the final turn of `stream`, which is the same.

import { describe, expect, it } from "vitest";

import { createProvider } from "#facade/upp/create-provider.ts";
import { llm } from "#facade/upp/llm.ts";
import type { LLMInstance } from "#facade/upp/llm.ts";
import type { Turn } from "#facade/upp/turn.ts";
import { AssistantMessage, ToolResultMessage, UserMessage } from "#facade/upp/upp-message.ts";
import { Thread } from "#facade/upp/upp-thread.ts";
import type { ToolParams } from "#facade/upp/upp-tool.ts";

import { add, call, gate, instance, outline, rejection, tool } from "./support/scripted-llm.ts";

type Input = Parameters<LLMInstance["generate"]>;
type Way = (model: LLMInstance, ...input: Input) => Promise<Turn>;

const generated: Way = (model, ...input) => model.generate(...input);

/** Reads every event, then takes the turn. */
const streamed: Way = async (model, ...input) => {
  const stream = model.stream(...input);
  for await (const _ of stream);
  return stream.turn;
};

/** Takes the turn without reading an event. */
const unread: Way = (model, ...input) => model.stream(...input).turn;

describe.each([
  ["generate", generated],
  ["a stream that is read", streamed],
  ["a stream that is not read", unread],
])("%s", (_name, turnOf) => {
  it("A turn contains the input and each answer with its tool results, and counts cycles, tool executions and tokens", async () => {
    const script = [
      {
        text: "Adding.",
        toolCalls: [call("add", { a: 1, b: 2 }), call("add", { a: 3, b: 4 })],
        usage: { input: 10, output: 5 },
      },
      { text: "3 and 7.", usage: { input: 20, output: 6, cacheRead: 4 } },
    ];
    const turn = await turnOf(instance(script, { tools: [add] }), "Add.");
    expect(outline(turn.messages)).toEqual([
      "user: Add.",
      'assistant: Adding. [add {"a":1,"b":2}] [add {"a":3,"b":4}]',
      "results: 3, 7",
      "assistant: 3 and 7.",
    ]);
    expect(turn.response).toBe(turn.messages.at(-1));
    expect(turn.cycles).toBe(2);
    expect(turn.toolExecutions).toMatchObject([
      { toolName: "add", arguments: { a: 1, b: 2 }, result: 3, isError: false, duration: expect.any(Number) },
      { toolName: "add", arguments: { a: 3, b: 4 }, result: 7, isError: false },
    ]);
    const cycles = [
      { inputTokens: 10, outputTokens: 5, totalTokens: 15, cacheReadTokens: 0, cacheWriteTokens: 0 },
      { inputTokens: 20, outputTokens: 6, totalTokens: 30, cacheReadTokens: 4, cacheWriteTokens: 0 },
    ];
    expect(turn.usage).toEqual({
      inputTokens: 30,
      outputTokens: 11,
      totalTokens: 45,
      cacheReadTokens: 4,
      cacheWriteTokens: 0,
      cycles,
    });
    const ids = turn.messages.map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4/);
  });

  it("A request contains the history, given as a list or as a thread, and the returned turn contains only the new messages", async () => {
    const requests: string[][] = [];
    const script = ({ messages, system }: { messages: { role: string; content: string }[]; system: string }) => {
      requests.push([system, ...messages.map(({ role, content }) => `${role}: ${content}`)]);
      return { text: "Yes." };
    };
    const history = [
      new UserMessage("One"),
      new AssistantMessage("Two", [{ toolCallId: "call-1", toolName: "add", arguments: { a: 1 } }]),
      new ToolResultMessage([{ toolCallId: "call-1", result: { sum: 1 } }]),
      new AssistantMessage("Three"),
    ];
    const model = instance(script, { system: "Be brief." });
    const turn = await turnOf(model, history, "Four");
    await turnOf(model, new Thread(history), new UserMessage("Four"));
    const expected = ["Be brief.", "user: One", "assistant: Two", 'tool: {"sum":1}', "assistant: Three", "user: Four"];
    expect(requests).toEqual([expected, expected]);
    expect(outline(turn.messages)).toEqual(["user: Four", "assistant: Yes."]);
  });

  it("Adjacent texts and content blocks in the input of a turn become one user message", async () => {
    const image = {
      type: "image",
      source: { type: "bytes", data: new Uint8Array([1, 2]) },
      mimeType: "image/png",
    } as const;
    const script = ({ messages }: { messages: { attachments?: { size: number }[] }[] }) => ({
      text: `${messages.length} ${messages[0]?.attachments?.[0]?.size}`,
    });
    const turn = await turnOf(instance(script), "What is this?", image);
    expect(turn.messages).toHaveLength(2);
    expect(turn.messages[0]).toMatchObject({ type: "user", content: [{ text: "What is this?" }, image] });
    expect(turn.response.text).toBe("1 2");
  });

  it("Reasoning is sent again with its signature in a later turn", async () => {
    const received: unknown[] = [];
    const script = ({ messages }: { messages: { thinking?: unknown }[] }) => {
      received.push(messages.flatMap(({ thinking }) => thinking ?? []));
      return { thinking: "Hm.", signature: "sig-1", text: "So." };
    };
    const model = instance(script);
    const thread = new Thread();
    thread.append(await turnOf(model, "One"));
    const restored = Thread.fromJSON(JSON.parse(JSON.stringify(thread)));
    const second = await turnOf(model, restored, "Two");
    expect(second.response.reasoning).toEqual([{ type: "reasoning", text: "Hm." }]);
    expect(received).toEqual([[], [{ text: "Hm.", signature: "sig-1" }]]);
  });

  it("With maxIterations 0, the turn contains the calls of the answer, and no tool runs", async () => {
    const turn = await turnOf(
      instance([{ toolCalls: [call("never")] }], { tools: [tool("never", fail)], toolStrategy: { maxIterations: 0 } }),
      "Go.",
    );
    expect(turn.response.toolCalls).toMatchObject([{ toolName: "never", arguments: {} }]);
    expect([turn.messages.length, turn.toolExecutions.length, turn.cycles]).toEqual([2, 0, 1]);
  });

  it("If an answer calls tools after the last allowed round, onMaxIterations is called, and the turn ends with INVALID_REQUEST", async () => {
    const reached: number[] = [];
    let ran = 0;
    const count = tool("count", () => (ran += 1));
    const toolStrategy = { maxIterations: 2, onMaxIterations: (rounds: number) => void reached.push(rounds) };
    const model = instance(() => ({ toolCalls: [call("count")] }), { tools: [count], toolStrategy });
    expect(await rejection(turnOf(model, "Go."))).toMatchObject({ code: "INVALID_REQUEST", provider: "scripted" });
    expect([ran, reached]).toEqual([2, [2]]);
  });

  it.each([
    ["Infinity", Infinity, 25],
    ["the default", undefined, 10],
  ])("With maxIterations %s a turn may have many rounds of calls", async (_iterations, maxIterations, rounds) => {
    const script = ({ step }: { step: number }) => (step < rounds ? { toolCalls: [call("add")] } : { text: "Done." });
    const toolStrategy = maxIterations === undefined ? {} : { maxIterations };
    const turn = await turnOf(instance(script, { tools: [add], toolStrategy }), "Go.");
    expect([turn.cycles, turn.toolExecutions.length]).toEqual([rounds + 1, rounds]);
  });

  it("A structured answer is parsed into the turn's data, and is not validated against its schema", async () => {
    const structure = { type: "object", properties: { answer: { type: "number" } }, required: ["answer"] } as const;
    const turn = await turnOf(instance([{ text: '{"answer":"no number"}' }], { structure }), "How much?");
    expect(turn.data).toEqual({ answer: "no number" });
    const plain = await turnOf(instance([{ text: '{"answer":1}' }]), "How much?");
    expect("data" in plain).toBe(false);
  });

  it("If a tool throws, onError is called, and the model reads an error result", async () => {
    const errors: unknown[] = [];
    const script = ({ step, messages }: { step: number; messages: { content: string }[] }) =>
      step === 0
        ? { toolCalls: [call("broken", { a: 1 }), call("absent")] }
        : {
            text: messages
              .slice(-2)
              .map(({ content }) => content)
              .join(" | "),
          };
    const broken = tool("broken", () => {
      throw new Error("It broke.");
    });
    const toolStrategy = { onError: (...given: unknown[]) => void errors.push(given) };
    const turn = await turnOf(instance(script, { tools: [broken], toolStrategy }), "Go.");
    expect(turn.response.text).toMatch(/^It broke\. \| There is no tool named "absent"/);
    expect(errors).toEqual([[broken, { a: 1 }, new Error("It broke.")]]);
    expect(turn.toolExecutions).toMatchObject([{ toolName: "broken", result: "It broke.", isError: true }]);
    expect(turn.messages[2]).toMatchObject({ results: [{ result: "It broke.", isError: true }, { isError: true }] });
  });

  it("The functions of the tool strategy are called in order, and can replace the arguments and the result of a call", async () => {
    const log: string[] = [];
    const echo = tool("echo", (params) => log.push(`run ${JSON.stringify(params)}`) && params, {
      approval: (params) => log.push(`approval ${JSON.stringify(params)}`) > 0,
    });
    const toolStrategy = {
      onToolCall: (_: unknown, params: ToolParams) => void log.push(`onToolCall ${JSON.stringify(params)}`),
      onBeforeCall: (_: unknown, params: ToolParams) => {
        log.push(`onBeforeCall ${JSON.stringify(params)}`);
        return { proceed: true, params: { a: 2 } };
      },
      onAfterCall: (_: unknown, params: ToolParams, result: unknown) => {
        log.push(`onAfterCall ${JSON.stringify([params, result])}`);
        return { result: "changed" };
      },
    };
    const model = instance([{ toolCalls: [call("echo", { a: 1 })] }, { text: "Done." }], {
      tools: [echo],
      toolStrategy,
    });
    const turn = await turnOf(model, "Go.");
    expect(log).toEqual([
      'onToolCall {"a":1}',
      'onBeforeCall {"a":1}',
      'approval {"a":2}',
      'run {"a":2}',
      'onAfterCall [{"a":2},{"a":2}]',
    ]);
    expect(turn.toolExecutions).toMatchObject([
      { arguments: { a: 2 }, result: "changed", approved: true, isError: false },
    ]);
    expect(turn.messages[2]).toMatchObject({ results: [{ result: "changed" }] });
  });

  it("A call does not run if onBeforeCall or the approval refuses it, and its result is an error", async () => {
    const tools = [tool("skipped", fail), tool("denied", fail, { approval: () => Promise.resolve(false) })];
    const toolStrategy = { onBeforeCall: ({ name }: { name: string }) => name !== "skipped" };
    const script = [{ toolCalls: [call("skipped"), call("denied")] }, { text: "Done." }];
    const turn = await turnOf(instance(script, { tools, toolStrategy }), "Go.");
    expect(turn.toolExecutions).toMatchObject([
      { result: 'The call of "skipped" was skipped.', isError: true },
      { result: 'The call of "denied" was denied.', isError: true, approved: false },
    ]);
    expect(turn.toolExecutions[0]?.approved).toBeUndefined();
  });

  it.each(["approval", "onToolCall", "onBeforeCall", "onAfterCall", "onError"])(
    "An exception of %s ends the turn and is thrown unchanged",
    async (where) => {
      const thrown = new Error(`From ${where}.`);
      const raise = () => {
        throw thrown;
      };
      const run = where === "onError" ? fail : () => "ok";
      const tools = [tool("one", run, where === "approval" ? { approval: raise } : {})];
      let requests = 0;
      const script = () => ({ toolCalls: (requests += 1) > 0 ? [call("one")] : [] });
      const toolStrategy = where === "approval" ? {} : { [where]: raise };
      expect(await rejection(turnOf(instance(script, { tools, toolStrategy }), "Go."))).toBe(thrown);
      expect(requests).toBe(1);
    },
  );

  it("An abort fires the signal of the running tool, skips the calls that wait for this tool, and ends the turn with CANCELLED", async () => {
    const { passed: started, open } = gate();
    const abort = new AbortController();
    const reasons: unknown[] = [];
    const hangs = tool("hangs", (_params, { signal }) => {
      open();
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          reasons.push(signal.aborted);
          reject(new Error("aborted"));
        });
      });
    });
    let ran = false;
    const later = tool("later", () => (ran = true), { dependsOn: ["hangs"] });
    const script = [{ toolCalls: [call("hangs"), call("later")] }, { text: "Never." }];
    const ended = rejection(turnOf(instance(script, { tools: [hangs, later], signal: abort.signal }), "Go."));
    await started;
    abort.abort();
    expect(await ended).toMatchObject({ name: "UPPError", code: "CANCELLED", provider: "scripted" });
    expect([reasons, ran]).toEqual([[true], false]);
  });

  it("Calls of one answer run at the same time, and the calls of a sequential tool run before them", async () => {
    const log: string[] = [];
    const both = gate();
    let running = 0;
    const meet = tool("meet", async () => {
      if ((running += 1) === 2) both.open();
      await both.passed;
      log.push("met");
    });
    const alone = tool("alone", () => log.push("alone"), { sequential: true });
    const script = [{ toolCalls: [call("meet"), call("meet"), call("alone")] }, { text: "Done." }];
    await turnOf(instance(script, { tools: [meet, alone] }), "Go.");
    expect(log).toEqual(["alone", "met", "met"]);
  });

  it("A failed request is repeated only as the retry strategy decides, and the turn has no text of a failed attempt", async () => {
    const answers = () => [
      { text: "Half", error: { status: 503, message: "Overloaded." } },
      { error: { status: 429, message: "Slow down." } },
      { text: "Whole." },
    ];
    const requested: unknown[] = [];
    const retryStrategy = {
      onRetry({ code, statusCode }: { code: string; statusCode?: number }, attempt: number) {
        requested.push([code, statusCode, attempt]);
        return attempt < 3 ? 1 : null;
      },
    };
    const remaining = answers();
    const model = instance(() => remaining.shift() ?? { text: "Too many requests." }, { config: { retryStrategy } });
    const turn = await turnOf(model, "Go.");
    expect(outline(turn.messages)).toEqual(["user: Go.", "assistant: Whole."]);
    expect(requested).toEqual([
      ["PROVIDER_ERROR", 503, 1],
      ["RATE_LIMITED", 429, 2],
    ]);
    const others = answers();
    const without = instance(() => others.shift() ?? { text: "Too many requests." });
    expect(await rejection(turnOf(without, "Go."))).toMatchObject({ code: "PROVIDER_ERROR", statusCode: 503 });
    expect(others).toHaveLength(2);
  });

  it("A turn ends with CONTENT_FILTERED if the provider filtered the answer, and completes if the answer is empty", async () => {
    const filtered = instance([{ text: "", stopReason: "content_filter" }]);
    expect(await rejection(turnOf(filtered, "Go."))).toMatchObject({ code: "CONTENT_FILTERED" });
    expect((await turnOf(instance([{ text: "" }]), "Go.")).response.text).toBe("");
  });
});

it("Many turns at the same time do not mix their messages", async () => {
  const model = instance(({ messages }) => ({ text: `Answer to ${messages.at(-1)?.content}` }));
  const turns = await Promise.all(Array.from({ length: 300 }, (_, number) => model.generate(`${number}`)));
  expect(turns.map(({ response }) => response.text)).toEqual(turns.map((_, number) => `Answer to ${number}`));
});

it("A model reference is refused if no provider created it", async () => {
  const { model } = instance([{ text: "Hi." }]);
  const { modelId, provider, options, protocol, config } = model;
  expect(() => llm({ model: { modelId, provider, options, protocol, config } })).toThrow(
    expect.objectContaining({
      code: "INVALID_REQUEST",
      message: expect.stringContaining("was not created by a provider"),
    }),
  );
  expect(() => createProvider({ protocol: "pigeon" as "test" })).toThrow(/There is no protocol "pigeon"/);
});

it("An instance with an aborted signal sends no request", async () => {
  let requests = 0;
  const model = instance(() => ({ text: `${(requests += 1)}` }), { signal: AbortSignal.abort(new Error("Closed.")) });
  expect(await rejection(model.generate("Hi."))).toMatchObject({ code: "CANCELLED", cause: new Error("Closed.") });
  expect(requests).toBe(0);
});

function fail(): never {
  throw new Error("This tool must not run.");
}
