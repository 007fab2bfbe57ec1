// The entry `threadhold/loop/providers`: the providers of this package as `StreamProvider`s, a registry of them, and a provider for tests.

export { MockProvider } from "./mock-provider.ts";
export type { MockAnswer, MockOptions, MockResponse, MockToolCall } from "./mock-provider.ts";
export {
  anthropicProvider,
  azureOpenaiProvider,
  bedrockProvider,
  googleProvider,
  googleVertexProvider,
  openaiCompatProvider,
  openaiResponsesProvider,
} from "./profile-provider.ts";
export type { ProviderConnection } from "./provider-port.ts";
export { ProviderError } from "./provider-error.ts";
export type { ProviderErrorKind } from "./provider-error.ts";
export { ProviderRegistry } from "./provider-registry.ts";
