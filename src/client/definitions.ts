// What a deployment has: its agents, prompts, models and callable tools, without secrets.

import type { RequestOptions, Requests } from "./request.ts";
import type { RouteAnswer } from "./route-type.ts";

/** One kind of definition. */
export interface DefinitionList<T> {
  list(options?: RequestOptions): Promise<T[]>;
  /** Throws `ThreadholdClientError` with a `…_not_found` code for an unknown name. */
  get(name: string, options?: RequestOptions): Promise<T>;
}

/** What `client.agents` and its neighbours are. */
export interface Definitions {
  agents: DefinitionList<RouteAnswer<"GET /api/agents/:name">>;
  prompts: DefinitionList<RouteAnswer<"GET /api/prompts/:name">>;
  models: DefinitionList<RouteAnswer<"GET /api/models/:name">>;
  /** What a model may call: tools, prompts that others offer, exposed agents, by `kind`. */
  tools: DefinitionList<RouteAnswer<"GET /api/tools/:name">>;
  /** The hook files, in the order of their execution. */
  hooks: Pick<DefinitionList<RouteAnswer<"GET /api/hooks">["hooks"][number]>, "list">;
  /** The project's own routes. */
  routes: Pick<DefinitionList<RouteAnswer<"GET /api/routes">["routes"][number]>, "list">;
}

/** The lists. */
export function definitions(requests: Requests): Definitions {
  return {
    agents: {
      list: async (options) => (await requests.json("GET /api/agents", { ...options })).agents,
      get: (name, options) => requests.json("GET /api/agents/:name", { ...options, params: { name } }),
    },
    prompts: {
      list: async (options) => (await requests.json("GET /api/prompts", { ...options })).prompts,
      get: (name, options) => requests.json("GET /api/prompts/:name", { ...options, params: { name } }),
    },
    models: {
      list: async (options) => (await requests.json("GET /api/models", { ...options })).models,
      get: (name, options) => requests.json("GET /api/models/:name", { ...options, params: { name } }),
    },
    tools: {
      list: async (options) => (await requests.json("GET /api/tools", { ...options })).tools,
      get: (name, options) => requests.json("GET /api/tools/:name", { ...options, params: { name } }),
    },
    hooks: { list: async (options) => (await requests.json("GET /api/hooks", { ...options })).hooks },
    routes: { list: async (options) => (await requests.json("GET /api/routes", { ...options })).routes },
  };
}
