// Routes of agents/api: the route of a file, the order of routes, and findings about invalid ones.

import { describe, expect, it, vi } from "vitest";

import { compareRoutes, readRouteName } from "#compiler/route-pattern.ts";

import { compileWith, onlyFinding } from "./temporary-project.ts";

// Each build starts the Workers runtime; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const controller = "export default async () => ({ ok: true });";
const threadEndpoint = `import { defineThreadEndpoint } from "threadhold";
export default defineThreadEndpoint(async (_request, state) => Response.json(state.threadId));`;

describe("routes", () => {
  it("The build reads method, pattern and parameters from a route file's name", () => {
    const read = (stem: string): unknown => {
      const route = readRouteName(stem);
      return route.type === "route" ? [route.method, route.pattern, route.params] : route.message;
    };
    expect(read("health.get")).toEqual(["GET", "/health", []]);
    expect(read("health")).toEqual(["GET", "/health", []]);
    expect(read("threads/[id]/status.get")).toEqual(["GET", "/threads/:id/status", ["id"]]);
    expect(read("notes/index.post")).toEqual(["POST", "/notes", []]);
    expect(read("index")).toEqual(["GET", "/", []]);
    expect(read("files/[...rest]")).toEqual(["GET", "/files/*rest", ["rest"]]);
    expect(read("files/[...rest].delete")).toEqual(["DELETE", "/files/*rest", ["rest"]]);
    expect(read("feeds/news.json")).toEqual(["GET", "/feeds/news.json", []]);
  });

  it("The build sorts routes segment by segment: static segments, then the end of the pattern, then dynamic segments, then catch-alls", () => {
    const patterns = ["/*all", "/a/:id", "/:any", "/a/*rest", "/a/b", "/a/:id/c", "/a"];
    const sorted = patterns.map((pattern) => ({ pattern, method: "GET" })).toSorted(compareRoutes);
    expect(sorted.map(({ pattern }) => pattern)).toEqual([
      "/a/b",
      "/a",
      "/a/:id/c",
      "/a/:id",
      "/a/*rest",
      "/:any",
      "/*all",
    ]);
  });

  it("The build distinguishes thread endpoints from controllers and reads who may call", async () => {
    const { project, diagnostics } = await compileWith({
      "agents/api/threads/[id]/status.get.ts": `export const access = "admin";\n${threadEndpoint}`,
      "agents/api/health.ts": `export const access = "public";\n${controller}`,
      "agents/api/plain.post.ts": controller,
    });
    expect(diagnostics).toEqual([]);
    expect(project.routes).toEqual([
      {
        method: "GET",
        pattern: "/health",
        params: [],
        file: "agents/api/health.ts",
        kind: "controller",
        access: "public",
      },
      { method: "POST", pattern: "/plain", params: [], file: "agents/api/plain.post.ts", kind: "controller" },
      {
        method: "GET",
        pattern: "/threads/:id/status",
        params: ["id"],
        file: "agents/api/threads/[id]/status.get.ts",
        kind: "thread",
        access: "admin",
      },
    ]);
  });

  it("The build reports two files with the same route, also if their parameters have different names", async () => {
    expect(
      await onlyFinding({ "agents/api/notes/[a].ts": controller, "agents/api/notes/[b].get.ts": controller }),
    ).toMatchObject({
      severity: "error",
      code: "route_conflict",
      file: "agents/api/notes/[b].get.ts",
      notes: ["the first is agents/api/notes/[a].ts"],
    });
    const apart = { "agents/api/notes/[a].ts": controller, "agents/api/notes/[b].post.ts": controller };
    expect((await compileWith(apart)).diagnostics).toEqual([]);
  });

  it("The build warns about a route that replaces a built-in one", async () => {
    expect(await onlyFinding({ "agents/api/threads/[thread].get.ts": threadEndpoint })).toMatchObject({
      severity: "warning",
      code: "route_shadows_built_in",
      file: "agents/api/threads/[thread].get.ts",
      message: expect.stringContaining("/api/~/threads/:thread"),
    });
    const replacing = [
      "agents/index.get.ts",
      "messages-search.get.ts",
      "threads/[thread]/files/index.get.ts",
      "threads/[thread]/files/[...rest].put.ts",
      "ai-sdk/threads/[thread]/chat.post.ts",
    ];
    for (const name of replacing) {
      expect(await onlyFinding({ [`agents/api/${name}`]: controller })).toMatchObject({ severity: "warning" });
    }
    expect((await compileWith({ "agents/api/healthz.get.ts": controller })).diagnostics).toEqual([]);
  });

  it("The build reports routes under /~/", async () => {
    expect(await onlyFinding({ "agents/api/~/mine.ts": controller })).toMatchObject({
      severity: "error",
      code: "reserved_route",
      file: "agents/api/~/mine.ts",
    });
  });

  it("The build reports file names that are no route", async () => {
    const bad = async (name: string): Promise<string> => {
      const finding = await onlyFinding({ [`agents/api/${name}.ts`]: controller });
      expect(finding).toMatchObject({ severity: "error", code: "bad_file_name", file: `agents/api/${name}.ts` });
      return finding.message;
    };
    expect(await bad("a b")).toContain('"a b" is no route segment');
    expect(await bad("x-[id]")).toContain("no route segment");
    expect(await bad("[[id]]")).toContain("no route segment");
    expect(await bad("[...rest]/more")).toContain("must stand last");
    expect(await bad("[id]/[id]")).toContain('called "id"');
    expect(await bad("health.head")).toContain("HEAD is answered for every route");
  });

  it("The build warns about a misspelt method", async () => {
    expect(await onlyFinding({ "agents/api/notes.psot.ts": controller })).toMatchObject({
      severity: "warning",
      code: "bad_file_name",
      suggestion: "post",
    });
  });

  it("The build reports a thread endpoint without a dynamic segment, and an unknown access", async () => {
    expect(await onlyFinding({ "agents/api/status.ts": threadEndpoint })).toMatchObject({
      severity: "error",
      code: "missing_thread_segment",
      file: "agents/api/status.ts",
      line: 2,
    });
    expect(await onlyFinding({ "agents/api/x.ts": `${controller}\nexport const access = "pubic";` })).toMatchObject({
      severity: "error",
      code: "invalid_field",
      file: "agents/api/x.ts",
      line: 2,
      suggestion: "public",
    });
  });
});
