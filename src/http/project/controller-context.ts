// Builds the context that a project's controller receives (Standard Agents, endpoints).

import type { Caller } from "#core/thread-rpc.ts";
import type { ControllerContext, ControllerUser, VirtualModuleRegistry } from "#spec/endpoint.ts";
import type { HookEntry, Registry } from "#spec/registry.ts";

import type { Params } from "../route/handler.ts";

/** The request for a controller. */
export interface ControllerCall {
  request: Request;
  url: URL;
  params: Params;
  env: Record<string, unknown>;
  /** Null on a public route without valid credentials. */
  caller: Caller | null;
}

/** Returns the context. A HEAD request is passed to the controller as GET. */
export function controllerContext(call: ControllerCall, registry: Registry, version: string): ControllerContext {
  const { request, url, params, env, caller } = call;
  const { agents, prompts, models, tools, hooks } = registry;
  return {
    req: request.method === "HEAD" ? new Request(request, { method: "GET" }) : request,
    params: { ...params },
    url,
    env,
    agents: { ...agents },
    agentNames: Object.keys(agents),
    prompts: { ...prompts },
    promptNames: Object.keys(prompts),
    models: { ...models },
    modelNames: Object.keys(models),
    tools: { ...tools },
    hooks: hooksByFile(hooks),
    config: { version, hash: registry.hash },
    ...(caller === null ? {} : { user: userOf(caller) }),
  };
}

function userOf({ user, admin }: Caller): ControllerUser {
  return { id: user, role: admin ? "admin" : "user" };
}

/** The hooks by file name, because several files may implement the same hook. */
function hooksByFile(hooks: readonly HookEntry[]): VirtualModuleRegistry<unknown> {
  return Object.fromEntries(
    hooks.map(({ file, load }) => [file.slice(file.lastIndexOf("/") + 1).replace(/\.\w+$/, ""), load]),
  );
}
