// The rules of Anthropic's Messages API.

import { anthropicToolProblems } from "./provider-tool-rules.mjs";
import { callNameProblems, listProblems, textProblems, toolProblems } from "./text-rules.mjs";

const idForm = /^[a-zA-Z0-9_-]{1,64}$/;

// https://docs.anthropic.com/en/docs/build-with-claude/vision: "messages.0.content.0.image.source.base64.media_type: Input should be …"
const imageTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/** @param {unknown} data */
const isBase64 = (data) => typeof data === "string" && data !== "" && /^[A-Za-z0-9+/]+={0,2}$/.test(data);

/** @param {unknown} url */
const isUrl = (url) => typeof url === "string" && /^https?:\/\//.test(url);

/**
 * The source of an image or a document (https://docs.anthropic.com/en/docs/build-with-claude/pdf-support).
 * @param {any} block
 * @param {string} path
 * @returns {string[]}
 */
function sourceProblems({ type, source }, path) {
  const types = type === "image" ? imageTypes : ["application/pdf"];
  const place = `${path}.${type}.source`;
  switch (source?.type) {
    case "base64":
      return [
        ...(types.includes(source.media_type)
          ? []
          : [`${place}.media_type: "${source.media_type}" should be one of ${types.join()}`]),
        ...(isBase64(source.data) ? [] : [`${place}.data: should be base64 that is not empty`]),
      ];
    case "url":
      return isUrl(source.url) ? [] : [`${place}.url: "${source.url}" is no URL`];
    case "text":
      if (type === "image" || source.media_type !== "text/plain")
        return [`${place}: a text is a document of text/plain`];
      return textProblems(source.data, `${place}.data`);
    default:
      return [`${place}: the type "${source?.type}" is unknown`];
  }
}

/**
 * The content of a tool's result, or of the system prompt, which holds texts only.
 * @param {any} content
 * @param {string} path
 * @param {readonly string[]} types
 * @returns {string[]}
 */
function resultProblems(content, path, types = ["text"]) {
  if (content === undefined) return [];
  if (!Array.isArray(content)) return textProblems(content, path);
  return [
    ...listProblems(content, path),
    ...content.flatMap((block) => {
      if (!types.includes(block.type)) return [`${path}: a block of the type "${block.type}" is not accepted`];
      return block.type === "text" ? textProblems(block.text, path) : sourceProblems(block, path);
    }),
  ];
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
        ...callNameProblems(block.name, `${path}.tool_use`),
        ...(idForm.test(String(block.id)) ? [] : [`${path}.tool_use.id: "${block.id}" should match the pattern`]),
        ...(typeof block.input === "object" && block.input !== null && !Array.isArray(block.input)
          ? []
          : [`${path}.tool_use.input: should be an object`]),
      ];
    case "tool_result":
      return resultProblems(block.content, `${path}.tool_result`, ["text", "image", "document"]);
    case "image":
    case "document":
      return sourceProblems(block, path);
    default:
      return isOwnTool(block.type) ? [] : [`${path}: a block of the type "${block.type}" is unknown`];
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
 * Whether a block is about a tool that Anthropic executes. A paused turn contains such blocks.
 * @param {string} type
 */
const isOwnTool = (type) => /^(server_tool_use|\w+_tool_result)$/.test(type) && type !== "tool_result";

/** The types of blocks of each role. */
const blocksOfRole = {
  user: ["text", "image", "document", "tool_result"],
  assistant: ["text", "thinking", "redacted_thinking", "tool_use"],
};

/**
 * @param {Record<string, any>} body
 * @returns {string[]}
 */
export function anthropicProblems({ messages, system, tools, max_tokens: limit, thinking }) {
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
      const accepted = /** @type {Record<string, string[]>} */ (blocksOfRole)[role] ?? [];
      const other = content.filter(
        ({ type }) => !accepted.includes(type) && !(role === "assistant" && isOwnTool(type)),
      );
      problems.push(...other.map(({ type }) => `${path}: "${type}" blocks are not permitted in the role "${role}"`));
      problems.push(...content.flatMap((block, number) => blockProblems(block, `${path}.content.${number}`)));
    } else problems.push(...textProblems(content, `${path}.content`));
    problems.push(...pairProblems(messages, at));
  }
  const marks = JSON.stringify([system, messages, tools]).split('"cache_control":').length - 1;
  if (marks > 4) problems.push(`a maximum of 4 blocks with cache_control may be provided, found ${marks}`);
  const budget = thinking?.budget_tokens;
  if (budget !== undefined && (budget < 1024 || budget >= limit))
    problems.push(`thinking.budget_tokens: ${budget} should be from 1024 and less than max_tokens`);
  const usesTools = JSON.stringify(messages).includes('"type":"tool_use"');
  if (usesTools && tools === undefined)
    problems.push("tools: requests which include tool_use blocks must define tools");
  problems.push(...anthropicToolProblems({ messages, tools }));
  return problems;
}
