// Asks a provider of a project that is a function.

import { expect } from "vitest";

import type { ModelPart, ModelRequest } from "#core/ports/model-port.ts";
import { createModelPort } from "#models/create-model-port.ts";
import { defineProvider, type AnyModelDefinition, type ProviderContext, type ProviderRequest } from "#spec/index.ts";

import { collect, readAnswer, request } from "./ask-model.ts";
import { grammarFaults } from "./grammar.ts";
import { ownFile, ownModel } from "./own-providers.ts";

export type Stream = (request: ProviderRequest, context: ProviderContext) => AsyncIterable<unknown>;

export interface StreamRequest {
  more?: Partial<ModelRequest>;
  model?: Partial<AnyModelDefinition>;
  fetch?: typeof globalThis.fetch;
  env?: Record<string, unknown>;
  variables?: string[];
  files?: string[];
  signal?: AbortSignal;
}

export const named = ` (provider "mine" of ${ownFile})`;

/** Asks a provider with this function. The function may break every rule, so its type is not checked. */
export async function askStream(stream: Stream | (() => unknown), requested: StreamRequest = {}): Promise<ModelPart[]> {
  const { variables = [], files = [] } = requested;
  const definition = defineProvider({ name: "mine", stream: stream as never, variables, files });
  const port = createModelPort({
    env: requested.env ?? {},
    fetch: requested.fetch ?? (() => Promise.reject(new Error("no"))),
  });
  const signal = requested.signal ?? new AbortController().signal;
  const parts = await collect(port.stream(request(ownModel(definition, requested.model), requested.more), signal));
  expect(grammarFaults(parts)).toEqual([]);
  return parts;
}

export const yields = (...parts: unknown[]): Stream =>
  async function* () {
    yield* parts;
  };

export const finish = { type: "finish", reason: "stop" };
export const weather = {
  name: "get_weather",
  description: "Weather",
  parameters: { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] },
};

/** The failure of an answer. */
export async function failureOf(stream: Stream | (() => unknown), requested: StreamRequest = {}) {
  const { end } = readAnswer(await askStream(stream, requested));
  return end.type === "error" ? end.failure : null;
}
