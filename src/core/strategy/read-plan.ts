// The schema for answers that contain a plan, and the check of such an answer.

import { z } from "zod";

import type { PlanStep } from "#contract/event.ts";
import type { Json } from "#contract/json.ts";
import { cutText } from "#lib/cut-text.ts";

import type { AnswerStructure } from "../ports/model-port.ts";

const text = { type: "string" };

/** The structure of the answer with a plan. Every field is required, as the strict modes of providers demand. */
export const planStructure: AnswerStructure = {
  name: "plan",
  schema: {
    type: "object",
    additionalProperties: false,
    required: ["steps"],
    properties: {
      steps: {
        type: "array",
        items: {
          type: "object",
          additionalProperties: false,
          required: ["id", "description", "tool", "dependsOn"],
          properties: {
            id: { ...text, description: "A short identifier, different for each step" },
            description: { ...text, description: "What the step does" },
            tool: { type: ["string", "null"], description: "The tool that the step uses, or null" },
            dependsOn: {
              type: "array",
              items: text,
              description: "The ids of the steps whose results this step needs",
            },
          },
        },
      },
    },
  },
};

const answerSchema = z.object({
  steps: z
    .array(
      z.object({
        id: z.string().trim().min(1).optional(),
        description: z.string(),
        tool: z.string().nullish(),
        dependsOn: z.array(z.string().trim()).nullish(),
      }),
    )
    .min(1),
});

/** The bounds of a plan. */
export interface PlanBounds {
  /** The maximum number of steps. */
  steps: number;
  /** The maximum number of bytes of a step's description, and of the name of its tool. Longer texts are cut. */
  textBytes: number;
  /** The maximum number of characters of an id. An answer with a longer id is not a plan. */
  idLength: number;
}

/** The steps of a plan, and the number of those that exceed the limit and were dropped; or the reason why it is no plan. */
export type ReadPlan = { steps: PlanStep[]; dropped: number } | { problem: string };

/** Reads a plan from the data of an answer. Dependencies on unknown and on dropped steps are dropped. */
export function readPlan(data: Json | undefined, bounds: PlanBounds): ReadPlan {
  const read = answerSchema.safeParse(data);
  if (!read.success) return { problem: "The answer is not a plan with at least one step in the requested form." };
  // A schema that the caller sets may have no ids: the id of a step is then its number.
  const all = read.data.steps.map((step, index) => ({ ...step, id: step.id ?? `${index + 1}` }));
  const ids = new Set(all.map(({ id }) => id));
  if (ids.size < all.length) return { problem: "Two steps of the plan have the same id." };
  const long = all.find(({ id }) => id.length > bounds.idLength);
  if (long !== undefined) {
    return { problem: `The id of a step has more than ${bounds.idLength} characters: "${cutText(long.id, 200)}".` };
  }
  const kept = all.slice(0, bounds.steps);
  const known = new Set(kept.map(({ id }) => id));
  const steps = kept.map(({ id, description, tool, dependsOn }): PlanStep => ({
    id,
    description: cutText(description, bounds.textBytes),
    ...(tool == null ? {} : { tool: cutText(tool, bounds.textBytes) }),
    dependsOn: (dependsOn ?? []).filter((other) => known.has(other)),
    status: "pending",
  }));
  const circular = firstInCircle(steps);
  if (circular !== null) return { problem: `The steps of the plan depend on each other in a circle: "${circular}".` };
  return { steps, dropped: all.length - kept.length };
}

/** The id of a step that cannot begin, because it is in a cycle of dependencies or depends on a step in a cycle; null for none. */
function firstInCircle(steps: readonly PlanStep[]): string | null {
  const done = new Set<string>();
  let waiting = [...steps];
  for (;;) {
    const ready = waiting.filter(({ dependsOn }) => dependsOn.every((id) => done.has(id)));
    if (ready.length === 0) return waiting[0]?.id ?? null;
    for (const { id } of ready) done.add(id);
    waiting = waiting.filter(({ id }) => !done.has(id));
  }
}
