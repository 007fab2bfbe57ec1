// The checks of a model's config. A wrong field is refused by name, value and remedy before anything is sent. No message contains a key, or
// the value of a header.

import { fieldsOf, isObject } from "#lib/json-value.ts";

import { LoopError } from "../loop-error.ts";
import { isProtocol, protocols, type ApiProtocol } from "./api-protocol.ts";
import { shown } from "./config-field.ts";

/** Returns what a value has to be; null for a right value. */
type Check = (value: unknown) => string | null;

const text: Check = (value) => (typeof value === "string" && value.trim() !== "" ? null : "a text that is not empty");
const flag: Check = (value) => (typeof value === "boolean" ? null : "true or false");
const count: Check = (value) =>
  Number.isSafeInteger(value) && (value as number) > 0 ? null : "a whole number above 0";
const price: Check = (value) =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? null : "a number of at least 0";
const oneOf =
  (...values: string[]): Check =>
  (value) =>
    typeof value === "string" && values.includes(value)
      ? null
      : `one of ${values.map((known) => `"${known}"`).join(", ")}`;

/** The part of a host's name or of a path that a field becomes. */
const label: Check = (value) =>
  typeof value === "string" && /^[A-Za-z0-9][A-Za-z0-9.:_-]*$/.test(value)
    ? null
    : 'a name of letters, digits, "-", "_", "." and ":"';

function address(value: unknown): string | null {
  if (typeof value !== "string" || !URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    return 'an address that begins with "https://" or "http://"';
  const { username, password } = new URL(value);
  return username === "" && password === "" ? null : "an address without a name and password; use api_key or headers";
}

const fieldChecks: Readonly<Record<string, Check>> = {
  id: text,
  name: text,
  api: oneOf(...protocols),
  provider: text,
  base_url: address,
  reasoning: flag,
  context_window: count,
  max_tokens: count,
  region: label,
  project: label,
  location: label,
  resource: label,
  deployment: text,
  api_version: label,
};

const costChecks: Readonly<Record<string, Check>> = {
  input_per_million: price,
  output_per_million: price,
  cache_read_per_million: price,
  cache_write_per_million: price,
};

const compatChecks: Readonly<Record<string, Check>> = {
  max_tokens_field: oneOf("max_tokens", "max_completion_tokens"),
  supports_developer_role: flag,
  supports_reasoning_effort: flag,
  supports_usage_in_streaming: flag,
};

const required = ["id", "name", "api", "provider"] as const;

/** The protocols that read a field. Every protocol reads the other fields. */
const readers: Readonly<Record<string, readonly ApiProtocol[]>> = {
  compat: ["openai_completions", "openai_responses", "azure_openai_responses"],
  region: ["bedrock_converse_stream"],
  project: ["google_vertex"],
  location: ["google_vertex"],
  resource: ["azure_openai_responses"],
  deployment: ["azure_openai_responses"],
  api_version: ["azure_openai_responses"],
};

/** Checks a config. Throws a LoopError for the first wrong field. */
export function checkModelConfig(config: unknown): void {
  if (!isObject(config))
    throw new LoopError(
      '`model_config` has to be the config of a model, such as ModelConfig.anthropic("claude-sonnet-5-5", "Claude", key).',
    );
  const fields = fieldsOf(config);
  for (const name of required) {
    if (fields[name] === undefined) throw new LoopError(`\`model_config.${name}\` is missing.`);
  }
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && name !== "toJSON") checkField(name, value);
  }
  const { api, api_version, base_url, resource, compat } = fields;
  if (!isProtocol(api)) return;
  for (const [name, apis] of Object.entries(readers)) {
    if (fields[name] !== undefined && !apis.includes(api))
      throw new LoopError(`\`model_config.${name}\` is for ${apis.join(", ")}, and api is "${api}". Leave it out.`);
  }
  if (api !== "openai_completions") {
    for (const name of ["max_tokens_field", "supports_usage_in_streaming"] as const) {
      if (fieldsOf(compat)[name] !== undefined)
        throw new LoopError(`\`model_config.compat.${name}\` is for openai_completions. Leave it out with "${api}".`);
    }
  }
  if (api_version !== undefined && base_url === undefined && resource === undefined)
    throw new LoopError("`model_config.api_version` needs `resource` or `base_url`: it becomes a part of the address.");
}

const thinking = oneOf("Off", "Minimal", "Low", "Medium", "High");

/** Checks a thinking level. Throws a LoopError for a wrong one. */
export function checkThinkingLevel(level: unknown): void {
  const expected = thinking(level);
  if (expected !== null) throw new LoopError(`The thinking level is ${shown(level)}. It has to be ${expected}.`);
}

function checkField(name: string, value: unknown): void {
  switch (name) {
    case "api_key":
      checkKey(value);
      return;
    case "headers":
      checkHeaders(value);
      return;
    case "cost":
      checkGroup("cost", value, costChecks);
      return;
    case "compat":
      checkGroup("compat", value, compatChecks);
      return;
    default:
      checkOne("model_config", [name, value], fieldChecks);
  }
}

/** The fields that have checks of their own. */
const otherFields = ["api_key", "headers", "cost", "compat"];

function checkOne(group: string, [name, value]: [string, unknown], checks: Readonly<Record<string, Check>>): void {
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  const path = `${group}.${name}`;
  if (check === undefined) {
    const known = [...Object.keys(checks), ...(checks === fieldChecks ? otherFields : [])];
    throw new LoopError(`There is no field \`${path}\`. The fields are ${known.join(", ")}.`);
  }
  const expected = check(value);
  // An address may contain a password, and a value of another type anything.
  const is = name !== "base_url" && typeof value !== "object" ? `is ${shown(value)}` : "is not right";
  if (expected !== null) throw new LoopError(`\`${path}\` ${is}. It has to be ${expected}.`);
}

function checkGroup(group: string, value: unknown, checks: Readonly<Record<string, Check>>): void {
  if (!isObject(value)) throw new LoopError(`\`model_config.${group}\` has to be an object.`);
  for (const [name, given] of Object.entries(value)) {
    if (given !== undefined) checkOne(`model_config.${group}`, [name, given], checks);
  }
}

function checkKey(value: unknown): void {
  if (value === "[hidden]")
    throw new LoopError(
      "`model_config.api_key` is hidden: this config was restored from JSON, which contains no key. Set api_key again, or leave it out to read the environment.",
    );
  if (typeof value !== "string")
    throw new LoopError(`\`model_config.api_key\` is ${value === null ? "null" : typeof value}. It has to be a text.`);
  // A key becomes the value of a header, whose characters are bounded. The key itself is not shown.
  if (!/^[\u0021-\u007e]*$/.test(value.trim()))
    throw new LoopError("`model_config.api_key` contains a space, a line break or a character that no key has.");
}

function checkHeaders(value: unknown): void {
  if (!isObject(value)) throw new LoopError("`model_config.headers` has to be an object of names and texts.");
  for (const [name, given] of Object.entries(value)) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
      throw new LoopError(`\`model_config.headers\` has the name ${shown(name)}, which no header has.`);
    if (given === "[hidden]")
      throw new LoopError(
        `The header "${name}" of \`model_config\` is hidden: this config was restored from JSON. Set it again.`,
      );
    // oxlint-disable-next-line no-control-regex -- These characters end a header.
    if (typeof given !== "string" || /[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/.test(given))
      throw new LoopError(`The header "${name}" of \`model_config\` has to be a text without line breaks.`);
  }
}
