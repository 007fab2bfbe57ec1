// MCP servers of a project: their fields, their prefixes, and the names of their tools in prompts.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it, vi } from "vitest";

import { namesSource, registrySource } from "#compiler/generated-source.ts";

import { compileWith, onlyFinding, packageRoot, writeProject } from "./temporary-project.ts";

// Each build starts the Workers runtime; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const file = "agents/mcp/docs.ts";
const server = (fields: string) =>
  `import { defineMcpServer } from "threadhold";\nexport default defineMcpServer({ ${fields} });`;
const docs = { [file]: server(`name: "docs", url: "https://docs.example.com/mcp"`) };
const prompt = (tools: string[]) => ({
  "agents/prompts/support.ts": `import { definePrompt } from "threadhold";
export default definePrompt({ name: "support", toolDescription: "Supports", prompt: "Help.", model: "fast",
  tools: ${JSON.stringify(tools)} });`,
});

it("The registry lists each MCP server with its prefix and imports the module for MCP; without MCP servers it has neither", async () => {
  const { diagnostics, project } = await compileWith({
    [file]:
      server(`name: "docs", url: ({ env }) => String(env.DOCS_URL), prefix: "d", headers: { a: "b" }, tools: ["find"],
      timeoutMs: 1000, needsApproval: ["find"], allowedHosts: ["localhost:1"], trustAnnotations: true`),
    ...prompt(["search_docs", "d__find", "d__*"]),
  });
  expect(diagnostics).toEqual([]);
  const registry = registrySource(project, "", "..");
  expect(registry).toContain('load: () => import("threadhold/tools/mcp")');
  expect(registry).toMatch(/kind: "mcp",[\s\S]*name: "docs",\s+prefix: "d",\s+file: "agents\/mcp\/docs.ts",/);
  expect(namesSource(project)).toContain('toolPrefixes: "d";');
  const without = await compileWith({});
  expect(registrySource(without.project, "", "..")).not.toMatch(/toolSources|threadhold\/tools/);
  expect(namesSource(without.project)).not.toContain("toolPrefixes");
});

it("A prompt can list tools with the prefix of a server, and the build reports a prefix without a server", async () => {
  expect((await compileWith({ ...docs, ...prompt(["docs__*", "docs__find"]) })).diagnostics).toEqual([]);
  expect(await onlyFinding({ ...docs, ...prompt(["doc__*"]) })).toMatchObject({
    code: "unknown_tool",
    file: "agents/prompts/support.ts",
    suggestion: "docs__*",
  });
});

it.each([
  ["without a url", `name: "docs"`, 'MCP server without "url"'],
  ["with a url that is not http", `name: "docs", url: "ftp://docs.example.com"`, '"url" of an MCP server'],
  ["with a prefix that contains two underscores", `name: "docs", url: "https://a.example", prefix: "a__b"`, '"a__b"'],
  ["whose name cannot begin a tool's name", `name: "my docs", url: "https://a.example"`, '"my docs"'],
])("The build refuses an MCP server %s", async (_, fields, text) => {
  expect(await onlyFinding({ [file]: server(fields) })).toMatchObject({
    severity: "error",
    file,
    message: expect.stringContaining(text) as string,
  });
});

it("The build warns of an unknown field of an MCP server with the closest name", async () => {
  const fields = `name: "docs", url: "https://docs.example.com/mcp", timeOutMs: 5`;
  expect(await onlyFinding({ [file]: server(fields) })).toMatchObject({
    severity: "warning",
    code: "unknown_field",
    suggestion: "timeoutMs",
  });
});

it("The build reports an unknown model in the option sampling", async () => {
  const fields = `name: "docs", url: "https://docs.example.com/mcp", resources: true, sampling: { model: "fats", maxRequests: 2 }`;
  expect(await onlyFinding({ [file]: server(fields) })).toMatchObject({
    severity: "error",
    code: "unknown_model",
    file,
    suggestion: "fast",
  });
});

it("The build accepts an MCP server with OAuth, and refuses a client secret without a client id or without an issuer", async () => {
  const withOAuth = (oauth: string) => ({
    [file]: server(`name: "docs", url: "https://docs.example.com/mcp", oauth: ${oauth}`),
    ...prompt(["docs__*"]),
  });
  for (const oauth of [
    "true",
    "{}",
    `{ clientId: "a", scopes: ["notes:read", "offline_access"], clientName: "Shop" }`,
    `{ clientId: "a", clientSecret: ({ env }) => String(env.SECRET), issuer: "https://login.example.com" }`,
  ]) {
    const { diagnostics } = await compileWith(withOAuth(oauth));
    expect(diagnostics, oauth).toEqual([]);
  }
  for (const oauth of [`{ clientId: "a", clientSecret: "b" }`, `{ clientSecret: "b", issuer: "https://a.example" }`]) {
    expect(await onlyFinding(withOAuth(oauth)), oauth).toMatchObject({
      severity: "error",
      message: expect.stringContaining("a secret requires clientId, and issuer") as string,
    });
  }
  expect(await onlyFinding(withOAuth(`{ clientId: "a", scopes: ["notes read"] }`))).toMatchObject({
    severity: "error",
    message: expect.stringContaining("a scope has no spaces") as string,
  });
});

it("The build refuses two MCP servers with the same prefix", async () => {
  const other = { "agents/mcp/other.ts": server(`name: "other", url: "https://a.example", prefix: "docs"`) };
  expect(await onlyFinding({ ...docs, ...other })).toMatchObject({
    code: "duplicate_name",
    file: "agents/mcp/other.ts",
    message: expect.stringContaining('the prefix "docs"') as string,
  });
});

it("The build refuses an MCP server over stdio and names mcp-proxy", async () => {
  const fields = `name: "docs", command: "npx", args: ["docs-server"]`;
  expect(await onlyFinding({ [file]: server(fields), ...prompt(["docs__*"]) })).toMatchObject({
    severity: "error",
    code: "not_available",
    file,
    suggestion: expect.stringContaining("npx mcp-proxy") as string,
  });
});

it("The command `new mcp` writes a server whose definition compiles", async () => {
  const root = writeProject({ "package.json": "{}" });
  execFileSync(process.execPath, [join(packageRoot, "scripts/threadhold.mjs"), "new", "mcp", "docs", "--root", root]);
  const { compileProject } = await import("#compiler/compile.ts");
  const { diagnostics, project } = await compileProject(root, packageRoot);
  expect(diagnostics).toEqual([]);
  expect(project.sources.mcp.map(({ name }) => name)).toEqual(["docs"]);
});

it("The definitions in the guide on MCP servers compile without a finding", async () => {
  const guide = readFileSync(join(packageRoot, "docs/guide/mcp.md"), "utf8");
  const files = [...guide.matchAll(/```ts example\n\/\/ (agents\/\S+)\n([\s\S]*?)```/g)];
  expect(files.map(([, path]) => path)).toEqual([
    "agents/mcp/docs.ts",
    "agents/prompts/support.ts",
    "agents/mcp/notes.ts",
    "agents/mcp/local.ts",
  ]);
  const { diagnostics } = await compileWith(Object.fromEntries(files.map(([, path = "", text = ""]) => [path, text])));
  expect(diagnostics).toEqual([]);
});
