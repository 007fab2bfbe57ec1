// The dialects that a deployment serves.

import { defineDialect } from "#http/dialect.ts";
import type { Dialect } from "#http/dialect.ts";

import { aiSdkHandlers } from "./ai-sdk/handlers.ts";
import { aiSdkGroup } from "./ai-sdk/routes.ts";
import { sessionHandlers } from "./session/handlers.ts";
import { sessionGroup } from "./session/routes.ts";

/** All of them. */
export const dialects: readonly Dialect[] = [
  defineDialect(sessionGroup, sessionHandlers),
  defineDialect(aiSdkGroup, aiSdkHandlers),
];
