// The port of this package's providers, and its code, which is loaded with the first request: a program with a provider of its own, or a test,
// loads nothing of it. This file is the only one of the entry that imports the providers.

import type { ModelPort } from "#core/ports/model-port.ts";
import { environment } from "#host/process-environment.ts";
import type { ModelPortOptions } from "#models/create-model-port.ts";
import { loadedHint, portsLoadedBy } from "#models/load-model-port.ts";

import type { ModelConfig } from "./model-config.ts";
import { keyOf, variablesOf } from "./model-definition.ts";

/** How the requests of this package's providers are sent. */
export interface ProviderConnection {
  /** Keys and addresses of providers. Default: the environment variables of the process. */
  env?: Record<string, unknown> | undefined;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Whether the connection of a complete answer is left open for the next request. Default: true. */
  reusesConnections?: boolean | undefined;
}

const providerPort = portsLoadedBy(async () => {
  const [{ createModelPort }, { addClouds }, { keptLanguages }] = await Promise.all([
    import("#models/create-model-port.ts"),
    import("#models/provider/clouds.ts"),
    import("./kept-languages.ts"),
  ]);
  addClouds();
  return ({ given, ...options }: ModelPortOptions & { given: object }) =>
    createModelPort({ generalHint: loadedHint, languages: keptLanguages(given, options.env), ...options });
});

/** The port for the requests of a config. `given`: the object of the caller that the config is a copy of; ports of the same object share work. */
export function portOf(config: ModelConfig, given: object, connection: ProviderConnection = {}): ModelPort {
  const { env = environment(), fetch = (input, init) => globalThis.fetch(input, init) } = connection;
  const apiKey = keyOf(config);
  return providerPort({
    given,
    env: variablesOf(config, env),
    fetch,
    // The key in the config takes precedence over the environment's.
    accessTo: () => (apiKey === undefined ? {} : { apiKey }),
    // A header may contain a token. Failures show no value of the config's headers.
    secrets: Object.values(config.headers ?? {}),
    reusesConnections: connection.reusesConnections ?? true,
  });
}
