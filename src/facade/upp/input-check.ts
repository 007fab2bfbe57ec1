// Checks the options and messages of a turn before its first request: the tools, the key and `params`, and whether the model can read the
// messages.

import { blockResult, hasUrl } from "./content-part.ts";
import { problemOfMessage } from "./message-form.ts";
import { accessTo } from "./model-access.ts";
import { definitionOf } from "./model-reference.ts";
import type { LLMCapabilities, ModelDefinition, ModelReference, ProviderConfig } from "./model-reference.ts";
import { connectionOf } from "./thread-connection.ts";
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
  const { model, config, params, structure } = request;
  const { name } = model.provider;
  const wrong = accessTo(model).problemOfOptions(request);
  if (wrong !== null) throw refusal(wrong, name);
  const definition = definitionOf(model, config);
  const capabilities = definedCapabilities(model, definition);
  if (structure !== undefined && !capabilities.structuredOutput) {
    throw refusal(
      `The model "${model.modelId}" cannot give structured answers. Leave out \`structure\`, or use another model.`,
      name,
    );
  }
  checkTools(request, capabilities);
  checkMessages(request, definition, capabilities);
  const missing =
    config.apiKey === undefined ? accessTo(model).missingVariables(definition, connectionOf(request).env) : "";
  if (missing !== "") {
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
    const wrong = problemOfMessage(message) ?? accessTo(model).problemOfForm(message);
    if (wrong !== null) throw refusal(`Message ${number + 1} is not a message of UPP: ${wrong}.`, name);
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

function hasContent({ content }: Extract<AnyMessage, { type: "user" }>): boolean {
  return content.some((block) => block.type !== "text" || block.text !== "");
}
