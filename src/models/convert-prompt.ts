// Converts a transcript to a prompt of the AI SDK. Invariants: thinking and other opaque data is sent only to the provider that created it;
// the order of roles is accepted by the provider; no message is empty, and no text is without a visible character.

import type { LanguageModelV3Message, LanguageModelV3Prompt } from "@ai-sdk/provider";

import type { ModelMessage, ModelRequest } from "#core/ports/model-port.ts";
import type { ProviderData, StoredPart } from "#core/record/record.ts";
import { providerToolText } from "#core/request/describe-part.ts";
import { isVisible } from "#lib/visible-text.ts";

import { acceptedCallName, createWireIds } from "./call-ids.ts";
import { convertAttachment } from "./convert-attachment.ts";
import { convertToolResult, noText, type ToolCallNames } from "./convert-tool-result.ts";
import type { CallTarget, ProviderProfile, ProviderSettings } from "./provider/provider-profile.ts";
import type { ProviderTools } from "./provider/tools/provider-tools.ts";
import { toolResultImages } from "./tool-result-images.ts";

type Message<R extends LanguageModelV3Message["role"]> = Extract<LanguageModelV3Message, { role: R }>;
/** The model that a prompt is for, the names of its calls, and the ids and names that it sends for them. */
type Target = ToolCallNames &
  CallTarget & {
    toolNames: Map<string, string>;
    wireName: (name: string) => string;
    providerTools: ProviderTools | null;
  };
type ProviderOptions = NonNullable<LanguageModelV3Message["providerOptions"]>;

const opening: Message<"user"> = { role: "user", content: [{ type: "text", text: "Begin." }] };

function textOf(message: ModelMessage): string {
  return message.parts.flatMap((part) => (part.type === "text" && isVisible(part.text) ? [part.text] : [])).join("\n");
}

function ownData(data: ProviderData | undefined, { owner }: ProviderSettings): ProviderOptions | null {
  // The data was created from the package's metadata, so it has the type of the package's options.
  return data?.provider === owner ? (data.data as ProviderOptions) : null;
}

function convertUser(message: ModelMessage, request: ModelRequest, profile: ProviderProfile): Message<"user"> {
  const content: Message<"user">["content"] = [];
  for (const part of message.parts) {
    if (part.type === "text" && isVisible(part.text)) content.push({ type: "text", text: part.text });
    if (part.type === "image" || part.type === "file") content.push(convertAttachment(part, request.model, profile));
  }
  return { role: "user", content: content.length > 0 ? content : [{ type: "text", text: noText }] };
}

function convertAssistantPart(
  part: StoredPart,
  { model, to, wireId, wireName }: Target,
): Message<"assistant">["content"][number] | null {
  const own = ownData(part.provider_data, to);
  const options = own === null ? {} : { providerOptions: own };
  switch (part.type) {
    case "text":
      return isVisible(part.text) ? { type: "text", text: part.text, ...options } : null;
    case "thinking": {
      if (own === null || to.profile.addThinking !== undefined) return null;
      if (to.profile.isSigned?.(own) === false) return null;
      // Google refuses a blank text, and the packages leave out an empty one. Anthropic's signature covers the text, so it stays there.
      const text = to.profile.isSigned === undefined && !isVisible(part.thinking) ? "" : part.thinking;
      return {
        type: "reasoning",
        text,
        providerOptions: to.profile.thinkingData?.({ own, text }, { model, to }) ?? own,
      };
    }
    case "tool_call":
      return {
        type: "tool-call",
        toolCallId: wireId(part.id),
        toolName: wireName(part.name),
        // Arguments that are not valid JSON cannot be sent back. The result of the tool call states the error.
        input: typeof part.arguments === "string" ? {} : part.arguments,
        ...options,
      };
    case "provider_tool":
    case "image":
    case "file":
      return null;
  }
}

/** The content of the parts of an answer, in the order in which the provider sent its blocks. */
function answerContent(parts: readonly StoredPart[], target: Target): Message<"assistant">["content"] {
  /** Texts that stand for results, and the number of blocks before each of them. */
  const results: { after: number; text: string }[] = [];
  const content: Message<"assistant">["content"] = [];
  for (const part of parts) {
    if (part.type === "provider_tool") {
      const sent = target.providerTools?.sent(part) ?? { call: providerToolText(part), after: 0 };
      if (sent.call !== undefined) content.push({ type: "text", text: sent.call });
      if (sent.result !== undefined) results.push({ after: sent.after + 1, text: sent.result });
    } else {
      const converted = convertAssistantPart(part, target);
      if (converted !== null) content.push(converted);
    }
    for (const result of results) result.after -= 1;
    while (results[0] !== undefined && results[0].after <= 0)
      content.push({ type: "text", text: results.shift()?.text ?? "" });
  }
  return [...content, ...results.map(({ text }) => ({ type: "text" as const, text }))];
}

