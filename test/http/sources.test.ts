// The routes of definitions that have many tools, with real servers, and of skills.

import { expect, it } from "vitest";

import { skillTextSchema, sourceStateSchema } from "#contract/definition.ts";
import type { SourceState } from "#contract/definition.ts";
import { readSourceState } from "#flow/tool-source/source-state.ts";
import type { AppDependencies } from "#http/dependencies.ts";
import { createRequestQueue } from "#lib/bounded-fetch.ts";
import { consoleLog } from "#lib/log-port.ts";
import { systemClock } from "#lib/system-clock.ts";
import type { McpServerDefinition } from "#spec/index.ts";
import { outboundFetch } from "#worker/outbound.ts";

import { setServer } from "../thread/mcp-driver.ts";
import { documentOf, setApi } from "../tools/openapi/api-driver.ts";
import { mcpSources } from "../worker/mcp.ts";
import { openApiSources } from "../worker/openapi.ts";
import { adminToken, annaToken, refusalOf, testApp } from "./support/test-app.ts";
import { testRegistry } from "./support/test-registry.ts";

const skill = {
  name: "reports",
  description: "Use for reports.",
  files: { "SKILL.md": "# Reports", "references/figures.md": "Round them." },
};

/** An app whose sources are reached over HTTP, with these variables of the deployment. */
function appWith(variables: Record<string, unknown> = {}) {
  const transport = { fetch: (...call: Parameters<typeof fetch>) => fetch(...call), clock: systemClock };
  const sourceState: AppDependencies["sourceState"] = (entry, definition, userId) =>
    readSourceState(entry, definition, {
      fetch: outboundFetch({}, { ...transport, inTurn: createRequestQueue(5) }),
      clock: systemClock,
      env: variables,
      log: consoleLog,
      userId,
      hash: "hash",
    });
  const registry = {
    ...testRegistry(),
    toolSources: [...openApiSources, ...mcpSources],
    skills: { load: () => Promise.reject(new Error("The module is not needed.")), project: async () => [skill] },
  };
  const { ask } = testApp({ dependencies: { registry, sourceState } });
  return {
    ask,
    state: async (name: string): Promise<SourceState> => {
      const response = await ask(`/api/sources/${name}`, { token: adminToken });
      const body: unknown = await response.json();
      return sourceStateSchema.strict().parse(body);
    },
  };
}

it("The list of sources shows each definition with its kind, prefix and file, and sends no request", async () => {
  const server = setServer("everything", "bad/plain");
  const { ask } = appWith();
  expect(await (await ask("/api/sources")).json()).toEqual({
    sources: [
      { name: "api", kind: "openapi", prefix: "api", file: "agents/openapi/api.ts" },
      { name: "everything", kind: "mcp", prefix: "everything", file: "agents/mcp/everything.ts" },
      { name: "other", kind: "mcp", prefix: "other", file: "agents/mcp/other.ts" },
    ],
    next_cursor: null,
  });
  expect(await server.requests()).toMatchObject({ lines: [] });
});

it("A project without sources and skills has empty lists of them", async () => {
  const { ask } = testApp();
  expect(await (await ask("/api/sources")).json()).toEqual({ sources: [], next_cursor: null });
  expect(await (await ask("/api/skills")).json()).toEqual({ skills: [], next_cursor: null });
});

it("The route of an MCP server returns the host, the version, and every tool that the server lists, with schemas and approvals", async () => {
  setServer("everything", "everything", { needsApproval: ["get-sum"] });
  const { host, version, error, tools, omitted_tools } = await appWith().state("everything");
  expect({ error, omitted_tools }).toEqual({ error: null, omitted_tools: [] });
  expect(host).toMatch(/^127\.0\.0\.1:\d+$/);
  expect(version).toMatch(/^mcp-servers\/everything \d/);
  expect(tools.length).toBeGreaterThan(10);
  expect(tools.find(({ name }) => name === "everything__echo")).toMatchObject({
    kind: "tool",
    approval: "never",
    remote: false,
    parameters: { properties: { message: { type: "string" } }, required: ["message"] },
  });
  expect(tools.find(({ name }) => name === "everything__get-sum")).toMatchObject({ approval: "conditional" });
});

it("Each request for the state of a source lists the tools of the MCP server again, and the MCP session is closed", async () => {
  const server = setServer("everything", "bad/plain");
  const { state } = appWith();
  expect((await state("everything")).tools.map(({ name }) => name)).toEqual(["everything__ping"]);
  expect((await state("everything")).tools).toHaveLength(1);
  const { lines } = await server.idle();
  expect(lines.filter((line) => line.includes("tools/list"))).toHaveLength(2);
});

