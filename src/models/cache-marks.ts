// Marks where Anthropic may keep a prompt's beginning: the last system block, the last tool and the last block of the
// second-to-last message (figures: cache breakpoints). `openrouter-cache.ts` marks the requests for Anthropic's models that
// OpenRouter serves. The other providers cache without marks.

import type { LanguageModelV3FunctionTool, LanguageModelV3Message, LanguageModelV3Prompt } from "@ai-sdk/provider";

import type { AnyModelDefinition } from "#spec/index.ts";

interface Places {
  system: boolean;
  tools: boolean;
  messages: boolean;
}

/** Which parts of a request a model's `cache` marks. */
export function wantedPlaces({ cache = "auto" }: AnyModelDefinition): Places {
  if (cache === "auto") return { system: true, tools: true, messages: true };
  if (cache === "disabled") return { system: false, tools: false, messages: false };
  return { system: cache.system === true, tools: cache.tools === true, messages: cache.messages === true };
}

const mark = { cacheControl: { type: "ephemeral" } };

function markMessage(message: LanguageModelV3Message): void {
  message.providerOptions = { ...message.providerOptions, anthropic: mark };
}

/** The last message before the last turn; a turn is the assistant's, or what users and tools say between two of them. */
function endOfSecondToLastTurn(prompt: LanguageModelV3Prompt): LanguageModelV3Message | null {
  const isAssistant = (message: LanguageModelV3Message | undefined): boolean => message?.role === "assistant";
  let position = prompt.length - 1;
  const lastTurn = isAssistant(prompt[position]);
  while (position >= 0 && isAssistant(prompt[position]) === lastTurn) position--;
  const message = prompt[position];
  return message === undefined || message.role === "system" ? null : message;
}

/** Puts the marks a model's `cache` asks for into a prompt and its tools, in place. */
export function markCache(
  model: AnyModelDefinition,
  prompt: LanguageModelV3Prompt,
  tools: LanguageModelV3FunctionTool[],
): void {
  if (model.provider !== "anthropic") return;
  const places = wantedPlaces(model);
  const system = prompt.findLast((message) => message.role === "system");
  if (places.system && system !== undefined) markMessage(system);
  const tool = tools.at(-1);
  if (places.tools && tool !== undefined) tool.providerOptions = { ...tool.providerOptions, anthropic: mark };
  const message = endOfSecondToLastTurn(prompt);
  if (places.messages && message !== null) markMessage(message);
}
