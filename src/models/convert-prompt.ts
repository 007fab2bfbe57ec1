// A transcript of ours as a prompt of the AI SDK. Invariants: thinking, and any opaque data, goes back only to the provider
// that made it; the order of roles is one the provider accepts; no message is empty.

import type { LanguageModelV3Message, LanguageModelV3Prompt } from "@ai-sdk/provider";

import type { ModelMessage, ModelRequest } from "#core/ports/model-port.ts";
import type { ProviderData, StoredPart } from "#core/record.ts";

import { wireCallId } from "./call-ids.ts";
import { convertAttachment } from "./convert-attachment.ts";
import { convertToolResult } from "./convert-tool-result.ts";
import { imagesBeside } from "./images-beside.ts";
import { addThinking } from "./openai-compatible.ts";
import type { NetworkProvider, ProviderSettings } from "./provider-settings.ts";

type Message<R extends LanguageModelV3Message["role"]> = Extract<LanguageModelV3Message, { role: R }>;
type ProviderOptions = NonNullable<LanguageModelV3Message["providerOptions"]>;

// These want turns that alternate, begin with the user and keep the system prompt in front.
const strictTurns: Record<NetworkProvider, boolean> = {
  openai: false,
  "openai-responses": false,
  "openai-compatible": false,
  anthropic: true,
  google: true,
  openrouter: false,
};

const opening: Message<"user"> = { role: "user", content: [{ type: "text", text: "Begin." }] };

function textOf(message: ModelMessage): string {
  return message.parts
    .filter((part) => part.type === "text")
    .map((part) => part.text)
    .join("\n");
}

function ownData(data: ProviderData | undefined, { owner }: ProviderSettings): ProviderOptions | null {
  // Made by this layer from the package's own metadata, so it has the shape its options want.
  return data?.provider === owner ? (data.data as ProviderOptions) : null;
}

function convertUser(message: ModelMessage, request: ModelRequest, provider: NetworkProvider): Message<"user"> {
  const content: Message<"user">["content"] = [];
  for (const part of message.parts) {
    if (part.type === "text" && part.text !== "") content.push({ type: "text", text: part.text });
    if (part.type === "image" || part.type === "file") content.push(convertAttachment(part, request.model, provider));
  }
  return { role: "user", content: content.length > 0 ? content : [{ type: "text", text: "(no text)" }] };
}

function convertAssistantPart(part: StoredPart, to: ProviderSettings): Message<"assistant">["content"][number] | null {
  const own = ownData(part.provider_data, to);
  const options = own === null ? {} : { providerOptions: own };
  switch (part.type) {
    case "text":
      return part.text === "" ? null : { type: "text", text: part.text, ...options };
    case "thinking":
      // `addThinking` puts the thinking for these servers into a separate field of the message.
      if (own === null || to.provider === "openai-compatible") return null;
      return { type: "reasoning", text: part.thinking, ...options };
    case "tool_call":
      return {
        type: "tool-call",
        toolCallId: wireCallId(part.id, to),
        toolName: part.name,
        // Arguments that did not parse cannot be sent back; the result that answers them says what was wrong.
        input: typeof part.arguments === "string" ? {} : part.arguments,
        ...options,
      };
    case "image":
    case "file":
      return null;
  }
}

function convertMessage(
  message: ModelMessage,
  request: ModelRequest,
  { to, toolNames }: { to: ProviderSettings; toolNames: Map<string, string> },
): LanguageModelV3Message | null {
  const { provider } = to;
  switch (message.role) {
    case "system": {
      const text = textOf(message);
      if (text === "") return null;
      return strictTurns[provider]
        ? { role: "user", content: [{ type: "text", text: `<system>\n${text}\n</system>` }] }
        : systemMessage(text, request, provider);
    }
    case "user":
      return convertUser(message, request, provider);
    case "assistant":
      return convertAssistant(message, request, { to, toolNames });
    case "tool":
      return { role: "tool", content: [convertToolResult(message, toolNames, { model: request.model, to })] };
  }
}

function convertAssistant(
  { parts }: ModelMessage,
  { model }: ModelRequest,
  { to, toolNames }: { to: ProviderSettings; toolNames: Map<string, string> },
): Message<"assistant"> | null {
  for (const part of parts) if (part.type === "tool_call") toolNames.set(part.id, part.name);
  const content = parts.map((part) => convertAssistantPart(part, to)).filter((part) => part !== null);
  if (content.length === 0) return null;
  const message: Message<"assistant"> = { role: "assistant", content };
  if (to.provider === "openai-compatible") addThinking(message, parts, { model, to });
  return message;
}

function systemMessage(text: string, { model }: ModelRequest, provider: NetworkProvider): Message<"system"> {
  const isDeveloper = provider === "openai-compatible" && model.compat?.supportsDeveloperRole === true;
  // The package has no option for the role, but copies these fields into the message.
  const options = isDeveloper ? { providerOptions: { openaiCompatible: { role: "developer" } } } : {};
  return { role: "system", content: text, ...options };
}

/** Adds a message, into the one before it where both are of a role whose turns are joined. */
function append(prompt: LanguageModelV3Prompt, message: LanguageModelV3Message, joinTurns: boolean): void {
  const last = prompt.at(-1);
  // Results of parallel calls belong into one turn at every provider.
  if (last?.role === "tool" && message.role === "tool") last.content.push(...message.content);
  else if (joinTurns && last?.role === "user" && message.role === "user") last.content.push(...message.content);
  else if (joinTurns && last?.role === "assistant" && message.role === "assistant") {
    last.content.push(...message.content);
  } else prompt.push(message);
}

/** The tool messages at the end of a list. */
function lastResults(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.slice(messages.findLastIndex(({ role }) => role !== "tool") + 1);
}

/** The prompt of a request: the system prompt, then its messages. */
export function convertPrompt(request: ModelRequest, to: ProviderSettings): LanguageModelV3Prompt {
  const { provider } = to;
  const firstSpoken = request.messages.findIndex((message) => message.role !== "system");
  const leading = firstSpoken === -1 ? request.messages : request.messages.slice(0, firstSpoken);
  const rest = firstSpoken === -1 ? [] : request.messages.slice(firstSpoken);
  const system = [request.system, ...leading.map(textOf)].filter((text) => text !== "").join("\n\n");

  const joinTurns = strictTurns[provider];
  const toolNames = new Map<string, string>();
  const prompt: LanguageModelV3Prompt = [];
  for (const [at, message] of rest.entries()) {
    const converted = convertMessage(message, request, { to, toolNames });
    if (converted !== null) append(prompt, converted, joinTurns);
    if (message.role !== "tool" || rest[at + 1]?.role === "tool") continue;
    const images = imagesBeside(lastResults(rest.slice(0, at + 1)), request.model, provider);
    if (images !== null) append(prompt, images, joinTurns);
  }
  const beginsWell = prompt.length > 0 && (!joinTurns || prompt[0]?.role === "user");
  if (!beginsWell) prompt.unshift(structuredClone(opening));
  return system === "" ? prompt : [systemMessage(system, request, provider), ...prompt];
}
