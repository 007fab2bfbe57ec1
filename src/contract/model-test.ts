// The trial of a model: small requests, what worked, how fast, and what they cost. Contract: no text contains a key of the deployment.

import { z } from "zod";

import { costSchema } from "./usage-schema.ts";

const kindSchema = z.enum(["text", "tool", "picture"]);

/** Body of `POST /api/models/:name/test`. */
export const testModelSchema = z.strictObject({
  /** The trials to make. Default: all that neither the definition nor the catalogue excludes. */
  kinds: z.array(kindSchema).min(1).max(3).optional(),
});

const count = z.number().int().nonnegative();

/** The result of one small request. */
const trialSchema = z.object({
  kind: kindSchema,
  ok: z.boolean(),
  /** What the model answered, or why it did not. */
  detail: z.string(),
  /** What to do if the trial failed. */
  fix: z.string().nullable(),
  duration_ms: count,
  /** Tokens of the prompt and of the answer; null without an answer. */
  tokens: z.object({ input: count, output: count }).nullable(),
  cost: costSchema,
});
export type ModelTrial = z.infer<typeof trialSchema>;

/**
 * The trials of a model in their order. A trial that the definition or the catalogue excludes is absent. After a text that failed, there is no
 * other trial.
 */
export const modelTestSchema = z.object({
  name: z.string(),
  provider: z.string(),
  model: z.string(),
  trials: z.array(trialSchema),
});
