// The schema of a tool's arguments as a request contains it: its normal form, converted for the provider. The schemas are stored by the
// objects that they were converted from, so that the tools of a run are converted once for all its requests.

import type { JsonObject } from "#contract/json.ts";
import { readArguments } from "#core/schema/argument-form.ts";
import { UnusableSchema } from "#core/schema/resolve-schema.ts";

import type { ProviderProfile } from "../provider/provider-profile.ts";

/** A normal form, and its conversions by provider and model; or why the schema cannot be sent. */
type Form = { normal: JsonObject; converted: Map<string, JsonObject> } | { problem: string };

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

/** The schema for a request to a model. `problem` is the reason why no provider accepts it; it completes "The schema of x …". */
export function toolSchema(
  parameters: JsonObject,
  profile: ProviderProfile,
  model: string,
): { schema: JsonObject } | { problem: string } {
  const form = formOf(parameters);
  if ("problem" in form) return form;
  const key = `${profile.name} ${model}`;
  const known = form.converted.get(key);
  if (known !== undefined) return { schema: known };
  const schema = profile.toolSchema?.(form.normal, model) ?? form.normal;
  form.converted.set(key, schema);
  return { schema };
}
