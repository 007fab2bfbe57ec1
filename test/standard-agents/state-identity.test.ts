// Standard Agents, threads: the identity of a thread, and the definitions that it can use.

import { describe, expect, it } from "vitest";

import { anotherPrompt, scriptedModel, serve, start } from "./project.ts";

const agents = [{ name: "other", sideA: { prompt: "main" } }];

describe("a thread's identity", () => {
  it("SAID1 ThreadState.threadId is the thread's id", async () => {
    const project = serve();
    const [one, two] = [await project.thread(), await project.thread()];
    expect(await one.atRest((state) => state.threadId)).toBe(one.id);
    expect(await two.inRun((state) => state.threadId)).toBe(two.id);
  });

  it("SAID2 ThreadState.agentId is the current agent of the thread", async () => {
    const project = serve({ agents });
    expect(await (await project.thread("main")).atRest((state) => state.agentId)).toBe("main");
    expect(await (await project.thread("other")).inRun((state) => state.agentId)).toBe("other");
  });

  it("SAID3 ThreadState.userId is the thread's owner, null without a user", async () => {
    const project = serve();
    const owned = await project.thread("main", { user_id: "ada" });
    expect(await owned.atRest((state) => state.userId)).toBe("ada");
    expect(await (await project.thread()).inRun((state) => state.userId)).toBeNull();
  });

  it("SAID4 ThreadState.createdAt is the time of creation in microseconds", async () => {
    const { thread } = await start();
    const { created_at } = await thread.describe();
    expect(await thread.atRest((state) => state.createdAt)).toBe(created_at);
    expect(await thread.inRun((state) => state.createdAt)).toBe(created_at);
  });
});

describe("a thread's metadata", () => {
  /** The thread as the API returns it. */
  async function metadata(extra: object = {}, agent = "main") {
    const project = serve({ agents });
    const thread = await project.thread(agent, extra);
    const answer = await project.fetch(`/api/threads/${thread.id}`);
    return { thread, answer: await answer.json<Record<string, unknown>>() };
  }

  it("SAID5 ThreadMetadata.id is the thread's id", async () => {
    const { thread, answer } = await metadata();
    expect(answer["id"]).toBe(thread.id);
  });

  it("SAID6 ThreadMetadata.agent_id is the name of the thread's agent", async () => {
    expect((await metadata()).answer["agent_id"]).toBe("main");
    expect((await metadata({}, "other")).answer["agent_id"]).toBe("other");
  });

  it("SAID7 ThreadMetadata.user_id is the thread's owner, or null", async () => {
    expect((await metadata({ user_id: "ada" })).answer["user_id"]).toBe("ada");
    expect((await metadata()).answer["user_id"]).toBeNull();
  });

  it("SAID8 ThreadMetadata.created_at is the time of the creation in microseconds since 1970, and not before that of an earlier thread", async () => {
    const before = Date.now() * 1000;
    const [one, two] = [await metadata(), await metadata()];
    const [earlier, later] = [one, two].map(({ answer }) => Number(answer["created_at"]));
    const times = [before, earlier, later, Date.now() * 1000];
    expect(times).toEqual(times.toSorted((left = 0, right = 0) => left - right));
    expect(Number.isInteger(earlier)).toBe(true);
  });
});

describe("loading definitions", () => {
  it("SAID9 loadModel returns the model of the given name", async () => {
    const other = scriptedModel("other", () => ({ text: "" }));
    const { thread } = await start({ models: [other] });
    expect(await thread.atRest(async (state) => (await state.loadModel("other")) === other)).toBe(true);
    expect(await thread.inRun(async (state) => (await state.loadModel<{ name: string }>("main")).name)).toBe("main");
  });

  it("SAID10 loadModel rejects if no model has the name", async () => {
    const { thread } = await start();
    await expect(thread.atRest((state) => state.loadModel("nobody"))).rejects.toThrow(/no model named "nobody"/);
  });

  it("SAID11 loadPrompt returns the prompt of the given name", async () => {
    const { thread } = await start({ prompts: [anotherPrompt("other")] });
    const textOf = (name: string) =>
      thread.atRest(async (state) => (await state.loadPrompt<{ prompt: string }>(name)).prompt);
    expect([await textOf("main"), await textOf("other")]).toEqual(["You are a test.", "You are other."]);
  });

  it("SAID12 loadPrompt rejects if no prompt has the name", async () => {
    const { thread } = await start();
    await expect(thread.inRun((state) => state.loadPrompt("nobody"))).rejects.toThrow(/no prompt named "nobody"/);
  });

  it("SAID13 loadAgent returns the agent of the given name", async () => {
    const { thread } = await start({ agents });
    const nameOf = (name: string) =>
      thread.atRest(async (state) => (await state.loadAgent<{ name: string }>(name)).name);
    expect([await nameOf("main"), await nameOf("other")]).toEqual(["main", "other"]);
  });

  it("SAID14 loadAgent rejects if no agent has the name", async () => {
    const { thread } = await start();
    await expect(thread.atRest((state) => state.loadAgent("nobody"))).rejects.toThrow(/no agent named "nobody"/);
  });

  it("SAID15 getPromptNames lists the prompts that can be loaded", async () => {
    const { thread } = await start({ prompts: [anotherPrompt("other")] });
    expect(await thread.atRest((state) => state.getPromptNames())).toEqual(["main", "other"]);
  });

  it("SAID16 getAgentNames lists the agents that can be loaded", async () => {
    const { thread } = await start({ agents });
    expect(await thread.inRun((state) => state.getAgentNames())).toEqual(["main", "other"]);
  });

  it("SAID17 getModelNames lists the models that can be loaded", async () => {
    const { thread } = await start({ models: [scriptedModel("other", () => ({ text: "" }))] });
    expect(await thread.atRest((state) => state.getModelNames())).toEqual(["main", "other"]);
  });
});
