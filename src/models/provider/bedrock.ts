// The profile of Amazon Bedrock: the models of all vendors by Converse, with a bearer token or signed requests. The wire is in `../bedrock/`,
// which is loaded with the first request. Sources: docs/reference/providers/bedrock.md.

import type { ModelRequest } from "#core/ports/model-port.ts";
import { fieldsOf, isObject } from "#lib/json-value.ts";

import { isRegion, regionOfModel, regionVariables } from "../bedrock/aws-region.ts";
import type { ConverseOptions } from "../bedrock/converse-model.ts";
import { audioFormats, videoFormats } from "../bedrock/media-formats.ts";
import { familyOf, type ModelFamily } from "../bedrock/model-family.ts";
import { acceptedCallId, shortCallId } from "../call-ids.ts";
import { anthropicRules, rulesOfSchemas, type WireRules } from "../schema/wire-rules.ts";
import { anthropic, cannotThink } from "./anthropic.ts";
import { countOf, textOf } from "./chunk-field.ts";
import type { CloudAccess } from "./cloud-access.ts";
import {
  refusedHeader,
  type ProviderProfile,
  type ProviderVariables,
  type RefusableFields,
  type RefusedField,
} from "./provider-profile.ts";

const secrets = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"] as const;
const [accessKey, secretKey, sessionToken] = secrets;

const cloud: CloudAccess = {
  place: regionVariables,
  address(read, { model }) {
    const region = regionOfModel(model, read);
    if (region === null) return { variable: regionVariables[0] };
    if (!isRegion(region)) return { variable: regionVariables[0], reason: `is no region of AWS: "${region}"` };
    const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
    return { baseUrl: `https://bedrock-runtime.${region}.${domain}`, gatewayPath: "" };
  },
  credentials: [[accessKey, secretKey]],
  // A signature contains the region.
  optional: [sessionToken, ...regionVariables],
  secrets: (read) => secrets.map(read).filter((value) => value !== null),
};

const variables: ProviderVariables = {
  keys: ["AWS_BEARER_TOKEN_BEDROCK"],
  baseUrls: ["AWS_ENDPOINT_URL_BEDROCK_RUNTIME"],
  defaultPath: "",
  cloud,
};

function refusedField(fields: RefusableFields): RefusedField | undefined {
  const { model, gateway } = fields;
  if (/^\.{1,2}$|^\s*$/.test(model)) {
    const forms = '"us.anthropic.claude-sonnet-4-5-20250929-v1:0", the id of an inference profile, or an ARN';
    return { field: "model", reason: `"${model}" is not a model of Bedrock; it has the form ${forms}` };
  }
  if (gateway === undefined) return refusedHeader(fields, /^authorization$/i, "Bedrock");
  const reason =
    "requests to Bedrock are sent to an AI Gateway by its address: leave out gateway, set " +
    'baseUrl: "https://gateway.ai.cloudflare.com/v1/<account>/<gateway>/aws-bedrock/bedrock-runtime/<region>", and use AWS_BEARER_TOKEN_BEDROCK';
  return { field: "gateway", reason };
}

/** Claude models before prompt caching. */
const withoutCache = /claude-(?:instant|v2|3-(?:haiku|sonnet|opus)|3-5-sonnet-20240620)/;

/** Models that read audio by Converse. */
const withAudio = /\bmistral\.voxtral|\bamazon\.nova-2-omni/;

/** The models of Amazon for which AWS executes tools: Nova Premier, and all models from Nova 2 on. */
const withSystemTools = /\bamazon\.nova-(?:premier|[2-9])/;

/** The profile of a model that also reads audio. */
const withAudioFiles = (profile: ProviderProfile): ProviderProfile => ({
  ...profile,
  files: { ...profile.files, bytes: [...profile.files.bytes, ...Object.keys(audioFormats)] },
});

/** The rules of Nova: the root has only its type, its properties and the required ones. A description is no rule. */
export const novaRules: WireRules = {
  // https://docs.aws.amazon.com/nova/latest/userguide/tool-use-definition.html
  ...anthropicRules,
  convert: ({ properties, required, description }) => ({
    type: "object",
    properties: isObject(properties) ? properties : {},
    ...(required === undefined ? {} : { required }),
    ...(description === undefined ? {} : { description }),
  }),
};

/** The parts of a request that can be marked for the cache of a model. */
function cacheParts(model: string): readonly ("system" | "tools" | "messages")[] {
  const family = familyOf(model);
  if (family === "nova") return ["system", "messages"];
  return family === "claude" && !withoutCache.test(model) ? ["system", "tools", "messages"] : [];
}

