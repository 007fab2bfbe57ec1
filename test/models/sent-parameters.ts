// The schema of a tool's arguments in the request that a wire is sent.

import { expect } from "vitest";

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { novaRules } from "#models/provider/bedrock.ts";
import { toolSchema } from "#models/schema/sent-schema.ts";
import { anthropicRules, googleRules, rulesOfSchemas, type WireRules } from "#models/schema/wire-rules.ts";

import type { SchemaWire } from "../support/wire-rules/schema-problems.mjs";
import type { Provider } from "./ask-model.ts";
import { overHttp } from "./http-request.ts";
import { capture, type Sent } from "./sent-request.ts";

/** The provider and the model that a wire stands for. */
const callOf: Record<SchemaWire, { provider: Provider; model: string; baseUrl?: string }> = {
  // The protocol of a profile without a host is OpenAI's own.
  openai: { provider: "openai", model: "some-model", baseUrl: "https://api.openai.com/v1" },
  "openai-responses": { provider: "openai-responses", model: "some-model" },
  anthropic: { provider: "anthropic", model: "some-model" },
  google: { provider: "google", model: "some-model" },
  openrouter: { provider: "openrouter", model: "anthropic/some-model" },
  "openai-compatible": { provider: "openai", model: "some-model" },
  moonshot: { provider: "openai", model: "kimi-k3" },
  claude: { provider: "openai", model: "anthropic/claude-sonnet-5" },
  gemini: { provider: "openai", model: "gemini-3-pro" },
  bedrock: { provider: "bedrock", model: "us.anthropic.claude-opus-4-7" },
  nova: { provider: "bedrock", model: "us.amazon.nova-2-lite-v1:0" },
};

const rulesOf: Record<SchemaWire, WireRules> = {
  openai: rulesOfSchemas.openai,
  "openai-responses": rulesOfSchemas.openai,
  anthropic: anthropicRules,
  google: googleRules,
  openrouter: rulesOfSchemas.anthropic,
  "openai-compatible": rulesOfSchemas.compatible,
  moonshot: rulesOfSchemas.moonshot,
  claude: rulesOfSchemas.anthropic,
  gemini: rulesOfSchemas.google,
  bedrock: anthropicRules,
  nova: novaRules,
};

/**
 * The arguments of a tool with the names that a wire is sent. Fails if the names of the tool cannot be restored from them.
 */
export function withSentNames(wire: SchemaWire, parameters: JsonObject, value: Json): Json {
  const read = toolSchema(parameters, rulesOf[wire]);
  if ("problem" in read || read.names === null) return value;
  const sent = read.names.sent(value);
  expect(read.names.restored(sent)).toEqual(value);
  return sent;
}

/** The sent names that are left as keys after the names of the tool are restored in arguments that fit the sent schema. */
export function unrestoredNames(wire: SchemaWire, parameters: JsonObject, written: Json): string[] {
  const read = toolSchema(parameters, rulesOf[wire]);
  if ("problem" in read || read.names === null) return [];
  const own = keysOf(parameters);
  const sent = keysOf(read.schema).filter((name) => !own.includes(name));
  return keysOf(read.names.restored(written)).filter((name) => sent.includes(name));
}

function keysOf(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf);
  return isJsonObject(value) ? Object.entries(value).flatMap(([name, inner]) => [name, ...keysOf(inner)]) : [];
}

/** The field in which a wire receives a tool's arguments. */
export function parametersOf(wire: SchemaWire, body: Sent, at = 0): Sent | undefined {
  if (wire === "google") return body["tools"]?.[0]?.["functionDeclarations"]?.[at]?.["parameters"];
  if (wire === "bedrock" || wire === "nova")
    return body["toolConfig"]?.["tools"]?.[at]?.["toolSpec"]?.["inputSchema"]?.["json"];
  const tool = body["tools"]?.[at];
  if (wire === "anthropic") return tool?.["input_schema"];
  return wire === "openai-responses" ? tool?.["parameters"] : tool?.["function"]?.["parameters"];
}

/** The schemas in the request for tools with these parameters, without sending the request. */
export async function sentSchemas(wire: SchemaWire, schemas: readonly JsonObject[]): Promise<JsonObject[]> {
  const { provider, ...definition } = callOf[wire];
  const tools = schemas.map((parameters, at) => ({ name: `act_${at}`, description: "Acts", parameters }));
  const { body } = await capture(provider, { tools }, { ...definition, ...(wire === "openai" ? { api: "chat" } : {}) });
  return schemas.map((_, at) => parametersOf(wire, body, at) as unknown as JsonObject);
}

/** The schema in the request for a tool with these parameters. */
export async function sentParameters(wire: SchemaWire, parameters: JsonObject): Promise<JsonObject> {
  const [sent] = await sentSchemas(wire, [parameters]);
  if (sent === undefined) throw new Error("The request has no tool.");
  return sent;
}

/** The body of a request with these tools, as a server on the loopback received it. */
export async function sentTools(
  wire: SchemaWire,
  tools: { name: string; description: string; parameters: JsonObject }[],
): Promise<{ body: Sent; warnings: string }> {
  const { provider, model } = callOf[wire];
  return overHttp(provider, { tools }, { model });
}
