// The provider that a program gives, and the id of the provider that a loop will use, without loading its code.

import { errorMessage } from "#lib/cut-text.ts";
import { fieldsOf } from "#lib/json-value.ts";

import { LoopError } from "../loop-error.ts";
import { isWronglyAsync } from "../program-functions.ts";
import { providerIds } from "./api-protocol.ts";
import type { ModelConfig } from "./model-config.ts";
import type { ProviderRegistry } from "./provider-registry.ts";
import type { StreamProvider } from "./stream-provider.ts";

/** The id of the provider of a config (REQ-186): that of the override, or of its provider for the protocol if it is a registry. */
export function providerIdOf({
  modelConfig: { api },
  providerOverride,
}: {
  modelConfig: ModelConfig;
  providerOverride?: StreamProvider | undefined;
}): string {
  if (providerOverride === undefined) return providerIds[api];
  const { providerFor } = providerOverride as Partial<ProviderRegistry>;
  if (providerFor === undefined) return idOf(providerOverride);
  const chosen = (providerOverride as ProviderRegistry).get(api);
  return chosen === undefined ? providerIds[api] : idOf(chosen);
}

/** The id of a provider. It becomes a part of the ids of loops. Throws a LoopError for a wrong one. */
export function idOf(provider: StreamProvider): string {
  let id: unknown;
  try {
    id = provider.providerId();
  } catch (thrown) {
    throw new LoopError(`\`providerOverride.providerId()\` failed: ${errorMessage(thrown)}`);
  }
  if (typeof id === "string" && /^[\x21-\x7e]{1,100}$/.test(id)) return id;
  isWronglyAsync(id);
  throw new LoopError(
    '`providerOverride.providerId()` has to return a short name without spaces, such as "anthropic".',
  );
}

/** Checks that a value is a provider. Throws a LoopError that names the missing function. */
export function checkProvider(provider: unknown, option: string): asserts provider is StreamProvider {
  for (const name of ["providerId", "stream"])
    if (typeof fieldsOf(provider)[name] !== "function")
      throw new LoopError(`\`${option}\` has no function \`${name}\`. It has to be a StreamProvider.`);
}
