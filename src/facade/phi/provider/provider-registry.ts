// The providers of a program by protocol (REQ-042, REQ-125).

import type { CancellationToken } from "../cancellation-token.ts";
import { LoopError } from "../loop-error.ts";
import type { AssistantMessage } from "../loop-messages.ts";
import { isProtocol, protocols, type ApiProtocol } from "./api-protocol.ts";
import type { ModelConfig } from "./model-config.ts";
import { profileProvider } from "./profile-provider.ts";
import { ProviderError } from "./provider-error.ts";
import { checkProvider } from "./provider-id.ts";
import type { ProviderConnection } from "./provider-port.ts";
import type { StreamConfig, StreamProvider, StreamSender } from "./stream-provider.ts";

/** Chooses the provider of a request by the protocol in its `model_config`. It is a provider itself. */
export class ProviderRegistry implements StreamProvider {
  readonly #providers = new Map<ApiProtocol, StreamProvider>();

  /** A registry without providers. */
  static new(): ProviderRegistry {
    return new ProviderRegistry();
  }

  /** A registry with the providers of all seven protocols. */
  static default(connection?: ProviderConnection): ProviderRegistry {
    const registry = new ProviderRegistry();
    for (const api of protocols) registry.register(api, profileProvider(api, connection));
    return registry;
  }

  /** Sets the provider of a protocol, in place of an earlier one. */
  register(api: ApiProtocol, provider: StreamProvider): this {
    if (!isProtocol(api))
      throw new LoopError(`There is no protocol "${String(api)}". The protocols are ${protocols.join(", ")}.`);
    checkProvider(provider, "provider");
    this.#providers.set(api, provider);
    return this;
  }

  /** The provider of a protocol; undefined if none is registered. */
  get(api: ApiProtocol): StreamProvider | undefined {
    return this.#providers.get(api);
  }

  has(api: ApiProtocol): boolean {
    return this.#providers.has(api);
  }

  /** The protocols with a provider, in the order in which they were first registered. */
  protocols(): ApiProtocol[] {
    return [...this.#providers.keys()];
  }

  /** The provider of a config. Throws a ProviderError if its protocol has none. */
  providerFor({ api }: Pick<ModelConfig, "api">): StreamProvider {
    const provider = this.#providers.get(api);
    if (provider !== undefined) return provider;
    throw ProviderError.other(`No provider registered for protocol: ${api}`);
  }

  /** The id of the registry itself. Loops use the id of the chosen provider. */
  providerId(): string {
    return "registry";
  }

  async stream(config: StreamConfig, tx: StreamSender, cancel: CancellationToken): Promise<AssistantMessage> {
    return this.providerFor(config.model_config).stream(config, tx, cancel);
  }
}
