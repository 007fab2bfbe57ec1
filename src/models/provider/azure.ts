// The profiles of Azure: OpenAI's Responses API, and Chat Completions for OpenAI's models and those of others (Foundry). `model` is the name of a
// deployment. A definition's `compat` states what the name does not show. Sources: docs/reference/providers/azure.md.

import { chatFilterDetail, responsesFilterDetail } from "./azure-filter.ts";
import { chatCompletions } from "./chat-completions.ts";
import type { CloudAccess, ReadVariable } from "./cloud-access.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import { openaiResponses } from "./openai.ts";
import type { ProviderProfile, ProviderVariables, RefusableFields, RefusedField } from "./provider-profile.ts";

const resourceVariable = "AZURE_RESOURCE_NAME";
const addressVariables = ["AZURE_BASE_URL", "AZURE_OPENAI_ENDPOINT"];
const client = ["AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET"] as const;

/** The clouds of Azure: the ending of their hosts, their address for tokens, and the scope of a token. */
const clouds: readonly (readonly [ending: RegExp, authority: string, scope: string])[] = [
  [/\.azure\.us(?::\d+)?$/, "login.microsoftonline.us", "https://cognitiveservices.azure.us/.default"],
  [/\.azure\.cn(?::\d+)?$/, "login.partner.microsoftonline.cn", "https://cognitiveservices.azure.cn/.default"],
  [/(?:)/, "login.microsoftonline.com", "https://cognitiveservices.azure.com/.default"],
];

/** The last version of the API that is no preview, for AI Gateway, whose address has no version of its own. */
const gatewayVersion = "2024-10-21";

/** The first of the variables with an address that is a URL; null if none is. */
function endpointOf(read: ReadVariable): URL | null {
  const address = addressVariables.map(read).find((value) => value !== null) ?? "";
  return URL.canParse(address) ? new URL(address) : null;
}

const cloud: CloudAccess = {
  place: [resourceVariable],
  loadTokens: () => import("../access-tokens.ts"),
  address(read, { model, gateway }) {
    const endpoint = gateway === undefined ? null : endpointOf(read);
    const resource = endpoint?.hostname.split(".")[0] ?? read(resourceVariable);
    if (resource === null) return { variable: resourceVariable };
    if (!/^[a-z0-9][a-z0-9-]*$/i.test(resource)) {
      const given = addressVariables.find((name) => endpoint !== null && read(name) !== null) ?? resourceVariable;
      const reason = `names "${resource}", which is no name of a resource: letters, digits and "-". An address belongs into ${addressVariables[0]}`;
      return { variable: given, reason };
    }
    const version = endpoint?.searchParams.get("api-version") ?? gatewayVersion;
    return {
      baseUrl: endpoint?.href ?? `https://${resource}.openai.azure.com/openai/v1`,
      gatewayPath: `azure-openai/${resource}/${encodeURIComponent(model)}?api-version=${encodeURIComponent(version)}`,
    };
  },
  credentials: [client],
  secrets: (read) => [read(client[2])].filter((value) => value !== null),
  tokenRequest({ [client[0]]: tenant = "", [client[1]]: id = "", [client[2]]: secret = "" }, { host }) {
    const [, authority, scope] = clouds.find(([ending]) => ending.test(host ?? "")) ?? ["", "", ""];
    return {
      url: `https://${authority}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
      form: { grant_type: "client_credentials", client_id: id, client_secret: secret, scope },
    };
  },
};

const variables: ProviderVariables = {
  keys: ["AZURE_API_KEY", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"],
  baseUrls: addressVariables,
  // The path depends on the query of the address.
  defaultPath: "",
  gatewayPath: "azure-openai",
  cloud,
};

function refusedField({ model, api, gateway, baseUrl }: RefusableFields): RefusedField | undefined {
  if (/^\.{1,2}$|^\s*$/.test(model)) return { field: "model", reason: `"${model}" is not the name of a deployment` };
  if (gateway === undefined || baseUrl !== undefined || api === "chat") return undefined;
  const reason = 'AI Gateway has an address for Chat Completions of Azure alone; add api: "chat", or leave out gateway';
  return { field: "gateway", reason };
}

/** Azure's hosts at which the prices of the catalogue hold; null is the host of a resource that is not known yet. */
function hasPrices(host: string | null): boolean {
  return host === null || /\.(?:openai|services\.ai|cognitiveservices)\.azure\.com$/.test(host);
}

/** The members that the profiles of both protocols have in common. */
const azureFamily = {
  name: "azure",
  telemetryName: "azure.ai.openai",
  variables,
  refusedField,
  apis: ["responses", "chat"],
  atHost: ({ api }) => (api === "chat" ? azureChat : azure),
  catalogueAt: (_, host) => ({ table: "azure", hasPrices: hasPrices(host) }),
  explain: async (...failed) => (await import("../hint/azure-hint.ts")).azureHint(...failed),
} satisfies Partial<ProviderProfile>;

/** Azure with Chat Completions. */
const azureChat: ProviderProfile = {
  ...openaiCompatible,
  ...azureFamily,
  plainDeltasOf: openaiCompatible,
  ownerAt: (host) => `azure ${host}`,
  load: async (target, fetch) => (await import("./azure-model.ts")).loadChatModel(target, fetch),
  readChunk: (chunk) => ({ ...chatCompletions.readChunk(chunk), stopDetail: chatFilterDetail(chunk) }),
};

/** The provider `azure`: the Responses API, or Chat Completions with `api: "chat"`. */
export const azure: ProviderProfile = {
  ...openaiResponses,
  ...azureFamily,
  plainDeltasOf: openaiResponses,
  // A resource can read only the reasoning that it encrypted itself.
  ownerAt: (host) => `azure-responses ${host}`,
  load: async (target, fetch) => (await import("./azure-model.ts")).loadResponsesModel(target, fetch),
  readChunk: (event) => ({ ...openaiResponses.readChunk(event), stopDetail: responsesFilterDetail(event) }),
};
