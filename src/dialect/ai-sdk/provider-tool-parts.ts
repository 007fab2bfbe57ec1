// Tools that the provider of the model executed, as AI SDK UI shows them: calls with `providerExecuted`, which `useChat` gives to no `onToolCall`.

import type { ProviderToolPart } from "#contract/content.ts";
import { textOrJson } from "#lib/json-value.ts";

import type { UiPart } from "./routes.ts";

/** The state of a call, and its result. */
function endOf({ output, is_error }: ProviderToolPart): object {
  if (output === undefined) return { state: "input-available" };
  return is_error === true
    ? { state: "output-error", errorText: textOrJson(output) }
    : { state: "output-available", output };
}

/** The part of a UI message. */
export function providerToolPart(part: ProviderToolPart): UiPart {
  const { id: toolCallId, name, input } = part;
  return { type: `tool-${name}`, toolCallId, providerExecuted: true, input, ...endOf(part) };
}

/** The chunks of a call at its start or its end. The input may have changed with the end. */
export function providerToolChunks(part: ProviderToolPart): { type: string; [field: string]: unknown }[] {
  const { id: toolCallId, name: toolName, input, output, is_error } = part;
  const providerExecuted = true;
  const call = { type: "tool-input-available", toolCallId, toolName, input, providerExecuted };
  if (output === undefined) return [call];
  if (is_error === true)
    return [call, { type: "tool-output-error", toolCallId, errorText: textOrJson(output), providerExecuted }];
  return [call, { type: "tool-output-available", toolCallId, output, providerExecuted }];
}
