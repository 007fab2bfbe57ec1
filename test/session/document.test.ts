// The code of the agent API rework plan, adapted to types only: names, order and flow are the plan's.

import { expect, it } from "vitest";

import { createSession, createSimpleTool, execute } from "#session/index.ts";
import type { AgentTool, SessionToolCall, ToolResultInput } from "#session/index.ts";

import { scripted } from "./support/scripted-session.ts";

// "Tool Execution Streaming". The plan writes Type.Object({ query: Type.String() }), which gives this.
const object = (name: string) => ({ type: "object", properties: { [name]: { type: "string" } }, required: [name] });

async function search(query: string): Promise<{ title: string }[]> {
  return Promise.resolve([{ title: `All about ${query}` }, { title: `More about ${query}` }]);
}

const streamingSearchTool: AgentTool<{ query: string }> = {
  name: "search",
  label: "Search",
  parameters: object("query"),
  async *execute(id, { query }) {
    yield { type: "delta", delta: "Searching for: " };
    yield { type: "delta", delta: query };
    yield { type: "delta", delta: "\nResults:\n" };

    let fullOutput = "";
    for (const result of await search(query)) {
      yield { type: "delta", delta: `- ${result.title}\n` };
      fullOutput += `- ${result.title}\n`;
    }

    yield { type: "complete", output: fullOutput, details: { resultCount: 2 } };
  },
};

const calculateTool = createSimpleTool<{ expression: string }>(
  { name: "calculate", label: "Calculate", parameters: object("expression") },
  async (id, { expression }) => {
    const [left = "", right = ""] = expression.split("+");
    const result = await Promise.resolve(Number(left) + Number(right));
    return { output: `${expression} = ${result}`, details: { result } };
  },
);

const remoteTool: AgentTool = { name: "ask_user", label: "Ask", parameters: object("question") };

function executeRemoteTools(calls: SessionToolCall[] = []): Promise<ToolResultInput[]> {
  return Promise.resolve(
    calls.map(({ id, name }) => ({ role: "toolResult", toolCallId: id, toolName: name, content: "Yes." })),
  );
}

it("ENTRY17 The example of the agent API rework plan runs: execute, handle events, answer remote tools, resume", async () => {
  const model = scripted([
    {
      text: "One moment.",
      toolCalls: [
        { name: "search", arguments: { query: "owls" } },
        { name: "calculate", arguments: { expression: "1+2" } },
        { name: "ask_user", arguments: { question: "Go on?" } },
      ],
    },
    { text: "Done." },
  ]);
  const log: string[] = [];

  // "New API Design".
  const session = createSession(
    "session-123",
    { messages: [], tools: [streamingSearchTool, calculateTool, remoteTool] },
    { model },
  );

  const stream = execute(session, { role: "user", content: "Hello" });
  for await (const event of stream) {
    log.push(event.type);
  }

  const result = await stream.result();
  if (result.status === "awaiting_tool_execution") {
    const toolResults = await executeRemoteTools(result.pendingToolCalls);

    const resumeStream = execute(session, toolResults);
    for await (const event of resumeStream) {
      log.push(event.type);
    }

    const finalResult = await resumeStream.result();
    expect(finalResult.status).toBe("completed");
    expect(finalResult.cost).toBeGreaterThan(0);
  }

  expect(result.status).toBe("awaiting_tool_execution");
  expect(log.filter((type) => type.startsWith("session") || type === "awaiting_tool_execution")).toEqual([
    "session_start",
    "awaiting_tool_execution",
    "session_end",
    "session_start",
    "session_end",
  ]);
  expect(session.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "toolResult",
    "toolResult",
    "toolResult",
    "assistant",
  ]);
  expect(session.messages[2]).toMatchObject({
    content: "- All about owls\n- More about owls\n",
    details: { resultCount: 2 },
  });
  expect(session.messages[3]).toMatchObject({ content: "1+2 = 3", details: { result: 3 } });
});
