// `GET /healthz`: that the service answers, and what the last build found, so that a broken definition shows where the
// developer looks first.

import { jsonAnswer } from "./answer/json-answer.ts";
import type { AppDependencies } from "./dependencies.ts";
import type { Handlers } from "./route/handler.ts";

/** The handler. */
export function healthHandlers({ version, diagnostics }: AppDependencies): Pick<Handlers, "health"> {
  const body = { status: "ok", version, ...(diagnostics.length === 0 ? {} : { diagnostics }) };
  return { health: () => Promise.resolve(jsonAnswer(body)) };
}
