// Standard Agents, endpoints: controllers and thread endpoints, through the whole Worker.

import { defineController, defineHook, defineThreadEndpoint, defineTool } from "@standardagents/spec";
import type { Controller, ControllerContext, ControllerReturn } from "@standardagents/spec";
import { describe, expect, it } from "vitest";

import { registry } from "../worker/definitions.ts";
import { anotherPrompt, scriptedModel, serve, start } from "./project.ts";
import type { Changes } from "./project.ts";

/** The context that a controller receives for a request. */
async function given(
  path: string,
  init: RequestInit = {},
  changes: Changes = {},
  served = () => {},
): Promise<ControllerContext> {
  const received: ControllerContext[] = [];
  const controller = defineController((context) => {
    received.push(context);
    return {};
  });
  const routes = { "GET /look/:first/:second": controller, "POST /look/:first/:second": controller };
  const project = serve({ ...changes, routes });
  served();
  await project.fetch(path, init);
  const [context] = received;
  if (context === undefined) throw new Error("The controller was not called.");
  return context;
}

/** The response to a request whose controller returns this. */
function answerTo(controller: Controller): Promise<Response> {
  return serve({ routes: { "GET /look": controller } }).fetch("/api/look");
}

const returning = (value: ControllerReturn) => answerTo(defineController(() => value));

describe("defineController", () => {
  it("SAEND1 defineController returns the controller, and the response of the route contains the controller's return value", async () => {
    const controller: Controller = () => ({ status: "ok" });
    expect(defineController(controller)).toBe(controller);
    expect(await (await answerTo(controller)).json()).toEqual({ status: "ok" });
    expect((await serve().fetch("/api/look")).status).toBe(404);
  });

  it("SAEND2 A controller is called with its context, once for each request", async () => {
    const received: string[] = [];
    const project = serve({ routes: { "GET /look": ({ url }) => void received.push(url.search) } });
    await project.fetch("/api/look?a");
    await project.fetch("/api/look?b");
    expect(received).toEqual(["?a", "?b"]);
  });
});

