// The profiles of Vertex AI: Gemini, and Claude by `streamRawPredict`. The variables name the project and the location; a service account signs
// for access tokens. Sources: docs/reference/providers/vertex.md.

import { fieldsOf, parseJson } from "#lib/json-value.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { anthropic } from "./anthropic.ts";
import { textOf } from "./chunk-field.ts";
import type { CloudAccess, ReadVariable, VariableProblem } from "./cloud-access.ts";
import { google } from "./google.ts";
import {
  refusedHeader,
  type ProviderProfile,
  type ProviderVariables,
  type RefusableFields,
  type RefusedField,
} from "./provider-profile.ts";

const keyVariable = "GOOGLE_VERTEX_API_KEY";
const projectVariables = ["GOOGLE_VERTEX_PROJECT", "GOOGLE_CLOUD_PROJECT"] as const;
const locationVariables = ["GOOGLE_VERTEX_LOCATION", "GOOGLE_CLOUD_LOCATION"] as const;
const addressVariable = "GOOGLE_VERTEX_BASE_URL";
const pair = ["GOOGLE_CLIENT_EMAIL", "GOOGLE_PRIVATE_KEY"] as const;
const whole = "GOOGLE_APPLICATION_CREDENTIALS_JSON";

const ofClaude = /^claude/;

/** Whether a value is an access token of Google. Any other value is an API key. */
export const googleToken = /^ya29\./;

/** The value of the first variable that is set, if it has a form; otherwise what is wrong. */
function valueOf(
  read: ReadVariable,
  names: readonly [string, ...string[]],
  form: RegExp,
): { value: string } | VariableProblem {
  const variable = names.find((name) => read(name) !== null) ?? names[0];
  const value = read(variable);
  if (value === null) return { variable };
  const reason = `is ${JSON.stringify(value)}, which is no id of Google Cloud: letters, digits and "-"`;
  return form.test(value) ? { value } : { variable, reason };
}

/** The host of a location. The multi-regions have hosts of their own. */
function hostOf(location: string): string {
  if (location === "global") return "aiplatform.googleapis.com";
  return /^(?:us|eu)$/.test(location)
    ? `aiplatform.${location}.rep.googleapis.com`
    : `${location}-aiplatform.googleapis.com`;
}

const cloud: CloudAccess = {
  place: [...projectVariables, ...locationVariables],
  loadTokens: () => import("../access-tokens.ts"),
  address(read, { model }, apiKey) {
    // An API key has a project of its own (express mode).
    if (apiKey !== null && apiKey !== "" && !googleToken.test(apiKey)) {
      const reason = `is an API key, which reaches Gemini alone; Claude needs an access token: set ${pair.join(" and ")}, or ${whole}`;
      if (ofClaude.test(model)) return { variable: keyVariable, reason };
      return { baseUrl: "https://aiplatform.googleapis.com/v1", gatewayPath: "google-vertex-ai/v1" };
    }
    const project = valueOf(read, projectVariables, /^[a-z0-9][a-z0-9.:-]*$/);
    if ("variable" in project) return project;
    const location = valueOf(read, locationVariables, /^[a-z][a-z0-9-]*$/);
    if ("variable" in location) return location;
    const path = `v1/projects/${project.value}/locations/${location.value}`;
    return { baseUrl: `https://${hostOf(location.value)}/${path}`, gatewayPath: `google-vertex-ai/${path}` };
  },
  credentials: [[whole], pair],
  secrets(read) {
    const keys = [read(pair[1]), textOf(fieldsOf(parseJson(read(whole) ?? ""))["private_key"])];
    return keys.flatMap((key) => (key === null ? [] : [key, key.replaceAll("\\n", "\n")]));
  },
  tokenRequest: async (credentials, { now }) =>
    (await import("./vertex-assertion.ts")).assertionRequest(credentials, now),
};

const variables: ProviderVariables = {
  keys: [keyVariable, "GOOGLE_VERTEX_ACCESS_TOKEN"],
  baseUrls: [addressVariable],
  defaultPath: "/v1",
  gatewayPath: "google-vertex-ai",
  cloud,
};

function refusedField(fields: RefusableFields): RefusedField | undefined {
  const { model } = fields;
  if (!model.includes("/"))
    return ofClaude.test(model) ? refusedHeader(fields, /^(?:authorization|x-api-key)$/i, "Vertex AI") : undefined;
  const reason =
    `"${model}" is no model of Google or Anthropic; for those of others use provider: "openai-compatible" with the baseUrl ` +
    "https://LOCATION-aiplatform.googleapis.com/v1/projects/PROJECT/locations/LOCATION/endpoints/openapi";
  return { field: "model", reason };
}

/** Whether the prices of the catalogue hold at a host: those of Claude are higher outside of the location `global`. */
function hasPrices({ model }: AnyModelDefinition, host: string | null): boolean {
  if (host === null || host === hostOf("global")) return true;
  return !ofClaude.test(model) && /(?:^|-)aiplatform(?:\.[a-z]+\.rep)?\.googleapis\.com$/.test(host);
}

/** The members that the profiles of both protocols have in common. */
const vertexFamily = {
  telemetryName: "gcp.vertex_ai",
  variables,
  refusedField,
  atHost: ({ model }) => (ofClaude.test(model) ? vertexClaude : vertex),
  catalogueAt: (model, host) => ({ table: "vertex", hasPrices: hasPrices(model, host) }),
  explain: async (...failed) => (await import("../hint/vertex-hint.ts")).vertexHint(...failed),
} satisfies Partial<ProviderProfile>;

/**
 * Claude at Vertex AI. Signatures of thinking are compatible across platforms, so their owner is Anthropic:
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking.
 */
const vertexClaude: ProviderProfile = {
  ...anthropic,
  plainDeltasOf: anthropic,
  ...vertexFamily,
  ownerAt: () => anthropic.name,
  providerTools: "vertex-claude",
  load: async (target, fetch) => (await import("./vertex-model.ts")).loadClaude(target, fetch),
  // Vertex AI has no structured output for Claude.
  structure: () => null,
  reservedFields: [...anthropic.reservedFields, "anthropic_version"],
  files: { ...anthropic.files, urls: [], imageUrls: [] },
};

/** The provider `vertex`: Gemini, or Claude for models whose id begins with `claude`. */
export const vertex: ProviderProfile = {
  ...google,
  plainDeltasOf: google,
  ...vertexFamily,
  name: "vertex",
  ownerAt: () => "vertex",
  providerTools: "vertex-gemini",
  load: async (target, fetch) => (await import("./vertex-model.ts")).loadGemini(target, fetch),
  optionsName: "vertex",
};
