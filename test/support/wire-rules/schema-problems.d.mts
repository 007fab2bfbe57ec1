/** The wires that receive schemas. `moonshot`, `claude` and `gemini` are Chat Completions with models of these providers. */
export declare const schemaWires: readonly [
  "openai",
  "openai-responses",
  "anthropic",
  "google",
  "openrouter",
  "openai-compatible",
  "moonshot",
  "claude",
  "gemini",
  "bedrock",
  "nova",
];
export type SchemaWire = (typeof schemaWires)[number];

/** The reasons why a provider would refuse the schema of a tool's arguments, as it is sent. */
export declare function schemaProblems(wire: SchemaWire, schema: unknown): string[];

/** The rules for the schemas of a request: those of the protocol, or those of the provider that the model belongs to. */
export declare function schemaWireOf(
  wire: "openai" | "openai-responses" | "openrouter" | "anthropic" | "google",
  model: unknown,
): SchemaWire;
