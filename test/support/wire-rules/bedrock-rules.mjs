// The rules of Bedrock's Converse. Sources: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html and the
// pages of its types.

import { converseToolProblems, isServerBlock } from "./provider-tool-rules.mjs";
import { callNameProblems, listProblems, textProblems, toolProblems } from "./text-rules.mjs";

const idForm = /^[a-zA-Z0-9_-]{1,64}$/;
const imageFormats = ["png", "jpeg", "gif", "webp"];
const documentFormats = ["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"];
const audioFormats = "mp3 opus wav aac flac mp4 ogg mkv mka x-aac m4a mpeg mpga pcm webm".split(" ");
const videoFormats = ["mkv", "mov", "mp4", "webm", "flv", "mpeg", "mpg", "wmv", "three_gp"];

/** Letters, digits, single whitespace, hyphens, parentheses and brackets. */
const documentName = /^(?!.*\s\s)[a-zA-Z0-9\s\-()[\]]{1,200}$/;

/**
 * @param {any} media
 * @param {readonly string[]} formats
 * @param {string} path
 * @returns {string[]}
 */
function mediaProblems({ format, source }, formats, path) {
  const bytes = source?.bytes;
  const isSource =
    typeof source?.s3Location?.uri === "string" || (typeof bytes === "string" && /^[A-Za-z0-9+/]+={0,2}$/.test(bytes));
  return [
    ...(formats.includes(format) ? [] : [`${path}.format: "${format}" should be one of ${formats.join()}`]),
    ...(isSource ? [] : [`${path}.source: should be bytes in base64 that are not empty, or an address of S3`]),
  ];
}

/**
 * @param {any} block
 * @param {string} path
 * @returns {string[]}
 */
function blockProblems(block, path) {
  const names = Object.keys(block);
  if (names.length !== 1) return [`${path}: a block has one member, not ${names.join()}`];
  const [name = ""] = names;
  const value = block[name];
  const place = `${path}.${name}`;
  switch (name) {
    case "text":
      return textProblems(value, place);
    case "image":
      return mediaProblems(value, imageFormats, place);
    case "video":
      return mediaProblems(value, videoFormats, place);
    case "audio":
      return mediaProblems(value, audioFormats, place);
    case "document":
      return [
        ...mediaProblems(value, documentFormats, place),
        ...(documentName.test(value.name) ? [] : [`${place}.name: "${value.name}" has other characters`]),
      ];
    case "cachePoint":
      return value.type === "default" ? [] : [`${place}.type: "${value.type}" is unknown`];
    case "reasoningContent": {
      if (typeof value.redactedContent === "string" && value.redactedContent !== "") return [];
      const { text, signature } = value.reasoningText ?? {};
      return typeof text === "string" && typeof signature === "string" && signature !== ""
        ? []
        : [`${place}: should have a text and a signature, or redacted content`];
    }
    case "json":
      return typeof value === "object" && value !== null ? [] : [`${place}: should be an object`];
    case "toolUse":
      return [
        ...callNameProblems(value.name, place),
        ...(idForm.test(String(value.toolUseId)) ? [] : [`${place}.toolUseId: "${value.toolUseId}" has another form`]),
        ...(typeof value.input === "object" && value.input !== null && !Array.isArray(value.input)
          ? []
          : [`${place}.input: should be an object`]),
      ];
    case "toolResult":
      return [
        ...listProblems(value.content, place),
        ...(value.content ?? []).flatMap((/** @type {any} */ inner, /** @type {number} */ at) =>
          "toolUse" in inner || "toolResult" in inner || "cachePoint" in inner
            ? [`${place}.content.${at}: this block is not permitted in a result`]
            : blockProblems(inner, `${place}.content.${at}`),
        ),
        ...(value.status === undefined || ["success", "error"].includes(value.status)
          ? []
          : [`${place}.status: "${value.status}" is unknown`]),
      ];
    default:
      return [`${path}: a block "${name}" is unknown`];
  }
}

/**
 * @param {any} message
 * @param {string} name
 * @returns {any[]}
 */
const blocksOf = (message, name) =>
  (message?.content ?? []).flatMap((/** @type {any} */ block) => (block[name] === undefined ? [] : [block[name]]));

/**
 * @param {any[]} messages
 * @param {number} at
 * @returns {string[]}
 */
