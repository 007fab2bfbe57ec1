// What providers refuse in the schema of a tool's arguments, as data: each rule has its source. The schemas are in normal form already
// (core/schema/normal-form.ts), so rules about references, about `allOf`, about conditions, and about alternatives at the root are not needed
// here. A refusal is not about the tool alone: it fails the whole request. Gemini's rules are in provider/google-schema.ts.

/** A rule, and the documentation or the report that states it. */
interface Rule {
  source: string;
}

/** The rules of a provider for schemas. An absent rule means that the provider has no such rule. */
export interface WireRules {
  /** Every object has `properties`. */
  objectProperties?: Rule;
  /** Every list has `items`. */
  listItems?: Rule;
  /** The names of the arguments match a pattern. Names of properties inside are free. */
  argumentNames?: Rule & { accepts: RegExp };
  /** Regular expressions are of a simpler kind. */
  patterns?: Rule & { accepts: (pattern: string) => boolean };
  /** Every schema has a type, or alternatives with types. `type` is not next to `anyOf`. */
  types?: Rule;
}

/** What Python's `re` cannot read, and lookaround: groups other than `(?:…)`, classes by property, unknown escapes, empty sets. */
const notInPython = /\(\?(?!:)|\\[pPkcu](?![0-9a-fA-F]{4})|\\[^\WdDwWsSbBnrtfvxu0-9]|\[\^?\]/;

const isSimple = (pattern: string): boolean => !notInPython.test(pattern);

/** The rules of OpenAI's two protocols. */
const openai: WireRules = {
  objectProperties: {
    // "In context=(), object schema missing properties"
    source: "https://github.com/spring-projects/spring-ai/issues/4776, https://github.com/everruns/everruns/pull/984",
  },
  listItems: {
    // "In context=('properties', 'texts'), array schema missing items"
    source: "https://github.com/mark3labs/mcphost/issues/35, https://github.com/sigoden/aichat/pull/1049",
  },
  patterns: {
    // "regex lookaround is not supported"; "… is not a 'regex'", by a validator in Python
    source: "https://github.com/vercel/ai/pull/21037, https://github.com/BerriAI/litellm/pull/40485",
    accepts: isSimple,
  },
};

/** The rules of Anthropic. It accepts every valid schema of draft 2020-12 whose root is an object without alternatives. */
const anthropic: WireRules = {
  argumentNames: {
    // "tools.14.custom.input_schema.properties: Property keys should match pattern"; checked at the root only
    source:
      "https://github.com/beautyfree/appstore-connect-mcp/issues/2, " +
      "https://github.com/aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws/issues/709",
    accepts: /^[a-zA-Z0-9_.-]{1,64}$/,
  },
};

/** The rules of other servers with Chat Completions: those of OpenAI, which many forward requests to, and of llama.cpp. */
const compatible: WireRules = {
  ...openai,
  patterns: {
    // "Pattern must start with '^' and end with '$'"
    source: "https://github.com/containers/kubernetes-mcp-server/issues/758",
    accepts: (pattern) => isSimple(pattern) && /^\^.*\$$/s.test(pattern),
  },
};

/** The rule of Moonshot AI for its models, on its own and on other servers. */
const typed: Pick<WireRules, "types"> = {
  types: {
    // "type is not defined"; "when using anyOf, type should be defined in anyOf items instead of the parent schema"
    source: "https://github.com/earendil-works/pi/issues/4138, https://github.com/MoonshotAI/kimi-cli/issues/2531",
  },
};

const isMoonshot = /(?:^|\/)(?:moonshot|kimi)/i;

/** The APIs that receive a tool's arguments as JSON Schema. */
export type JsonSchemaWire = "openai" | "openai-responses" | "anthropic" | "openrouter" | "openai-compatible";

const rules: Readonly<Record<JsonSchemaWire, WireRules>> = {
  openai,
  "openai-responses": openai,
  anthropic,
  // OpenRouter forwards schemas to the provider of the model, which may be any of the others.
  openrouter: { ...compatible, ...anthropic },
  "openai-compatible": compatible,
};

/** The rules of an API for a model. */
export function wireRules(wire: JsonSchemaWire, model: string): WireRules {
  const isForwarding = wire === "openrouter" || wire === "openai-compatible";
  return isForwarding && isMoonshot.test(model) ? { ...rules[wire], ...typed } : rules[wire];
}
