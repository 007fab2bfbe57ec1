// Images of tool results where the result cannot hold them: shown by a user's turn right behind the results, so that every
// model that sees is shown them (decision 19).

import type { LanguageModelV3Message } from "@ai-sdk/provider";

import type { ModelMessage } from "#core/ports/model-port.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { convertAttachment } from "./convert-attachment.ts";
import { resultHoldsImages } from "./convert-tool-result.ts";
import type { NetworkProvider } from "./provider-settings.ts";

type UserMessage = Extract<LanguageModelV3Message, { role: "user" }>;

/** The turn that shows the images of these results; null where there is nothing to show. */
export function imagesBeside(
  results: readonly ModelMessage[],
  model: AnyModelDefinition,
  provider: NetworkProvider,
): UserMessage | null {
  if (model.capabilities?.vision === false) return null;
  const content = results.flatMap((result) =>
    resultHoldsImages(result, provider)
      ? []
      : result.parts.flatMap((part) => {
          const isImage = (part.type === "image" || part.type === "file") && part.mime_type.startsWith("image/");
          if (!isImage || part.data === undefined) return [];
          const name = part.name ?? part.path?.split("/").at(-1) ?? "image";
          const label = `[${name}, an image that ${result.name ?? "a tool"} returned]`;
          return [{ type: "text" as const, text: label }, convertAttachment(part, model, provider)];
        }),
  );
  return content.length === 0 ? null : { role: "user", content };
}
