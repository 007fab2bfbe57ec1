// The reporter: a prompt that is called as a tool, twice in one step.

import { expect, it } from "vitest";

import { settledMessages } from "../../../support/http-client/transcript.ts";
import type { SuiteServer } from "../suite-server.ts";

export function researcher(use: () => SuiteServer): void {
  it("The researcher demo runs several researchers in parallel as tool calls, and sends only their results to the reporter", async () => {
    const { api } = use();
    const { id } = await api.createThread("reporter");
    const feed = await api.sayForEvents(id, "Write about threads and tools");
    await feed.untilEnd();
    const found = ["A thread is a durable conversation.", "A tool is a file in agents/tools."];

    const messages = await api.messages(id);
    const calls = messages.filter(({ name }) => name === "researcher");
    expect(calls.map(({ content }) => content)).toEqual(found);
    for (const [index, call] of calls.entries()) {
      const own = messages.filter(({ parent_id }) => parent_id === call.id);
      expect(own.map(({ role, depth }) => [role, depth])).toEqual([
        ["user", 1],
        ["assistant", 1],
        ["tool", 1],
        ["assistant", 1],
      ]);
      expect(own[0]?.content).toBe(["What is a thread?", "What is a tool?"][index]);
    }
    expect((await api.messages(id, "&max_depth=0")).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
    ]);
    expect(messages.at(-1)?.content).toBe(["Report", ...found.map((line) => `- ${line}`)].join("\n"));

    const order = feed.events.map(({ type }) => type).filter((type) => type.startsWith("subagent_"));
    expect(order).toEqual(["subagent_start", "subagent_start", "subagent_end", "subagent_end"]);
    expect(settledMessages(feed.view().messages).toSorted(byPosition)).toEqual(messages);

    const [run] = await api.runs(id);
    const spent = messages.reduce((sum, { usage }) => sum + (usage?.total_tokens ?? 0), 0);
    expect(run).toMatchObject({ status: "completed", steps: 2, usage: { total_tokens: spent }, cost: 0 });
    expect(await api.logs(id, "&type=llm_request")).toHaveLength(6);
  });
}

function byPosition(left: { position: string }, right: { position: string }): number {
  return left.position < right.position ? -1 : 1;
}
