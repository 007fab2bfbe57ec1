// Serves the OpenAPI document. It is built at the first request and then kept.

import { jsonAnswer } from "../answer/json-answer.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";
import { openApiDocument } from "./document.ts";

export function openApiHandlers({ dependencies: { dialects, prefix } }: Services): Pick<Handlers, "openApi"> {
  let document: Record<string, unknown> | undefined;
  return { openApi: () => Promise.resolve(jsonAnswer((document ??= openApiDocument(dialects, prefix)))) };
}
