// The secrets that a deploy sets.

import { expect, it } from "vitest";

import { assertKnownSecrets, neededSecrets } from "#cli/deploy/needed-secrets.ts";
import { boundVariables } from "#cli/doctor/ai-binding-check.ts";
import { withOwnProvider } from "#models/own-providers.ts";
import { defineProvider } from "#spec/index.ts";

const context = { models: [], generatedMain: false, without: [] };
const ticket = ["TICKET_SECRET"];

it("A deploy generates the key that encrypts tokens only for a project with OAuth whose Worker has none", () => {
  const names = (usesOAuth: boolean, present: string[], without: string[] = []) =>
    neededSecrets({ ...context, usesOAuth, present: new Set(present), without }).map(({ name, generated }) => [
      name,
      generated,
    ]);
  expect(names(false, ticket)).toEqual([]);
  expect(names(true, ticket)).toEqual([["ENCRYPTION_KEY", true]]);
  expect(names(true, [...ticket, "ENCRYPTION_KEY"])).toEqual([]);
  expect(names(true, ticket, ["ENCRYPTION_KEY"])).toEqual([]);
});

it("The option --without accepts ENCRYPTION_KEY only if an MCP server uses OAuth", () => {
  expect(() => assertKnownSecrets(["ENCRYPTION_KEY"], { models: [], usesOAuth: true })).not.toThrow();
  expect(() => assertKnownSecrets(["ENCRYPTION_KEY"], { models: [], usesOAuth: false })).toThrow("names no secret");
});

it("A deploy asks for no secret for a model that a binding reaches, with and without the binding", () => {
  const models = [{ name: "cloudflare", provider: "workers-ai", model: "@cf/a/b" }] as const;
  const names = (bound: Record<string, unknown>) =>
    neededSecrets({ ...context, models: [...models], usesOAuth: false, present: new Set(ticket), bound }).map(
      ({ name }) => name,
    );
  expect(names({})).toEqual([]);
  expect(names(boundVariables({ ai: { binding: "AI" } }))).toEqual([]);
});

it("READY1 A deploy asks at once for all variables that a model lacks, states the purpose of each, and no variable replaces another", () => {
  const gateway = { id: "g", tokenVariable: "TEAM_TOKEN" };
  const model = { name: "claude", provider: "anthropic", model: "m", gateway } as const;
  const other = { name: "gpt", provider: "openai", model: "m", gateway } as const;
  const models = [model, other];
  const needed = neededSecrets({ ...context, models, usesOAuth: false, present: new Set(ticket) });
  expect(needed.map(({ name, purpose }) => [name, purpose])).toEqual([
    ["ANTHROPIC_API_KEY", "the key of the model claude"],
    ["TEAM_TOKEN", "a setting of the model claude, gpt"],
    ["CLOUDFLARE_ACCOUNT_ID", "a setting of the model claude, gpt"],
    ["OPENAI_API_KEY", "the key of the model gpt"],
  ]);
  const names = needed.map(({ name }) => name);
  for (const { name, isServedBy } of needed) expect(names.filter(isServedBy)).toEqual([name]);
  expect(() => assertKnownSecrets(["TEAM_TOKEN"], { models, usesOAuth: false })).not.toThrow();
  const without = neededSecrets({ ...context, models, usesOAuth: false, present: new Set(ticket), without: names });
  expect(without).toEqual([]);
});

it("A deploy asks for all variables of a cloud that a model lacks, and credentials serve in place of a key", () => {
  const model = { name: "cloudy", provider: "azure", model: "my-gpt" } as const;
  const names = (...present: string[]) =>
    neededSecrets({ ...context, models: [model], usesOAuth: false, present: new Set([...ticket, ...present]) }).map(
      ({ name }) => name,
    );
  expect(names()).toEqual(["AZURE_API_KEY", "AZURE_RESOURCE_NAME"]);
  expect(names("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT")).toEqual([]);
  expect(names("AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_RESOURCE_NAME")).toEqual(["AZURE_CLIENT_SECRET"]);
  expect(names("AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_RESOURCE_NAME")).toEqual([]);
  const without = ["AZURE_API_KEY", "AZURE_BASE_URL"];
  const given = { ...context, models: [model], usesOAuth: false, present: new Set(ticket), without };
  expect(neededSecrets(given)).toEqual([]);
});

it("A deploy asks for the account of a gateway only if no binding returns its address", () => {
  const model = { name: "claude", provider: "anthropic", model: "m", gateway: { id: "g" } } as const;
  const names = (bound: Record<string, unknown>) => {
    const present = new Set([...ticket, "ANTHROPIC_API_KEY"]);
    return neededSecrets({ ...context, models: [model], usesOAuth: false, present, bound }).map(({ name }) => name);
  };
  expect(names({})).toEqual(["CLOUDFLARE_ACCOUNT_ID"]);
  expect(names(boundVariables({ ai: { binding: "AI" } }))).toEqual([]);
});

it("A deploy asks for the key and the region of a model of Bedrock, and for the missing part of credentials", () => {
  const model = { name: "nova", provider: "bedrock", model: "us.amazon.nova-lite-v1:0" } as const;
  const needed = (...names: string[]) =>
    neededSecrets({ ...context, models: [model], usesOAuth: false, present: new Set([...ticket, ...names]) });
  const namesOf = (...names: string[]) => needed(...names).map(({ name }) => name);
  expect(namesOf()).toEqual(["AWS_BEARER_TOKEN_BEDROCK", "AWS_REGION"]);
  expect(namesOf("AWS_ACCESS_KEY_ID", "AWS_REGION")).toEqual(["AWS_SECRET_ACCESS_KEY"]);
  expect(namesOf("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION")).toEqual([]);
  const [key, region] = needed();
  expect(region?.isServedBy("AWS_DEFAULT_REGION")).toBe(true);
  // One half of the credentials is no key.
  expect(key?.isServedBy("AWS_ACCESS_KEY_ID")).toBe(false);
});

it("PROVIDER2 A deploy asks for each variable of a model's own provider that the Worker lacks", async () => {
  const provider = defineProvider({ name: "mine", variables: ["MY_LOGIN", "MY_ADDRESS"], stream: () => ({}) as never });
  const file = "agents/providers/mine.ts";
  const model = await withOwnProvider({ name: "own", provider: "mine" as "test", model: "m" }, provider, file);
  const needed = (present: string[], without: string[] = []) =>
    neededSecrets({
      ...context,
      models: [model],
      usesOAuth: false,
      present: new Set([...ticket, ...present]),
      without,
    });
  expect(needed([]).map(({ name, purpose }) => [name, purpose])).toEqual([
    ["MY_LOGIN", `a variable of ${file}, for the model own`],
    ["MY_ADDRESS", `a variable of ${file}, for the model own`],
  ]);
  expect(needed(["MY_LOGIN"]).map(({ name }) => name)).toEqual(["MY_ADDRESS"]);
  expect(needed([], ["MY_ADDRESS"]).map(({ name }) => name)).toEqual(["MY_LOGIN"]);
  expect(needed(["MY_LOGIN", "MY_ADDRESS"])).toEqual([]);
});
