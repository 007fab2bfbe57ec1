// A request as a script's function receives it: roles and text, copied so that the function cannot change the transcript.

import type { ModelMessage, ModelRequest } from "#core/ports/model-port.ts";
import { describePart } from "#core/request/describe-part.ts";
import { base64Bytes } from "#lib/base64.ts";
import type { TestRequest, TestRequestMessage } from "#spec/index.ts";

function textOf(message: ModelMessage): string {
  const said = message.parts.filter((part) => part.type === "text").map((part) => part.text);
  // Every provider receives the parts of a user's turn separately: texts, lines that name files, contents of files.
  return said.join(message.role === "user" ? "\n" : "");
}

/** Files of a turn. A model without vision gets a line in place of an image. */
function attachmentsOf(
  { parts }: ModelMessage,
  sees: boolean,
): Pick<TestRequestMessage, "attachments"> & { lines: string[] } {
  const files = parts.filter((part) => part.type === "image" || part.type === "file");
  const isShown = (part: (typeof files)[number]) =>
    part.data !== undefined && (sees || !part.mime_type.startsWith("image/"));
  const shown = files.filter(isShown).map(({ mime_type, path, data = "" }) => ({
    mimeType: mime_type,
    ...(path === undefined ? {} : { path }),
    size: base64Bytes(data),
  }));
  const lines = files.filter((part) => !isShown(part)).map((part) => describePart(part));
  return { ...(shown.length === 0 ? {} : { attachments: shown }), lines };
}

function seen(message: ModelMessage, sees: boolean): TestRequestMessage | null {
  switch (message.role) {
    case "system":
      return null;
    case "user": {
      const { lines, ...attached } = attachmentsOf(message, sees);
      return { role: "user", content: joined(textOf(message), lines), ...attached };
    }
    case "tool": {
      const { result, tool_call_id, name } = message;
      const { lines, ...attached } = attachmentsOf(message, sees);
      const said = (result?.status === "error" ? result.error : result?.result) ?? textOf(message);
      return {
        role: "tool",
        content: joined(said, lines),
        ...attached,
        ...(tool_call_id === null ? {} : { tool_call_id }),
        ...(name === null ? {} : { name }),
      };
    }
    case "assistant": {
      const calls = message.parts.filter((part) => part.type === "tool_call");
      const tool_calls = calls.map(({ id, name, arguments: given }) => ({
        id,
        name,
        arguments: typeof given === "string" ? {} : given,
      }));
      const thinking = signedThinking(message);
      const said = {
        role: "assistant" as const,
        content: textOf(message),
        ...(thinking.length === 0 ? {} : { thinking }),
      };
      return tool_calls.length === 0 ? said : { ...said, tool_calls };
    }
  }
}

/** The thinking that this provider made; as for every provider, other thinking is not sent. */
function signedThinking({ parts }: ModelMessage): NonNullable<TestRequestMessage["thinking"]> {
  return parts.flatMap((part) => {
    const signature = part.provider_data?.provider === "test" ? part.provider_data.data["signature"] : undefined;
    return part.type === "thinking" && typeof signature === "string" ? [{ text: part.thinking, signature }] : [];
  });
}

function joined(text: string, lines: readonly string[]): string {
  return [...(text === "" ? [] : [text]), ...lines].join("\n");
}

/** The argument of a script's function. System messages inside the transcript are joined to `system`. */
export function testRequest(request: ModelRequest): TestRequest {
  const sees = request.model.capabilities?.vision !== false;
  const systems = request.messages.filter((message) => message.role === "system").map(textOf);
  const lastUser = request.messages.findLastIndex((message) => message.role === "user");
  const sinceUser = request.messages.slice(lastUser + 1);
  const last = request.messages[lastUser];
  const calls = request.model.capabilities?.functionCalling !== false;
  return {
    system: [request.system, ...systems].filter((text) => text !== "").join("\n\n"),
    messages: request.messages.map((message) => seen(message, sees)).filter((message) => message !== null),
    tools: calls ? request.tools.map(({ name, description }) => ({ name, description })) : [],
    toolChoice: request.toolChoice,
    parallelToolCalls: request.parallelToolCalls,
    reasoning: request.reasoning,
    ...(request.structure === undefined ? {} : { structure: structuredClone(request.structure.schema) }),
    step: sinceUser.filter((message) => message.role === "assistant").length,
    lastUser: last === undefined ? "" : textOf(last),
  };
}
