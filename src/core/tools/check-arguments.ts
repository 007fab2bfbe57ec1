// Checks the arguments or the result of a call against a zod schema. Models read the text of the problem.

import type { z } from "zod";

import type { Json, JsonObject } from "#contract/json.ts";
import { parseCounted, ZodBoundError } from "#lib/counted-zod.ts";
import { cutText, errorMessage } from "#lib/cut-text.ts";

import type { CheckedArguments } from "../ports/tool-port.ts";

/** The maximum number of bytes of a problem's text: zod may list every unknown key. */
const mostBytes = 4000;

/** The parsed arguments, or the problem. Without a schema the arguments are replaced by `{}`. Contract: never throws. */
export function checkArguments(schema: z.ZodType | null, args: Json): CheckedArguments {
  if (schema === null) return { ok: true, args: {} };
  try {
    const parsed = parseCounted(schema, args);
    if (parsed.success) return { ok: true, args: parsed.data as JsonObject };
    const problems = parsed.error.issues
      .slice(0, 10)
      .map((issue) => `${issue.path.map(String).join(".") || "(top level)"}: ${issue.message}`);
    return { ok: false, problem: cutText(problems.join("; "), mostBytes) };
  } catch (thrown) {
    if (thrown instanceof ZodBoundError) return { ok: false, problem: thrown.message, isTooMuch: true };
    // A refinement or transform of the schema threw, or is asynchronous.
    return { ok: false, problem: `The schema could not be applied: ${errorMessage(thrown)}` };
  }
}
