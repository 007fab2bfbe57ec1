// Messages that arrive while a loop works, and the filters of users' messages.

import { describe, expect, it } from "vitest";

import { createTool, userMessage } from "#facade/phi/index.ts";
import type { AgentMessage } from "#facade/phi/index.ts";

import { play, textsOf } from "./support/play.ts";

const echo = createTool({
  name: "echo",
  description: "Returns its text",
  parameters: { type: "object", properties: { text: { type: "string" } } },
  execute: ({ text }) => `echo ${text as string}`,
});
const call = (name: string, args: Record<string, string> = {}) => ({ name, arguments: args });

describe("messages that arrive while a loop works", () => {
  const queue = (texts: string[][]) => () => texts.shift()?.map((text) => userMessage(text)) ?? [];

  it("A message that waits before the first request joins the first turn", async () => {
    const { returned } = await play({
      answers: [{ text: "Hi." }],
      config: { getSteeringMessages: queue([["Quick."]]) },
    });
    expect(textsOf(returned)).toEqual(["user: Hello.", "user: Quick.", "assistant stop: Hi."]);
  });

  it.each([
    ["Sequential", "Sequential" as const, ["echo 1", "Skipped", "Skipped", "Skipped"]],
    ["Batched", { Batched: { size: 2 } }, ["echo 1", "echo 2", "Skipped", "Skipped"]],
    ["Parallel", "Parallel" as const, ["echo 1", "echo 2", "echo 3", "echo 4"]],
  ])(
    "In the mode %s a message that arrives after the first call or group skips the calls that have not begun",
    async (_mode, toolExecution, results) => {
      const { returned, context } = await play({
        answers: [{ tool_calls: ["1", "2", "3", "4"].map((text) => call("echo", { text })) }, { text: "Done." }],
        tools: [echo],
        config: { toolExecution, getSteeringMessages: queue([[], ["Stop."]]) },
      });
      const texts = textsOf(returned);
      expect(texts.slice(2, 6).map((text) => text.replace(/^toolResult(?: error)?: (\w+(?: \d)?).*$/, "$1"))).toEqual(
        results,
      );
      expect(texts.slice(6)).toEqual(["user: Stop.", "assistant stop: Done."]);
      expect(context.messages).toEqual(returned);
    },
  );

  it("A skipped call has the text of the document", async () => {
    const { returned } = await play({
      answers: [{ tool_calls: [call("echo"), call("echo")] }, { text: "Done." }],
      tools: [echo],
      config: { toolExecution: "Sequential", getSteeringMessages: queue([[], ["Stop."]]) },
    });
    expect(textsOf(returned)[3]).toBe("toolResult error: Skipped due to queued user message.");
  });

  it("A follow-up begins another turn where the loop would end", async () => {
    const { returned, events } = await play({
      answers: [{ text: "One." }, { text: "Two." }],
      config: { getFollowUpMessages: queue([["And then?"]]) },
    });
    expect(textsOf(returned)).toEqual([
      "user: Hello.",
      "assistant stop: One.",
      "user: And then?",
      "assistant stop: Two.",
    ]);
    expect(events.filter(({ type }) => type === "TurnStart")).toMatchObject([
      { triggered_by: "User" },
      { triggered_by: "Continuation" },
    ]);
  });

  it("A function of a queue that returns a promise ends the loop with an error that names it, and nothing is sent", async () => {
    const { returned, provider } = await play({
      answers: [{ text: "never" }],
      config: { getSteeringMessages: (() => Promise.resolve([])) as never },
    });
    expect(provider.requests).toHaveLength(0);
    expect(returned.at(-1)).toMatchObject({ error_message: expect.stringMatching(/getSteeringMessages.*a promise/) });
  });
});

