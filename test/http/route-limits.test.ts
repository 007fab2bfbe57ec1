// Which routes are limited per user and minute, and why the others need no such limit. A new route has to be added to one of the groups.

import { describe, expect, it } from "vitest";

import type { BuiltInRoute, RouteName } from "#contract/route.ts";
import { routeNames, routes } from "#contract/route.ts";
import { routeGroups } from "#dialect/route-groups.ts";

import { adminToken, annaToken, testApp, tokens } from "./support/test-app.ts";
import type { Ask } from "./support/test-app.ts";
import { testRegistry } from "./support/test-registry.ts";

const variables = {
  admissions: "LIMIT_ADMISSIONS_PER_MINUTE",
  changes: "LIMIT_CHANGES_PER_MINUTE",
  invocations: "LIMIT_INVOCATIONS_PER_MINUTE",
  lists: "LIMIT_LISTS_PER_MINUTE",
  searches: "LIMIT_SEARCHES_PER_MINUTE",
} as const;

type Limit = keyof typeof variables;
type DialectRoute = {
  [G in keyof typeof routeGroups]: keyof (typeof routeGroups)[G]["routes"];
}[keyof typeof routeGroups];

/** A reason why a route has no limit per minute. */
const reasons = {
  built: "It shows a part of the build, whose size does not depend on requests.",
  record: "It reads one record.",
  stream:
    "The number of a user's open streams is limited (LIMIT_OPEN_STREAMS, HTTP21), and a replay waits for its reader.",
  stop: "A stop has to be possible at any time. A stop of an idle thread writes nothing.",
  result:
    "A result settles a call that the model made, each once. Other results are refused before anything is written.",
  ticket: "It signs a text and touches no storage.",
  callback:
    "It has no user. It acts only with the sealed state and the cookie of a flow, and beginning a flow is limited.",
  restore: "Only an administrator may use it, and a request names at most 50 objects.",
} as const;

const limits = {
  getCaller: "built",
  health: "built",
  openApi: "built",
  createTicket: "ticket",
  listAgents: "built",
  getAgent: "built",
  listPrompts: "built",
  getPrompt: "built",
  listModels: "built",
  getModel: "built",
  testModel: "invocations",
  searchCatalogue: "lists",
  listTools: "built",
  getTool: "built",
  listSources: "built",
  getSource: "invocations",
  listSkills: "built",
  getSkill: "built",
  listStrategies: "built",
  listHooks: "built",
  listFilters: "built",
  listRoutes: "built",
  createThread: "admissions",
  listThreads: "lists",
  getThread: "record",
  patchThread: "changes",
  deleteThread: "changes",
  postMessage: "admissions",
  listMessages: "lists",
  getMessage: "record",
  patchMessage: "changes",
  deleteMessage: "changes",
  postRun: "admissions",
  listRuns: "lists",
  getRun: "record",
  stopThread: "stop",
  listLogs: "lists",
  getLog: "record",
  searchMessages: "searches",
  searchThreads: "searches",
  listQueue: "lists",
  patchQueued: "changes",
  deleteQueued: "changes",
  threadContext: "lists",
  getTree: "lists",
  checkout: "changes",
  exportThread: "lists",
  importThread: "admissions",
  readFile: "lists",
  putFile: "changes",
  deleteFile: "changes",
  moveFile: "changes",
  searchFiles: "searches",
  fileStats: "lists",
  restoreCatalog: "restore",
  getUsage: "lists",
  invokeTool: "invocations",
  postToolResults: "result",
  getAuthorization: "record",
  beginAuthorization: "invocations",
  deleteAuthorization: "changes",
  completeAuthorization: "callback",
  watchThreads: "stream",
  threadEvents: "stream",
  threadStream: "stream",
} as const satisfies Record<RouteName, Limit | keyof typeof reasons>;

/** Routes of dialects. Their limits are tested with each dialect, except those of reads. */
const dialectLimits = {
  executeSession: "admissions",
  getSession: "lists",
  aiSdkChat: "admissions",
  aiSdkResume: "stream",
  aiSdkMessages: "lists",
  // Each method of the protocol has the limit of what it does: calls admissions, lists of resources searches, reads of them lists.
  mcpMessage: "admissions",
  mcpResume: "stream",
} as const satisfies Record<DialectRoute, Limit | keyof typeof reasons>;

const json = (body: unknown): Ask => ({ json: body });
const lines = { "content-type": "application/x-ndjson" };

