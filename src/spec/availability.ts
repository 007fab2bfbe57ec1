// The providers that the runtime speaks today, and the sentence for one that the types name and it does not speak. Not part
// of what `threadhold` exports.

import type { AnyModelProvider } from "./model.ts";

/** Providers that a model may name. */
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
