// Describes what a request contains, part by part, with estimated tokens.

import type { ThreadContext } from "#contract/context-route.ts";
import { contextTokens } from "#core/context/compact.ts";
import { textTokens } from "#core/model/estimate-tokens.ts";
import type { ModelMessage } from "#core/ports/model-port.ts";
import type { StepProblem } from "#core/ports/step-port.ts";
import { defaultRecent } from "#core/request/request-attachments.ts";

import { contextBudget, requestContext } from "./request-context.ts";
import type { RequestParts } from "./request-context.ts";

/** The description of a request, as it would be sent now. Contract: pure. */
export function describeContext(parts: RequestParts): ThreadContext | StepProblem {
  const context = requestContext(parts);
  if ("problem" in context) return context;
  const { prompt, model, messages: all, stored } = parts;
  const { messages: sent, filesFrom, compaction, marker } = context;
  const markerKind = (context.stored?.summary ?? null) === null ? ("marker" as const) : ("summary" as const);
  const withFiles = filesFrom ?? sent.length - (prompt.recentImageThreshold ?? defaultRecent);
  const whole = new Set(all.messages);
  const messages = sent.map((message, at) => ({
    id: message.id,
    role: message.role,
    kind: at === marker ? markerKind : ("message" as const),
    tokens: contextTokens(message, at >= withFiles),
    file_tokens: fileTokens(message, at >= withFiles),
    shortened: message.id !== null && !whole.has(message),
  }));
  const tools = parts.tools.map((tool) => ({ name: tool.name, tokens: textTokens(JSON.stringify(tool)) }));
  const system = textTokens(parts.system);
  return {
    prompt: prompt.name,
    model: model.name,
    window: model.contextWindow ?? null,
    budget: contextBudget(prompt, model)?.tokens ?? null,
    tokens: system + [...tools, ...messages].reduce((sum, { tokens }) => sum + tokens, 0),
    system,
    tools,
    messages,
    dropped: compaction?.dropped ?? stored?.count ?? 0,
  };
}

/** Tokens of a message's files, or of the lines that are sent in their place. */
function fileTokens(message: ModelMessage, files: boolean): number {
  const { parts, result } = message;
  const withoutFiles: ModelMessage = {
    ...message,
    parts: parts.filter(({ type }) => type !== "image" && type !== "file"),
    result: result === null ? null : { ...result, attachments: [] },
  };
  return contextTokens(message, files) - contextTokens(withoutFiles, files);
}
