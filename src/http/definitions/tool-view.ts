// A tool as the API shows it: with the JSON Schema that a model sees.

import type { ToolView } from "#contract/definition.ts";
import type { JsonObject } from "#contract/json.ts";
import { argumentsJsonSchema } from "#lib/json-schema.ts";
import { readTool } from "#spec/define-tool.ts";
import type { AnyToolDefinition } from "#spec/tool.ts";

/** The view. A tool's name is its file's, so the registry gives it. */
export function toolView(name: string, definition: AnyToolDefinition): ToolView {
  const { description, schema, run } = readTool(definition);
  return {
    name,
    description,
    parameters: JSON.parse(JSON.stringify(argumentsJsonSchema(schema))) as JsonObject,
    remote: run === undefined,
  };
}
