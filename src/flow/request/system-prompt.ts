// Composes the system prompt of a step from sections. The first section is the prompt's own text (Standard Agents, prompts).

import { refuse } from "#contract/error.ts";
import type { AnyPromptDefinition } from "#spec/index.ts";

import type { Definitions } from "../setup/project-definitions.ts";

/**
 * Returns the sections for a step with this prompt, in order. Contract: the sections of equal steps are equal, since providers cache
 * the beginning of a request.
 */
export type SectionSource = (prompt: AnyPromptDefinition) => Promise<readonly string[]>;

/** The system prompt: the sections of all sources in the order of the list, separated by blank lines. */
export async function systemPrompt(prompt: AnyPromptDefinition, sources: readonly SectionSource[]): Promise<string> {
  const sections = await Promise.all(sources.map((source) => source(prompt)));
  return sections
    .flat()
    .filter((section) => section !== "")
    .join("\n\n");
}

/** The sources of a thread's system prompts, in order. */
export function sectionSources(definitions: Definitions, skills: SectionSource): readonly SectionSource[] {
  return [promptText(definitions), skills];
}

/**
 * The source of the prompt's own text: a string, or parts that include other prompts. It returns one section. Rejects if an included prompt
 * is missing or if prompts include each other in a circle; the build refuses both.
 */
function promptText(definitions: Definitions): SectionSource {
  return async (prompt) => [await compose(prompt, definitions, [])];
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
