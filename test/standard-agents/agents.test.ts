// Standard Agents, agents: an agent with one side, and when its turn ends. Agents with two sides are in another file.

import { defineAgent, defineTool } from "@standardagents/spec";
import type { SideConfig, TestTurn } from "@standardagents/spec";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { anotherPrompt, answers, calling, serve, start } from "./project.ts";

const finish = defineTool("Finishes", z.object({ verdict: z.string() }), async () => ({
  status: "success",
  result: JSON.stringify({ score: 7, note: "good" }),
}));
const fail = defineTool("Fails", async () => ({ status: "error", error: "no" }));

/** Sends one message to an agent with this side; returns the run. */
async function run(side: Partial<SideConfig>, ...turns: TestTurn[]) {
  const { thread } = await start({ side, tools: { finish, fail }, script: answers(...turns) });
  await thread.say("Hello");
  return thread.run();
}

/** The agent in the form in which the API returns it. */
async function shown(agent: object) {
  return (await serve({ agent }).fetch("/api/agents/main")).json<Record<string, unknown>>();
}

describe("an agent", () => {
  it("SAAGENT1 defineAgent returns its argument, and the project then has that agent", async () => {
    const options = { name: "made", sideA: { prompt: "main" } };
    const made = defineAgent(options);
    expect(made).toBe(options);
    expect((await serve({ agents: [made] }).fetch("/api/agents/made")).status).toBe(200);
    expect((await serve().fetch("/api/agents/made")).status).toBe(404);
  });

  it("SAAGENT2 An agent's name is used in requests that create a thread", async () => {
    const two = defineAgent({ name: "two", sideA: { prompt: "two" } });
    const project = serve({ agents: [two], prompts: [anotherPrompt("two")] });
    for (const [name, system] of [
      ["main", "You are a test."],
      ["two", "You are two."],
    ] as const) {
      const thread = await project.thread(name);
      expect((await thread.describe()).agent_id).toBe(name);
      await thread.say("Hello");
      expect(project.requests.at(-1)?.system).toBe(system);
    }
    await expect(project.thread("three")).rejects.toThrow(/agent_not_found/);
  });

  it("SAAGENT3 AgentDefinition.title is shown to people, and by default it is the agent's name", async () => {
    expect(await shown({ title: "Customer Support" })).toMatchObject({ name: "main", title: "Customer Support" });
    expect(await shown({})).toMatchObject({ name: "main", title: "main" });
  });

  it("SAAGENT4 AgentDefinition.type ai_human means one model and a person", async () => {
    const project = serve({ agent: { type: "ai_human" } });
    const thread = await project.thread();
    await thread.say("Hello");
    expect((await thread.messages()).map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(await shown({ type: "ai_human" })).toMatchObject({ type: "ai_human" });
  });

  it("SAAGENT5 AgentDefinition.type left out means ai_human", async () => {
    expect(await shown({})).toMatchObject({ type: "ai_human" });
  });

  it("SAAGENT6 AgentDefinition.sideA is the side that answers", async () => {
    for (const prompt of ["one", "two"]) {
      const project = serve({ agent: { sideA: { prompt } }, prompts: [anotherPrompt("one"), anotherPrompt("two")] });
      await (await project.thread()).say("Hello");
      expect(project.requests[0]?.system).toBe(`You are ${prompt}.`);
    }
  });

  it("SAAGENT7 AgentDefinition.description is returned with the agent", async () => {
    expect(await shown({ description: "Helps" })).toMatchObject({ description: "Helps" });
    expect(await shown({})).toMatchObject({ description: null });
  });

  it("SAAGENT8 AgentDefinition.icon is returned as a full URL, also if it is written as a path", async () => {
    expect(await shown({ icon: "https://example.com/a.svg" })).toMatchObject({ icon: "https://example.com/a.svg" });
    expect(await shown({ icon: "/icons/a.svg" })).toMatchObject({ icon: "http://localhost/icons/a.svg" });
    expect(await shown({})).toMatchObject({ icon: null });
  });

  it("SAAGENT9 AgentDefinition.exposeAsTool is returned with the agent for clients that offer agents as tools", async () => {
    expect(await shown({ exposeAsTool: true, toolDescription: "Helps" })).toMatchObject({ exposeAsTool: true });
    expect(await shown({ exposeAsTool: false })).toMatchObject({ exposeAsTool: false });
  });

  it("SAAGENT10 AgentDefinition.exposeAsTool left out means false", async () => {
    expect(await shown({})).toMatchObject({ exposeAsTool: false });
  });

  it("SAAGENT11 AgentDefinition.toolDescription is what a model reads if the agent is offered as a tool", async () => {
    for (const toolDescription of ["Hand over to billing", "Ask about money"]) {
      const billing = defineAgent({ name: "billing", sideA: { prompt: "main" }, toolDescription });
      const { project, thread } = await start({ agents: [billing], prompt: { tools: ["billing"] } });
      await thread.say("Hello");
      expect(project.requests[0]?.tools).toEqual([{ name: "billing", description: toolDescription }]);
    }
  });

  it("SAAGENT12 An ai_human agent in a prompt's tools is one to which the conversation can be handed over", async () => {
    const billing = defineAgent({ name: "billing", sideA: { prompt: "clerk" }, toolDescription: "Hand over" });
    const { project, thread } = await start({
      agents: [billing],
      prompt: { tools: ["billing"] },
      prompts: [anotherPrompt("clerk")],
      script: ({ system }) =>
        system === "You are a test." ? calling("billing", { task: "refund" }) : { text: "Billed." },
    });
    const events = await thread.say("My bill");
    expect(events.find(({ type }) => type === "agent_handoff")).toMatchObject({ from: "main", to: "billing" });
    expect(await thread.describe()).toMatchObject({ agent_id: "billing", origin_agent_id: "main" });
    expect((await thread.run()).text).toBe("Billed.");
    await thread.say("And now?");
    expect(project.requests.at(-1)?.system).toBe("You are clerk.");
  });
});

describe("a side", () => {
  it("SAAGENT13 SideConfig.label is returned with the agent", async () => {
    expect(await shown({ sideA: { prompt: "main", label: "Support" } })).toMatchObject({ sideA: { label: "Support" } });
    expect(await shown({ sideA: { prompt: "main" } })).toMatchObject({ sideA: { label: null } });
  });

  it("SAAGENT14 SideConfig.prompt is the prompt of the side", async () => {
    for (const prompt of ["one", "two"]) {
      const { project, thread } = await start({
        side: { prompt },
        prompts: [anotherPrompt("one"), anotherPrompt("two")],
      });
      await thread.say("Hello");
      expect(project.requests[0]?.system).toBe(`You are ${prompt}.`);
    }
  });

  it("SAAGENT15 SideConfig.stopOnResponse false lets the side continue after a text", async () => {
    const words = [{ text: "one" }, { text: "two" }, calling("finish", { verdict: "x" }), { text: "three" }];
    const stop = { stopTool: "finish", stopToolResponseProperty: "score" };
    expect(await run({ stopOnResponse: true, ...stop }, ...words)).toMatchObject({ steps: 1, reason: "response" });
    const requested = await run({ stopOnResponse: false, ...stop }, ...words);
    expect(requested).toMatchObject({ steps: 3, reason: "stop_tool" });
  });

  it("SAAGENT16 SideConfig.stopOnResponse left out means true", async () => {
    expect(await run({}, { text: "one" }, { text: "two" })).toMatchObject({
      steps: 1,
      text: "one",
      reason: "response",
    });
  });

  it("SAAGENT17 SideConfig.stopTool ends the turn when it is called, whatever the value of stopOnResponse", async () => {
    const called = [calling("finish", { verdict: "x" }), { text: "more" }];
    expect(await run({}, ...called)).toMatchObject({ steps: 2, reason: "response" });
    for (const stopOnResponse of [true, false]) {
      const side = { stopOnResponse, stopTool: "finish", stopToolResponseProperty: "score" };
      expect(await run(side, ...called)).toMatchObject({ steps: 1, status: "completed", reason: "stop_tool" });
    }
  });

  it("SAAGENT18 SideConfig.stopToolResponseProperty names the property of the result that is the outcome", async () => {
    const outcome = async (stopToolResponseProperty: string) =>
      (await run({ stopTool: "finish", stopToolResponseProperty }, calling("finish", { verdict: "fine" }))).outcome;
    expect(await outcome("score")).toBe(7);
    expect(await outcome("note")).toBe("good");
    expect(await outcome("verdict")).toBe("fine");
  });

  it("SAAGENT19 SideConfig.maxSteps is the maximum number of steps of the side", async () => {
    const endless = Array.from({ length: 6 }, () => calling("finish", { verdict: "x" }));
    expect(await run({ maxSteps: 2 }, ...endless)).toMatchObject({ steps: 2, status: "limit", reason: "max_steps" });
    expect(await run({ maxSteps: 4 }, ...endless)).toMatchObject({ steps: 4, status: "limit", reason: "max_steps" });
    expect(await run({}, ...endless)).toMatchObject({ steps: 7, status: "completed" });
  });

  it("SAAGENT20 SideConfig.endSessionTool ends the session when it succeeds", async () => {
    expect(
      await run({ endSessionTool: "finish" }, calling("finish", { verdict: "x" }), { text: "more" }),
    ).toMatchObject({
      steps: 1,
      status: "completed",
      reason: "end_session_tool",
    });
    expect(await run({ endSessionTool: "fail" }, calling("fail"), { text: "more" })).toMatchObject({
      steps: 2,
      reason: "response",
    });
    expect(await run({}, calling("finish", { verdict: "x" }), { text: "more" })).toMatchObject({ steps: 2 });
  });
});
