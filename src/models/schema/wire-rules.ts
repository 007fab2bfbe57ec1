// What providers refuse in the schema of a tool's arguments, as data: each rule has its source. The schemas are in normal form already
// (core/schema/normal-form.ts), so rules about references, about `allOf`, about conditions, and about alternatives at the root are not needed
// here. A refusal is not about the tool alone: it fails the whole request. Gemini's rules for keywords are in provider/google-schema.ts.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { addSentence } from "#core/schema/keyword-sentence.ts";
import { listOf } from "#core/schema/merge-schemas.ts";
import type { SchemaRules } from "#spec/index.ts";

import { googleSchema } from "../provider/google-schema.ts";
import type { AcceptsName } from "./sent-names.ts";

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
  /** Names of keys. Others are sent by another name. */
  names?: Rule & { accepts: AcceptsName };
  /** Regular expressions are of a simpler kind. */
  patterns?: Rule & { accepts: (pattern: string) => boolean };
  /** Every schema has a type, or alternatives with types. `type` is not next to `anyOf`. */
  types?: Rule;
  /** Converts schemas to a form of the provider's own, in place of the rules above except those for names. */
  convert?: (schema: JsonObject) => JsonObject;
}

/**
 * What Python's `re` cannot read, and what engines with linear time do not have: lookaround, groups other than `(?:…)`, references to groups,
 * classes by property, unknown and incomplete escapes, empty sets.
 */
const notInPython =
  /\(\?(?!:)|\\[pPkc1-9]|\\u(?![0-9a-fA-F]{4})|\\x(?![0-9a-fA-F]{2})|\\[^\WdDwWsSbBnrtfvxu0-9]|\[\^?\]/;

/** The contents of the classes of characters in an expression, without `^` at their beginning. */
function classContents(pattern: string): string[] {
  const contents: string[] = [];
  let begin: number | null = null;
  for (let at = 0; at < pattern.length; at += 1) {
    const unit = pattern[at];
    if (unit === "\\") at += 1;
    else if (begin === null && unit === "[") begin = pattern[at + 1] === "^" ? at + 2 : at + 1;
    else if (begin !== null && unit === "]") {
      contents.push(pattern.slice(begin, at));
      begin = null;
    }
  }
  return contents;
}

const severalCharacters = /^\\[dDwWsS]$/;

/** Whether a class has a range that begins or ends with several characters, as in `[\w-.]`, or the escape `\B`. Python refuses both. */
function hasOddRange(content: string): boolean {
  const units: readonly string[] = content.match(/\\[^]|[^]/g) ?? [];
  if (units.includes("\\B")) return true;
  for (let at = 0; at < units.length; at += 1) {
    const [first = "", hyphen, last] = units.slice(at, at + 3);
    if (hyphen !== "-" || last === undefined) continue;
    if (severalCharacters.test(first) || severalCharacters.test(last)) return true;
    at += 2;
  }
  return false;
}

const isSimple = (pattern: string): boolean => !notInPython.test(pattern) && !classContents(pattern).some(hasOddRange);

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
    source:
      "https://github.com/vercel/ai/pull/21037, https://github.com/BerriAI/litellm/pull/40485, " +
      // "re.error: bad character range \\w-. at position 8", for a pattern of a public OpenAPI document
      "https://github.com/Azure/aaz-dev-tools/issues/506",
    accepts: isSimple,
  },
};

/** The rules of Anthropic. It accepts every valid schema of draft 2020-12 whose root is an object without alternatives. */
export const anthropicRules: WireRules = {
  names: {
    // "tools.14.custom.input_schema.properties: Property keys should match pattern"; checked at the root only
    source:
      "https://github.com/beautyfree/appstore-connect-mcp/issues/2, " +
      "https://github.com/aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws/issues/709",
    accepts: (name, isRoot) => !isRoot || /^[a-zA-Z0-9_.-]{1,64}$/.test(name),
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

/** The rules of gateways to Anthropic, and of OpenRouter, which forwards schemas to the provider of any model. */
const gateway: WireRules = { ...compatible, ...anthropicRules };

/** The rules of Gemini, on its own and on other servers. */
export const googleRules: WireRules = {
  names: {
    // "Parameter names must start with a letter or an underscore and must only contain chars a-z, A-Z, 0-9, or underscores with a maximum
    // length of 64."
    source:
      "https://cloud.google.com/vertex-ai/generative-ai/docs/reference/java/latest/com.google.cloud.vertexai.api.FunctionDeclarationOrBuilder",
    accepts: (name) => /^[a-zA-Z_]\w{0,63}$/.test(name),
  },
  convert: (schema) => withLoneAlternatives(googleSchema(schema)),
};

/** The schema with the description of alternatives in the first one, because gateways forward what is next to `anyOf` and Gemini refuses it. */
function withLoneAlternatives(schema: JsonObject): JsonObject {
  const inner = (value: Json | undefined): Json => (isJsonObject(value) ? withLoneAlternatives(value) : (value ?? {}));
  const { anyOf, description, properties, items } = schema;
  if (Array.isArray(anyOf)) {
    const [first, ...others] = anyOf.map(inner).flatMap((each) => listOf((each as JsonObject)["anyOf"] ?? [each]));
    const described = typeof description === "string" ? addSentence(first as JsonObject, description) : (first ?? {});
    return { anyOf: [described, ...others] };
  }
  const entries = Object.entries(isJsonObject(properties) ? properties : {});
  return {
    ...schema,
    ...(items === undefined ? {} : { items: inner(items) }),
    ...(entries.length === 0
      ? {}
      : { properties: Object.fromEntries(entries.map(([name, each]) => [name, inner(each)])) }),
  };
}

/** The rules of Moonshot AI for its models, on its own and on other servers. */
const moonshot: WireRules = {
  ...compatible,
  types: {
    // "type is not defined"; "when using anyOf, type should be defined in anyOf items instead of the parent schema"
    source: "https://github.com/earendil-works/pi/issues/4138, https://github.com/MoonshotAI/kimi-cli/issues/2531",
  },
};

/** The rules for the schemas in requests with OpenAI's protocols, by the field `schemaRules` of a model's `compat`. */
export const rulesOfSchemas: Readonly<Record<SchemaRules, WireRules>> = {
  openai,
  compatible,
  anthropic: gateway,
  google: googleRules,
  moonshot,
};
