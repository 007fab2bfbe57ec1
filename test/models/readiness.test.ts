// The errors of a model that cannot be called.

import { describe, expect, it } from "vitest";

import { secretsOf } from "#lib/deployment-secrets.ts";
import { createModelPort } from "#models/create-model-port.ts";
import { placeVariables } from "#models/provider-settings.ts";
import { readiness } from "#models/readiness.ts";

import { collect, keys, model, providers, request } from "./ask-model.ts";

const variables = {
  openai: "OPENAI_API_KEY",
  "openai-responses": "OPENAI_API_KEY",
  anthropic: "ANTHROPIC_API_KEY",
  google: "GOOGLE_API_KEY",
  openrouter: "OPENROUTER_API_KEY",
  bedrock: "AWS_BEARER_TOKEN_BEDROCK",
  azure: "AZURE_API_KEY",
  "azure-chat": "AZURE_API_KEY",
  vertex: "GOOGLE_VERTEX_API_KEY",
  "vertex-claude": "GOOGLE_VERTEX_API_KEY",
} as const;

/** The addresses of clouds, which belong to an account. */
const places = { AZURE_RESOURCE_NAME: "team", GOOGLE_VERTEX_PROJECT: "project", GOOGLE_VERTEX_LOCATION: "global" };

async function callWithout(definition: Parameters<typeof readiness>[0], env: Record<string, unknown>) {
  const port = createModelPort({ env, fetch: () => Promise.reject(new Error("nothing may be sent")) });
  return collect(port.stream(request(definition), new AbortController().signal));
}

describe("readiness", () => {
  it.for(providers)("A model of %s without its API key is not ready, and the missing variable is named", (provider) => {
    const definition = model(provider, "m");
    expect(readiness(definition, {})).toEqual({ ready: false, missing: variables[provider] });
    expect(readiness(definition, { [variables[provider]]: "  " })).toEqual({
      ready: false,
      missing: variables[provider],
    });
    expect(readiness(definition, { ...keys, ...places, AWS_REGION: "eu-central-1" })).toEqual({
      ready: true,
      missing: null,
    });
  });

  it("Google's API key may be in the variable that Google's own package reads", () => {
    expect(readiness(model("google", "m"), { GOOGLE_GENERATIVE_AI_API_KEY: "k" })).toEqual({
      ready: true,
      missing: null,
    });
  });

  it.for(providers)(
    "A request to %s without its API key is not sent, and the error names the variable to set",
    async (provider) => {
      const parts = await callWithout(model(provider, "m"), {});
      expect(parts).toMatchObject([{ type: "error", failure: { kind: "not_configured", retryable: false } }]);
      const message = JSON.stringify(parts);
      for (const word of [variables[provider], ".dev.vars", "wrangler secret put"]) expect(message).toContain(word);
    },
  );

  it.for(["somewhere" as never] as const)(
    "A model of the unknown provider %s is not ready, and a call of it ends with an error that names the provider",
    async (provider) => {
      expect(readiness(model(provider, "m"), keys)).toEqual({ ready: false, missing: null });
      const parts = await callWithout(model(provider, "m"), keys);
      expect(parts).toMatchObject([{ type: "error", failure: { kind: "not_configured", retryable: false } }]);
      expect(JSON.stringify(parts)).toContain(provider);
    },
  );

  it.for([
    [404, "not found"],
    [400, "The model `m` does not exist."],
    [400, "Invalid value of temperature."],
    [401, "no such model"],
    [503, "The model is overloaded."],
  ] as const)("READY2 HINT1 A refusal with the status %s and the text %s names the file of the model", async (row) => {
    const [status, text] = row;
    const refuse = () => Promise.resolve(Response.json({ error: { message: text } }, { status }));
    const end = async (fileOf?: (name: string) => string | undefined) => {
      const port = createModelPort({ env: keys, fetch: refuse, ...(fileOf === undefined ? {} : { fileOf }) });
      const parts = await collect(port.stream(request(model("anthropic", "m")), new AbortController().signal));
      return JSON.stringify(parts.at(-1));
    };
    const named = await end((name) => `agents/models/${name}.ts`);
    expect(named).toContain(text);
    expect(named).toContain('(model \\"m\\" of agents/models/anthropic model.ts)');
    expect(await end()).not.toContain("agents/models");
  });

  it.for(["key\nwith-a-line-break", "key\u0000with-a-control", "key\u2026with-an-ellipsis"])(
    "READY2 A key that no header can have (%j) is an error that names its variable, and nothing is sent",
    async (key) => {
      const place = { AZURE_RESOURCE_NAME: "team", AWS_REGION: "eu-central-1" };
      const variables: [string, Record<string, string>][] = [
        ["openai", { OPENAI_API_KEY: key }],
        ["anthropic", { ANTHROPIC_API_KEY: key }],
        ["google", { GOOGLE_API_KEY: key }],
        ["openrouter", { OPENROUTER_API_KEY: key }],
        ["azure", { AZURE_API_KEY: key }],
        ["vertex", { GOOGLE_VERTEX_API_KEY: key }],
        ["bedrock", { AWS_BEARER_TOKEN_BEDROCK: key }],
        ["bedrock", { AWS_SESSION_TOKEN: key, AWS_ACCESS_KEY_ID: "AKIAEXAMPLE", AWS_SECRET_ACCESS_KEY: "secret-0001" }],
      ];
      for (const [provider, env] of variables) {
        const refuse = (): Promise<Response> => Promise.reject(new Error("nothing may be sent"));
        const port = createModelPort({ env: { ...place, ...env }, fetch: refuse });
        const parts = await collect(
          port.stream(request(model(provider as "openai", "m")), new AbortController().signal),
        );
        expect(parts).toMatchObject([{ type: "error", failure: { kind: "not_configured", retryable: false } }]);
        expect(JSON.stringify(parts)).toContain(`the value of ${Object.keys(env)[0] ?? ""} has a line break`);
        expect(JSON.stringify(parts)).not.toContain("with-a");
      }
    },
  );

  it("A test model is ready when it has a script", () => {
    expect(readiness(model("test", "m"), {})).toEqual({ ready: false, missing: null });
    expect(readiness(model("test", "m", { script: [] }), {})).toEqual({ ready: true, missing: null });
  });

  it.for(providers)(
    "No variable with the address of a model of %s, or with a part of it, is redacted as a secret",
    (provider) => {
      const names = placeVariables(model(provider, "m"));
      expect(names.length).toBeGreaterThan(0);
      expect(secretsOf(Object.fromEntries(names.map((name) => [name, "eu-central-1"])), names)).toEqual([]);
    },
  );
});
