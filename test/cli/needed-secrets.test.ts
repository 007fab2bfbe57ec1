// The secrets that a deploy sets.

import { expect, it } from "vitest";

import { assertKnownSecrets, neededSecrets } from "#cli/deploy/needed-secrets.ts";

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
