// The arguments of a prompt or agent that is called as a tool: its `requiredSchema`, or else a single `task`.

import { z } from "zod";

import type { AnyPromptDefinition } from "./prompt.ts";
import type { AnyToolArgs } from "./tool-arguments.ts";

/** Arguments of a prompt or agent without `requiredSchema`. */
const taskSchema = z.object({
  task: z.string().describe("What is to be done, with everything needed to do it."),
});

/** The schema of the call's arguments. For an agent, `prompt` is that of its side A. */
export function callSchema(prompt: AnyPromptDefinition): AnyToolArgs {
  return prompt.requiredSchema ?? taskSchema;
}
