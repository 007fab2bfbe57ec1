// A request as a script's function sees it: plain roles and text, nothing of ours that could change under it.

import type { ModelMessage, ModelRequest } from "#core/ports/model-port.ts";
import type { TestRequest, TestRequestMessage } from "#spec/index.ts";

function textOf(message: ModelMessage): string {
  return message.parts
    .filter((part) => part.type === "text")
    .map((part) => part.text)
    .join("");
}

function seen(message: ModelMessage): TestRequestMessage | null {
  switch (message.role) {
    case "system":
      return null;
    case "user":
      return { role: "user", content: textOf(message) };
    case "tool": {
      const { result, tool_call_id, name } = message;
      return {
        role: "tool",
        content: (result?.status === "error" ? result.error : result?.result) ?? textOf(message),
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
      const said = { role: "assistant" as const, content: textOf(message) };
      return tool_calls.length === 0 ? said : { ...said, tool_calls };
    }
  }
}

/** What a script's function is given. System messages inside the transcript are joined to `system`. */
export function testRequest(request: ModelRequest): TestRequest {
  const systems = request.messages.filter((message) => message.role === "system").map(textOf);
  const lastUser = request.messages.findLastIndex((message) => message.role === "user");
  const sinceUser = request.messages.slice(lastUser + 1);
  const last = request.messages[lastUser];
  return {
    system: [request.system, ...systems].filter((text) => text !== "").join("\n\n"),
    messages: request.messages.map(seen).filter((message) => message !== null),
    tools: request.tools.map(({ name, description }) => ({ name, description })),
    step: sinceUser.filter((message) => message.role === "assistant").length,
    lastUser: last === undefined ? "" : textOf(last),
  };
}
