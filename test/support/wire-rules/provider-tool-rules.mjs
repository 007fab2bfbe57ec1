// The rules of the APIs for tools that the provider executes itself: which tools exist, and which blocks of earlier answers are accepted.

const anthropicTypes = /^(web_search|web_fetch|code_execution|advisor)_\d{8}$/;
const responsesTypes = [
  "web_search",
  "web_search_preview",
  "file_search",
  "code_interpreter",
  "image_generation",
  "mcp",
];
const responsesItems =
  "web_search_call file_search_call code_interpreter_call image_generation_call mcp_call mcp_list_tools".split(" ");
const systemTools = ["nova_grounding", "nova_code_interpreter"];
const googleTools =
  "functionDeclarations googleSearch urlContext codeExecution fileSearch googleMaps enterpriseWebSearch".split(" ");

/**
 * The tools of a list that are no functions.
 * @param {any} tools
 * @returns {any[]}
 */
export function providerToolsOf(tools) {
  const isFunction = (/** @type {any} */ tool) =>
    tool?.type === undefined || ["function", "custom"].includes(String(tool.type));
  return (Array.isArray(tools) ? tools : []).filter((tool) => !isFunction(tool));
}

/**
 * @param {{ messages: any[], tools?: any }} body
 * @returns {string[]}
 */
export function anthropicToolProblems({ messages, tools }) {
  const own = providerToolsOf(tools);
  const problems = own
    .filter(({ type, name }) => !anthropicTypes.test(type) || name !== type.replace(/_\d+$/, ""))
    .map(({ type, name }) => `tools: the type "${type}" with the name "${name}" is unknown`);
  const blocks = messages.flatMap(({ role, content }, at) =>
    (role === "assistant" && Array.isArray(content) ? content : []).map((block) => ({ block, at })),
  );
  /** @type {Map<string, number>} */
  const calls = new Map();
  const settled = new Set();
  for (const { block, at } of blocks) {
    const path = `messages.${at}`;
    if (block.type === "server_tool_use") {
      if (calls.has(block.id)) problems.push(`${path}: server_tool_use ids must be unique: ${block.id}`);
      if (typeof block.input !== "object" || block.input === null) problems.push(`${path}: input should be an object`);
      if (own.length === 0) problems.push(`${path}: a request with server_tool_use blocks must define server tools`);
      calls.set(block.id, at);
    } else if (block.type.endsWith("_tool_result")) {
      if (!calls.has(block.tool_use_id) || settled.has(block.tool_use_id))
        problems.push(`${path}: unexpected tool_use_id found in ${block.type} blocks: ${block.tool_use_id}`);
      settled.add(block.tool_use_id);
      for (const result of Array.isArray(block.content) ? block.content : [])
        if (block.type === "web_search_tool_result" && typeof result.encrypted_content !== "string")
          problems.push(`${path}: web_search_result.encrypted_content: field required`);
    }
  }
  // The last turn may be open: one that was paused, or one whose other calls were just answered.
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  for (const [id, at] of calls)
    if (!settled.has(id) && at !== last) problems.push(`messages.${at}: server_tool_use without a result: ${id}`);
  return problems;
}

/**
 * @param {{ input: any[], tools?: any }} body
 * @returns {string[]}
 */
export function responsesToolProblems({ input, tools }) {
  const items = input.filter(({ type }) => responsesItems.includes(type));
  const ids = items.map(({ id }) => id);
  return [
    ...providerToolsOf(tools)
      .filter(({ type }) => !responsesTypes.includes(type))
      .map(({ type }) => `tools: the type "${type}" is unknown`),
    ...providerToolsOf(tools)
      .filter(({ type, container }) => type === "code_interpreter" && container === undefined)
      .map(() => "tools: missing required parameter: container"),
    ...(new Set(ids).size === ids.length ? [] : [`input: duplicate item found with the ids ${ids.join()}`]),
  ];
}

/** @param {any} item */
export const isResponsesToolItem = ({ type }) => responsesItems.includes(type);

/**
 * @param {{ contents: any[], tools?: any, toolConfig?: any }} body
 * @returns {string[]}
 */
export function googleToolProblems({ contents, tools, toolConfig }) {
  const list = /** @type {any[]} */ (Array.isArray(tools) ? tools : []);
  const names = list.flatMap((tool) => Object.keys(tool));
  const isMixed = names.includes("functionDeclarations") && names.length > 1;
  const problems = names.filter((name) => !googleTools.includes(name)).map((name) => `tools: unknown field "${name}"`);
  if (isMixed && toolConfig?.functionCallingConfig?.mode === "AUTO")
    problems.push("toolConfig: the mode AUTO is not supported together with built-in tools");
  for (const [at, { parts }] of contents.entries()) {
    const known = /** @type {any[]} */ (Array.isArray(parts) ? parts : []);
    const count = (/** @type {string} */ name) => known.filter((part) => part[name] !== undefined).length;
    if (count("executableCode") !== count("codeExecutionResult"))
      problems.push(`contents.${at}: each executableCode needs a codeExecutionResult`);
    const ids = (/** @type {string} */ name) =>
      new Set(known.flatMap((part) => (part[name] === undefined ? [] : [part[name].id])));
    const [called, answered] = [ids("toolCall"), ids("toolResponse")];
    if (called.size !== answered.size || [...called].some((id) => !answered.has(id)))
      problems.push(`contents.${at}: each toolCall needs a toolResponse with its id`);
  }
  return problems;
}

/**
 * Whether a block of Converse is a call that AWS executed, or its result.
 * @param {any} block
 */
export const isServerBlock = ({ toolUse, toolResult }) =>
  toolUse?.type === "server_tool_use" || String(toolResult?.type).endsWith("_result");

/**
 * @param {Record<string, any>} body
 * @returns {string[]}
 */
export function converseToolProblems({ messages, toolConfig }) {
  const named = /** @type {any[]} */ (toolConfig?.tools ?? []).flatMap(({ systemTool }) => systemTool ?? []);
  const problems = named
    .filter((tool) => !systemTools.includes(tool.name) || Object.keys(tool).length !== 1)
    .map((tool) => `toolConfig.tools: the system tool ${JSON.stringify(tool)} is unknown`);
  const ids = new Set();
  for (const [at, { role, content }] of messages.entries()) {
    const open = new Set();
    for (const block of content) {
      const { toolUse, toolResult } = block;
      const isServer = isServerBlock(block);
      if (toolResult !== undefined && (role === "assistant") !== isServer)
        problems.push(
          `messages.${at}: a toolResult of the type "${toolResult.type}" is not permitted in the role "${role}"`,
        );
      if (!isServer) continue;
      if (named.length === 0)
        problems.push(`messages.${at}: a request with server_tool_use blocks must define system tools`);
      if (toolUse !== undefined) {
        if (ids.has(toolUse.toolUseId))
          problems.push(`messages.${at}: ids of toolUse must be unique: ${toolUse.toolUseId}`);
        ids.add(toolUse.toolUseId);
        open.add(toolUse.toolUseId);
      } else if (!open.delete(toolResult.toolUseId))
        problems.push(`messages.${at}: toolResult without a toolUse: ${toolResult.toolUseId}`);
    }
    for (const id of open) problems.push(`messages.${at}: server_tool_use without a result: ${id}`);
  }
  return problems;
}
