// Standard Agents, agents: what an agent with one side is, and when its turn ends. Agents with two sides have a file of
// their own.

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

/** Says one thing to an agent with this side; gives the run. */
async function run(side: Partial<SideConfig>, ...turns: TestTurn[]) {
  const { thread } = await start({ side, tools: { finish, fail }, script: answers(...turns) });
  await thread.say("Hello");
  return thread.run();
}

/** The agent as the API shows it. */
async function shown(agent: object) {
  return (await serve({ agent }).fetch("/api/agents/main")).json<Record<string, unknown>>();
}

describe("an agent", () => {
  it("SAAGENT1 defineAgent gives back what it is given, and the project then has that agent", async () => {
    const options = { name: "made", sideA: { prompt: "main" } };
    const made = defineAgent(options);
    expect(made).toBe(options);
    expect((await serve({ agents: [made] }).fetch("/api/agents/made")).status).toBe(200);
    expect((await serve().fetch("/api/agents/made")).status).toBe(404);
  });

  it("SAAGENT2 An agent's name is what a thread is created for", async () => {
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

  it("SAAGENT3 title is what the agent is called for people, its name where it is left out", async () => {
    expect(await shown({ title: "Customer Support" })).toMatchObject({ name: "main", title: "Customer Support" });
    expect(await shown({})).toMatchObject({ name: "main", title: "main" });
  });

  it("SAAGENT4 type ai_human is one model and a person", async () => {
    const project = serve({ agent: { type: "ai_human" } });
    const thread = await project.thread();
    await thread.say("Hello");
    expect((await thread.messages()).map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(await shown({ type: "ai_human" })).toMatchObject({ type: "ai_human" });
  });

  it("SAAGENT5 type left out means ai_human", async () => {
    expect(await shown({})).toMatchObject({ type: "ai_human" });
  });

  it("SAAGENT6 sideA is the side that answers", async () => {
    for (const prompt of ["one", "two"]) {
      const project = serve({ agent: { sideA: { prompt } }, prompts: [anotherPrompt("one"), anotherPrompt("two")] });
      await (await project.thread()).say("Hello");
      expect(project.requests[0]?.system).toBe(`You are ${prompt}.`);
    }
  });

  it("SAAGENT7 description is shown to interfaces", async () => {
    expect(await shown({ description: "Helps" })).toMatchObject({ description: "Helps" });
    expect(await shown({})).toMatchObject({ description: null });
  });

  it("SAAGENT8 icon is shown as a full URL, also if it is written as a path", async () => {
    expect(await shown({ icon: "https://example.com/a.svg" })).toMatchObject({ icon: "https://example.com/a.svg" });
    expect(await shown({ icon: "/icons/a.svg" })).toMatchObject({ icon: "http://localhost/icons/a.svg" });
    expect(await shown({})).toMatchObject({ icon: null });
  });

  it("SAAGENT9 exposeAsTool is shown to clients that offer agents as tools", async () => {
    expect(await shown({ exposeAsTool: true, toolDescription: "Helps" })).toMatchObject({ exposeAsTool: true });
    expect(await shown({ exposeAsTool: false })).toMatchObject({ exposeAsTool: false });
  });

  it("SAAGENT10 exposeAsTool left out means false", async () => {
    expect(await shown({})).toMatchObject({ exposeAsTool: false });
  });

  it("SAAGENT11 toolDescription is what a model reads where the agent is offered as a tool", async () => {
    for (const toolDescription of ["Hand over to billing", "Ask about money"]) {
      const billing = defineAgent({ name: "billing", sideA: { prompt: "main" }, toolDescription });
      const { project, thread } = await start({ agents: [billing], prompt: { tools: ["billing"] } });
      await thread.say("Hello");
      expect(project.requests[0]?.tools).toEqual([{ name: "billing", description: toolDescription }]);
    }
  });

  it("SAAGENT12 An ai_human agent in a prompt's tools is one the conversation can be handed to", async () => {
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
  it("SAAGENT13 label is shown to interfaces", async () => {
    expect(await shown({ sideA: { prompt: "main", label: "Support" } })).toMatchObject({ sideA: { label: "Support" } });
    expect(await shown({ sideA: { prompt: "main" } })).toMatchObject({ sideA: { label: null } });
  });

  it("SAAGENT14 prompt is the prompt that the side speaks with", async () => {
    for (const prompt of ["one", "two"]) {
      const { project, thread } = await start({
        side: { prompt },
        prompts: [anotherPrompt("one"), anotherPrompt("two")],
      });
      await thread.say("Hello");
      expect(project.requests[0]?.system).toBe(`You are ${prompt}.`);
    }
  });

  it("SAAGENT15 stopOnResponse false lets the side continue after a text", async () => {
    const words = [{ text: "one" }, { text: "two" }, calling("finish", { verdict: "x" }), { text: "three" }];
    const stop = { stopTool: "finish", stopToolResponseProperty: "score" };
    expect(await run({ stopOnResponse: true, ...stop }, ...words)).toMatchObject({ steps: 1, reason: "response" });
    const asked = await run({ stopOnResponse: false, ...stop }, ...words);
    expect(asked).toMatchObject({ steps: 3, reason: "stop_tool" });
  });

  it("SAAGENT16 stopOnResponse left out means true", async () => {
    expect(await run({}, { text: "one" }, { text: "two" })).toMatchObject({
      steps: 1,
      text: "one",
      reason: "response",
    });
  });

  it("SAAGENT17 stopTool ends the turn when it is called, whatever the value of stopOnResponse", async () => {
    const called = [calling("finish", { verdict: "x" }), { text: "more" }];
    expect(await run({}, ...called)).toMatchObject({ steps: 2, reason: "response" });
    for (const stopOnResponse of [true, false]) {
      const side = { stopOnResponse, stopTool: "finish", stopToolResponseProperty: "score" };
      expect(await run(side, ...called)).toMatchObject({ steps: 1, status: "completed", reason: "stop_tool" });
    }
  });

  it("SAAGENT18 stopToolResponseProperty is the property of the result that is the outcome", async () => {
    const outcome = async (stopToolResponseProperty: string) =>
      (await run({ stopTool: "finish", stopToolResponseProperty }, calling("finish", { verdict: "fine" }))).outcome;
    expect(await outcome("score")).toBe(7);
    expect(await outcome("note")).toBe("good");
    expect(await outcome("verdict")).toBe("fine");
  });

  it("SAAGENT19 maxSteps is the most steps the side may take", async () => {
    const endless = Array.from({ length: 6 }, () => calling("finish", { verdict: "x" }));
    expect(await run({ maxSteps: 2 }, ...endless)).toMatchObject({ steps: 2, status: "limit", reason: "max_steps" });
    expect(await run({ maxSteps: 4 }, ...endless)).toMatchObject({ steps: 4, status: "limit", reason: "max_steps" });
    expect(await run({}, ...endless)).toMatchObject({ steps: 7, status: "completed" });
  });

  it("SAAGENT20 endSessionTool ends the session when it succeeds", async () => {
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
