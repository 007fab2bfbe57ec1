// The handlers of the routes of AI SDK UI. Their code is loaded at the first request, because most deployments have no such client.

import type { HandlersOf } from "#http/route/handler.ts";
import type { Services } from "#http/services.ts";

import type { aiSdkGroup } from "./routes.ts";

export type AiSdkHandlers = HandlersOf<(typeof aiSdkGroup)["routes"]>;

export function aiSdkHandlers(services: Services): AiSdkHandlers {
  let loaded: AiSdkHandlers | null = null;
  // The value is cached, not its promise: a promise may never settle after the request that created it has ended.
  const load = async (): Promise<AiSdkHandlers> =>
    (loaded ??= (await import("./chat-requests.ts")).createChatHandlers(services));
  return {
    aiSdkChat: async (call) => (await load()).aiSdkChat(call),
    aiSdkResume: async (call) => (await load()).aiSdkResume(call),
    aiSdkMessages: async (call) => (await load()).aiSdkMessages(call),
  };
}
