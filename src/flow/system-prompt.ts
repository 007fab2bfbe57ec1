// Composes a prompt's text: a string, or parts that include other prompts (Standard Agents, prompts).

import { refuse } from "#contract/error.ts";
import type { AnyPromptDefinition } from "#spec/index.ts";

import type { Definitions } from "./definitions.ts";

/** The whole text. Rejects when an include is missing or goes in a circle; the build refuses both beforehand. */
export function systemPrompt(prompt: AnyPromptDefinition, definitions: Definitions): Promise<string> {
  return compose(prompt, definitions, []);
}

async function compose(
  prompt: AnyPromptDefinition,
  definitions: Definitions,
  path: readonly string[],
): Promise<string> {
  if (typeof prompt.prompt === "string") return prompt.prompt;
  const trail = [...path, prompt.name];
  const texts = prompt.prompt.map(async (part) => {
    if (part.type === "text") return part.content;
    if (trail.includes(part.prompt)) {
      throw refuse("conflict", `Prompts include each other: ${[...trail, part.prompt].join(" → ")}.`);
    }
    return compose(await definitions.prompt(part.prompt), definitions, trail);
  });
  return (await Promise.all(texts)).join("");
}
