// A model of a real provider, answered by the model server on this machine. The tests read the sent bytes there, so that they see each
// field where the provider finds it.

import type { AnyModelDefinition, ModelProvider } from "@standardagents/spec";
import { inject } from "vitest";

import type { InputContent } from "#contract/content.ts";

import { start } from "./project.ts";
import type { Changes } from "./project.ts";

/** A JSON value that a test looks into without knowing its shape. */
export type Sent = { [key: string]: Sent } & { [index: number]: Sent } & Iterable<Sent>;

/** A request as the server received it. */
export interface WireRequest {
  path: string;
  headers: Record<string, string>;
  body: Sent;
}

/** A provider that is reached over the network. */
export type WireProvider = Exclude<ModelProvider, "test">;

const paths: Record<WireProvider, string> = {
  openai: "/v1",
  anthropic: "/v1",
  google: "/v1beta",
  openrouter: "/api/v1",
};

/** A model of the provider. `model` names the answer that the server gives, by default `case:text`. */
export function wireModel(provider: WireProvider, more: Partial<AnyModelDefinition> = {}) {
  const mark = crypto.randomUUID();
  const definition: Partial<AnyModelDefinition> = {
    provider,
    model: "case:text",
    baseUrl: inject("modelServer") + paths[provider],
    headers: { "x-server-id": mark },
    ...more,
  };
  return {
    definition,
    /** The requests under this definition that the server received, in order. */
    sent: async (): Promise<WireRequest[]> =>
      (await fetch(`${inject("modelServer")}/__requests?id=${mark}`)).json<WireRequest[]>(),
  };
}

/** Sends one message to a project whose model is the provider's, and returns the requests that were sent. */
export async function sentBy(
  provider: WireProvider,
  { model, ...changes }: Changes = {},
  words: InputContent = "Hello",
): Promise<WireRequest[]> {
  const wire = wireModel(provider, model);
  const { thread } = await start({ ...changes, model: wire.definition });
  await thread.say(words);
  return wire.sent();
}

/** The first body that `sentBy` finds. */
export async function bodySentBy(provider: WireProvider, changes: Changes = {}, words?: InputContent): Promise<Sent> {
  const [first] = await sentBy(provider, changes, words);
  if (first === undefined) throw new Error("Nothing was sent.");
  return first.body;
}
