// The providers' keys and addresses as arguments of the dev command.

import { type Provider, providers } from "./weather-agents.ts";

const paths: Record<Provider, string> = { openai: "/v1", anthropic: "/v1", google: "/v1beta", openrouter: "/api/v1" };

/** A key that appears in no other text by accident. */
export function keyOf(provider: Provider): string {
  return `key-${provider}-4f1d9c27b8e6`;
}

/** `--var` for each key and each address below `url`. */
export function providerVariables(url: string): string[] {
  return providers.flatMap((provider) => {
    const name = provider.toUpperCase();
    const variables = [`${name}_API_KEY:${keyOf(provider)}`, `${name}_BASE_URL:${url}${paths[provider]}`];
    return variables.flatMap((variable) => ["--var", variable]);
  });
}
