// Standard Agents, agents: two models that answer each other.

import { defineAgent, defineTool } from "@standardagents/spec";
import type { AgentDefinition } from "@standardagents/spec";
import { describe, expect, it } from "vitest";

import { anotherPrompt, calling, start } from "./project.ts";

const conclude = defineTool("Ends it", async () => ({ status: "success", result: "agreed" }));
const pass = defineTool("Passes the word", async () => ({
  status: "success",
  result: JSON.stringify({ said: "passed" }),
}));

/** Two sides that count their messages; one may call a tool in its second turn. */
async function talk(agent: Partial<AgentDefinition>, call: { by?: "pro" | "con"; tool?: string } = {}) {
  let turns = 0;
  const { project, thread } = await start({
    tools: { conclude, pass },
    prompts: ["pro", "con", "third"].map((name) =>
      anotherPrompt(name, { includeChat: true, tools: ["conclude", "pass"] }),
    ),
    agent: { type: "dual_ai", maxSessionTurns: 4, sideA: { prompt: "pro" }, sideB: { prompt: "con" }, ...agent },
    script: ({ system, step }) => {
      const name = system.replace("You are ", "").replace(".", "");
      turns += 1;
      const calls = name === call.by && call.tool !== undefined && step === 0 && turns > 2;
      return calls ? calling(call.tool ?? "") : { text: `${name} ${turns}` };
    },
  });
  const events = await thread.say("Begin");
  const answered = (await thread.messages())
    .slice(1)
    .filter(({ role, content }) => role !== "tool" && content !== null);
  return {
    project,
    thread,
    sides: events.flatMap((event) => (event.type === "turn_end" ? [event.side] : [])),
    said: answered.map(({ content }) => content?.split(" ")[0]),
    run: await thread.run(),
  };
}

describe("an agent with two sides", () => {
  it("SAAGENT21 AgentDefinition.type dual_ai means two models that answer each other", async () => {
    expect((await talk({})).sides).toEqual(["a", "b", "a", "b"]);
    expect((await talk({ type: "ai_human" })).sides).toEqual(["a"]);
  });

  it("SAAGENT22 AgentDefinition.maxSessionTurns is the maximum number of turns of both sides together", async () => {
    for (const maxSessionTurns of [1, 3]) {
      const { sides, run } = await talk({ maxSessionTurns });
      expect(sides).toHaveLength(maxSessionTurns);
      expect(run).toMatchObject({ status: "limit", reason: "max_session_turns" });
    }
  });

  it("SAAGENT23 AgentDefinition.sideB is the side that answers second", async () => {
    expect((await talk({ sideB: { prompt: "con" } })).said).toEqual(["pro", "con", "pro", "con"]);
    expect((await talk({ sideB: { prompt: "third" } })).said).toEqual(["pro", "third", "pro", "third"]);
  });

  it.each([
    { name: "A", by: "pro", sides: ["a", "b", "a"] },
    { name: "B", by: "con", sides: ["a", "b", "a", "b"] },
  ] as const)(
    "SAAGENT24 SideConfig.endSessionTool of side $name ends the session for both sides",
    async ({ name, by, sides }) => {
      const side = { prompt: by, endSessionTool: "conclude" };
      const ended = await talk(name === "A" ? { sideA: side } : { sideB: side }, { by, tool: "conclude" });
      expect(ended.run).toMatchObject({ status: "completed", reason: "end_session_tool" });
      expect(ended.sides).toEqual(sides);
      const other = await talk({}, { by, tool: "conclude" });
      expect(other.run).toMatchObject({ status: "limit", reason: "max_session_turns" });
    },
  );

  it("SAAGENT25 SideConfig.stopTool ends the turn of its side alone, and the other side receives the outcome", async () => {
    const sideA = { prompt: "pro", stopTool: "pass", stopToolResponseProperty: "said" };
    const { project, run } = await talk({ sideA }, { by: "pro", tool: "pass" });
    expect(run).toMatchObject({ status: "limit", reason: "max_session_turns" });
    const last = project.requests.findLast(({ system }) => system === "You are con.");
    expect(last?.lastUser).toBe("passed");
  });

  it("SAAGENT26 An agent with two sides in a prompt's tools works in a child thread, and its outcome is the result", async () => {
    const debate = defineAgent({
      name: "debate",
      type: "dual_ai",
      maxSessionTurns: 2,
      sideA: { prompt: "pro" },
      sideB: { prompt: "con" },
      toolDescription: "Debates",
    });
    const { thread } = await start({
      agents: [debate],
      prompt: { tools: ["debate"] },
      prompts: [anotherPrompt("pro"), anotherPrompt("con")],
      script: ({ system, step }) => {
        if (system !== "You are a test.") return { text: `${system} speaks` };
        return step === 0 ? calling("debate", { task: "Cats?" }) : { text: "decided" };
      },
    });
    await thread.say("Ask them");
    expect(await thread.result()).toMatchObject({ status: "success", result: "You are con. speaks" });
    expect(await thread.run()).toMatchObject({ status: "completed", text: "decided" });
    expect((await thread.messages()).map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  });
});
