// The profile of a provider that a project defines in `agents/providers/`. The requests, the log, retries and limits are those of every other
// profile. Invariant: the code of the project runs within the model request, so that its errors are failures of that request.

import type { JSONObject } from "@ai-sdk/provider";

import type { ModelRequest } from "#core/ports/model-port.ts";
import { isObject } from "#lib/json-value.ts";
import type { AnyModelProvider, ProviderDefinition, ProviderOptionsRequest } from "#spec/index.ts";

import { boundedFetch } from "../../own-response.ts";
import { RefusedRequest } from "../../refused-request.ts";
import { rulesOfSchemas } from "../../schema/wire-rules.ts";
import { readThinkingRequest } from "../../thinking-request.ts";
import {
  noReasoning,
  type ProviderProfile,
  type ReasoningInput,
  type ReasoningOptions,
  type RefusableFields,
  type RefusedField,
} from "../provider-profile.ts";
import { factsOfPart, reportedCostOf } from "./function-parts.ts";
import { ownError } from "./own-error.ts";

/** The fields of a model that only built-in providers read. */
const foreignFields = [
  "api",
  "preset",
  "baseUrl",
  "keyVariable",
  "gateway",
  "includedProviders",
  "cache",
  "compat",
  "providerTools",
  "script",
] as const satisfies readonly (keyof RefusableFields)[];

/** The profiles by their definitions: requests compare profiles by identity. */
const profiles = new WeakMap<ProviderDefinition, ProviderProfile>();

/** The profile of a definition. `file` is its path from the project's root. */
export function ownProfile(definition: ProviderDefinition, file: string): ProviderProfile {
  const known = profiles.get(definition);
  if (known?.file === file) return known;
  const profile = makeProfile(definition, file);
  profiles.set(definition, profile);
  return profile;
}

function makeProfile(definition: ProviderDefinition, file: string): ProviderProfile {
  const { name, variables: required = [], files = [] } = definition;
  const isFunction = definition.model === undefined;
  return {
    // The types of a project know its names; those of this package do not.
    name: name as AnyModelProvider,
    file,
    variables: { keys: [], required, baseUrls: [], defaultPath: "", keyless: true },
    refusedField: (model) => refusedField(model, { file, isFunction }),
    // A prefix that no built-in owner has.
    ownerAt: () => `provider:${name}`,
    load: async ({ model, to }, fetch) => {
      const { loadOwnModel } = await import("./own-model.ts");
      return loadOwnModel(definition, { file, modelId: model.model, env: to.env ?? {}, fetch });
    },
    // The code of the project may keep a promise in its model, which no other object may wait for.
    countsPerRequest: true,
    responses: boundedFetch,
    optionsName: definition.optionsName ?? name,
    reasoning: (request, input) => requestOptions(definition, request, { file, input }),
    // The schema is sent only if the definition of the model states that the model supports it.
    structure: ({ schema }, request) =>
      request.model.capabilities?.structuredOutputs === true ? { schema, options: {} } : null,
    reservedFields: [],
    schemaRules: () => (isFunction ? noRules : rulesOfSchemas.compatible),
    alternatesTurns: false,
    imagesInToolResults: isFunction,
    flagsToolErrors: isFunction,
    files: { bytes: files, urls: files },
    errorEvent: (error) => JSON.stringify({ error }),
    readChunk: isFunction ? factsOfPart : () => ({}),
    closesCallsAtEnd: !isFunction,
    storedData: ({ metadata }) => (Object.keys(metadata).length === 0 ? null : metadata),
    ...(isFunction ? { reportedCost: reportedCostOf } : {}),
  };
}

const noRules = {};

function refusedField(
  model: RefusableFields,
  { file, isFunction }: { file: string; isFunction: boolean },
): RefusedField | undefined {
  const fields = isFunction ? ([...foreignFields, "headers"] as const) : foreignFields;
  const field = fields.find((name) => model[name] !== undefined);
  if (field === undefined) return undefined;
  return { field, reason: `the provider "${model.provider}" of ${file} does not read ${field}; leave it out` };
}

/** The options of a request: those of the function, or those that the definition makes for its package. */
function requestOptions(
  definition: ProviderDefinition,
  request: ModelRequest,
  { file, input }: { file: string; input: ReasoningInput },
): ReasoningOptions {
  const thinking = readThinkingRequest(request);
  const asked: ProviderOptionsRequest = {
    thinking: thinking === null ? null : { effort: thinking.effort, tokens: thinking.tokens },
    parallelToolCalls: request.parallelToolCalls,
  };
  if (definition.model === undefined) return { ...noReasoning, options: { ...asked } as unknown as JSONObject };
  if (definition.options === undefined) {
    const lost = [
      ...(input.thinking === null ? [] : [input.thinking.effort === "none" ? "no thinking" : "thinking"]),
      ...(request.parallelToolCalls || request.tools.length === 0 ? [] : ["one call at a time"]),
    ];
    const why = `was left out, because the provider of ${file} has no function \`options\`.`;
    return { ...noReasoning, warnings: lost.map((what) => `The request for ${what} ${why}`) };
  }
  let options: unknown;
  try {
    options = definition.options(asked);
  } catch (thrown) {
    throw ownError(thrown);
  }
  if (!isObject(options) || typeof options["then"] === "function")
    throw new RefusedRequest("The function `options` has to return an object of options, and no promise.");
  return { ...noReasoning, options: options as JSONObject };
}
