// Snapshots of what a loop ran with. They contain no key, no header and no function.

import type { AgentLoopConfig } from "../loop-config.ts";
import { configSegment } from "../loop-identity.ts";
import type { AgentMessage } from "../loop-messages.ts";
import { providerIdOf } from "../provider/provider-id.ts";
import type { LoopConfigSnapshot, LoopRecord } from "./loop-session.ts";

type OrNull<T> = { [K in keyof T]?: T[K] | null };

/** The options of a loop that a snapshot shows. A `BasicAgent` and the config of `agentLoop` have them. */
export type LoopSettings = Pick<AgentLoopConfig, "modelConfig"> &
  OrNull<Pick<AgentLoopConfig, "configId" | "maxTokens" | "providerOverride" | "temperature" | "thinkingLevel">> & {
    /** The agent whose options these are. The records of other agents do not get them. */
    readonly agentId?: string;
  };

/** The snapshot of the options of a loop. */
export function settingsSnapshot(settings: LoopSettings): LoopConfigSnapshot {
  const { modelConfig, configId, maxTokens, temperature, thinkingLevel } = settings;
  const { id, name, api, base_url, reasoning, context_window } = modelConfig;
  const providerOverride = settings.providerOverride ?? undefined;
  const providerId = providerIdOf({ modelConfig, providerOverride });
  const optional = {
    base_url: base_url === undefined ? null : plainAddress(base_url),
    reasoning,
    context_window,
    max_tokens: maxTokens ?? modelConfig.max_tokens,
    thinking_level: thinkingLevel,
    temperature,
  };
  return {
    model: id,
    provider: providerId,
    config_id: configId ?? configSegment({ providerId, model: id, thinkingLevel: thinkingLevel ?? undefined }),
    name,
    api,
    ...(Object.fromEntries(
      Object.entries(optional).filter(([, value]) => value !== null && value !== undefined),
    ) as Partial<LoopConfigSnapshot>),
  };
}

/** An address without credentials, query and fragment, which may contain a key; null for a text that is no address. */
function plainAddress(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}

/** What the first answer of a loop shows; null without an answer. */
export function settingsFromMessages(
  messages: readonly AgentMessage[],
  { loop_id, session_id }: Pick<LoopRecord, "loop_id" | "session_id">,
): LoopConfigSnapshot | null {
  const answer = messages.find((message) => message.role === "assistant");
  if (answer === undefined) return null;
  return { model: answer.model, provider: answer.provider, config_id: segmentIn(loop_id, session_id) };
}

/** The segment between the session and the number of a loop's id; null for an id without one. */
function segmentIn(loopId: string, sessionId: string): string | null {
  // A session that a pause ended has another id than its loops have.
  const prefix = `${sessionId.replace(/~\d+$/, "")}.`;
  const end = loopId.lastIndexOf(".");
  return loopId.startsWith(prefix) && end > prefix.length ? loopId.slice(prefix.length, end) : null;
}
