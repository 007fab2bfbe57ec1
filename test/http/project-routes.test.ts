// The project's own routes: their paths, who may call them, and how their return values become responses.

import { describe, expect, it } from "vitest";

import { refuse } from "#contract/error.ts";
import { defineThreadEndpoint } from "#spec/endpoint.ts";
import type { Controller, ControllerContext, RouteAccess } from "#spec/endpoint.ts";
import type { RouteEntry, RouteMethod } from "#spec/registry.ts";

import { adminToken, annaToken, origin, refusalOf, testApp } from "./support/test-app.ts";
import type { TestApp } from "./support/test-app.ts";

interface Options {
  method?: RouteMethod;
  access?: RouteAccess;
  kind?: RouteEntry["kind"];
}

function route(
  pattern: string,
  controller: Controller,
  { method = "GET", access, kind = "controller" }: Options = {},
): RouteEntry {
  const params = [...pattern.matchAll(/[:*](\w+)/g)].map(([, name]) => name ?? "");
  const load = (): Promise<Controller> => Promise.resolve(controller);
  return {
    method,
    pattern,
    params,
    file: `agents/api${pattern}.ts`,
    kind,
    load,
    ...(access === undefined ? {} : { access }),
  };
}

const named = (pattern: string, options?: Options): RouteEntry =>
  route(pattern, ({ params }) => ({ pattern, params }), options);

function withRoutes(...routes: RouteEntry[]): TestApp {
  return testApp({ routes });
}

describe("precedence", () => {
  const routes = [
    named("/*rest"),
    named("/things/*rest"),
    named("/things/:id"),
    named("/things/special"),
    named("/:kind/special"),
    named("/things/:id/parts/:part"),
    named("/things/*rest", { method: "POST" }),
    named("/agents"),
    named("/"),
  ];
  const app = withRoutes(...routes);

  it.each<[string, string, object]>([
    ["/api/things/special", "/things/special", {}],
    ["/api/things/other", "/things/:id", { id: "other" }],
    ["/api/things/a%20b%2Fc", "/things/:id", { id: "a b/c" }],
    ["/api/others/special", "/:kind/special", { kind: "others" }],
    ["/api/things/1/parts/2", "/things/:id/parts/:part", { id: "1", part: "2" }],
    ["/api/things/1/parts", "/things/*rest", { rest: "1/parts" }],
    ["/api/anything/at/all", "/*rest", { rest: "anything/at/all" }],
    ["/api/agents", "/agents", {}],
    ["/api", "/", {}],
    ["/api/", "/", {}],
    ["/api/th%69ngs/special", "/things/special", {}],
    ["/api/things/%2A", "/things/:id", { id: "*" }],
    ["/api/things/50%25", "/things/:id", { id: "50%" }],
    ["/api/things/a/", "/things/*rest", { rest: "a/" }],
    ["/api/things/a%2Fb//c", "/things/*rest", { rest: "a/b//c" }],
  ])("The request %s is answered by %s", async (path, pattern, params) => {
    expect(await (await app.ask(path)).json()).toEqual({ pattern, params });
  });

  it.each(["/api//things", "/api/%E0%A4%A", "/things/special"])("The path %s leads to no route", async (path) => {
    expect(await refusalOf(await app.ask(path))).toMatchObject({ status: 404, code: "route_not_found" });
  });

  it("A request is answered by the next matching route if the most specific one lacks its method", async () => {
    const response = await app.ask("/api/things/special", { method: "POST" });
    expect(await response.json()).toMatchObject({ pattern: "/things/*rest" });
    expect((await app.ask("/api/things/special", { method: "DELETE" })).headers.get("allow")).toBe(
      "GET, HEAD, OPTIONS, POST",
    );
  });

  it("A project's route replaces a built-in route of the same pattern, a catch-all route does not, and built-in routes stay under /api/~", async () => {
    const own = withRoutes(named("/*rest"), named("/threads/:thread"));
    const { id } = own.seed();
    expect(await (await own.ask(`/api/threads/${id}`)).json()).toEqual({
      pattern: "/threads/:thread",
      params: { thread: id },
    });
    expect(await (await own.ask(`/api/~/threads/${id}`)).json()).toMatchObject({ id, user_id: "anna" });
    expect(await (await own.ask("/api/tools")).json()).toHaveProperty("tools");
    const files = withRoutes(named("/threads/:id/files"), named("/threads/:id/files/*rest"));
    const { id: other } = files.seed();
    for (const [path, pattern] of [
      ["", "/threads/:id/files"],
      ["/a/b", "/threads/:id/files/*rest"],
    ] as const) {
      expect(await (await files.ask(`/api/threads/${other}/files${path}`)).json()).toMatchObject({ pattern });
      expect(await (await files.ask(`/api/~/threads/${other}/files${path}`)).text()).toBe("bytes");
    }
    expect((await own.ask("/api/~/anything")).status).toBe(404);
    expect((await own.ask("/api/%7E/anything")).status).toBe(404);
    expect((await own.ask("/@built-in/tools")).status).toBe(404);
    expect((await own.ask("/api/~/x", { method: "OPTIONS" })).status).toBe(404);
  });
});

