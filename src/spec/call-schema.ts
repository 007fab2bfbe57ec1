// The arguments of prompts and agents that are called as tools (decision 12): their `requiredSchema`, or one task.

import { z } from "zod";

import type { AnyPromptDefinition } from "./prompt.ts";
import type { AnyToolArgs } from "./tool-arguments.ts";

/** Arguments of a prompt or agent that declares none. Declared, never guessed from a system prompt. */
const taskSchema = z.object({
  task: z.string().describe("What is to be done, with everything needed to do it."),
});

/** What a call must bring. For an agent it is the prompt of its side A that says so. */
export function callSchema(prompt: AnyPromptDefinition): AnyToolArgs {
  return prompt.requiredSchema ?? taskSchema;
}
