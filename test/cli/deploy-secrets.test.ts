// The secrets of `threadhold deploy`: their sources, and the required confirmation. Wrangler is real; Cloudflare's API is a local server.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { startCloudflareApi, type CloudflareApi } from "./support/cloudflare-api.ts";
import { keyedModel, person, shop, writeShop, type DeployProject } from "./support/deploy-project.ts";

const secret = ["sk", "not", "a", "key"].join("-");

describe("the secrets of the command deploy", () => {
  let api: CloudflareApi;
  beforeAll(async () => {
    api = await startCloudflareApi();
  });
  beforeEach(() => api.reset());
  afterAll(() => api.stop());

  const project = (files = {}): DeployProject => writeShop({ ...shop, ...files }, api.env);

  it("If a secret is missing and there is no terminal, the deploy ends before any change and prints the command that sets the secret", async () => {
    const { run } = project(keyedModel);
    const { code, output } = await run(["deploy", "--yes"]);
    expect([code, output]).toEqual([
      2,
      expect.stringContaining("OPENAI_API_KEY is not set: the key of the model paid."),
    ]);
    expect(output).toContain("fix: npx wrangler secret put OPENAI_API_KEY");
    expect(output).toContain("--without NAME leaves one out");
    expect(api.requests.filter((request) => !request.startsWith("GET "))).toEqual([]);
  });

  it("A dry run and a deploy warn of addresses and variables that the Worker will not have, and a value of the file of secrets counts", async () => {
    const source = (name: string, url: string): Record<string, string> => ({
      [`agents/mcp/${name}.ts`]: `export default { name: "${name}", url: ${url} };`,
    });
    const { root, run } = project({
      ...source("near", '"http://localhost:3001/mcp"'),
      ...source("notes", "({ env }) => String(env.NOTES_URL)"),
      ".dev.vars": "NOTES_URL=http://localhost:3002/mcp\n",
    });
    const local = "MCP server near: Its address is at localhost:3001, which a deployment does not reach.";
    const only = "variable NOTES_URL: Definitions read it, and only a file of this machine sets it.";
    const { code, output } = await run(["deploy", "--dry-run"]);
    expect([code, output]).toEqual([0, expect.stringContaining(`warning: ${local}`)]);
    expect(output).toContain(`warning: ${only}`);
    writeFileSync(join(root, "secrets.env"), "NOTES_URL=https://notes.example.com/mcp\n");
    const given = await run([
      "deploy",
      "--yes",
      "--json",
      "--secrets-file",
      join(root, "secrets.env"),
      "--without",
      "API_TOKENS",
    ]);
    const { warnings } = JSON.parse(given.output) as { warnings: string[] };
    expect(warnings).toEqual(expect.arrayContaining([expect.stringContaining(local)]));
    expect(given.output).not.toContain(only);
  });

  it("An API key in the environment becomes a secret of the Worker only with the flag for it or after the user confirms it", async () => {
    const { run } = project(keyedModel);
    const env = { OPENAI_API_KEY: secret };
    const refused = await run(["deploy", "--yes"], { env });
    expect([refused.code, refused.output]).toEqual([2, expect.stringContaining("OPENAI_API_KEY is not set")]);
    expect(refused.output).toContain("--secrets-from-env, which takes OPENAI_API_KEY of this shell");
    expect(api.workers.size).toBe(0);
    const terminal = person(["", "", "y"]);
    const { code, output } = await run(["deploy"], { env, terminal });
    expect([code, output]).toEqual([0, expect.stringContaining("left out OPENAI_API_KEY")]);
    expect(terminal.questions[0]).toContain("OPENAI_API_KEY, the key of the model paid, is a variable of this shell.");
    expect(api.workers.get("shop")?.secrets.has("OPENAI_API_KEY")).toBe(false);
    expect(await run(["deploy"], { env, terminal: person(["y"]) })).toMatchObject({ code: 0 });
    expect(api.workers.get("shop")?.secrets.get("OPENAI_API_KEY")).toBe(secret);
    expect(refused.output + output).not.toContain(secret);
  });

  it("The deploy ends before any request if --without names a secret that neither a model nor the authentication needs", async () => {
    const { code, output } = await project(keyedModel).run(["deploy", "--yes", "--without", "OPENAI_KEY"]);
    expect([code, output]).toEqual([2, expect.stringContaining("--without OPENAI_KEY names no secret")]);
    expect(output).toContain("OPENAI_API_KEY, API_TOKENS, TICKET_SECRET");
    expect(api.requests).toEqual([]);
  });

  it("The deploy does not show the secrets that a person enters, and an empty answer leaves a secret out", async () => {
    const { run, home } = project({
      ...keyedModel,
      "agents/models/other.ts": `import { defineModel } from "threadhold";
export default defineModel({ name: "other", provider: "anthropic", model: "claude" });`,
    });
    const terminal = person(["", secret, "yes"]);
    const { code, output } = await run(["deploy"], { terminal });
    expect([code, output]).toEqual([0, expect.stringContaining("left out ANTHROPIC_API_KEY")]);
    expect(terminal.questions).toEqual([
      expect.stringContaining("ANTHROPIC_API_KEY, the key of the model other"),
      expect.stringContaining("OPENAI_API_KEY, the key of the model paid"),
      expect.stringContaining("create the database threads"),
    ]);
    expect(api.workers.get("shop")?.secrets.get("OPENAI_API_KEY")).toBe(secret);
    expect(output + home()).not.toContain(secret);
  });

  it("The deploy of a model at a cloud asks for each of its variables and uploads them, and an error names [vars] for a region", async () => {
    const model = (provider: string, id: string) => ({
      [`agents/models/${provider}.ts`]: `import { defineModel } from "threadhold";
export default defineModel({ name: "${provider}", provider: "${provider}", model: "${id}" });`,
    });
    const { run } = project({ ...model("azure", "my-gpt"), ...model("bedrock", "global.anthropic.claude-sonnet-5") });
    const refused = await run(["deploy", "--yes", "--without", "API_TOKENS"]);
    expect([refused.code, refused.output]).toEqual([2, expect.stringContaining("put AWS_BEARER_TOKEN_BEDROCK\n")]);
    expect(refused.output).toMatch(
      /AWS_REGION is not set: .*\n {2}fix: add it to \[vars\] of the wrangler configuration/,
    );
    const terminal = person([secret, "team", `${secret}-aws`, "eu-central-1", "yes"]);
    const { code, output } = await run(["deploy", "--without", "API_TOKENS"], { terminal });
    expect([code, output]).toEqual([0, expect.stringContaining("AWS_REGION (entered)")]);
    expect(Object.fromEntries(api.workers.get("shop")?.secrets ?? [])).toMatchObject({
      AZURE_API_KEY: secret,
      AZURE_RESOURCE_NAME: "team",
      AWS_BEARER_TOKEN_BEDROCK: `${secret}-aws`,
      AWS_REGION: "eu-central-1",
    });
  });

  it("A file of secrets sets the secrets that the Worker lacks, and does not replace those that it has", async () => {
    const { run, root } = project(keyedModel);
    api.workers.set("shop", { secrets: new Map([["API_TOKENS", "first"]]), uploads: [], migrationTag: undefined });
    const file = join(root, "secrets.env");
    writeFileSync(file, `OPENAI_API_KEY="${secret}"\nAPI_TOKENS=second\nJWT_ISSUER=me\n`);
    const { code, output } = await run(["deploy", "--yes", "--secrets-file", file]);
    expect([code, output]).toEqual([0, expect.stringContaining("has API_TOKENS already and keeps it")]);
    expect(Object.fromEntries(api.workers.get("shop")?.secrets ?? [])).toMatchObject({
      OPENAI_API_KEY: secret,
      API_TOKENS: "first",
      JWT_ISSUER: "me",
    });
    expect(output).not.toContain(secret);
  });
});
