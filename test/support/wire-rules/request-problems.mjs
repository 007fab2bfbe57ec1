// The rules that the APIs of providers have for requests, in one function for each protocol. The model servers of the tests apply them to
// every request that they receive, and refuse a request with problems as the API does. A test that sends a broken request on purpose states
// its reason in the header `brokenOnPurpose`.

import { anthropicProblems } from "./anthropic-rules.mjs";
import { bedrockProblems } from "./bedrock-rules.mjs";
import { chatProblems } from "./chat-rules.mjs";
import { googleProblems } from "./google-rules.mjs";
import { providerToolsOf } from "./provider-tool-rules.mjs";
import { responsesProblems } from "./responses-rules.mjs";
import { schemaProblems, schemaWireOf } from "./schema-problems.mjs";
import { surrogateProblems } from "./text-rules.mjs";

/** @typedef {"openai" | "openrouter" | "openai-responses" | "anthropic" | "google" | "bedrock"} Wire */

/** @type {Record<Wire, (body: Record<string, any>) => string[]>} */
const transcriptRules = {
  openai: (body) => chatProblems(body, 40),
  openrouter: (body) => chatProblems(body, 64),
  "openai-responses": responsesProblems,
  anthropic: anthropicProblems,
  google: googleProblems,
  bedrock: bedrockProblems,
};

/**
 * The tools of a request by name, with the schemas of their arguments.
 * @param {Wire} wire
 * @param {Record<string, any>} body
 * @returns {{ name: unknown, schema: unknown }[]}
 */
function toolsOf(wire, { tools, toolConfig }) {
  const list = /** @type {any[]} */ (Array.isArray(tools) ? tools : []);
  const own = new Set(providerToolsOf(list));
  const functions = list.filter((tool) => !own.has(tool));
  switch (wire) {
    case "google":
      return list
        .flatMap((tool) => tool?.functionDeclarations ?? [])
        .map(({ name, parameters }) => ({ name, schema: parameters }));
    case "bedrock":
      return (toolConfig?.tools ?? []).flatMap((/** @type {any} */ { toolSpec: spec }) =>
        spec === undefined ? [] : [{ name: spec.name, schema: spec.inputSchema?.json }],
      );
    case "anthropic":
      return functions.map(({ name, input_schema: schema }) => ({ name, schema }));
    case "openai-responses":
      return functions.map(({ name, parameters }) => ({ name, schema: parameters }));
    case "openai":
    case "openrouter":
      return list.map((tool) => ({ name: tool?.function?.name, schema: tool?.function?.parameters }));
  }
}

/**
 * The problems of the schemas of the tools, by the rules of the protocol or of the provider that the model belongs to.
 * @param {Wire} wire
 * @param {Record<string, any>} body
 * @returns {string[]}
 */
function toolSchemaProblems(wire, body) {
  return toolsOf(wire, body).flatMap(({ name, schema }) =>
    schemaProblems(schemaWireOf(wire, body["model"]), schema).map((problem) => `tools: ${String(name)}: ${problem}`),
  );
}

/** @type {readonly ((wire: Wire, body: Record<string, any>) => string[])[]} */
const checks = [
  (wire, body) => transcriptRules[wire](body),
  (_wire, body) => surrogateProblems(body),
  toolSchemaProblems,
];

/** The fields that hold a conversation. A body without them is no request for an answer. */
const conversations = ["messages", "input", "contents"];

/**
 * The problems of a request, as sentences; none for a request that the API accepts.
 * @param {string} wire
 * @param {unknown} body
 * @returns {string[]}
 */
export function requestProblems(wire, body) {
  if (!(wire in transcriptRules)) return [`"${wire}" is no protocol with rules`];
  const known = /** @type {Wire} */ (wire);
  const fields = /** @type {Record<string, any>} */ (body ?? {});
  if (!conversations.some((name) => Array.isArray(fields[name]))) return [];
  return checks.flatMap((check) => check(known, fields));
}

/** @type {readonly (readonly [RegExp, Wire])[]} */
const wiresByPath = [
  [/\/api\/v1\/chat\/completions$/, "openrouter"],
  [/\/chat\/completions$/, "openai"],
  [/\/responses$/, "openai-responses"],
  [/\/messages$/, "anthropic"],
  [/:streamRawPredict$/, "anthropic"],
  [/:streamGenerateContent$/, "google"],
  [/\/model\/[^/]+\/converse-stream$/, "bedrock"],
];

/**
 * The protocol of an address; null for an address of none.
 * @param {string} address
 * @returns {Wire | null}
 */
export function wireOf(address) {
  const { pathname } = new URL(address);
  return wiresByPath.find(([path]) => path.test(pathname))?.[1] ?? null;
}

/** The header with the reason of a test that sends a broken request on purpose. */
export const brokenOnPurpose = "x-broken-request";

/** The requests of one model server that break the rules of their protocols. The test fails when it closes the server. */
export class BrokenRequests {
  /** @type {string[]} */
  #found = [];

  /**
   * The problems of a request, and the answer with which the API refuses it; null for a request that the API accepts.
   * @param {string} wire
   * @param {{ path: string, body: unknown, headers?: Record<string, unknown> }} request
   * @returns {{ type: "error", error: { type: string, message: string } } | null}
   */
  check(wire, { path, body, headers = {} }) {
    const problems = headers[brokenOnPurpose] === undefined ? requestProblems(wire, body) : [];
    if (problems.length === 0) return null;
    this.#found.push(`${path}: ${problems.join("; ")}`);
    const message = `The request breaks rules: ${problems.join("; ")}`;
    return { type: "error", error: { type: "invalid_request_error", message } };
  }

  /** Throws if a request broke rules. */
  assertNone() {
    const found = this.#found.splice(0);
    if (found.length > 0) throw new Error(`Requests broke the rules of their protocol:\n${found.join("\n")}`);
  }
}
