// Standard Agents, prompts: every field of a prompt, seen in the request that it shapes. Thinking, prompts as tools and
// images have files of their own.

import { definePrompt, defineTool } from "@standardagents/spec";
import type { AnyPromptDefinition } from "@standardagents/spec";
import { describe, expect, it } from "vitest";

import { anotherPrompt, answers, calling, scriptedModel, serve, start } from "./project.ts";
import type { Changes } from "./project.ts";
import { bodySentBy } from "./wire.ts";

/** The first request of a project with these changes. */
async function requested(changes: Changes) {
  const { project, thread } = await start(changes);
  await thread.say("Hello");
  const [request] = project.requests;
  if (request === undefined) throw new Error("Nothing was asked.");
  return request;
}

describe("a prompt", () => {
  it("SAPROMPT1 definePrompt returns its argument, and the project then has that prompt", async () => {
    const options = { name: "made", toolDescription: "Made", prompt: "Be made.", model: "main" };
    const made = definePrompt(options);
    expect(made).toBe(options);
    const prompt = await (await serve({ prompts: [made] }).fetch("/api/prompts/made")).json();
    expect(prompt).toMatchObject({ name: "made", prompt: "Be made.", model: "main" });
    expect((await serve().fetch("/api/prompts/made")).status).toBe(404);
  });

  it("SAPROMPT2 A prompt's name is the one that agents refer to and the log shows", async () => {
    for (const name of ["one", "two"]) {
      const changes = { side: { prompt: name }, prompts: [anotherPrompt("one"), anotherPrompt("two")] };
      expect((await requested(changes)).system).toBe(`You are ${name}.`);
      const { thread } = await start(changes);
      await thread.say("Hello");
      expect((await thread.logs("llm_request"))[0]?.data["request"]).toMatchObject({ prompt: name });
    }
  });

  it("SAPROMPT3 PromptDefinition.toolDescription is what a model reads if the prompt is offered as a tool", async () => {
    const described = async (toolDescription: string) => {
      const { tools } = await requested({
        prompt: { tools: ["other"] },
        prompts: [anotherPrompt("other", { toolDescription })],
      });
      return tools;
    };
    expect(await described("Finds things")).toEqual([{ name: "other", description: "Finds things" }]);
    expect(await described("Loses things")).toEqual([{ name: "other", description: "Loses things" }]);
  });

  it("SAPROMPT4 PromptDefinition.prompt is the system prompt that is sent", async () => {
    expect((await requested({ prompt: { prompt: "Speak softly." } })).system).toBe("Speak softly.");
    expect((await requested({ prompt: { prompt: "Speak up." } })).system).toBe("Speak up.");
  });

  it("SAPROMPT5 PromptDefinition.prompt may be a list of parts, joined in their order without separators", async () => {
    const one = { type: "text", content: "One " } as const;
    const two = { type: "text", content: "two" } as const;
    expect((await requested({ prompt: { prompt: [one, two] } })).system).toBe("One two");
    expect((await requested({ prompt: { prompt: [two, one] } })).system).toBe("twoOne ");
  });

  it("SAPROMPT6 A part of type text is used unchanged, whatever it contains", async () => {
    const part = { type: "text", content: "{{include}} other\n" } as const;
    expect((await requested({ prompt: { prompt: [part] }, prompts: [anotherPrompt("other")] })).system).toBe(
      part.content,
    );
  });

  it("SAPROMPT7 PromptTextPart.content is the text of a text part", async () => {
    expect((await requested({ prompt: { prompt: [{ type: "text", content: "A" }] } })).system).toBe("A");
    expect((await requested({ prompt: { prompt: [{ type: "text", content: "B" }] } })).system).toBe("B");
  });

  it("SAPROMPT8 A part of type include is replaced by another prompt's text, with that prompt's own includes", async () => {
    const rules = anotherPrompt("rules", {
      prompt: [
        { type: "include", prompt: "law" },
        { type: "text", content: "!" },
      ],
    });
    const law = anotherPrompt("law", { prompt: "Law" });
    const parts: AnyPromptDefinition["prompt"] = [
      { type: "text", content: "Obey: " },
      { type: "include", prompt: "rules" },
    ];
    expect((await requested({ prompt: { prompt: parts }, prompts: [rules, law] })).system).toBe("Obey: Law!");
  });

  it("SAPROMPT9 PromptIncludePart.prompt names the prompt that an include part inserts", async () => {
    const prompts = [anotherPrompt("one"), anotherPrompt("two")];
    for (const prompt of ["one", "two"]) {
      expect((await requested({ prompt: { prompt: [{ type: "include", prompt }] }, prompts })).system).toBe(
        `You are ${prompt}.`,
      );
    }
  });

  it("SAPROMPT10 PromptDefinition.model is the model that is called", async () => {
    const models = ["one", "two"].map((name) => scriptedModel(name, () => ({ text: `from ${name}` })));
    for (const model of ["one", "two"]) {
      const { thread } = await start({ prompt: { model }, models });
      await thread.say("Hello");
      expect(await thread.run()).toMatchObject({ text: `from ${model}`, models: [model] });
    }
  });
});

