// The schemas of the OpenAPI document by name. Shared types have their own names. Every other body and response is named after its
// route, so that every schema of a route can be referenced.

import type { z } from "zod";

import {
  agentViewSchema,
  hookViewSchema,
  modelViewSchema,
  promptViewSchema,
  routeViewSchema,
  toolViewSchema,
} from "#contract/definition.ts";
import { errorBodySchema } from "#contract/error-body.ts";
import { eventSchema } from "#contract/event.ts";
import { jsonObjectSchema, jsonSchema } from "#contract/json.ts";
import { logSchema } from "#contract/log-entry.ts";
import type { BuiltInRoute } from "#contract/route.ts";
import { runSchema } from "#contract/run.ts";
import { fileRecordSchema } from "#contract/stored-file.ts";
import { messageSchema } from "#contract/thread-message.ts";
import { threadSchema } from "#contract/thread.ts";
import { componentReference, componentSchemas } from "#lib/json-schema.ts";
import type { JsonSchema } from "#lib/json-schema.ts";
import { unreachable } from "#lib/unreachable.ts";

const shared: readonly (readonly [string, z.ZodType])[] = [
  ["Json", jsonSchema],
  ["JsonObject", jsonObjectSchema],
  ["Error", errorBodySchema],
  ["Thread", threadSchema],
  ["Message", messageSchema],
  ["Run", runSchema],
  ["Log", logSchema],
  ["FileRecord", fileRecordSchema],
  ["Event", eventSchema],
  ["Agent", agentViewSchema],
  ["Prompt", promptViewSchema],
  ["Model", modelViewSchema],
  ["Tool", toolViewSchema],
  ["Hook", hookViewSchema],
  ["Route", routeViewSchema],
];

/** The component schemas, and references to them. */
export interface Components {
  schemas: Record<string, JsonSchema>;
  referenceTo(schema: z.ZodType): JsonSchema;
}

/** All components of the document: the shared types, the bodies and responses of the routes, and the schemas that dialects name. */
export function openApiComponents(
  routes: ReadonlyMap<string, BuiltInRoute<string>>,
  named: readonly (readonly [string, z.ZodType])[],
): Components {
  const output = new Map([...shared, ...named]);
  const input = new Map<string, z.ZodType>([
    ["Json", jsonSchema],
    ["JsonObject", jsonObjectSchema],
  ]);
  for (const [name, { body, answers }] of routes) {
    if (body !== undefined && !isNamed(input, body)) input.set(componentName(name, "Body"), body);
    for (const answer of Object.values(answers)) {
      if (answer !== null && !isNamed(output, answer)) output.set(componentName(name, "Answer"), answer);
    }
  }
  const names = new Map([...output, ...input].map(([name, schema]) => [schema, name]));
  return {
    schemas: { ...componentSchemas(input, "input"), ...componentSchemas(output, "output") },
    referenceTo(schema) {
      const name = names.get(schema);
      if (name === undefined) unreachable("A schema of the route table is no component.");
      return { $ref: componentReference(name) };
    },
  };
}

function isNamed(named: ReadonlyMap<string, z.ZodType>, schema: z.ZodType): boolean {
  return [...named.values()].includes(schema);
}

function componentName(route: string, suffix: "Body" | "Answer"): string {
  return route.charAt(0).toUpperCase() + route.slice(1) + suffix;
}
