// The rules of the Responses API for requests that store nothing.

import { isResponsesToolItem, providerToolsOf, responsesToolProblems } from "./provider-tool-rules.mjs";
import { argumentProblems, callNameProblems, listProblems, textProblems, toolProblems } from "./text-rules.mjs";

/**
 * @param {any} item
 * @param {string} path
 * @returns {string[]}
 */
function messageProblems({ content }, path) {
  if (!Array.isArray(content)) return textProblems(content, `${path}.content`);
  const texts = content.filter(({ type }) => type === "input_text" || type === "output_text");
  return [
    ...listProblems(content, `${path}.content`),
    ...texts.flatMap(({ text }) => textProblems(text, `${path}.content`)),
  ];
}

/**
 * @param {any[]} input
 * @param {number} at
 * @param {boolean} isOpen whether the model's server accepts thinking that is not encrypted
 * @returns {string[]}
 */
function reasoningProblems(input, at, isOpen) {
  const { encrypted_content: encrypted, summary, content } = input[at];
  const next = input.slice(at + 1).find(({ type }) => type !== "reasoning");
  const isFollowed =
    next !== undefined && (next.type === "function_call" || next.role === "assistant" || isResponsesToolItem(next));
  return [
    ...((typeof encrypted === "string" && encrypted !== "") || (isOpen && Array.isArray(content))
      ? []
      : [`input.${at}: reasoning that is not stored has no encrypted_content`]),
    ...(isFollowed ? [] : [`input.${at}: reasoning was provided without its required following item`]),
    ...(isOpen || content === undefined ? [] : [`input.${at}.content: unknown parameter`]),
    ...(Array.isArray(content) ? content : []).flatMap(({ type, text }) =>
      type === "reasoning_text" ? textProblems(text, `input.${at}.content`) : [`input.${at}.content: "${type}"`],
    ),
    ...(Array.isArray(summary) ? summary : []).flatMap(({ text }) => textProblems(text, `input.${at}.summary`)),
  ];
}

/**
 * The functions of a list of tools; undefined for a request without functions.
 * @param {any} tools
 */
function functionsOf(tools) {
  const own = new Set(providerToolsOf(tools));
  const functions = own.size === 0 ? tools : tools.filter((/** @type {any} */ tool) => !own.has(tool));
  return own.size > 0 && functions.length === 0 ? undefined : functions;
}

/**
 * @param {Record<string, any>} body
 * @returns {string[]}
 */
export function responsesProblems({ model, input, tools, instructions }) {
  // vLLM reads such items for gpt-oss and for other open models: https://github.com/vllm-project/vllm/pull/28248
  const isOpen = /gpt-oss|qwen|deepseek|kimi|minimax|glm-/i.test(String(model));
  const problems = [...listProblems(input, "input"), ...toolProblems(functionsOf(tools), (tool) => tool?.name)];
  if (instructions !== undefined) problems.push(...textProblems(instructions, "instructions"));
  /** @type {Set<string>} */
  const open = new Set();
  for (const [at, item] of input.entries()) {
    const path = `input.${at}`;
    if (item.role !== undefined) problems.push(...messageProblems(item, path));
    else if (item.type === "reasoning") problems.push(...reasoningProblems(input, at, isOpen));
    else if (item.type === "function_call") {
      if (!/^[\x21-\x7e]{1,64}$/.test(String(item.call_id)))
        problems.push(`${path}: the id "${item.call_id}" is refused`);
      problems.push(...callNameProblems(item.name, path));
      problems.push(...argumentProblems(item.arguments, `${path}.arguments`));
      open.add(item.call_id);
    } else if (item.type === "function_call_output") {
      if (!open.delete(item.call_id)) problems.push(`${path}: no tool call found for the output "${item.call_id}"`);
      problems.push(...messageProblems({ content: item.output }, path));
    } else if (!isResponsesToolItem(item)) problems.push(`${path}: an item of the type "${item.type}" is not accepted`);
  }
  if (open.size > 0) problems.push(`input: no tool output found for ${[...open].join(", ")}`);
  problems.push(...responsesToolProblems({ input, tools }));
  return problems;
}
