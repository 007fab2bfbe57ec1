// The package entry `threadhold/upp/provider`: creates a provider, which is a function that returns references to models. The code of the
// providers' protocols is imported only by this file and by files that only this file imports. So a program that imports no
// provider does not contain this code.

import { createModelPort } from "#models/create-model-port.ts";
import { LanguageModels } from "#models/language-models.ts";
import { providerSettings } from "#models/provider-settings.ts";
import type { ProviderProfile } from "#models/provider/provider-profile.ts";
import { providers } from "#models/provider/providers.ts";
import { joined, missingNames } from "#models/readiness.ts";
import { RefusedRequest } from "#models/refused-request.ts";
import { checkParams } from "#models/request-params.ts";

import { problemOfBlock } from "./accepted-input.ts";
import { problemOfForm } from "./block-form.ts";
import type { AccessibleModel, ModelAccess } from "./model-access.ts";
import type { ModelDefinition, ModelOptions, Provider, ProviderConfig } from "./model-reference.ts";
import { problemOfOptions } from "./option-check.ts";
import { refusal } from "./upp-error.ts";

/** A provider to create. */
export interface ProviderOptions extends ProviderConfig {
  /** The protocol of its API. */
  protocol: Exclude<ModelDefinition["provider"], "azure" | "vertex" | "bedrock">;
  /** The name of the provider in errors. Default: the protocol. */
  name?: string;
}

/** The profile of a model's provider at its base URL; null for a provider that answers in this process. It does not depend on the key. */
function profileOf(definition: ModelDefinition): ProviderProfile | null {
  return providerSettings(definition, {}, { apiKey: "unused" })?.profile ?? null;
}

const access: Omit<ModelAccess, "port"> = {
  problemOfOptions,
  problemOfForm,
  inputOf(definition) {
    const profile = profileOf(definition);
    const accepts = (group: RegExp) => profile?.files.bytes.some((type) => group.test(type)) ?? true;
    return {
      documentInput: accepts(/^application\//),
      audioInput: accepts(/^audio\//),
      videoInput: accepts(/^video\//),
    };
  },
  problemOfBlock: (block, definition, capabilities) =>
    problemOfBlock(block, profileOf(definition)?.files ?? null, capabilities),
  missingVariables: (definition, env) => joined(missingNames(definition, env)),
  problemOf(params, definition) {
    const profile = profileOf(definition);
    try {
      if (profile !== null) checkParams(params, profile);
      return null;
    } catch (thrown) {
      if (thrown instanceof RefusedRequest) return thrown.message;
      throw thrown;
    }
  },
};

/** Creates a provider from a protocol, and from connection settings of its requests, such as `baseUrl`. */
export function createProvider({ protocol, name = protocol, ...config }: ProviderOptions): Provider {
  // A reference has no bindings of a Worker, and no account at a cloud.
  const known = providers.flatMap((profile) =>
    "variables" in profile && (profile.variables.binding ?? profile.variables.cloud) !== undefined
      ? []
      : [profile.name],
  );
  if (!known.includes(protocol)) {
    throw refusal(`There is no protocol "${String(protocol)}". Use one of ${known.join(", ")}.`, name);
  }
  const provider = (modelId: string, options: ModelOptions = {}): AccessibleModel => {
    if (typeof modelId !== "string" || modelId === "")
      throw refusal('The id of a model has to be a text, such as "claude-sonnet-5-5".', name);
    // The cache has one key for all turns of the reference, because each turn has a new definition object. So they use one language model.
    const languages = new LanguageModels(() => provider);
    const port: ModelAccess["port"] = (settings) => createModelPort({ ...settings, languages });
    const toJSON = () => ({ modelId, provider: name });
    return {
      modelId,
      provider: provider as Provider,
      options,
      protocol,
      config,
      access: { ...access, port },
      toJSON,
      // `console.log` of Node and of workerd uses this property.
      [Symbol.for("nodejs.util.inspect.custom")]: toJSON,
    } as AccessibleModel;
  };
  return Object.defineProperty(provider, "name", { value: name });
}