describe("the history that a prompt is sent", () => {
  const look = defineTool("Looks", async () => ({ status: "success", result: "seen" }));

  /** The messages of the request after the second message of a thread. */
  async function secondRequest(prompt: Partial<AnyPromptDefinition>) {
    const { project, thread } = await start({
      tools: { look },
      prompt,
      script: ({ lastUser, step }) => (lastUser === "one" && step === 0 ? calling("look") : { text: "ok" }),
    });
    await thread.say("one");
    await thread.say("two");
    return project.requests.at(-1)?.messages.map(({ role, content }) => `${role} ${content}`);
  }

  it("SAPROMPT11 PromptDefinition.includeChat sends the messages before this run", async () => {
    expect(await secondRequest({ includeChat: true })).toEqual(["user one", "assistant ok", "user two"]);
    expect(await secondRequest({ includeChat: false })).toEqual(["user two"]);
  });

  it("SAPROMPT12 PromptDefinition.includeChat left out means false", async () => {
    expect(await secondRequest({})).toEqual(await secondRequest({ includeChat: false }));
  });

  it("SAPROMPT13 PromptDefinition.includePastTools sends the calls and results of earlier runs too", async () => {
    expect(await secondRequest({ includeChat: true, includePastTools: true })).toEqual([
      "user one",
      "assistant ",
      "tool seen",
      "assistant ok",
      "user two",
    ]);
    expect(await secondRequest({ includeChat: true, includePastTools: false })).not.toContain("tool seen");
  });

  it("SAPROMPT14 PromptDefinition.includePastTools left out means false; the calls of the run itself are always sent", async () => {
    const sent = await secondRequest({ includeChat: true });
    expect(sent).toEqual(await secondRequest({ includeChat: true, includePastTools: false }));
    const { project, thread } = await start({ tools: { look }, script: answers(calling("look")) });
    await thread.say("one");
    expect(project.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });
});

describe("tool calls", () => {
  /** The order in which two calls of one answer begin and end. */
  async function order(prompt: Partial<AnyPromptDefinition>) {
    const work = defineTool("Works", async () => ({ status: "success" }));
    const both = ["a", "b"].map((id) => ({ id, name: "work", arguments: {} }));
    const { thread } = await start({ tools: { work }, prompt, script: answers({ toolCalls: both }) });
    const events = await thread.say("Hello");
    return events.flatMap((event) => {
      if (event.type === "tool_execution_start") return [`${event.tool_call_id.charAt(0)} begins`];
      return event.type === "tool_execution_end" ? [`${event.tool_call_id.charAt(0)} ends`] : [];
    });
  }
  const oneByOne = ["a begins", "a ends", "b begins", "b ends"];

  it("SAPROMPT15 PromptDefinition.parallelToolCalls lets the model request several calls at once, which run in parallel", async () => {
    expect(await order({ parallelToolCalls: true })).toEqual(["a begins", "b begins", "a ends", "b ends"]);
    expect(await order({ parallelToolCalls: false })).toEqual(oneByOne);
    const sent = (parallelToolCalls: boolean) => bodySentBy("openai", { prompt: { parallelToolCalls } });
    expect((await sent(true))["parallel_tool_calls"]).toBeUndefined();
    expect((await sent(false))["parallel_tool_calls"]).toBe(false);
  });

  it("SAPROMPT16 PromptDefinition.parallelToolCalls left out means false", async () => {
    expect(await order({})).toEqual(oneByOne);
    expect((await bodySentBy("openai"))["parallel_tool_calls"]).toBe(false);
  });

  const choice = async (prompt: Partial<AnyPromptDefinition>) =>
    (await bodySentBy("openai", { prompt }))["tool_choice"];

  it("SAPROMPT17 PromptDefinition.toolChoice auto lets the model decide whether to call a tool", async () => {
    expect(await choice({ toolChoice: "auto" })).toBe("auto");
  });

  it("SAPROMPT18 PromptDefinition.toolChoice none prevents the model from calling a tool", async () => {
    expect(await choice({ toolChoice: "none" })).toBe("none");
  });

  it.for<[string, Partial<AnyPromptDefinition>]>([
    ["none, as the prompt sets it", { toolChoice: "none" }],
    ["none, with parallel calls", { toolChoice: "none", parallelToolCalls: true }],
  ])(
    "SAPROMPT18 A call that a model makes although toolChoice is %s does not run, and has an error result",
    async ([, prompt], test) => {
      let runs = 0;
      const probe = defineTool("Probes", async () => {
        runs += 1;
        return "ran";
      });
      const { project, thread } = await start({
        tools: { probe },
        prompt: { ...prompt, tools: ["probe"] },
        script: answers(calling("probe")),
      });
      await thread.say("Hello");
      const results = (await thread.messages()).filter(({ role }) => role === "tool");
      test
        .expect(results)
        .toMatchObject([{ result: { status: "error", error: test.expect.stringContaining("no tool may be called") } }]);
      test.expect(runs).toBe(0);
      test.expect(project.requests).toHaveLength(2);
    },
  );

  it("SAPROMPT19 PromptDefinition.toolChoice required makes the model call a tool", async () => {
    expect(await choice({ toolChoice: "required" })).toBe("required");
  });

  it("SAPROMPT20 PromptDefinition.toolChoice left out means auto", async () => {
    expect(await choice({})).toBe("auto");
  });

  it("SAPROMPT21 PromptDefinition.tools names the tools that the model may call", async () => {
    const none = defineTool("None", async () => ({ status: "success" }));
    const tools = { first: none, second: none };
    const offered = async (names: string[]) =>
      (await requested({ tools, prompt: { tools: names } })).tools.map(({ name }) => name);
    expect(await offered(["first", "second"])).toEqual(["first", "second"]);
    expect(await offered(["second"])).toEqual(["second"]);
    expect(await offered([])).toEqual([]);
  });
});
