// The profile of the binding `AI`: models of Workers AI (`@cf/…`), models of other vendors (`openai/…`), and dynamic routes of a gateway
// (`dynamic/…`). They use Chat Completions, except for Anthropic's models, which use the Messages API. Sources: docs/reference/providers/workers-ai.md.

import { aiBindingAddress, aiBindingName, ofWorkersAi, ownHeaders } from "../ai-binding.ts";
import { eventsOfAnswer, WorkersAiRepair } from "../workers-ai-repair.ts";
import { anthropic } from "./anthropic.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import { openaiStructure } from "./openai-family.ts";
import {
  refusedHeader,
  type ProviderProfile,
  type ProviderVariables,
  type RefusableFields,
  type RefusedField,
} from "./provider-profile.ts";

const variables: ProviderVariables = {
  keys: [],
  baseUrls: [],
  defaultPath: "",
  defaultBaseUrl: aiBindingAddress,
  binding: aiBindingName,
};

const dynamicRoute = /^dynamic\/./;
const ofVendor = /^[a-z0-9][a-z0-9-]*\/./;

function refusedField(fields: RefusableFields): RefusedField | undefined {
  const { model, baseUrl, keyVariable, gateway } = fields;
  const refused = (field: RefusedField["field"], reason: string): RefusedField => ({ field, reason });
  if (!ofWorkersAi.test(model) && !ofVendor.test(model)) {
    const forms = '"@cf/<author>/<model>", "<vendor>/<model>" or "dynamic/<route>"';
    return refused("model", `"${model}" is not a model id that the binding AI accepts; it has the form ${forms}`);
  }
  if (dynamicRoute.test(model) && gateway === undefined)
    return refused("gateway", `the dynamic route "${model}" needs its gateway: gateway: { id: "…" }`);
  if (gateway?.accountId !== undefined || gateway?.tokenVariable !== undefined)
    return refused("gateway", "the binding AI has its own account and token; leave out accountId and tokenVariable");
  if (baseUrl !== undefined)
    return refused("baseUrl", 'the binding AI has no address; use provider: "openai-compatible" for a server at one');
  const ofHeaders = refusedHeader(fields, ownHeaders, "the binding AI");
  if (ofHeaders !== undefined) return ofHeaders;
  return keyVariable === undefined ? undefined : refused("keyVariable", "the binding AI needs no key; leave it out");
}

/** Anthropic's models by the binding. Their thinking is signed by Anthropic, so its owner is Anthropic. */
const anthropicByBinding: ProviderProfile = {
  ...anthropic,
  plainDeltasOf: anthropic,
  variables,
  ownerAt: () => anthropic.name,
  // Cloudflare bills these requests.
  catalogueAt: () => null,
};

/** The provider `workers-ai`. */
export const workersAi: ProviderProfile = {
  ...openaiCompatible,
  plainDeltasOf: openaiCompatible,
  name: "workers-ai",
  variables,
  refusedField,
  atHost: ({ model }) => (model.startsWith("anthropic/") ? anthropicByBinding : workersAi),
  ownerAt: () => "workers-ai",
  catalogueAt: () => ({ table: "workers-ai", hasPrices: true }),
  structure(structure, request, to) {
    const { model, capabilities } = request.model;
    // The models of Workers AI that support it are not documented as a list, and some do not support it in a stream.
    const isSupported = capabilities?.structuredOutputs ?? !ofWorkersAi.test(model);
    return isSupported ? openaiStructure(structure, request, to) : null;
  },
  streamRepair: (toolNames) => new WorkersAiRepair(toolNames),
  eventsOfDocument: eventsOfAnswer,
};