function pairProblems(messages, at) {
  const path = `messages.${at}`;
  if (messages[at].role === "assistant") {
    const results = new Set(blocksOf(messages[at + 1], "toolResult").map(({ toolUseId }) => toolUseId));
    const last = messages[at].content.filter((/** @type {any} */ block) => block.cachePoint === undefined).at(-1);
    return [
      ...blocksOf(messages[at], "toolUse")
        .filter((toolUse) => !isServerBlock({ toolUse }) && !results.has(toolUse.toolUseId))
        .map(({ toolUseId }) => `${path}: toolUse without a toolResult in the next message: ${toolUseId}`),
      ...(last?.reasoningContent === undefined
        ? []
        : [`${path}: the final block in an assistant message cannot be thinking`]),
    ];
  }
  const calls = new Set(blocksOf(messages[at - 1], "toolUse").map(({ toolUseId }) => toolUseId));
  return blocksOf(messages[at], "toolResult")
    .filter(({ toolUseId }) => !calls.has(toolUseId))
    .map(({ toolUseId }) => `${path}: toolResult without a toolUse in the previous message: ${toolUseId}`);
}

const blocksOfRole = {
  user: ["text", "image", "document", "video", "audio", "toolResult", "cachePoint"],
  assistant: ["text", "reasoningContent", "toolUse", "toolResult", "cachePoint"],
};

/** @type {readonly string[]} */
const knownFields = [
  ..."messages system inferenceConfig toolConfig additionalModelRequestFields outputConfig serviceTier".split(" "),
  ..."guardrailConfig performanceConfig requestMetadata additionalModelResponseFieldPaths promptVariables".split(" "),
];

/**
 * @param {Record<string, any>} body
 * @returns {string[]}
 */
export function bedrockProblems(body) {
  const { messages, system = [], toolConfig, inferenceConfig = {}, additionalModelRequestFields: more = {} } = body;
  const specs = (toolConfig?.tools ?? []).flatMap((/** @type {any} */ tool) => tool.toolSpec ?? []);
  const problems = [
    ...listProblems(messages, "messages"),
    ...toolProblems(specs.length === 0 ? undefined : specs, (tool) => tool?.name),
  ];
  if (toolConfig !== undefined && toolConfig.tools.length === 0) problems.push("toolConfig.tools: should not be empty");
  for (const { name, description } of specs)
    if (description === "") problems.push(`toolConfig.tools: the description of ${name} should not be empty`);
  for (const [at, block] of system.entries()) problems.push(...blockProblems(block, `system.${at}`));
  if (messages[0]?.role !== "user") problems.push("messages: a conversation must start with a user message");
  const documents = messages.flatMap((/** @type {any} */ message) => [
    ...blocksOf(message, "document"),
    ...blocksOf(message, "toolResult").flatMap((result) => blocksOf(result, "document")),
  ]);
  const names = documents.map(({ name }) => name);
  if (new Set(names).size < names.length) problems.push(`messages: names of documents repeat: ${names.join()}`);
  for (const [at, message] of messages.entries()) {
    const path = `messages.${at}`;
    const { role, content } = message;
    const accepted = /** @type {Record<string, string[]>} */ (blocksOfRole)[role];
    if (accepted === undefined) problems.push(`${path}: the role "${role}" is unknown`);
    if (at > 0 && messages[at - 1].role === role) problems.push(`${path}: roles must alternate`);
    problems.push(...listProblems(content, `${path}.content`));
    for (const [number, block] of content.entries()) {
      const [name = ""] = Object.keys(block);
      if (accepted?.includes(name) === false)
        problems.push(`${path}: "${name}" is not permitted in the role "${role}"`);
      problems.push(...blockProblems(block, `${path}.content.${number}`));
    }
    if (blocksOf(message, "document").length > 0 && blocksOf(message, "text").length === 0)
      problems.push(`${path}: a message with a document must have a text`);
    problems.push(...pairProblems(messages, at));
  }
  problems.push(...converseToolProblems(body));
  const marks = JSON.stringify([system, messages, toolConfig]).split('"cachePoint":').length - 1;
  if (marks > 4) problems.push(`at most 4 cache points are accepted, found ${marks}`);
  const budget = more.thinking?.budget_tokens;
  const limit = inferenceConfig.maxTokens ?? Infinity;
  if (budget !== undefined && (budget < 1024 || budget >= limit))
    problems.push(`thinking.budget_tokens: ${budget} should be from 1024 and less than maxTokens`);
  if (more.thinking !== undefined && inferenceConfig.temperature !== undefined)
    problems.push("inferenceConfig.temperature: should not be set with thinking");
  const usesTools = /"tool(?:Use|Result)":/.test(JSON.stringify(messages));
  if (usesTools && toolConfig === undefined)
    problems.push("The toolConfig field must be defined when using toolUse and toolResult content blocks.");
  for (const name of Object.keys(body)) if (!knownFields.includes(name)) problems.push(`${name}: extraneous key`);
  return problems;
}
