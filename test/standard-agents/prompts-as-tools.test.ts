// Standard Agents, prompts: a prompt that another one may call, and which results of its work the caller receives.

import { defineTool } from "@standardagents/spec";
import type { AnyPromptDefinition, SubpromptConfig, TestRequest, TestTurn } from "@standardagents/spec";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { anotherPrompt, calling, start } from "./project.ts";
import { bodySentBy } from "./wire.ts";

const look = defineTool("Looks", async () => ({ status: "success", result: "a cat" }));
const fail = defineTool("Fails", async () => ({ status: "error", error: "too dark" }));

interface Asking {
  config?: Partial<SubpromptConfig>;
  prompt?: Partial<AnyPromptDefinition>;
  args?: Record<string, unknown>;
  /** The answers of the called prompt's model. */
  inner?: (request: TestRequest) => TestTurn;
}

/** Lets the main prompt call the prompt `expert` once. Returns the result for the caller, and the text of the expert's first request. */
async function ask({ config, prompt, args = { task: "What is there?" }, inner }: Asking) {
  const answer =
    inner ?? (({ step }) => (step === 0 ? calling("look") : step === 1 ? calling("fail") : { text: "I saw." }));
  const { project, thread } = await start({
    tools: { look, fail },
    prompt: { tools: [config === undefined ? "expert" : { name: "expert", ...config }] },
    prompts: [anotherPrompt("expert", { tools: ["look", "fail"], ...prompt })],
    script: (request) => {
      if (request.system === "You are expert.") return answer(request);
      return request.step === 0 ? calling("expert", args) : { text: "done" };
    },
  });
  await thread.say("Ask somebody.");
  const requested = project.requests.find(({ system }) => system === "You are expert.");
  return { thread, project, first: requested?.lastUser, result: await thread.result() };
}

const topic = z.object({ topic: z.string(), depth: z.number() });

describe("a prompt called as a tool", () => {
  it("SAPROMPT31 PromptDefinition.tools may contain the name of a prompt", async () => {
    const { result } = await ask({ inner: () => ({ text: "Here." }) });
    expect(result).toMatchObject({ status: "success", result: "Here." });
  });

  it("SAPROMPT32 PromptDefinition.tools may contain a SubpromptConfig", async () => {
    const { result, project } = await ask({ config: {}, inner: () => ({ text: "Here." }) });
    expect(result).toMatchObject({ status: "success", result: "Here." });
    expect(project.requests[0]?.tools.map(({ name }) => name)).toEqual(["expert"]);
  });

  it("SAPROMPT33 PromptDefinition.requiredSchema is the schema of a call's arguments", async () => {
    const prompts = [anotherPrompt("expert", { requiredSchema: topic })];
    const { tools } = await bodySentBy("openai", { prompt: { tools: ["expert"] }, prompts });
    expect(tools?.[0]?.["function"]?.["parameters"]).toMatchObject({
      properties: { topic: { type: "string" }, depth: { type: "number" } },
      required: ["topic", "depth"],
    });
    const { result } = await ask({ prompt: { requiredSchema: topic }, args: { topic: 7, depth: 1 } });
    expect(result).toMatchObject({ status: "error", error: expect.stringContaining("topic") });
    const accepted = await ask({ prompt: { requiredSchema: topic }, args: { topic: "cats", depth: 1 } });
    expect(accepted.result?.status).toBe("success");
  });

  it("SAPROMPT34 SubpromptConfig.name is the name of the prompt that is offered", async () => {
    const called = async (name: string) => {
      const { project, thread } = await start({
        prompt: { tools: [{ name }] },
        prompts: [anotherPrompt("one"), anotherPrompt("two")],
        script: ({ system, step }) =>
          system === "You are a test." && step === 0 ? calling(name, { task: "?" }) : { text: system },
      });
      await thread.say("Hello");
      expect(project.requests[0]?.tools.map((tool) => tool.name)).toEqual([name]);
      return (await thread.result())?.result;
    };
    expect([await called("one"), await called("two")]).toEqual(["You are one.", "You are two."]);
  });

  const resultWith = async (config: Partial<SubpromptConfig>) => (await ask({ config })).result?.result ?? "";

  it("SAPROMPT35 SubpromptConfig.includeTextResponse puts the prompt's text into the result", async () => {
    expect(await resultWith({ includeTextResponse: true })).toContain("I saw.");
    expect(await resultWith({ includeTextResponse: false })).not.toContain("I saw.");
  });

  it("SAPROMPT36 SubpromptConfig.includeTextResponse left out means true", async () => {
    expect(await resultWith({})).toContain("I saw.");
  });

  it("SAPROMPT37 SubpromptConfig.includeToolCalls puts the prompt's calls and their results into the result", async () => {
    const shown = await resultWith({ includeToolCalls: true });
    expect(shown).toContain("look(");
    expect(shown).toContain("a cat");
    const hidden = await resultWith({ includeToolCalls: false });
    expect(hidden).not.toContain("look(");
    expect(hidden).not.toContain("a cat");
  });

  it("SAPROMPT38 SubpromptConfig.includeToolCalls left out means true", async () => {
    expect(await resultWith({})).toContain("a cat");
  });

  it("SAPROMPT39 SubpromptConfig.includeErrors puts the prompt's errors into the result", async () => {
    expect(await resultWith({ includeErrors: true })).toContain("too dark");
    expect(await resultWith({ includeErrors: false })).not.toContain("too dark");
  });

  it("SAPROMPT39 SubpromptConfig.includeErrors false keeps the failure of the prompt itself, and leaves out the sentence about its limit", async () => {
    const down = () => ({ error: { kind: "api" as const, message: "The model is down." } });
    const failed = await ask({ config: { includeErrors: false }, inner: down });
    expect(failed.result).toMatchObject({ status: "error", error: expect.stringContaining("The model is down.") });
    const limited = { maxSteps: 1, includeErrors: false };
    const { result } = await ask({ config: limited, inner: () => calling("look") });
    expect(result).toMatchObject({ status: "success", result: expect.not.stringContaining("limit of steps") });
  });

  it("SAPROMPT40 SubpromptConfig.includeErrors left out means true", async () => {
    expect(await resultWith({})).toContain("too dark");
  });

  it("SAPROMPT41 SubpromptConfig.initUserMessageProperty names the argument that becomes the prompt's first message", async () => {
    const asking = { prompt: { requiredSchema: topic }, args: { topic: "cats", depth: 2 } };
    expect((await ask({ ...asking, config: { initUserMessageProperty: "topic" } })).first).toBe("cats");
    expect((await ask({ ...asking, config: { initUserMessageProperty: "depth" } })).first).toBe("2");
    expect(JSON.parse((await ask(asking)).first ?? "")).toEqual({ topic: "cats", depth: 2 });
  });

  it("A prompt called as a tool ends after maxSteps steps, whether maxSteps is below or above the default of ten", async () => {
    const stepsWith = async (maxSteps: number) => {
      const { project, result } = await ask({ config: { maxSteps }, inner: () => calling("look") });
      expect(result).toMatchObject({ status: "success", result: expect.stringContaining("limit of steps") });
      return project.requests.filter(({ system }) => system === "You are expert.").length;
    };
    expect([await stepsWith(2), await stepsWith(12)]).toEqual([2, 12]);
  });
});
