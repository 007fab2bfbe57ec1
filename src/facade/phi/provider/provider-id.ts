// The id of the provider that a loop will use, without loading its code.

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
  if (providerFor === undefined) return providerOverride.providerId();
  return (providerOverride as ProviderRegistry).get(api)?.providerId() ?? providerIds[api];
}
