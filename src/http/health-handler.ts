// `GET /healthz`: shows that the service responds, the findings of the last build, and missing configuration.

import type { z } from "zod";

import type { diagnosticSchema } from "#contract/service-route.ts";

import { jsonAnswer } from "./answer/json-answer.ts";
import { ticketsAreOff, ticketsOff } from "./auth/auth-settings.ts";
import type { Handlers } from "./route/handler.ts";
import type { Services } from "./services.ts";

export function healthHandlers({ dependencies, settings }: Services): Pick<Handlers, "health" | "getCaller"> {
  const diagnostics = [...dependencies.diagnostics, ...(ticketsAreOff(settings) ? [noTicketSecret] : [])];
  const found = diagnostics.length === 0 ? {} : { diagnostics };
  const body = { status: "ok", version: dependencies.version, ...found };
  return {
    health: () => Promise.resolve(jsonAnswer(body)),
    getCaller: ({ caller: { user, admin } }) => Promise.resolve(jsonAnswer({ user_id: user, admin })),
  };
}

const noTicketSecret: z.infer<typeof diagnosticSchema> = {
  severity: "warning",
  code: "no_ticket_secret",
  message: ticketsOff,
  file: "variables",
};
