// The order of the calls of one answer: as the tools declare it, and as the model requests it.

import { setImmediate as nextTick } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { messageFromJSON } from "#facade/upp/message-json.ts";
import type { AssistantMessage } from "#facade/upp/upp-message.ts";
import type { Tool, ToolParams } from "#facade/upp/upp-tool.ts";

import { call, gate, instance, tool } from "./support/scripted-llm.ts";

/** Tools that write their beginning and their end to the log. Other calls may begin between the two. */
function logged(log: string[], ...tools: [name: string, more?: Partial<Tool>][]): Tool[] {
  return tools.map(([name, more]) =>
    tool(
      name,
      async () => {
        log.push(`${name} begins`);
        await nextTick();
        log.push(`${name} ends`);
      },
      more,
    ),
  );
}

/** What a run of calls logs if no two of them overlap. */
const oneByOne = (...names: string[]): string[] => names.flatMap((name) => [`${name} begins`, `${name} ends`]);

/** Runs the calls of one answer. */
async function runCalls(tools: Tool[], calls: ReturnType<typeof call>[], modelOrder = false): Promise<void> {
  await instance([{ toolCalls: calls }, { text: "Done." }], { tools, modelOrder }).generate("Go.");
}

describe("the order that tools declare", () => {
  it("The calls of an answer run at the same time if no tool and no model orders them", async () => {
    const [first, second] = [gate(), gate()];
    const one = tool("one", async () => {
      first.open();
      await second.passed;
    });
    const two = tool("two", async () => {
      second.open();
      await first.passed;
    });
    await runCalls([one, two], [call("one"), call("two")]);
  });

  it("A call of a sequential tool completes before any other call of the same answer begins, whatever the order of the calls in the answer", async () => {
    for (const calls of [
      ["read", "write"],
      ["write", "read"],
    ]) {
      const log: string[] = [];
      const tools = logged(log, ["write"], ["read", { sequential: true }]);
      await runCalls(
        tools,
        calls.map((name) => call(name)),
      );
      expect(log).toEqual(oneByOne("read", "write"));
    }
  });

  it("A sequential tool runs after the tools that it depends on and before all others", async () => {
    const log: string[] = [];
    const tools = logged(log, ["format"], ["write"], ["read", { sequential: true, dependsOn: ["write"] }]);
    await runCalls(tools, [call("format"), call("read"), call("write")]);
    expect(log).toEqual(oneByOne("write", "read", "format"));
  });

  it("All calls run, each after the calls that it depends on, even if the declared orders of two sequential tools contradict each other", async () => {
    const log: string[] = [];
    const tools = logged(
      log,
      ["a", { sequential: true, dependsOn: ["x"] }],
      ["b", { sequential: true, dependsOn: ["y"] }],
      ["x"],
      ["y"],
    );
    await runCalls(tools, [call("a"), call("b"), call("x"), call("y")]);
    expect(log.toSorted()).toEqual(oneByOne("a", "b", "x", "y"));
    expect(log.indexOf("x ends")).toBeLessThan(log.indexOf("a begins"));
    expect(log.indexOf("y ends")).toBeLessThan(log.indexOf("b begins"));
  });

  it("A call waits for the calls of the tools in its tool's dependsOn, and not for tools that the answer does not call", async () => {
    const log: string[] = [];
    const tools = logged(log, ["write_file", { dependsOn: ["read_file", "lint"] }], ["read_file"], ["lint"]);
    await runCalls(tools, [call("write_file"), call("read_file")]);
    expect(log).toEqual(oneByOne("read_file", "write_file"));
  });
});

describe("the order that a model requests", () => {
  const names: [string][] = [["read_file"], ["process"], ["write_file"]];
  const calls = [
    call("write_file", { _after: ["process"] }),
    call("process", { depth: 2, _after: ["3"] }),
    call("read_file"),
  ];

  it("With modelOrder, a call runs after the calls that the model names by tool or by position", async () => {
    const log: string[] = [];
    await runCalls(logged(log, ...names), calls, true);
    expect(log).toEqual(oneByOne("read_file", "process", "write_file"));
  });

  it("With modelOrder, each call in a message lists in `after` the ids of the calls before it, and its tool does not receive the parameter `_after`", async () => {
    const received: ToolParams[] = [];
    const tools = names.map(([name]) => tool(name, (params) => received.push(params)));
    const model = instance([{ toolCalls: calls }, { text: "Done." }], { tools, modelOrder: true });
    const { messages } = await model.generate("Go.");
    const answer = messages[1] as AssistantMessage;
    const [write, process, read] = answer.toolCalls ?? [];
    expect(write?.after).toEqual([process?.toolCallId]);
    expect(process?.after).toEqual([read?.toolCallId]);
    expect(read).not.toHaveProperty("after");
    expect(received).toEqual([{}, { depth: 2 }, {}]);
    expect((messageFromJSON(JSON.parse(JSON.stringify(answer))) as AssistantMessage).toolCalls).toEqual(
      answer.toolCalls,
    );
  });

  it("Later requests contain the calls with `_after` exactly as the model sent it, in this turn and in the next one", async () => {
    const sent: unknown[] = [];
    let answers = 0;
    const script = ({ messages }: { messages: { tool_calls?: unknown }[] }) => {
      sent.push(messages.flatMap(({ tool_calls }) => tool_calls ?? []));
      answers += 1;
      return answers === 1 ? { toolCalls: calls } : { text: "Done." };
    };
    const tools = names.map(([name]) => tool(name, () => ""));
    const model = instance(script, { tools, modelOrder: true });
    const { messages } = await model.generate("Go.");
    await model.generate(messages, "Again.");
    expect(sent[1]).toEqual(sent[2]);
    expect(JSON.stringify(sent[2])).toContain('"_after":["process"]');
  });

  it("If the requested order of calls is a cycle, the calls run one after the other in the order of the answer", async () => {
    const log: string[] = [];
    const cycle = [call("read_file", { _after: ["process"] }), call("process", { _after: ["read_file"] })];
    await runCalls(logged(log, ...names), cycle, true);
    expect(log).toEqual(oneByOne("read_file", "process"));
  });
});
