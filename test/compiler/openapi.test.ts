// APIs with an OpenAPI document in a project: their fields, their prefixes, and the names of their tools in prompts.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it, vi } from "vitest";

import { namesSource, registrySource } from "#compiler/generated-source.ts";

import { compileWith, onlyFinding, packageRoot, writeProject } from "./temporary-project.ts";

// Each build starts the Workers runtime; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const file = "agents/openapi/shop.ts";
const api = (fields: string) =>
  `import { defineOpenApi } from "threadhold";\nexport default defineOpenApi({ name: "shop", ${fields} });`;
const prompt = (tools: string[]) => ({
  "agents/prompts/support.ts": `import { definePrompt } from "threadhold";
export default definePrompt({ name: "support", toolDescription: "Supports", prompt: "Help.", model: "fast",
  tools: ${JSON.stringify(tools)} });`,
});

it("The registry lists each API with its prefix and imports the module for OpenAPI; without APIs it has neither", async () => {
  const { diagnostics, project } = await compileWith({
    "agents/openapi/shop.json": JSON.stringify({ openapi: "3.1.0", info: { title: "Shop", version: "1" }, paths: {} }),
    [file]: `import { defineOpenApi } from "threadhold";
import document from "./shop.json";
export default defineOpenApi({ name: "shop", document, prefix: "s", baseUrl: ({ env }) => String(env.SHOP_URL),
  auth: ({ env }) => [{ type: "bearer", token: String(env.SHOP_TOKEN) }], headers: { a: "b" }, operations: ["find"],
  tags: ["a"], methods: ["GET"], pathPrefix: "/v1", unnamedOperations: true, cookies: true, timeoutMs: 1000,
  maxResponseBytes: 1000, shapeResponse: ({ body }) => body, needsApproval: ({ method }) => method !== "GET",
  allowedHosts: ["localhost:1"], credentialHosts: ["a.example"], serverVariables: { region: "eu" } });`,
    ...prompt(["s__find", "s__*"]),
  });
  expect(diagnostics).toEqual([]);
  const registry = registrySource(project, "", "..");
  expect(registry).toContain('load: () => import("threadhold/tools/openapi")');
  expect(registry).toMatch(/kind: "openapi",[\s\S]*name: "shop",\s+prefix: "s",\s+file: "agents\/openapi\/shop.ts",/);
  expect(namesSource(project)).toContain('toolPrefixes: "s";');
  const without = await compileWith({});
  expect(registrySource(without.project, "", "..")).not.toMatch(/toolSources|threadhold\/tools/);
});

it.each([
  ["without a document", `baseUrl: "https://a.example"`, "error", 'without "document"'],
  ["with a document of another version", `document: { swagger: "2.0" }`, "error", '"document" of an OpenAPI document'],
  ["with an address that is not http", `document: { url: "ftp://a.example" }`, "error", '"document.url"'],
  ["with a credential without its token", `document: "{}", auth: { type: "bearer" }`, "error", '"auth.token"'],
  ["with a prefix that contains two underscores", `document: "{}", prefix: "a__b"`, "error", '"a__b"'],
  ["with an unknown field", `document: "{}", tag: ["a"]`, "warning", 'unknown field "tag"'],
])("The build reports an API %s", async (_, fields, severity, text) => {
  expect(await onlyFinding({ [file]: api(fields) })).toMatchObject({
    severity,
    file,
    message: expect.stringContaining(text) as string,
  });
});

it("The build refuses an API and an MCP server with the same prefix", async () => {
  const found = await onlyFinding({
    [file]: api(`document: { url: "https://a.example/openapi.json" }`),
    "agents/mcp/shop.ts": `import { defineMcpServer } from "threadhold";
export default defineMcpServer({ name: "shop", url: "https://a.example/mcp" });`,
  });
  expect(found).toMatchObject({
    code: "duplicate_name",
    message: expect.stringContaining('the prefix "shop"') as string,
  });
});

it("The command `new openapi` writes an API whose definition compiles", async () => {
  const root = writeProject({ "package.json": "{}" });
  execFileSync(process.execPath, [
    join(packageRoot, "scripts/threadhold.mjs"),
    "new",
    "openapi",
    "shop",
    "--root",
    root,
  ]);
  const { compileProject } = await import("#compiler/compile.ts");
  const { diagnostics, project } = await compileProject(root, packageRoot);
  expect(diagnostics).toEqual([]);
  expect(project.sources.openapi.map(({ name }) => name)).toEqual(["shop"]);
});

it("The definitions in the guide on OpenAPI compile without a finding", async () => {
  const guide = readFileSync(join(packageRoot, "docs/guide/openapi.md"), "utf8");
  const files = [...guide.matchAll(/```ts example\n\/\/ (agents\/\S+)\n([\s\S]*?)```/g)];
  expect(files.map(([, path]) => path)).toEqual([
    "agents/openapi/shop.ts",
    "agents/prompts/support.ts",
    "agents/openapi/stock.ts",
    "agents/openapi/texts.d.ts",
    "agents/openapi/parcels.ts",
    "agents/openapi/orders.ts",
  ]);
  const document = { openapi: "3.1.0", info: { title: "Stock", version: "1" }, paths: {} };
  const { diagnostics, project } = await compileWith({
    ...Object.fromEntries(files.map(([, path = "", text = ""]) => [path, text])),
    "agents/openapi/stock.json": JSON.stringify(document),
    "agents/openapi/parcels.yaml.txt": "openapi: 3.1.0\npaths: {}\n",
  });
  expect(diagnostics).toEqual([]);
  expect(project.sources.openapi.map(({ name }) => name)).toEqual(["orders", "parcels", "shop", "stock"]);
});
