// A prompt's text, composed of other prompts.

import { expect, it } from "vitest";

import { sectionSources, systemPrompt } from "#flow/request/system-prompt.ts";
import { Definitions } from "#flow/setup/project-definitions.ts";
import { definePrompt } from "#spec/index.ts";
import type { AnyPromptDefinition, PromptContent } from "#spec/index.ts";

function project(contents: Record<string, PromptContent>) {
  const prompts = Object.fromEntries(
    Object.entries(contents).map(([name, prompt]): [string, () => Promise<AnyPromptDefinition>] => [
      name,
      () => Promise.resolve(definePrompt({ name, toolDescription: "", model: "m", prompt })),
    ]),
  );
  const definitions = new Definitions({ models: {}, prompts, agents: {}, tools: {}, hooks: [], routes: [], hash: "" });
  return async (name: string) =>
    systemPrompt(
      await definitions.prompt(name),
      sectionSources(definitions, () => Promise.resolve([])),
    );
}

const include = (prompt: string) => ({ type: "include", prompt }) as const;
const text = (content: string) => ({ type: "text", content }) as const;

it("A prompt's text is sent unchanged, and its parts and included prompts are joined in order", async () => {
  const compose = project({
    plain: "Be kind.",
    rules: [text("<"), include("plain"), text(">")],
    whole: [include("rules"), text(" And "), include("plain"), include("rules")],
  });
  expect(await compose("plain")).toBe("Be kind.");
  expect(await compose("whole")).toBe("<Be kind.> And Be kind.<Be kind.>");
});

it("The system prompt has the sections of all sources in order, with a blank line between two and without empty sections", async () => {
  const prompt = definePrompt({ name: "p", toolDescription: "", model: "m", prompt: "" });
  const source =
    (...sections: string[]) =>
    () =>
      Promise.resolve(sections);
  expect(await systemPrompt(prompt, [source("One", ""), source(), source("Two", "Three")])).toBe("One\n\nTwo\n\nThree");
});

it("Prompts that include each other are refused, and the error shows the cycle", async () => {
  const compose = project({ a: [include("b")], b: [text("x"), include("a")], c: [include("c")] });
  await expect(compose("a")).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("a → b → a") });
  await expect(compose("c")).rejects.toMatchObject({ message: expect.stringContaining("c → c") });
});

it("An included prompt that is not defined is refused, also if its name is one that every object inherits, such as constructor", async () => {
  const compose = project({ a: [include("gone")], b: [include("constructor")] });
  await expect(compose("a")).rejects.toMatchObject({ code: "prompt_not_found" });
  await expect(compose("b")).rejects.toMatchObject({ code: "prompt_not_found" });
});
