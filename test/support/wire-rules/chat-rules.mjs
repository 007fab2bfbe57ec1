// The rules of Chat Completions.

import { argumentProblems, callNameProblems, listProblems, textProblems, toolProblems } from "./text-rules.mjs";

const roles = new Set(["system", "developer", "user", "assistant", "tool"]);

/**
 * @param {any} message
 * @param {string} path
 * @returns {string[]}
 */
function contentProblems({ role, content, tool_calls: calls }, path) {
  // An assistant message with calls needs no content.
  if (role === "assistant" && calls !== undefined && (content === null || content === undefined || content === ""))
    return [];
  if (!Array.isArray(content)) return textProblems(content, `${path}.content`);
  const texts = content.filter(({ type }) => type === "text");
  return [
    ...listProblems(content, `${path}.content`),
    ...texts.flatMap(({ text }) => textProblems(text, `${path}.content`)),
  ];
}

/**
 * @param {any} calls
 * @param {string} path
 * @param {number} longestId
 * @returns {string[]}
 */
function callProblems(calls, path, longestId) {
  if (calls === undefined) return [];
  return [
    ...listProblems(calls, `${path}.tool_calls`),
    ...(calls ?? []).flatMap((/** @type {any} */ { id, function: called }) => [
      ...(/^[\x21-\x7e]+$/.test(String(id)) && id.length <= longestId ? [] : [`${path}: the id "${id}" is refused`]),
      ...callNameProblems(called?.name, path),
      ...argumentProblems(called?.arguments, `${path}: the arguments of ${called?.name}`),
    ]),
  ];
}

/**
 * @param {Record<string, any>} body
 * @param {number} longestId
 * @returns {string[]}
 */
export function chatProblems({ messages, tools }, longestId) {
  const problems = [...listProblems(messages, "messages"), ...toolProblems(tools, (tool) => tool?.function?.name)];
  /** @type {Set<string>} */
  let open = new Set();
  for (const [at, message] of messages.entries()) {
    const path = `messages.${at}`;
    if (!roles.has(message.role)) problems.push(`${path}: the role "${message.role}" is unknown`);
    problems.push(...contentProblems(message, path), ...callProblems(message.tool_calls, path, longestId));
    if (message.role === "tool") {
      if (!open.delete(message.tool_call_id))
        problems.push(`${path}: the result "${message.tool_call_id}" follows no call`);
      continue;
    }
    if (open.size > 0) problems.push(`${path}: the calls ${[...open].join(", ")} have no results`);
    open = new Set((message.tool_calls ?? []).map((/** @type {any} */ { id }) => id));
  }
  if (open.size > 0) problems.push(`messages: the calls ${[...open].join(", ")} have no results`);
  return problems;
}
