// What a client sets a thread up with, in addition to what the project defines: tools that the client runs, instructions, and options of
// model requests. A dialect reads it from its own requests. The thread stores it and does not depend on a dialect.

import { z } from "zod";

import { jsonObjectSchema } from "./json.ts";

/** Tool names that every provider accepts. */
export const toolNamePattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** A tool that the client runs: the model calls it, and the run waits for the client's result. */
export const clientToolSchema = z.strictObject({
  name: z.string().regex(toolNamePattern),
  description: z.string().max(4096),
  /** JSON Schema of an object; null for no arguments. */
  parameters: jsonObjectSchema.nullable(),
  /** Milliseconds that a call waits for its result; null for the default. */
  deadline_ms: z.number().int().positive().nullable(),
});
/** A tool that the client runs. */
export type ClientTool = z.infer<typeof clientToolSchema>;

/** Options of a thread's model requests. An absent field keeps the value that applied before. */
export const setupOptionsSchema = z.strictObject({
  /** Name of a defined model. */
  model: z.string().exactOptional(),
  temperature: z.number().exactOptional(),
  max_tokens: z.number().int().positive().exactOptional(),
  reasoning: z
    .strictObject({
      effort: z.enum(["low", "medium", "high"]).exactOptional(),
      maxTokens: z.number().int().positive().exactOptional(),
      exclude: z.boolean().exactOptional(),
      include: z.boolean().exactOptional(),
    })
    .exactOptional(),
});
/** Options of a thread's model requests. */
export type SetupOptions = z.infer<typeof setupOptionsSchema>;

/** What a client set a thread up with. */
export interface ThreadSetup {
  /** Name of the thread in its dialect, from which the thread's id can be derived (`named-thread-id.ts`). */
  id: string;
  /** The agent that the setup extends; null for the built-in agent, which consists of the setup alone. */
  agent: string | null;
  /** Instructions of the built-in agent. */
  system_prompt: string | null;
  tools: ClientTool[];
  options: SetupOptions;
}

/** Name of the built-in agent. In a thread with a setup that names no agent, it takes precedence over an agent of the project. */
export const setupAgent = "session";