describe("functions that return no messages", () => {
  const wrong = [
    ["nothing", undefined, "it is undefined"],
    ["null", null, "it is null"],
    ["one message", userMessage("Quick."), "it is a value of the type object"],
    ["a list with a text", ["Quick."], "the element 0 is no message"],
  ] as const;

  it.each(
    wrong.flatMap(([what, returned, problem]) =>
      (["getSteeringMessages", "transformContext", "convertToLlm"] as const).map(
        (name) => [name, what, returned, problem] as const,
      ),
    ),
  )(
    "The option %s that returns %s ends the loop with an error of its name, and nothing is sent",
    async (name, _what, given, problem) => {
      const errors: string[] = [];
      const { returned, provider, order } = await play({
        answers: [{ text: "never" }],
        config: { [name]: () => given as never, onError: (error) => void errors.push(error) },
      });
      expect(provider.requests).toHaveLength(0);
      const error_message = `\`${name}\` has to return a list of messages: ${problem}`;
      expect(returned.at(-1)).toMatchObject({
        stop_reason: "error",
        error_message: expect.stringContaining(error_message) as string,
      });
      expect(errors.at(-1)).toContain(error_message);
      expect(order.at(-1)).toBe("AgentEnd");
    },
  );

  it.each(wrong)(
    "A queue of messages that follow and that returns %s ends the loop with an error after its answer",
    async (_what, given, problem) => {
      const { returned, provider } = await play({
        answers: [{ text: "One." }, { text: "never" }],
        config: { getFollowUpMessages: () => given as never },
      });
      expect(provider.requests).toHaveLength(1);
      expect(returned.at(-1)).toMatchObject({
        error_message: expect.stringContaining(`\`getFollowUpMessages\` has to return a list of messages: ${problem}`),
      });
    },
  );

  it("An empty list of a queue or of a function that changes the messages is accepted", async () => {
    const { returned, provider } = await play({
      answers: [{ text: "Hi." }],
      config: { getSteeringMessages: () => [], getFollowUpMessages: () => [], transformContext: () => [] },
    });
    expect(textsOf(returned)).toEqual(["user: Hello.", "assistant stop: Hi."]);
    expect(provider.requests[0]?.messages).toEqual([]);
  });
});

describe("filters", () => {
  const rejects = { filter: (text: string) => (text.includes("bad") ? { Reject: "no bad words" } : ("Pass" as const)) };

  it("A rejected prompt emits its start, the rejection and the end, and nothing is sent", async () => {
    const { order, returned, provider, events, context } = await play({
      answers: [{ text: "never" }],
      prompts: [userMessage("bad")],
      config: { inputFilters: [rejects] },
    });
    expect(order).toEqual(["AgentStart", "InputRejected", "AgentEnd"]);
    expect(events.at(-1)).toMatchObject({ messages: [], rejection: "no bad words" });
    expect(returned).toEqual([]);
    expect(context.messages).toEqual([]);
    expect(provider.requests).toHaveLength(0);
  });

  it("Warnings are a text at the end of the last prompt, and the caller's message is not changed", async () => {
    const prompt = userMessage("hm");
    const { returned } = await play({
      answers: [{ text: "Hi." }],
      prompts: [prompt],
      config: { inputFilters: [{ filter: () => ({ Warn: "unclear" }) }, { filter: () => ({ Warn: "short" }) }] },
    });
    expect(textsOf(returned)[0]).toBe("user: hm|[Warning: unclear]\n[Warning: short]");
    expect(prompt.content).toHaveLength(1);
  });

  it("A rejected message that steers is dropped, and the loop goes on", async () => {
    const waiting: AgentMessage[] = [userMessage("bad"), userMessage("good")];
    const { returned, events } = await play({
      answers: [{ text: "Hi." }],
      config: { inputFilters: [rejects], getSteeringMessages: () => waiting.splice(0) },
    });
    expect(events.filter(({ type }) => type === "InputRejected")).toHaveLength(1);
    expect(textsOf(returned)).toEqual(["user: Hello.", "user: good", "assistant stop: Hi."]);
  });
});
