// The schema of a tool's arguments as a request contains it: its normal form, converted for the provider. The schemas are stored by the
// objects that they were converted from, so that the tools of a run are converted once for all its requests.

import type { Json, JsonObject } from "#contract/json.ts";
import { readArguments } from "#core/schema/argument-form.ts";
import { UnusableSchema } from "#core/schema/resolve-schema.ts";

import { withSentNames } from "./sent-names.ts";
import type { WireRules } from "./wire-rules.ts";
import { wireSchema } from "./wire-schema.ts";

/** A normal form, and its conversions by the rules of APIs; or why the schema cannot be sent. */
type Form = { normal: JsonObject; converted: Map<WireRules, SentTool> } | { problem: string };

const forms = new WeakMap<JsonObject, Form>();

function formOf(parameters: JsonObject): Form {
  const known = forms.get(parameters);
  if (known !== undefined) return known;
  const form = readForm(parameters);
  forms.set(parameters, form);
  return form;
}

function readForm(parameters: JsonObject): Form {
  try {
    return { normal: readArguments(parameters, { tolerant: true }), converted: new Map() };
  } catch (thrown) {
    if (thrown instanceof UnusableSchema) return { problem: thrown.message };
    throw thrown;
  }
}

/** The normal form of a schema of objects; the schema itself if it has none, because no object fits it. */
export function normalForm(schema: JsonObject): JsonObject {
  const form = formOf(schema);
  return "problem" in form ? schema : form.normal;
}

/** A tool's schema in a request, and the conversions of the arguments of its calls; null if they have their own names. */
export interface SentTool {
  schema: JsonObject;
  names: SentNames | null;
}

/** Converts the arguments of calls between the names of the tool and the names that are sent. */
export interface SentNames {
  sent: (given: Json) => Json;
  restored: (given: Json) => Json;
}

/** The schema for a request, by the rules of its API. `problem` is the reason why no provider accepts it; it completes "The schema of x …". */
export function toolSchema(parameters: JsonObject, rules: WireRules): SentTool | { problem: string } {
  const form = formOf(parameters);
  if ("problem" in form) return form;
  const known = form.converted.get(rules);
  if (known !== undefined) return known;
  const made = sentTool(form.normal, rules);
  form.converted.set(rules, made);
  return made;
}

function sentTool(normal: JsonObject, rules: WireRules): SentTool {
  const names = rules.names === undefined ? null : withSentNames(normal, rules.names.accepts);
  return { schema: wireSchema(names?.schema ?? normal, rules), names };
}
