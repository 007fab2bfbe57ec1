// The package entry `threadhold/upp/http`: strategies for the connection to a provider, for `config.retryStrategy` and `config.apiKey`.

export { DynamicKey, RoundRobinKeys, WeightedKeys } from "./key-strategies.ts";
export type { KeyStrategy, WeightedKey } from "./key-strategies.ts";
export { exponentialBackoff, linearBackoff, noRetry, retryAfterStrategy, tokenBucket } from "./retry-strategies.ts";
export type {
  ExponentialBackoffOptions,
  LinearBackoffOptions,
  RetryAfterOptions,
  TokenBucketOptions,
} from "./retry-strategies.ts";
