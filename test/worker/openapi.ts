// Definitions of APIs with an OpenAPI document. Each test sets the API of a prefix.

import { defineAgent, defineOpenApi, definePrompt } from "#spec/index.ts";
import type { AnyOpenApiDefinition, OpenApiDefinition, Registry } from "#spec/index.ts";

/** The definitions by prefix. */
const definitions = new Map<string, AnyOpenApiDefinition>();

/** Sets the API of a prefix. */
export function setDefinition(prefix: string, api: Omit<OpenApiDefinition, "name">): void {
  definitions.set(prefix, defineOpenApi({ name: prefix, ...api }));
}

export const openApiSources: NonNullable<Registry["toolSources"]> = [
  {
    kind: "openapi",
    load: () => import("#tools/openapi/index.ts"),
    definitions: ["api"].map((prefix) => ({
      name: prefix,
      prefix,
      file: `agents/openapi/${prefix}.ts`,
      load: () => {
        const definition = definitions.get(prefix);
        if (definition === undefined) throw new Error(`The test has set no API "${prefix}".`);
        return Promise.resolve(definition);
      },
    })),
  },
];

const prompt = (name: string, tools: string[]) =>
  definePrompt({
    name,
    toolDescription: "Uses an API",
    prompt: "You are a test.",
    model: "scripted",
    includeChat: true,
    includePastTools: true,
    parallelToolCalls: true,
    tools,
  });

export const openApiPrompts = [
  prompt("api", ["api__*"]),
  prompt("api-one", ["api__named"]),
  prompt("api-and-note", ["api__*", "note"]),
];

export const openApiAgents = [
  defineAgent({ name: "api", sideA: { prompt: "api" } }),
  defineAgent({ name: "api-one", sideA: { prompt: "api-one" } }),
  defineAgent({ name: "api-and-note", sideA: { prompt: "api-and-note" } }),
];