/** The models of other vendors than Anthropic and Amazon: their results of tools have no flag for errors, and no images. */
export const bedrock: ProviderProfile = {
  name: "bedrock",
  telemetryName: "aws.bedrock",
  variables,
  refusedField,
  atHost({ model }) {
    const byFamily = withAudio.test(model) ? audioProfiles : withSystemTools.test(model) ? toolProfiles : profiles;
    return byFamily[familyOf(model)] ?? bedrock;
  },
  transport: (fetch, target) => {
    const send = async (...request: Parameters<typeof fetch>): Promise<Response> => {
      const { bedrockFetch } = await import("../bedrock/bedrock-fetch.ts");
      return bedrockFetch(fetch, target)(...request);
    };
    return send as typeof fetch;
  },
  async load(target, fetch) {
    const { converseModel } = await import("../bedrock/converse-model.ts");
    return converseModel(target, fetch);
  },
  async requestWarnings(options, target) {
    const { requestWarnings } = await import("../bedrock/converse-model.ts");
    return requestWarnings(options, target);
  },
  async explain({ message }, { model, to: { host, credentials } }) {
    const { failureHint } = await import("../bedrock/failure-hint.ts");
    return failureHint({ message, name: model.name, model: model.model, host, credentials });
  },
  optionsName: "bedrock",
  options: ({ parallelToolCalls }, hasTools) => (hasTools && !parallelToolCalls ? { parallelToolCalls: false } : {}),
  reasoning(request, { thinking, maxTokens, to }) {
    if (thinking === null) return { options: {}, budget: 0, warnings: [] };
    const isHidden = request.reasoning?.exclude === true;
    const asked = { thinking, maxTokens, isHidden, isRefused: cannotThink(request, to.owner) };
    return { options: { thinking: asked } satisfies ConverseOptions as never, budget: 0, warnings: [] };
  },
  catalogueAt: () => ({ table: "bedrock", hasPrices: false }),
  // The API enforces a schema only for some models, which AWS adds over time, so a definition names the ability.
  structure: ({ schema }, { model }: ModelRequest) =>
    model.capabilities?.structuredOutputs === true ? { schema, options: {} } : null,
  reservedFields: [
    ..."model modelId messages system tools tool_choice toolConfig outputConfig promptVariables".split(" "),
    ..."tools tool_choice output_config.format".split(" ").map((field) => `additionalModelRequestFields.${field}`),
  ],
  schemaRules: () => rulesOfSchemas.anthropic,
  needsToolDefinitions: () => true,
  callId: (id, { model }) =>
    familyOf(model.model) === "mistral"
      ? shortCallId(id)
      : acceptedCallId(id, { refused: /[^a-zA-Z0-9_-]/g, length: 64 }),
  alternatesTurns: true,
  imagesInToolResults: false,
  flagsToolErrors: false,
  files: {
    bytes: [
      "application/pdf",
      "application/msword",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      "application/vnd.ms-excel",
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ],
    urls: [],
    images: ["image/jpeg", "image/png", "image/gif", "image/webp"],
    imageUrls: ["s3:"],
  },
  needsFileNames: true,
  errorEvent: (error) => `data: ${JSON.stringify({ error })}\n\n`,
  readChunk({ metadata }) {
    const { usage, trace } = fieldsOf(metadata);
    const counts = fieldsOf(usage);
    return {
      usage: isObject(usage)
        ? {
            input: countOf(counts["inputTokens"]),
            output: countOf(counts["outputTokens"]),
            cache_read: countOf(counts["cacheReadInputTokens"]),
            cache_write: countOf(counts["cacheWriteInputTokens"]),
          }
        : null,
      stopDetail: textOf(fieldsOf(fieldsOf(trace)["guardrail"])["actionReason"]),
    };
  },
  cacheParts,
  plainDeltasOf: async () => (await import("./plain/plain-converse.ts")).plainConverse,
  closesCallsAtEnd: false,
  isSigned: ({ bedrock: own }) => textOf(fieldsOf(own)["signature"], fieldsOf(own)["redactedContent"]) !== null,
  isRedacted: ({ bedrock: own }) => isObject(own) && own["redactedContent"] !== undefined,
};

/** Claude. Its thinking is signed for its models alone. */
const claude: ProviderProfile = {
  ...bedrock,
  ownerAt: () => "bedrock-claude",
  schemaRules: () => anthropicRules,
  imagesInToolResults: true,
  filesInToolResults: true,
  flagsToolErrors: true,
  markCache: (model, prompt, tools) => {
    if (!withoutCache.test(model.model)) anthropic.markCache?.(model, prompt, tools);
  },
};

/** Amazon Nova, which caches no tools. */
const nova: ProviderProfile = {
  ...bedrock,
  ownerAt: () => "bedrock-nova",
  schemaRules: () => novaRules,
  imagesInToolResults: true,
  flagsToolErrors: true,
  files: { ...bedrock.files, bytes: [...bedrock.files.bytes, ...Object.keys(videoFormats)] },
  markCache: (model, prompt) => anthropic.markCache?.(model, prompt, []),
};

const novaWithTools: ProviderProfile = { ...nova, providerTools: "converse" };

const profiles: Partial<Record<ModelFamily, ProviderProfile>> = { claude, nova };

const toolProfiles: typeof profiles = { nova: novaWithTools };

const audioProfiles: typeof profiles = { nova: withAudioFiles(novaWithTools), mistral: withAudioFiles(bedrock) };
