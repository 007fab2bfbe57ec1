// Checks the options and messages of a turn before its first request: the tools, the key and `params`, and whether the model can read the
// messages.

import { fieldsOf, isObject } from "#lib/json-value.ts";

import { blockResult, hasUrl } from "./content-part.ts";
import { accessTo } from "./model-access.ts";
import { definitionOf } from "./model-reference.ts";
import type { LLMCapabilities, ModelDefinition, ModelReference, ProviderConfig } from "./model-reference.ts";
import { connectionOf } from "./thread-execution.ts";
import type { TurnRequest } from "./turn-request.ts";
import { ErrorCode, refusal, UPPError } from "./upp-error.ts";
import type { AnyMessage } from "./upp-message.ts";

/** The abilities of a model: those that its options state, else those of its provider's API. */
export function capabilitiesOf(model: ModelReference, config: ProviderConfig): LLMCapabilities {
  return definedCapabilities(model, definitionOf(model, config));
}

function definedCapabilities(model: ModelReference, definition: ModelDefinition): LLMCapabilities {
  return {
    streaming: true,
    tools: true,
    structuredOutput: true,
    imageInput: true,
    ...accessTo(model).inputOf(definition),
    ...model.options.capabilities,
  };
}

/** Throws INVALID_REQUEST for a request that cannot be sent as it is, and AUTHENTICATION_FAILED for one without a key. */
export function checkRequest(request: TurnRequest): void {
  const { model, config, params, structure, maxIterations } = request;
  const { name } = model.provider;
  const definition = definitionOf(model, config);
  const capabilities = definedCapabilities(model, definition);
  if (structure !== undefined && !capabilities.structuredOutput) {
    throw refusal(
      `The model "${model.modelId}" cannot give structured answers. Leave out \`structure\`, or use another model.`,
      name,
    );
  }
  if (structure !== undefined && (structure as { type: unknown }).type !== "object") {
    throw refusal('The option `structure` has to be a JSON Schema with "type": "object".', name);
  }
  if (typeof maxIterations !== "number" || !(maxIterations >= 0)) {
    throw refusal(`maxIterations has to be a number of at least 0; it is ${String(maxIterations)}.`, name);
  }
  checkTools(request, capabilities);
  checkMessages(request, definition, capabilities);
  const missing =
    config.apiKey === undefined ? accessTo(model).missingVariable(definition, connectionOf(request).env) : null;
  if (missing !== null) {
    const message = `The model "${model.modelId}" needs an API key: set ${missing} in the environment, or set config.apiKey.`;
    throw new UPPError(message, ErrorCode.AuthenticationFailed, name, "llm");
  }
  const problem = params === undefined ? null : accessTo(model).problemOf(params, definition);
  if (problem !== null) throw refusal(problem, name);
}

function checkTools({ model, tools }: TurnRequest, capabilities: LLMCapabilities): void {
  const { name: provider } = model.provider;
  if (tools.length > 0 && !capabilities.tools)
    throw refusal(
      `The model "${model.modelId}" cannot call tools. Leave out the tools, or use another model.`,
      provider,
    );
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const { name, parameters } = tool;
    if (typeof fieldsOf(tool)["run"] !== "function" || typeof parameters !== "object") {
      throw refusal(
        `tools.${index} is not a tool. A tool has a name, a description, parameters and a function \`run\`. Convert an agent with subagentTool.`,
        provider,
      );
    }
    if (typeof name !== "string" || !/^[A-Za-z_][\w-]{0,63}$/.test(name)) {
      const given = JSON.stringify(name);
      throw refusal(
        `The name of a tool has to begin with a letter or "_" and to have up to 64 letters, digits, "_" and "-"; this one is ${given}.`,
        provider,
      );
    }
    if (names.has(name)) throw refusal(`Two tools are named "${name}". Rename one of them.`, provider);
    names.add(name);
  }
}

function checkMessages(
  { model, history, input }: TurnRequest,
  definition: ModelDefinition,
  capabilities: LLMCapabilities,
): void {
  const { name } = model.provider;
  const messages = [...history, ...input];
  if (messages.length === 0) throw refusal("There is no message to send. Pass a text or a message.", name);
  for (const [number, message] of messages.entries()) {
    if (!isMessage(message)) {
      throw refusal(
        `Message ${number + 1} is not a message of UPP. Create it with UserMessage, AssistantMessage or ToolResultMessage, or restore it with messageFromJSON.`,
        name,
      );
    }
    if (number >= history.length && message.type === "user" && !hasContent(message)) {
      throw refusal("The input is empty. Pass a text or a message with content.", name);
    }
    if (message.type === "tool_result" && message.results.some(({ result }) => hasUrl(blockResult(result)))) {
      throw refusal(
        "A tool result in the history has an image or a document as a URL. Replace the URL by the bytes.",
        name,
      );
    }
    if (message.type !== "user") continue;
    for (const [at, block] of message.content.entries()) {
      if (block.type === "text") continue;
      const { type, mimeType } = block;
      const problem = accessTo(model).problemOfBlock(block, definition, capabilities);
      if (problem === null) continue;
      const location = `block ${at + 1} of message ${number + 1}, "${type}" with the media type "${mimeType}"`;
      throw refusal(
        `The model "${model.modelId}" of ${name} cannot read ${location}: ${problem}. Change or leave out the block, or use another model.`,
        name,
      );
    }
  }
}

/** Whether a value has the form of a message. The class is not checked, because a message of another copy of the package has another class. */
function isMessage(value: unknown): value is AnyMessage {
  if (!isObject(value)) return false;
  const { type, timestamp, content, results, toJSON } = value;
  if (typeof toJSON !== "function" || !(timestamp instanceof Date) || Number.isNaN(timestamp.getTime())) return false;
  return type === "tool_result"
    ? Array.isArray(results)
    : (type === "user" || type === "assistant") && Array.isArray(content);
}

function hasContent({ content }: Extract<AnyMessage, { type: "user" }>): boolean {
  return content.some((block) => block.type !== "text" || block.text !== "");
}
