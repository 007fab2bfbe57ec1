// The providers that the runtime supports today, and the error text for those that only the types name. `threadhold` does not
// export this module.

import type { AnyModelProvider } from "./model.ts";

/** Supported values of a model's `provider`. */
export const availableProviders = [
  "openai",
  "openai-responses",
  "openrouter",
  "anthropic",
  "google",
  "test",
] as const satisfies readonly AnyModelProvider[];

/** Why a provider cannot be used; undefined for one that can. */
export function unavailableProvider(provider: string): string | undefined {
  if (availableProviders.some((available) => available === provider)) return undefined;
  return `provider "${provider}" is not available yet; available are ${availableProviders.join(", ")}`;
}