function convertMessage(message: ModelMessage, request: ModelRequest, target: Target): LanguageModelV3Message | null {
  const { profile } = target.to;
  switch (message.role) {
    case "system": {
      const text = textOf(message);
      if (text === "") return null;
      return profile.alternatesTurns
        ? { role: "user", content: [{ type: "text", text: `<system>\n${text}\n</system>` }] }
        : systemMessage(text, request, profile);
    }
    case "user":
      return convertUser(message, request, profile);
    case "assistant":
      return convertAssistant(message, request, target);
    case "tool":
      return { role: "tool", content: [convertToolResult(message, target)] };
  }
}

function convertAssistant(
  { parts }: ModelMessage,
  { model }: ModelRequest,
  target: Target,
): Message<"assistant"> | null {
  const { to, toolNames, wireName } = target;
  for (const part of parts) if (part.type === "tool_call") toolNames.set(part.id, wireName(part.name));
  const converted = answerContent(parts, target);
  // Providers refuse thinking that nothing follows.
  const content = converted.slice(0, converted.findLastIndex((part) => part.type !== "reasoning") + 1);
  if (content.length === 0) return null;
  const message: Message<"assistant"> = { role: "assistant", content };
  to.profile.addThinking?.(message, parts, { model, to });
  return message;
}

function systemMessage(text: string, { model }: ModelRequest, profile: ProviderProfile): Message<"system"> {
  const fields = profile.systemMessageFields?.(model) ?? {};
  const options = Object.keys(fields).length === 0 ? {} : { providerOptions: fields };
  return { role: "system", content: text, ...options };
}

/** Adds a message to the prompt. If `joinTurns` is true, its content is added to the previous message if both have the same role. */
function append(prompt: LanguageModelV3Prompt, message: LanguageModelV3Message, joinTurns: boolean): void {
  const last = prompt.at(-1);
  // At every provider, the results of parallel tool calls are one turn.
  if (last?.role === "tool" && message.role === "tool") last.content.push(...message.content);
  else if (joinTurns && last?.role === "user" && message.role === "user") last.content.push(...message.content);
  else if (joinTurns && last?.role === "assistant" && message.role === "assistant") {
    last.content.push(...message.content);
  } else prompt.push(message);
}

/** The tool messages directly before an index. */
function resultsBefore(messages: readonly ModelMessage[], end: number): ModelMessage[] {
  let start = end;
  while (messages[start - 1]?.role === "tool") start -= 1;
  return messages.slice(start, end);
}

/** The prompt of a request: the system prompt, then its messages. Without `providerTools`, calls that a provider executed are sent as text. */
export function convertPrompt(
  request: ModelRequest,
  to: ProviderSettings,
  providerTools: ProviderTools | null,
): LanguageModelV3Prompt {
  const { profile } = to;
  const firstTurn = request.messages.findIndex((message) => message.role !== "system");
  const leading = firstTurn === -1 ? request.messages : request.messages.slice(0, firstTurn);
  const rest = firstTurn === -1 ? [] : request.messages.slice(firstTurn);
  const system = [request.system, ...leading.map(textOf)].filter(isVisible).join("\n\n");

  const joinTurns = profile.alternatesTurns;
  const toolNames = new Map<string, string>();
  const prompt: LanguageModelV3Prompt = [];
  const wireId = createWireIds((id) => profile.callId?.(id, { model: request.model, to }) ?? id);
  const offered = new Set(request.tools.map(({ name }) => name));
  const wireName = (name: string): string => (offered.has(name) ? name : acceptedCallName(name));
  const target = { model: request.model, to, toolNames, wireId, wireName, providerTools };
  let at = 0;
  for (const message of rest) {
    at += 1;
    const converted = convertMessage(message, request, target);
    if (converted !== null) append(prompt, converted, joinTurns);
    if (message.role !== "tool" || rest[at]?.role === "tool") continue;
    const images = toolResultImages(resultsBefore(rest, at), request.model, profile);
    if (images !== null) append(prompt, images, joinTurns);
  }
  const beginsWell = prompt.length > 0 && (!joinTurns || prompt[0]?.role === "user");
  if (!beginsWell) prompt.unshift(structuredClone(opening));
  return system === "" ? prompt : [systemMessage(system, request, profile), ...prompt];
}
