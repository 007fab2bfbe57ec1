// Converts the call options of the AI SDK to the request that a function of a project receives. Invariant: the request has nothing in common
// with the objects of other requests, so that the function may change it.

import type { LanguageModelV3CallOptions, LanguageModelV3Message } from "@ai-sdk/provider";

import { toBase64 } from "#lib/base64.ts";
import { fieldsOf } from "#lib/json-value.ts";
import type { ProviderFile, ProviderMessage, ProviderRequest, ProviderText, ProviderTool } from "#spec/index.ts";

type Message<R extends LanguageModelV3Message["role"]> = Extract<LanguageModelV3Message, { role: R }>;

/** The request. `optionsName` is the name of its options for thinking and for parallel calls. */
export function functionRequest(
  options: LanguageModelV3CallOptions,
  { modelId, optionsName, signal }: { modelId: string; optionsName: string; signal: AbortSignal },
): ProviderRequest {
  const [first, ...rest] = options.prompt;
  const isSystem = first?.role === "system";
  const { thinking = null, parallelToolCalls } = fieldsOf(options.providerOptions?.[optionsName]);
  const { responseFormat, toolChoice } = options;
  return {
    model: modelId,
    system: isSystem ? first.content : "",
    messages: (isSystem ? rest : options.prompt).flatMap(convertMessage),
    tools: (options.tools ?? []).flatMap((tool): ProviderTool[] =>
      tool.type === "function"
        ? [
            {
              name: tool.name,
              description: tool.description ?? "",
              parameters: structuredClone(tool.inputSchema) as ProviderTool["parameters"],
            },
          ]
        : [],
    ),
    toolChoice:
      toolChoice === undefined ? "none" : toolChoice.type === "tool" ? { name: toolChoice.toolName } : toolChoice.type,
    parallelToolCalls: parallelToolCalls !== false,
    maxTokens: options.maxOutputTokens ?? null,
    temperature: options.temperature ?? null,
    thinking: thinking as ProviderRequest["thinking"],
    structure:
      responseFormat?.type === "json" && responseFormat.schema !== undefined
        ? {
            name: responseFormat.name ?? "answer",
            schema: structuredClone(responseFormat.schema) as ProviderTool["parameters"],
          }
        : null,
    signal,
  };
}

function convertMessage(message: LanguageModelV3Message): ProviderMessage[] {
  switch (message.role) {
    case "system":
      return [{ role: "system", text: message.content }];
    case "user":
      return [{ role: "user", content: message.content.map(convertContent) }];
    case "assistant":
      return [{ role: "assistant", content: message.content.flatMap(convertAnswered) }];
    case "tool":
      return message.content.flatMap(convertResult);
  }
}

function convertContent(part: Message<"user">["content"][number]): ProviderText | ProviderFile {
  if (part.type === "text") return { type: "text", text: part.text };
  const { mediaType: mimeType, filename, data } = part;
  return {
    type: mimeType.startsWith("image/") ? "image" : "file",
    mimeType,
    ...(filename === undefined ? {} : { name: filename }),
    ...(data instanceof URL ? { url: data.href } : { data: typeof data === "string" ? data : toBase64(data) }),
  };
}

type AssistantContent = Extract<ProviderMessage, { role: "assistant" }>["content"];

function convertAnswered(part: Message<"assistant">["content"][number]): AssistantContent {
  if (part.type === "text") return [{ type: "text", text: part.text }];
  if (part.type !== "tool-call") return [];
  const given = structuredClone(fieldsOf(part.input));
  return [{ type: "tool_call", id: part.toolCallId, name: part.toolName, arguments: given }];
}

function convertResult(part: Message<"tool">["content"][number]): ProviderMessage[] {
  if (part.type !== "tool-result") return [];
  const { toolCallId: callId, toolName: name, output } = part;
  const contents = output.type === "content" ? output.value : [];
  const content = contents.flatMap((each): (ProviderText | ProviderFile)[] => {
    if (each.type === "text") return [{ type: "text", text: each.text }];
    return each.type === "image-data" ? [{ type: "image", mimeType: each.mediaType, data: each.data }] : [];
  });
  const text = output.type === "text" || output.type === "error-text" ? output.value : null;
  if (text !== null) content.push({ type: "text", text });
  return [{ role: "tool", callId, name, content, isError: output.type === "error-text" }];
}
