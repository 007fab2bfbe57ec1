// The rules of Anthropic's Messages API.

import { listProblems, textProblems, toolProblems } from "./text-rules.mjs";

const idForm = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * @param {any} content
 * @param {string} path
 * @returns {string[]}
 */
function resultProblems(content, path) {
  if (content === undefined) return [];
  if (!Array.isArray(content)) return textProblems(content, path);
  const texts = content.filter(({ type }) => type === "text");
  return [...listProblems(content, path), ...texts.flatMap(({ text }) => textProblems(text, path))];
}

/**
 * @param {any} block
 * @param {string} path
 * @returns {string[]}
 */
function blockProblems(block, path) {
  switch (block.type) {
    case "text":
      return textProblems(block.text, path);
    case "thinking":
      return typeof block.signature === "string" && block.signature !== ""
        ? []
        : [`${path}.thinking.signature: field required`];
    case "redacted_thinking":
      return typeof block.data === "string" && block.data !== ""
        ? []
        : [`${path}.redacted_thinking.data: field required`];
    case "tool_use":
      return [
        ...(idForm.test(String(block.id)) ? [] : [`${path}.tool_use.id: "${block.id}" should match the pattern`]),
        ...(typeof block.input === "object" && block.input !== null && !Array.isArray(block.input)
          ? []
          : [`${path}.tool_use.input: should be an object`]),
      ];
    case "tool_result":
      return resultProblems(block.content, `${path}.tool_result`);
    default:
      return [];
  }
}

/**
 * @param {any[]} messages
 * @param {number} at
 * @returns {string[]}
 */
function pairProblems(messages, at) {
  const blocksOf = (/** @type {any} */ message) => (Array.isArray(message?.content) ? message.content : []);
  const { role } = messages[at];
  const path = `messages.${at}`;
  if (role === "assistant") {
    const results = new Set(
      blocksOf(messages[at + 1])
        .filter((/** @type {any} */ { type }) => type === "tool_result")
        .map((/** @type {any} */ result) => result.tool_use_id),
    );
    const calls = blocksOf(messages[at]).filter((/** @type {any} */ { type }) => type === "tool_use");
    const last = blocksOf(messages[at]).at(-1)?.type;
    return [
      ...calls
        .filter((/** @type {any} */ { id }) => !results.has(id))
        .map(
          (/** @type {any} */ { id }) =>
            `${path}: tool_use ids were found without tool_result blocks immediately after: ${id}`,
        ),
      ...(last === "thinking" || last === "redacted_thinking"
        ? [`${path}: the final block in an assistant message cannot be thinking`]
        : []),
    ];
  }
  const calls = new Set(
    blocksOf(messages[at - 1])
      .filter((/** @type {any} */ { type }) => type === "tool_use")
      .map((/** @type {any} */ { id }) => id),
  );
  return blocksOf(messages[at])
    .filter((/** @type {any} */ { type, tool_use_id: id }) => type === "tool_result" && !calls.has(id))
    .map(
      (/** @type {any} */ { tool_use_id: id }) => `${path}: unexpected tool_use_id found in tool_result blocks: ${id}`,
    );
}

/**
 * @param {Record<string, any>} body
 * @returns {string[]}
 */
export function anthropicProblems({ messages, system, tools, max_tokens: limit }) {
  const problems = [...listProblems(messages, "messages"), ...toolProblems(tools, (tool) => tool?.name)];
  if (system !== undefined) problems.push(...resultProblems(system, "system"));
  if (!Number.isInteger(limit) || limit < 1) problems.push("max_tokens: field required");
  if (messages[0]?.role !== "user") problems.push("messages: first message must use the user role");
  for (const [at, { role, content }] of messages.entries()) {
    const path = `messages.${at}`;
    if (role !== "user" && role !== "assistant") problems.push(`${path}: the role "${role}" is unknown`);
    if (at > 0 && messages[at - 1].role === role) problems.push(`${path}: roles must alternate`);
    if (Array.isArray(content)) {
      problems.push(...listProblems(content, `${path}.content`));
      problems.push(...content.flatMap((block, number) => blockProblems(block, `${path}.content.${number}`)));
    } else problems.push(...textProblems(content, `${path}.content`));
    problems.push(...pairProblems(messages, at));
  }
  const usesTools = JSON.stringify(messages).includes('"type":"tool_use"');
  if (usesTools && tools === undefined)
    problems.push("tools: requests which include tool_use blocks must define tools");
  return problems;
}