describe("access", () => {
  const who: Controller = ({ user }) => ({ user: user ?? null });
  const app = withRoutes(
    route("/user", who),
    route("/public", who, { access: "public" }),
    route("/admin", who, { access: "admin" }),
  );

  it.each<[string, string | null, number, unknown]>([
    ["/api/user", null, 401, undefined],
    ["/api/user", annaToken, 200, { id: "anna", role: "user" }],
    ["/api/user", adminToken, 200, { id: null, role: "admin" }],
    ["/api/public", null, 200, null],
    ["/api/public", "a webhook's own token", 200, null],
    ["/api/public", annaToken, 200, { id: "anna", role: "user" }],
    ["/api/admin", null, 401, undefined],
    ["/api/admin", annaToken, 403, undefined],
    ["/api/admin", adminToken, 200, { id: null, role: "admin" }],
  ])("A request for %s with the token %s is answered %i", async (path, token, status, user) => {
    const response = await app.ask(path, { token });
    expect(response.status).toBe(status);
    if (status === 200) expect(await response.json()).toEqual({ user });
  });

  it("AUTH7 A public route is served without a user to requests with an unknown token, however often they are repeated, although each of them counts as a guess", async () => {
    const guessed = withRoutes(route("/user", who), route("/public", who, { access: "public" }));
    for (let index = 0; index < 20; index++) {
      const response = await guessed.ask("/api/public", { token: "strange" });
      expect([response.status, await response.json()]).toEqual([200, { user: null }]);
    }
    expect((await guessed.ask("/api/user", { token: annaToken })).status).toBe(429);
  });

  it("A public route is answered 503 if no authentication is configured", async () => {
    const closed = testApp({ variables: {}, routes: [route("/public", who, { access: "public" })] });
    expect((await closed.ask("/api/public", { token: null })).status).toBe(503);
  });
});

describe("controllers", () => {
  async function answer(controller: Controller, method: "GET" | "HEAD" = "GET"): Promise<Response> {
    return withRoutes(route("/x", controller)).ask("/api/x", { method });
  }

  it.each<[string, () => unknown, number, string | null, string]>([
    ["text", () => "hi", 200, "text/plain; charset=utf-8", "hi"],
    ["empty text", () => "", 200, "text/plain; charset=utf-8", ""],
    ["an object", () => ({ a: 1 }), 200, "application/json; charset=utf-8", '{"a":1}'],
    ["a list", () => [1], 200, "application/json; charset=utf-8", "[1]"],
    ["a promise", () => Promise.resolve("later"), 200, "text/plain; charset=utf-8", "later"],
    ["null", () => null, 204, null, ""],
    ["nothing", () => undefined, 204, null, ""],
    ["a Response", () => new Response("own", { status: 418, headers: { "content-type": "x/y" } }), 418, "x/y", "own"],
    ["a stream", () => new Response("bytes").body, 200, "application/octet-stream", "bytes"],
  ])("A controller that returns %s gives the corresponding response", async (_name, make, status, type, text) => {
    const response = await answer(make as Controller);
    expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
      status,
      type,
      text,
    ]);
  });

  it("If a controller throws a ThreadholdError, the response has its code; if it throws any other value, the response has status 500 and no details", async () => {
    const refused = await answer(() => {
      throw refuse("conflict", "Not now.");
    });
    expect(await refusalOf(refused)).toMatchObject({ status: 409, code: "conflict" });
    for (const thrown of [new Error("secret"), "secret", { secret: 1 }]) {
      const broken = await answer(() => {
        // oxlint-disable-next-line typescript/only-throw-error -- a project's code may throw anything
        throw thrown;
      });
      expect(broken.status).toBe(500);
      expect(await broken.text()).not.toContain("secret");
    }
    expect((await answer(() => ({ big: 1n }))).status).toBe(500);
  });

  it("A HEAD request runs the GET controller and cancels its body, and an OPTIONS request lists the methods", async () => {
    let method = "";
    let cancelled = false;
    const head = await answer(({ req }) => {
      method = req.method;
      return new ReadableStream({ cancel: () => void (cancelled = true) });
    }, "HEAD");
    expect([head.status, head.body, method, cancelled]).toEqual([200, null, "GET", true]);
    const options = await withRoutes(named("/x"), named("/x", { method: "PUT" })).ask("/api/x", {
      method: "OPTIONS",
      token: null,
    });
    expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS, PUT"]);
  });

  it("A controller receives the request, the bindings and the project's definitions", async () => {
    let context: ControllerContext | undefined;
    const controller: Controller = async (given) => {
      context = given;
      return given.req.text();
    };
    const { ask } = withRoutes(route("/x/:name", controller, { method: "POST" }));
    expect(await (await ask("/api/x/y?z=1", { method: "POST", body: "raw" })).text()).toBe("raw");
    expect(context).toMatchObject({
      params: { name: "y" },
      env: { BINDING: "value" },
      agentNames: ["helper", "clerk"],
      promptNames: ["helping"],
      modelNames: ["fast"],
      config: { version: "1.2.3" },
      user: { id: "anna", role: "user" },
    });
    expect(context?.url.href).toBe(`${origin}/api/x/y?z=1`);
    expect(Object.keys(context?.hooks ?? {})).toEqual(["keep-short"]);
    expect(await context?.agents?.["helper"]?.()).toMatchObject({ name: "helper" });
    expect(Object.keys(context?.tools ?? {})).toEqual(["get_weather", "ask"]);
  });
});

