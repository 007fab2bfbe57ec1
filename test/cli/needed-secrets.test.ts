// The secrets that a deploy sets.

import { expect, it } from "vitest";

import { assertKnownSecrets, neededSecrets } from "#cli/deploy/needed-secrets.ts";
import { boundVariables } from "#cli/doctor/ai-binding-check.ts";

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

it("A deploy asks for the account of a gateway only if no binding returns its address", () => {
  const model = { name: "claude", provider: "anthropic", model: "m", gateway: { id: "g" } } as const;
  const names = (bound: Record<string, unknown>) => {
    const present = new Set([...ticket, "ANTHROPIC_API_KEY"]);
    return neededSecrets({ ...context, models: [model], usesOAuth: false, present, bound }).map(({ name }) => name);
  };
  expect(names({})).toEqual(["CLOUDFLARE_ACCOUNT_ID"]);
  expect(names(boundVariables({ ai: { binding: "AI" } }))).toEqual([]);
});
