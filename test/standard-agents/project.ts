// The smallest project, with one model, one prompt and one agent, and the changes of a test. Definitions are written as in the document;
// the Worker of these tests serves them until the test ends.

import {
  defineAgent,
  defineModel,
  definePrompt,
  defineThreadEndpoint,
  defineTool,
  hookNameOf,
  threadEndpointHandler,
} from "@standardagents/spec";
import type {
  AgentDefinition,
  AnyHookName,
  AnyModelDefinition,
  AnyPromptDefinition,
  AnyToolDefinition,
  Controller,
  HookFunction,
  Registry,
  RouteAccess,
  RouteEntry,
  RouteMethod,
  SideConfig,
  TestRequest,
  TestTurn,
  ThreadState,
} from "@standardagents/spec";
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { onTestFinished } from "vitest";
import { z } from "zod";

import type { Environment } from "#worker/bindings.ts";
import { compose } from "#worker/compose.ts";

import { newThread } from "../thread/thread-driver.ts";
import { registry } from "../worker/definitions.ts";
import { ProjectThread } from "./project-thread.ts";

type Script = (request: TestRequest) => TestTurn | Promise<TestTurn>;

/** The changes and additions of a test. */
export interface Changes {
  /** What the model answers. */
  script?: Script;
  model?: Partial<AnyModelDefinition>;
  prompt?: Partial<AnyPromptDefinition>;
  side?: Partial<SideConfig>;
  agent?: Partial<AgentDefinition>;
  models?: AnyModelDefinition[];
  prompts?: AnyPromptDefinition[];
  agents?: AgentDefinition[];
  tools?: Record<string, AnyToolDefinition>;
  hooks?: HookFunction[];
  /** By method and pattern: `GET /threads/:id/status`. */
  routes?: Record<string, Controller>;
  /** Who may call those routes; users by default. */
  access?: RouteAccess;
}

/** A project that is served. */
export interface Project {
  /** The requests to its scripted model, in order. */
  requests: TestRequest[];
  /** Creates a thread of the agent `main`, or of another. */
  thread(agent?: string, extra?: object): Promise<ProjectThread>;
  /** Sends a request to the API, as a client would. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

/** Serves a project until the test is over. */
export function serve(changes: Changes = {}): Project {
  const requests: TestRequest[] = [];
  const toolEffects: Acts = new Map();
  const own = registryOf(changes, { requests, toolEffects });
  // A thread's object reads definitions when it needs them, and hooks and routes when it is loaded.
  const before = { ...registry };
  Object.assign(registry, own);
  onTestFinished(() => void Object.assign(registry, before));

  const { fetch } = compose(own, {});
  const send = (path: string, init?: RequestInit): Promise<Response> =>
    Promise.resolve(
      fetch(new Request(`http://localhost${path}`, init), env as unknown as Environment, createExecutionContext()),
    );
  return {
    requests,
    fetch: send,
    thread: async (agent = "main", extra = {}) => {
      const id = await newThread(agent, extra);
      return new ProjectThread(id, { toolEffects, fetch: send });
    },
  };
}

/** Serves a project and creates a thread of it. */
export async function start(changes: Changes = {}): Promise<{ project: Project; thread: ProjectThread }> {
  const project = serve(changes);
  return { project, thread: await project.thread() };
}

/** Gives these answers to the requests in order, and the answer "done" to every later request. */
export function answers(...turns: TestTurn[]): Script {
  let requested = 0;
  return () => turns[requested++] ?? { text: "done" };
}

/** An answer that calls a tool. */
export function calling(name: string, args: Record<string, unknown> = {}): TestTurn {
  return { toolCalls: [{ name, arguments: args }] };
}

/** A scripted model in addition to the main one. */
export function scriptedModel(name: string, script: Script, more: Partial<AnyModelDefinition> = {}) {
  return defineModel({ name, provider: "test", model: name, script, retry: { maxRetries: 0 }, ...more });
}

/** Another prompt for the main model. */
export function anotherPrompt(name: string, more: Partial<AnyPromptDefinition> = {}): AnyPromptDefinition {
  return definePrompt({ name, toolDescription: `Asks ${name}`, prompt: `You are ${name}.`, model: "main", ...more });
}

/** Functions that tests run inside a thread, by the names that call them. */
export type Acts = Map<string, (state: ThreadState) => Promise<void>>;

const echo: Script = ({ lastUser, step }) =>
  lastUser.startsWith("act:") && step === 0 ? calling("act", { key: lastUser }) : { text: `echo: ${lastUser}` };

function registryOf(
  changes: Changes,
  { requests, toolEffects }: { requests: TestRequest[]; toolEffects: Acts },
): Registry {
  const { script = echo, tools = {}, hooks = [], routes = {} } = changes;
  const model = defineModel({
    name: "main",
    provider: "test",
    model: "scripted",
    retry: { maxRetries: 0 },
    script: (request) => {
      requests.push(structuredClone(request));
      return script(request);
    },
    ...changes.model,
  });
  const prompt = definePrompt({
    name: "main",
    toolDescription: "Asks main",
    prompt: "You are a test.",
    model: "main",
    tools: [...Object.keys(tools), "act"],
    ...changes.prompt,
  });
  const agent = defineAgent({ name: "main", sideA: { prompt: "main", ...changes.side }, ...changes.agent });
  const act = defineTool(
    "Does what the test says",
    z.object({ key: z.string() }),
    async (state: ThreadState, { key }) => {
      await toolEffects.get(key)?.(state);
      return { status: "success", result: "acted" };
    },
  );
  const atRest = defineThreadEndpoint(async (request, state) => {
    await toolEffects.get(new URL(request.url).searchParams.get("key") ?? "")?.(state);
    return new Response(null, { status: 204 });
  });
  return {
    models: entries([model, ...(changes.models ?? [])]),
    prompts: entries([prompt, ...(changes.prompts ?? [])]),
    agents: entries([agent, ...(changes.agents ?? [])]),
    tools: Object.fromEntries(
      Object.entries({ act, ...tools }).map(([name, tool]) => [name, () => Promise.resolve(tool)]),
    ),
    hooks: hooks.map((hook, index) => ({
      hook: hookNameOf(hook) as AnyHookName,
      file: `agents/hooks/hook_${index}.ts`,
      load: () => Promise.resolve(hook),
    })),
    routes: Object.entries({ "POST /threads/:id/act": atRest, ...routes }).map(([place, controller]) => ({
      ...route(place, controller),
      ...(changes.access === undefined ? {} : { access: changes.access }),
    })),
    hash: "conformance",
  };
}

function entries<T extends { name: string }>(list: T[]): Record<string, () => Promise<T>> {
  return Object.fromEntries(list.map((item) => [item.name, () => Promise.resolve(item)]));
}

function route(place: string, controller: Controller): RouteEntry {
  const [method = "GET", pattern = "/"] = place.split(" ");
  return {
    method: method as RouteMethod,
    pattern,
    params: [...pattern.matchAll(/[:*](\w+)/g)].map(([, name]) => name ?? ""),
    file: `agents/api${pattern}.ts`,
    kind: threadEndpointHandler(controller) === undefined ? "controller" : "thread",
    load: () => Promise.resolve(controller),
  };
}
