// Moves images of tool results to a user message directly after the results, for a provider whose results cannot hold images. So every
// model with vision receives them (decision 19: capabilities of models).

import type { LanguageModelV3Message } from "@ai-sdk/provider";

import type { ModelMessage } from "#core/ports/model-port.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { convertAttachment } from "./convert-attachment.ts";
import { resultHoldsImages } from "./convert-tool-result.ts";
import type { ProviderProfile } from "./provider/provider-profile.ts";

type UserMessage = Extract<LanguageModelV3Message, { role: "user" }>;

/** The user message with the images of these results; null if the results have none. */
export function toolResultImages(
  results: readonly ModelMessage[],
  model: AnyModelDefinition,
  profile: ProviderProfile,
): UserMessage | null {
  if (model.capabilities?.vision === false) return null;
  const content = results.flatMap((result) =>
    resultHoldsImages(result, profile)
      ? []
      : result.parts.flatMap((part) => {
          const isImage = (part.type === "image" || part.type === "file") && part.mime_type.startsWith("image/");
          if (!isImage || part.data === undefined) return [];
          const name = part.name ?? part.path?.split("/").at(-1) ?? "image";
          const label = `[${name}, an image that ${result.name ?? "a tool"} returned]`;
          return [{ type: "text" as const, text: label }, convertAttachment(part, model, profile)];
        }),
  );
  return content.length === 0 ? null : { role: "user", content };
}
