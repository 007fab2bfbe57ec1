// Checks options of a turn that a program in JavaScript may set to a wrong value, so that the error names the option and not a place in this
// package. Only the code of providers imports this file. Values of settings that may contain keys are not part of an error.

import { errorMessage } from "#lib/cut-text.ts";
import { fieldsOf, isObject } from "#lib/json-value.ts";

import type { ProviderConfig } from "./model-reference.ts";
import type { TurnRequest } from "./turn-request.ts";

/** Returns what is wrong with an option, with its name; null if no option has a wrong value. */
export function problemOfOptions(request: TurnRequest): string | null {
  const problem = problemOfRequest(request) ?? problemOfConfig(request.config);
  return problem === null ? problemOfTools(request.tools) : `The option ${problem}`;
}

function problemOfTools(tools: readonly unknown[]): string | null {
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const { name, parameters, dependsOn, run } = fieldsOf(tool);
    if (typeof run !== "function" || fieldsOf(parameters)["type"] !== "object")
      return `tools.${index} is not a tool. A tool has a name, a description, parameters with "type": "object" and a function \`run\`. Convert an agent with subagentTool.`;
    if (typeof name !== "string" || !/^[A-Za-z_][\w-]{0,63}$/.test(name))
      return `The name of a tool has to begin with a letter or "_" and to have up to 64 letters, digits, "_" and "-"; this one is ${JSON.stringify(name)}.`;
    if (dependsOn !== undefined && !(Array.isArray(dependsOn) && dependsOn.every((each) => typeof each === "string")))
      return `dependsOn of the tool "${name}" has to be a list of names of tools.`;
    if (names.has(name)) return `Two tools are named "${name}". Rename one of them.`;
    names.add(name);
  }
  return null;
}

function problemOfRequest({ system, tools, params, structure, maxIterations }: TurnRequest): string | null {
  if (typeof (system as unknown) !== "string") return `system has to be a text; it is ${kindOf(system)}.`;
  if (!Array.isArray(tools as unknown)) return `tools has to be a list, such as tools: [add]; it is ${kindOf(tools)}.`;
  if (!(maxIterations === Infinity || Number.isSafeInteger(maxIterations)) || maxIterations < 0)
    return `maxIterations has to be a whole number of at least 0, or Infinity; it is ${String(maxIterations)}.`;
  if (structure !== undefined && fieldsOf(structure)["type"] !== "object")
    return 'structure has to be a JSON Schema with "type": "object".';
  return params === undefined ? null : problemOfParams(params);
}

function problemOfParams(params: unknown): string | null {
  if (!isObject(params))
    return `params has to be an object with fields of the provider's API; it is ${kindOf(params)}.`;
  try {
    JSON.stringify(params);
    return null;
  } catch (thrown) {
    return `params cannot be converted to JSON: ${errorMessage(thrown)}`;
  }
}

function problemOfConfig({ timeout, baseUrl, headers, fetch, retryStrategy }: ProviderConfig): string | null {
  if (timeout !== undefined && !(timeout > 0))
    return `config.timeout has to be milliseconds above 0; it is ${String(timeout)}.`;
  if (baseUrl !== undefined && !isBaseUrl(baseUrl))
    return "config.baseUrl has to be an address that begins with http:// or https:// and has no query and no fragment.";
  if (fetch !== undefined && typeof fetch !== "function")
    return `config.fetch has to be a function; it is ${kindOf(fetch)}.`;
  if (typeof retryStrategy === "function")
    return "config.retryStrategy is a function. Call it, as in exponentialBackoff().";
  if (retryStrategy !== undefined && typeof fieldsOf(retryStrategy)["onRetry"] !== "function")
    return "config.retryStrategy has no function onRetry. Use a strategy, such as exponentialBackoff().";
  return headers === undefined ? null : problemOfHeaders(headers);
}

function isBaseUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "";
}

function problemOfHeaders(headers: object): string | null {
  const invalid = Object.entries(headers).find(([name, value]) => !isHeader(name, value));
  return invalid === undefined
    ? null
    : `config.headers has an invalid header ${JSON.stringify(invalid[0])}: a value has to be a text without a line break.`;
}

function isHeader(name: string, value: unknown): boolean {
  try {
    return typeof value === "string" && new Headers({ [name]: value }).has(name);
  } catch {
    return false;
  }
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
}
