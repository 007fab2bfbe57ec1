// What a project's controller is given (Standard Agents, endpoints).

import type { Caller } from "#core/thread-rpc.ts";
import type { ControllerContext, ControllerUser, VirtualModuleRegistry } from "#spec/endpoint.ts";
import type { HookEntry, Registry } from "#spec/registry.ts";

import type { Params } from "../route/handler.ts";

/** The request a controller answers. */
export interface ControllerCall {
  request: Request;
  url: URL;
  params: Params;
  env: Record<string, unknown>;
  /** Null on a public route called without valid credentials. */
  caller: Caller | null;
}

/** The context. A HEAD request reaches the controller as GET. */
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

/** Several files may implement one hook, so a hook's key is its file's name. */
function hooksByFile(hooks: readonly HookEntry[]): VirtualModuleRegistry<unknown> {
  return Object.fromEntries(
    hooks.map(({ file, load }) => [file.slice(file.lastIndexOf("/") + 1).replace(/\.\w+$/, ""), load]),
  );
}
