// The rules that the APIs of providers have for requests, in one function for each protocol. The model servers of the tests apply them to
// every request that they receive, and refuse a request with problems as the API does. Rules for the schemas of tools have a file of their
// own in this folder and are added to `checks`.

import { anthropicProblems } from "./anthropic-rules.mjs";
import { chatProblems } from "./chat-rules.mjs";
import { googleProblems } from "./google-rules.mjs";
import { responsesProblems } from "./responses-rules.mjs";
import { surrogateProblems } from "./text-rules.mjs";

/** @typedef {"openai" | "openrouter" | "openai-responses" | "anthropic" | "google"} Wire */

/** @type {Record<Wire, (body: Record<string, any>) => string[]>} */
const transcriptRules = {
  openai: (body) => chatProblems(body, 40),
  openrouter: (body) => chatProblems(body, 64),
  "openai-responses": responsesProblems,
  anthropic: anthropicProblems,
  google: googleProblems,
};

/** @type {readonly ((wire: Wire, body: Record<string, any>) => string[])[]} */
const checks = [(wire, body) => transcriptRules[wire](body), (_wire, body) => surrogateProblems(body)];

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
  [/\/chat\/completions$/, "openai"],
  [/\/responses$/, "openai-responses"],
  [/\/messages$/, "anthropic"],
  [/:streamGenerateContent$/, "google"],
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
