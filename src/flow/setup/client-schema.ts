// Reads the parameters of a tool that is not the project's own: an untrusted JSON Schema. A model receives its normal form
// (core/schema/normal-form.ts). A model's arguments are checked by the schema as it was given.

import { isJsonObject, type JsonObject } from "#contract/json.ts";
import type { CheckedArguments } from "#core/ports/tool-port.ts";
import { readArguments } from "#core/schema/argument-form.ts";
import { checkBySchema } from "#core/schema/check-value.ts";
import { UnusableSchema, type ResolveOptions } from "#core/schema/resolve-schema.ts";
import { errorMessage } from "#lib/cut-text.ts";

/** The parameters of a tool: the schema that a model receives, and the check of a call's arguments. */
export interface ClientSchema {
  /** The schema that the model receives: an object schema in normal form. */
  parameters: JsonObject;
  check: (args: JsonObject) => CheckedArguments;
}

/** Reads a schema; null means no parameters. `problem` is the reason why it cannot be used. Contract: never throws; the work is bounded. */
export function clientSchema(
  given: JsonObject | null,
  options: ResolveOptions = {},
): ClientSchema | { problem: string } {
  try {
    const parameters = readArguments(given ?? { type: "object", properties: {} }, options);
    return { parameters, check: (args) => checkArguments(given, args) };
  } catch (thrown) {
    return { problem: thrown instanceof UnusableSchema ? thrown.message : `cannot be used: ${errorMessage(thrown)}` };
  }
}

/** Checks arguments by a schema as it is given; null means no schema. */
export function checkArguments(given: JsonObject | null, args: JsonObject): CheckedArguments {
  if (!isJsonObject(args)) return { ok: false, problem: "(top level): has to be an object" };
  const checked = checkBySchema(given ?? true, args);
  // The arguments are passed on unchanged, because the client applies its own schema to them.
  return checked.ok ? { ok: true, args } : { ok: false, problem: checked.problem, isTooMuch: checked.isTooMuch };
}
