// The rules of Google's Gemini API.

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
  return [...listProblems(parts, path), ...texts.flatMap(({ text }) => textProblems(text, path))];
}

/**
 * @param {Record<string, any>} body
 * @returns {string[]}
 */
export function googleProblems({ contents, systemInstruction }) {
  const problems = listProblems(contents, "contents");
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
  return problems;
}
