// The protocols of providers' APIs (REQ-125), and the ids of their providers (REQ-186).

/** The protocol of a provider's API. It chooses the provider of a model. */
export type ApiProtocol =
  | "anthropic_messages"
  | "openai_completions"
  | "openai_responses"
  | "azure_openai_responses"
  | "google_generative_ai"
  | "google_vertex"
  | "bedrock_converse_stream";

/** The id of the provider of each protocol. */
export const providerIds: Readonly<Record<ApiProtocol, string>> = {
  anthropic_messages: "anthropic",
  openai_completions: "openai",
  openai_responses: "openai_responses",
  azure_openai_responses: "azure_openai",
  google_generative_ai: "google",
  google_vertex: "google_vertex",
  bedrock_converse_stream: "bedrock",
};

/** The protocols, in the order in which errors list them. */
export const protocols = Object.keys(providerIds) as readonly ApiProtocol[];

/** Whether a value is the name of a protocol. */
export function isProtocol(value: unknown): value is ApiProtocol {
  return typeof value === "string" && Object.hasOwn(providerIds, value);
}