it.each([
  ["missing", "HTTP 404"],
  ["unauthorized", "Set them in the definition's headers."],
])("If a server fails as %s, the state of its source has the reason and no tools", async (mode, reason) => {
  setServer("everything", `bad/${mode}`);
  const { error, tools, host } = await appWith().state("everything");
  expect({ error, tools }).toEqual({ error: expect.stringContaining(reason) as string, tools: [] });
  expect(host).not.toBeNull();
});

it("If a server does not respond within the time limit of its definition, the state of its source has an error", async () => {
  setServer("everything", "bad/deaf", { timeoutMs: 300 });
  expect((await appWith().state("everything")).error).toContain("did not open a session in time");
});

it("The state of a source names the variables that its definition reads and that are not set", async () => {
  setServer("everything", "bad/plain", {
    headers: ({ env }: Parameters<Extract<McpServerDefinition["headers"], (...args: never[]) => unknown>>[0]) => ({
      authorization: `${String(env["DOCS_TOKEN"])} ${String(env["DOCS_USER"])}`,
      "x-scope": crypto.randomUUID(),
    }),
  });
  expect((await appWith({ DOCS_USER: "me" }).state("everything")).unset_variables).toEqual(["DOCS_TOKEN"]);
  expect((await appWith({ DOCS_USER: "me", DOCS_TOKEN: "x" }).state("everything")).unset_variables).toEqual([]);
});

it("Descriptions of a hostile server are cut and lose hidden characters, and a tool without a usable schema is named with the reason", async () => {
  setServer("everything", "bad/hostile");
  const { tools, omitted_tools } = await appWith().state("everything");
  expect(tools.map(({ name }) => name)).toEqual(["everything__hidden", "everything__circular", "everything__strict"]);
  expect(tools[0]?.description).toMatch(/^Fine\.a+…$/);
  expect(tools[0]?.description.length).toBeLessThanOrEqual(2000);
  expect(omitted_tools).toEqual([
    { name: "everything__unusable", problem: expect.stringContaining("The schema of its arguments") as string },
  ]);
});

it("The state of a source names each tool that is left out with the reason, and lists the other tools", async () => {
  const tools = [
    { name: "good", inputSchema: { type: "object" } },
    { name: "F3", inputSchema: { type: "object", properties: { raw: true } } },
    { name: "bad\u202E", inputSchema: 7 },
    { title: "nameless" },
    { name: "unusable", inputSchema: { type: "string" } },
  ];
  const answers = encodeURIComponent(JSON.stringify({ "tools/list": { tools } }));
  setServer("everything", `odd?answers=${answers}`);
  const state = await appWith().state("everything");
  expect(state.error).toBeNull();
  expect(state.tools.map(({ name }) => name)).toEqual(["everything__good", "everything__F3"]);
  expect(state.omitted_tools).toEqual([
    { name: "bad", problem: "`inputSchema` is no object." },
    { name: "tool 4", problem: "`name` is no text." },
    { name: "everything__unusable", problem: expect.stringContaining("The schema of its arguments") as string },
  ]);
});

it("The route of an OpenAPI document returns the host of the API, the title and the version, and the operations", async () => {
  setApi(documentOf({ "/notes": { get: { operationId: "list", summary: "Lists notes" } } }), { needsApproval: true });
  const { kind, host, version, error, tools } = await appWith().state("api");
  expect({ kind, version, error }).toEqual({ kind: "openapi", version: "Test 1", error: null });
  expect(host).toMatch(/^127\.0\.0\.1:\d+$/);
  expect(tools).toMatchObject([{ name: "api__list", approval: "conditional", file: "agents/openapi/api.ts" }]);
});

it("The state of a source is for administrators, and an unknown source is answered with the likely name", async () => {
  setServer("everything", "bad/plain");
  const { ask } = appWith();
  expect(await refusalOf(await ask("/api/sources/everything", { token: annaToken }))).toMatchObject({ status: 403 });
  const missing = await ask("/api/sources/everythin", { token: adminToken });
  expect(await refusalOf(missing.clone())).toMatchObject({ status: 404, code: "source_not_found" });
  expect(await missing.text()).toContain('Did you mean \\"everything\\"');
});

it("A skill is listed with its description, and its route returns its text and its further files", async () => {
  const { ask } = appWith();
  const shown = { name: "reports", file: "agents/skills/reports/SKILL.md", description: "Use for reports." };
  expect(await (await ask("/api/skills")).json()).toEqual({ skills: [shown], next_cursor: null });
  const body: unknown = await (await ask("/api/skills/reports")).json();
  expect(skillTextSchema.strict().parse(body)).toEqual({
    ...shown,
    text: "# Reports",
    files: [{ path: "references/figures.md", text: "Round them." }],
  });
  expect(await refusalOf(await ask("/api/skills/report"))).toMatchObject({ status: 404, code: "skill_not_found" });
});
