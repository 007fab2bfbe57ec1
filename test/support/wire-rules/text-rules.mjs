// What all protocols require of texts: a visible character, and no half of a surrogate pair.

/** White space, control characters, zero-width characters: each API refuses some of them as the only content of a text. */
const visible = /[^\s\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** @param {unknown} text */
function isVisible(text) {
  return typeof text === "string" && visible.test(text);
}

/** @param {string} text */
function isWellFormed(text) {
  return !/[\ud800-\udfff]/u.test(text);
}

/**
 * @param {unknown} value
 * @param {string} path
 * @returns {string[]}
 */
export function surrogateProblems(value, path = "body") {
  if (typeof value === "string") {
    if (!isWellFormed(value)) return [`${path} has half of a surrogate pair`];
    return /\\ud/i.test(value) ? nestedProblems(value, path) : [];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(isWellFormed(name) ? [] : [`a name in ${path} has half of a surrogate pair`]),
    ...surrogateProblems(inner, `${path}.${name}`),
  ]);
}

/**
 * JSON in a text, such as the arguments of a call.
 * @param {string} text
 * @param {string} path
 * @returns {string[]}
 */
function nestedProblems(text, path) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" ? surrogateProblems(value, `${path} as JSON`) : [];
  } catch {
    return [];
  }
}

/**
 * @param {unknown} text
 * @param {string} path
 * @returns {string[]}
 */
export function textProblems(text, path) {
  return isVisible(text) ? [] : [`${path}: text content blocks must contain non-whitespace text`];
}

/**
 * @param {unknown} list
 * @param {string} path
 * @returns {string[]}
 */
export function listProblems(list, path) {
  return Array.isArray(list) && list.length > 0 ? [] : [`${path} must be a list that is not empty`];
}

/**
 * Arguments of a call as text.
 * @param {unknown} text
 * @param {string} path
 * @returns {string[]}
 */
export function argumentProblems(text, path) {
  try {
    const value = JSON.parse(String(text));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return [];
  } catch {
    // Not JSON.
  }
  return [`${path} must be the JSON of an object`];
}

/**
 * @param {any} tools
 * @param {(tool: any) => unknown} nameOf
 * @returns {string[]}
 */
export function toolProblems(tools, nameOf) {
  if (tools === undefined) return [];
  const names = (Array.isArray(tools) ? tools : []).map(nameOf);
  return [
    ...listProblems(tools, "tools"),
    ...names
      .filter((name) => !/^[a-zA-Z0-9_-]{1,128}$/.test(String(name)))
      .map((name) => `tools: the name "${String(name)}" is refused`),
    ...(new Set(names).size === names.length ? [] : ["tools: two tools have one name"]),
  ];
}

/**
 * The name of an earlier call. "Invalid 'messages[9].tool_calls[0].function.name': string does not match pattern": mcp-use/mcp-use#90
 * @param {unknown} name
 * @param {string} path
 * @returns {string[]}
 */
export function callNameProblems(name, path) {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(String(name))
    ? []
    : [`${path}: the name "${String(name)}" does not match the pattern`];
}
