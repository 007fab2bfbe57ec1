// The rules of Google's Gemini API.

import { geminiProblems } from "./gemini-problems.mjs";
import { googleToolProblems } from "./provider-tool-rules.mjs";
import { listProblems, textProblems } from "./text-rules.mjs";

/**
 * @param {any} parts
 * @param {string} path
 * @returns {string[]}
 */
function partProblems(parts, path) {
  const texts = (Array.isArray(parts) ? parts : []).filter(
    (part) => "text" in part && part.thoughtSignature === undefined,
  );
  return [
    ...listProblems(parts, path),
    ...texts.flatMap(({ text }) => textProblems(text, path)),
    ...(Array.isArray(parts) ? parts : []).flatMap((part) => mediaProblems(part, path)),
  ];
}

/**
 * "Unable to process input image", "Unsupported MIME type"
 * @param {any} part
 * @param {string} path
 * @returns {string[]}
 */
function mediaProblems({ inlineData, fileData, functionCall, functionResponse }, path) {
  const isTyped = (/** @type {any} */ { mimeType }) => /^[\w.+-]+\/[\w.+-]+(;.*)?$/.test(String(mimeType));
  const called = functionCall ?? functionResponse;
  return [
    ...(inlineData === undefined || (isTyped(inlineData) && inlineData.data)
      ? []
      : [`${path}.inlineData is incomplete`]),
    ...(fileData === undefined || (isTyped(fileData) && fileData.fileUri) ? [] : [`${path}.fileData is incomplete`]),
    ...(called === undefined || functionName.test(String(called.name)) ? [] : [`${path}: "${called.name}" is no name`]),
    ...(functionCall === undefined || isObject(functionCall.args ?? {})
      ? []
      : [`${path}.functionCall.args is no object`]),
    ...(functionResponse === undefined || isObject(functionResponse.response)
      ? []
      : [`${path}.functionResponse.response is no object`]),
  ];
}

/** @param {unknown} value */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** "Invalid function name. Must start with a letter or an underscore …": google-gemini/gemini-cli#7869 */
const functionName = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;

/**
 * @param {any} tools
 * @returns {string[]}
 */
function declarationProblems(tools) {
  const hasOwn = (Array.isArray(tools) ? tools : []).some((tool) => tool?.functionDeclarations === undefined);
  if (tools === undefined || (hasOwn && !JSON.stringify(tools).includes('"functionDeclarations"'))) return [];
  const declarations = (Array.isArray(tools) ? tools : []).flatMap((tool) => tool?.functionDeclarations ?? []);
  const names = declarations.map(({ name }) => name);
  return [
    ...listProblems(declarations, "tools.functionDeclarations"),
    ...names.filter((name) => !functionName.test(String(name))).map((name) => `tools: invalid function name "${name}"`),
    ...(new Set(names).size === names.length ? [] : ["tools: duplicate function declaration found"]),
  ];
}

/**
 * @param {Record<string, any>} body
 * @returns {string[]}
 */
export function googleProblems({ contents, systemInstruction, tools, toolConfig, generationConfig }) {
  const problems = [...listProblems(contents, "contents"), ...declarationProblems(tools)];
  const structure = generationConfig?.responseSchema;
  if (structure !== undefined) problems.push(...geminiProblems(structure, "responseSchema"));
  if (systemInstruction !== undefined)
    problems.push(...partProblems(systemInstruction.parts, "systemInstruction.parts"));
  if (contents[0]?.role !== "user") problems.push("contents: the first turn must be the user's");
  let calls = 0;
  for (const [at, { role, parts }] of contents.entries()) {
    const path = `contents.${at}`;
    if (role !== "user" && role !== "model") problems.push(`${path}: the role "${role}" is unknown`);
    problems.push(...partProblems(parts, `${path}.parts`));
    const list = Array.isArray(parts) ? parts : [];
    const results = list.filter((part) => part.functionResponse !== undefined).length;
    if (results !== calls)
      problems.push(`${path}: the number of function response parts must equal that of the function call parts`);
    calls = list.filter((part) => part.functionCall !== undefined).length;
  }
  if (calls > 0) problems.push("contents: the last function call has no function response");
  problems.push(...googleToolProblems({ contents, tools, toolConfig }));
  return problems;
}
