// A call's arguments, or its result, against its zod schema, in words a model can act on.

import type { z } from "zod";

import type { Json, JsonObject } from "#contract/json.ts";

import { cutText, wordsOf } from "../cut-text.ts";
import type { CheckedArguments } from "../ports/tool-port.ts";

/** Bytes of a problem: a schema may name every key that it does not know. */
const mostBytes = 4000;

/** Contract: never throws. Without a schema whatever came is dropped. */
export function checkArguments(schema: z.ZodType | null, args: Json): CheckedArguments {
  if (schema === null) return { ok: true, args: {} };
  try {
    const parsed = schema.safeParse(args);
    if (parsed.success) return { ok: true, args: parsed.data as JsonObject };
    const problems = parsed.error.issues
      .slice(0, 10)
      .map((issue) => `${issue.path.map(String).join(".") || "(top level)"}: ${issue.message}`);
    return { ok: false, problem: cutText(problems.join("; "), mostBytes) };
  } catch (thrown) {
    // A refinement or transform that throws, or one that is asynchronous.
    return { ok: false, problem: `The schema could not be applied: ${wordsOf(thrown)}` };
  }
}