describe("a controller's context", () => {
  it("SAEND3 ControllerContext.req is the request that was sent", async () => {
    const { req } = await given("/api/look/a/b", { method: "POST", body: "words", headers: { "x-own": "1" } });
    expect([req.method, req.headers.get("x-own"), await req.text()]).toEqual(["POST", "1", "words"]);
  });

  it("SAEND4 ControllerContext.params are the values of the route's dynamic segments", async () => {
    expect((await given("/api/look/a/b")).params).toEqual({ first: "a", second: "b" });
    expect((await given("/api/look/c/d%20e")).params).toEqual({ first: "c", second: "d e" });
  });

  it("SAEND5 ControllerContext.url is the parsed address of the request", async () => {
    const { url } = await given("/api/look/a/b?q=1");
    expect([url instanceof URL, url.pathname, url.searchParams.get("q")]).toEqual([true, "/api/look/a/b", "1"]);
  });

  it("SAEND6 ControllerContext.env holds the bindings of the Worker", async () => {
    const { env } = await given("/api/look/a/b");
    expect(env["OPENAI_API_KEY"]).toBe("key-of-openai");
    expect(env).toHaveProperty("THREADS");
  });

  const path = "/api/look/a/b";

  it("SAEND7 ControllerContext.agents loads any agent by its name", async () => {
    const { agents } = await given(path);
    expect(await agents?.["main"]?.()).toMatchObject({ name: "main", sideA: { prompt: "main" } });
    expect(Object.keys(agents ?? {})).toEqual(["main"]);
  });

  it("SAEND8 ControllerContext.agentNames lists the names of agents", async () => {
    expect((await given(path)).agentNames).toEqual(["main"]);
    const more = { agents: [{ name: "other", sideA: { prompt: "main" } }] };
    expect((await given(path, {}, more)).agentNames).toEqual(["main", "other"]);
  });

  it("SAEND9 ControllerContext.prompts loads any prompt by its name", async () => {
    const { prompts } = await given(path, {}, { prompts: [anotherPrompt("other")] });
    expect(await prompts?.["other"]?.()).toMatchObject({ prompt: "You are other." });
  });

  it("SAEND10 ControllerContext.promptNames lists the names of prompts", async () => {
    expect((await given(path, {}, { prompts: [anotherPrompt("other")] })).promptNames).toEqual(["main", "other"]);
    expect((await given(path)).promptNames).toEqual(["main"]);
  });

  const other = scriptedModel("other", () => ({ text: "" }));

  it("SAEND11 ControllerContext.models loads any model by its name", async () => {
    const { models } = await given(path, {}, { models: [other] });
    expect(await models?.["other"]?.()).toBe(other);
  });

  it("SAEND12 ControllerContext.modelNames lists the names of models", async () => {
    expect((await given(path, {}, { models: [other] })).modelNames).toEqual(["main", "other"]);
    expect((await given(path)).modelNames).toEqual(["main"]);
  });

  it("SAEND13 ControllerContext.tools loads any tool by its name", async () => {
    const look = defineTool("Looks", async () => ({ status: "success" }));
    const { tools } = await given(path, {}, { tools: { look } });
    expect(await tools?.["look"]?.()).toBe(look);
  });

  it("SAEND14 ControllerContext.hooks loads any hook by its file's name", async () => {
    const hook = defineHook("filter_messages", async (_state, messages) => messages);
    const { hooks } = await given(path, {}, { hooks: [hook] });
    expect(await hooks?.["hook_0"]?.()).toBe(hook);
    expect((await given(path)).hooks).toEqual({});
  });

  it("SAEND15 ControllerContext.config names the version of the definitions", async () => {
    const { config } = await given(path);
    expect(config).toEqual({ version: expect.stringMatching(/./), hash: "conformance" });
  });

  it("SAEND16 A loader loads one definition when it is called, and not before", async () => {
    const loaded: string[] = [];
    const watched = () => {
      for (const kind of ["models", "prompts", "agents", "tools"] as const) {
        const loaders: Record<string, () => Promise<unknown>> = registry[kind];
        for (const [name, load] of Object.entries(loaders)) {
          loaders[name] = () => {
            loaded.push(`${kind} ${name}`);
            return load();
          };
        }
      }
    };
    const context = await given(path, {}, {}, watched);
    expect(loaded).toEqual([]);
    await context.prompts?.["main"]?.();
    expect(loaded).toEqual(["prompts main"]);
    const { agents } = context;
    const loader = agents?.["main"];
    expect(typeof loader).toBe("function");
    expect(await loader?.()).toBe(await loader?.());
  });

  it("SAEND17 A registry of loaders in a controller's context has the names of the definitions, and no name that every object inherits", async () => {
    const { agents } = await given(path);
    expect(Object.hasOwn(agents ?? {}, "main")).toBe(true);
    expect(Object.hasOwn(agents ?? {}, "constructor")).toBe(false);
  });
});

describe("return values of a controller", () => {
  it("SAEND18 If a controller returns a string, it is sent as text", async () => {
    const answer = await returning("words");
    expect([answer.headers.get("content-type"), await answer.text()]).toEqual(["text/plain; charset=utf-8", "words"]);
  });

  it("SAEND19 If a controller returns a Response, it is sent unchanged", async () => {
    const answer = await returning(new Response("made", { status: 418, headers: { "x-own": "1" } }));
    expect([answer.status, answer.headers.get("x-own"), await answer.text()]).toEqual([418, "1", "made"]);
  });

  it("SAEND20 If a controller returns a ReadableStream, it becomes the body of the response", async () => {
    const answer = await returning(new Response("streamed").body ?? null);
    expect([answer.headers.get("content-type"), await answer.text()]).toEqual(["application/octet-stream", "streamed"]);
  });

  it("SAEND21 If a controller returns null, the response has status 204 and no body", async () => {
    const answer = await returning(null);
    expect([answer.status, await answer.text()]).toEqual([204, ""]);
  });

  it("SAEND22 If a controller returns nothing, the response has status 204 and no body", async () => {
    const answer = await returning(undefined);
    expect([answer.status, await answer.text()]).toEqual([204, ""]);
  });

  it("SAEND23 If a controller returns an object, it is sent as JSON", async () => {
    const answer = await returning({ a: [1] });
    expect([answer.headers.get("content-type"), await answer.json()]).toEqual([
      "application/json; charset=utf-8",
      { a: [1] },
    ]);
  });

  it("SAEND24 If a controller returns a promise, the promise is awaited", async () => {
    expect(await (await returning(Promise.resolve("later"))).text()).toBe("later");
    expect(await (await returning(Promise.resolve({ a: 1 }))).json()).toEqual({ a: 1 });
    expect((await returning(Promise.resolve(null))).status).toBe(204);
  });
});

