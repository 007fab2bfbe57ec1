// The wires with plain deltas, by the profile of their provider. The profiles do not name them, so that a process without a direct path
// contains nothing of them.

import { anthropic } from "../anthropic.ts";
import { google } from "../google.ts";
import { namedServer, openaiCompatible } from "../openai-compatible.ts";
import { openai, openaiResponses } from "../openai.ts";
import { openrouter } from "../openrouter.ts";
import type { ProviderProfile } from "../provider-profile.ts";
import { plainAnthropic } from "./plain-anthropic.ts";
import { plainChat, plainChatEndingCalls } from "./plain-chat.ts";
import type { PlainWire } from "./plain-delta.ts";
import { plainGoogle } from "./plain-google.ts";
import { plainResponses } from "./plain-responses.ts";

const plainWires: ReadonlyMap<ProviderProfile, PlainWire> = new Map([
  [openai, plainChat],
  [openaiCompatible, plainChat],
  [namedServer, plainChat],
  [openaiResponses, plainResponses],
  [openrouter, plainChatEndingCalls],
  [anthropic, plainAnthropic],
  [google, plainGoogle],
]);

/** The wire of a profile, or of the profile whose plain deltas it has; undefined for one without a direct path. */
export async function plainWireOf(profile: ProviderProfile): Promise<PlainWire | undefined> {
  const { plainDeltasOf = profile } = profile;
  return typeof plainDeltasOf === "function" ? plainDeltasOf() : plainWires.get(plainDeltasOf);
}