/** What a request needs besides its path. */
const requests: Partial<Record<RouteName, Ask & { query?: string }>> = {
  createTicket: json({ path: "/api/threads/events" }),
  createThread: json({ agent_id: "clerk" }),
  patchThread: json({ title: "x" }),
  postMessage: json({ content: "x" }),
  patchMessage: json({ content: "x" }),
  postRun: json({}),
  checkout: json({ before: "x" }),
  stopThread: json({}),
  searchMessages: { query: "?q=x" },
  searchThreads: { query: "?q=x" },
  patchQueued: json({ content: "x" }),
  importThread: { body: "{}\n", headers: lines },
  putFile: { body: "x", headers: { "content-type": "text/plain" } },
  moveFile: json({ from: "/a", to: "/b" }),
  searchFiles: { query: "?grep=x" },
  restoreCatalog: json({ object_ids: ["a".repeat(64)] }),
  invokeTool: json({ args: {} }),
  postToolResults: json({ results: [{ tool_call_id: "c", result: "x" }] }),
};

/** The definitions that requests name, unless it is the source. */
const namesOf: Partial<Record<RouteName, string>> = { invokeTool: "note", testModel: "fast" };

/** Sends a request of a route twice and returns the statuses, with one request a minute for the limits. */
async function statusesOf(name: RouteName, limited: readonly Limit[]): Promise<number[]> {
  const source = { name: "crm", prefix: null, file: "agents/mcp/crm.ts" };
  const toolSources = [{ kind: "mcp", definitions: [source] }] as never;
  const { ask, seed } = testApp({
    variables: { API_TOKENS: tokens, ...Object.fromEntries(limited.map((limit) => [variables[limit], "1"])) },
    dependencies: {
      registry: { ...testRegistry([]), toolSources },
      sourceState: () => Promise.resolve({}) as never,
      testModel: () => Promise.resolve({ trials: [] }),
      authorizations: async () => ({
        isAuthorized: async () => true,
        begin: async () => ({ url: "https://sign-in.example", cookie: { name: "c", value: "v", seconds: 1 } }),
        remove: async () => undefined,
        end: async () => undefined,
      }),
    },
  });
  const { id } = seed();
  const { method, path, access }: BuiltInRoute = routes[name];
  const { query = "", ...given } = requests[name] ?? {};
  const filled = path
    .replace(":id", id)
    .replace("*path?", "a.txt")
    .replace(":server", "crm")
    .replace(":name", namesOf[name] ?? "crm")
    .replaceAll(/:\w+/g, () => crypto.randomUUID());
  const statuses: number[] = [];
  for (let count = 0; count < 2; count += 1) {
    const token = access === "admin" ? adminToken : annaToken;
    const response = await ask(`${filled}${query}`, { method, token, ...given });
    statuses.push(response.status);
    await response.body?.cancel();
  }
  return statuses;
}

describe("limits of routes", () => {
  const all = Object.keys(variables) as Limit[];
  const isLimit = (limit: string): limit is Limit => limit in variables;

  it("HTTP39 Every route is limited per user and minute, or has a reason why not", () => {
    const named = Object.values(routeGroups).flatMap((group) => Object.keys(group.routes));
    expect(Object.keys(limits).toSorted()).toEqual([...routeNames].toSorted());
    expect(Object.keys(dialectLimits).toSorted()).toEqual(named.toSorted());
    const used = [...Object.values(limits), ...Object.values(dialectLimits)];
    expect(used.filter((limit) => !(isLimit(limit) || limit in reasons))).toEqual([]);
  });

  it.each(routeNames.filter((name) => isLimit(limits[name])))(
    "HTTP39 The second request of %s within a minute is refused if its limit is one request",
    async (name) => {
      const [first, second] = await statusesOf(name, [limits[name] as Limit]);
      expect([first === 429, second]).toEqual([false, 429]);
      const others = all.filter((limit) => limit !== limits[name]);
      expect(await statusesOf(name, others)).not.toContain(429);
    },
  );

  it.each(["/api/agent/session/mine", "/api/ai-sdk/threads/:id/messages"])(
    "HTTP39 The second request for a whole conversation (%s) within a minute is refused if the limit of lists is one request",
    async (path) => {
      const { ask, seed } = testApp({ variables: { API_TOKENS: tokens, [variables.lists]: "1" } });
      const { id } = seed();
      const statuses: number[] = [];
      for (let count = 0; count < 2; count += 1) {
        const response = await ask(path.replace(":id", id));
        statuses.push(response.status);
        await response.body?.cancel();
      }
      expect([statuses[0] === 429, statuses[1]]).toEqual([false, 429]);
    },
  );

  it.each(routeNames.filter((name) => !isLimit(limits[name])))(
    "HTTP39 Requests of %s do not count towards a limit per minute",
    async (name) => {
      expect(await statusesOf(name, all)).not.toContain(429);
    },
  );
});