describe("defineThreadEndpoint", () => {
  const status = defineThreadEndpoint(async (req, state) => {
    const { total } = await state.getMessages({ limit: 1 });
    const { execution, threadId, agentId } = state;
    return Response.json({ method: req.method, q: new URL(req.url).search, threadId, agentId, total, execution });
  });
  const routes = { "GET /threads/:id/status": status };

  it("SAEND25 defineThreadEndpoint returns a route that finds the thread by the id in its path", async () => {
    const project = serve({ routes });
    const [one, two] = [await project.thread(), await project.thread()];
    await two.say("Hello");
    const ask = async (id: string) => (await project.fetch(`/api/threads/${id}/status`)).json<object>();
    expect(await ask(one.id)).toMatchObject({ threadId: one.id, total: 0 });
    expect(await ask(two.id)).toMatchObject({ threadId: two.id, total: 2 });
    const missing = await project.fetch(`/api/threads/${crypto.randomUUID()}/status`);
    expect(missing.status).toBe(404);
  });

  it("SAEND26 A handler receives the request and the thread's state, without an execution in an idle thread", async () => {
    const { project, thread } = await start({ routes });
    const answer = await project.fetch(`/api/threads/${thread.id}/status?q=1`);
    expect(await answer.json()).toMatchObject({ method: "GET", q: "?q=1", agentId: "main", execution: null });
  });

  const echo = defineThreadEndpoint(async (req) =>
    Response.json({
      body: await req.text(),
      own: req.headers.get("x-own"),
      type: req.headers.get("content-type"),
      authorization: req.headers.get("authorization"),
      cookie: req.headers.get("cookie"),
      internal: [...req.headers.keys()].filter((name) => name.startsWith("x-threadhold-")),
    }),
  );
  const posted = async (access: "public" | "user", cookie: string) => {
    const { project, thread } = await start({ routes: { "POST /threads/:id/echo": echo }, access });
    const headers = {
      "x-own": "1",
      "content-type": "text/markdown",
      "x-threadhold-caller": '{"user":null,"admin":true}',
      authorization: "Basic c2VjcmV0",
      cookie,
    };
    const answer = await project.fetch(`/api/threads/${thread.id}/echo`, { method: "POST", body: "*words*", headers });
    return answer.json();
  };
  const sent = { body: "*words*", own: "1", type: "text/markdown", internal: [] };

  it("SAEND26 A handler receives body and headers, and on a public route also credentials other than this server's", async () => {
    const authorization = "Basic c2VjcmV0";
    const cookies = "a=1; threadhold_pass=p; threadhold_passage=2; b=3=4";
    expect(await posted("public", cookies)).toEqual({
      ...sent,
      authorization,
      cookie: "a=1; threadhold_passage=2; b=3=4",
    });
    expect(await posted("public", "threadhold_pass=p")).toEqual({ ...sent, authorization, cookie: null });
    expect(await posted("user", cookies)).toEqual({ ...sent, authorization: null, cookie: null });
  });

  it("SAEND27 If a thread endpoint returns a Response, it is sent unchanged", async () => {
    const teapot = defineThreadEndpoint(() => new Response("short", { status: 418 }));
    const { project, thread } = await start({ routes: { "GET /threads/:id/teapot": teapot } });
    const answer = await project.fetch(`/api/threads/${thread.id}/teapot`);
    expect([answer.status, await answer.text()]).toEqual([418, "short"]);
  });
});