describe("thread endpoints", () => {
  const endpoint = defineThreadEndpoint(() => new Response());
  const status = route("/threads/:id/status", endpoint, { kind: "thread" });
  const change = route("/threads/:id/status", endpoint, { kind: "thread", method: "PUT" });

  it("A thread endpoint is called in the object, with the client's request and the verified caller", async () => {
    const { ask, seed } = withRoutes(named("/other"), status, change);
    const { id, object } = seed();
    object.onEndpoint = async (request) =>
      new Response(await request.text(), { status: 202, headers: { "x-own": "1" } });
    const response = await ask(`/api/threads/${id}/status?q=1`, {
      method: "PUT",
      body: "raw",
      headers: { "x-mine": "kept", cookie: "a=b", "x-threadhold-caller": "forged", "x-threadhold-more": "forged" },
    });
    expect([response.status, response.headers.get("x-own"), await response.text()]).toEqual([202, "1", "raw"]);
    const [call] = object.endpointCalls;
    expect([call?.method, call?.url, call?.redirect]).toEqual(["PUT", "https://thread/endpoint/2", "manual"]);
    const headers = Object.fromEntries(call?.headers ?? []);
    expect(headers).toMatchObject({
      "x-mine": "kept",
      "x-threadhold-caller": '{"user":"anna","admin":false}',
      "x-threadhold-url": `${origin}/api/threads/${id}/status?q=1`,
    });
    for (const name of ["authorization", "cookie", "x-threadhold-more"]) expect(headers).not.toHaveProperty(name);
  });

  it("A thread endpoint is answered 404 for another user's thread or a malformed id, and its handler does not run", async () => {
    const { ask, seed, reached } = withRoutes(status);
    expect(await refusalOf(await ask("/api/threads/x/status"))).toMatchObject({
      status: 404,
      code: "thread_not_found",
    });
    expect(reached).toEqual([]);
    const { id, object } = seed("bernd");
    expect((await ask(`/api/threads/${id}/status`)).status).toBe(404);
    expect((await ask(`/api/threads/${id}/status`, { token: null })).status).toBe(401);
    expect(object.endpointCalls).toEqual([]);
  });

  it("A public thread endpoint is open to everyone, as its definition declares", async () => {
    const { ask, seed } = withRoutes(
      route("/hooks/:id", endpoint, { kind: "thread", method: "POST", access: "public" }),
    );
    const { id, object } = seed("bernd");
    expect((await ask(`/api/hooks/${id}`, { method: "POST", token: null })).status).toBe(200);
    expect(object.endpointCalls).toHaveLength(1);
    expect((await ask(`/api/hooks/${crypto.randomUUID()}`, { method: "POST", token: null })).status).toBe(404);
  });
});
