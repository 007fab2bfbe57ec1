// Reads the definitions of a deployment: agents, prompts, models, callable tools, sources of tools, skills, hooks, input filters and routes. The responses contain no secrets.

import type { RouteAnswer } from "./route-type.ts";
import type { RequestOptions, Requests } from "./send-request.ts";

/** One kind of definition. */
export interface DefinitionList<T> {
  list(options?: RequestOptions): Promise<T[]>;
  /** Throws `ThreadholdClientError` with a `…_not_found` code for an unknown name. */
  get(name: string, options?: RequestOptions): Promise<T>;
}

/** MCP servers, and APIs with an OpenAPI document. */
export interface SourceList {
  list(options?: RequestOptions): Promise<RouteAnswer<"GET /api/sources">["sources"]>;
  /**
   * Returns a source with its state and its tools. The deployment requests them from the server now, which takes at most 20 seconds. A
   * server that fails is no exception: `error` is the reason. Needs the credentials of an administrator. Throws `ThreadholdClientError` with
   * the code `source_not_found` for an unknown name.
   */
  get(name: string, options?: RequestOptions): Promise<RouteAnswer<"GET /api/sources/:name">>;
}

/** The definitions of a deployment by kind: the type of `client.definitions`. */
export interface Definitions {
  agents: DefinitionList<RouteAnswer<"GET /api/agents/:name">>;
  prompts: DefinitionList<RouteAnswer<"GET /api/prompts/:name">>;
  models: DefinitionList<RouteAnswer<"GET /api/models/:name">>;
  /** Everything that a model can call: tools, and prompts and agents that are exposed as tools. `kind` distinguishes them. */
  tools: DefinitionList<RouteAnswer<"GET /api/tools/:name">>;
  /** The definitions that have many tools. */
  sources: SourceList;
  /** The skills of `agents/skills/`. */
  skills: {
    list(options?: RequestOptions): Promise<RouteAnswer<"GET /api/skills">["skills"]>;
    /** Returns a skill with the texts of its files. Throws `ThreadholdClientError` with the code `skill_not_found` for an unknown name. */
    get(name: string, options?: RequestOptions): Promise<RouteAnswer<"GET /api/skills/:name">>;
  };
  /** The strategies that the project defines itself. */
  strategies: Pick<DefinitionList<RouteAnswer<"GET /api/strategies">["strategies"][number]>, "list">;
  /** The hook files in execution order. */
  hooks: Pick<DefinitionList<RouteAnswer<"GET /api/hooks">["hooks"][number]>, "list">;
  /** The input filters of `agents/filters/` in execution order. */
  filters: Pick<DefinitionList<RouteAnswer<"GET /api/filters">["filters"][number]>, "list">;
  /** The routes that the project defines itself. */
  routes: Pick<DefinitionList<RouteAnswer<"GET /api/routes">["routes"][number]>, "list">;
}

/** Builds the lists over a client's requests. */
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
    sources: {
      list: async (options) => (await requests.json("GET /api/sources", { ...options })).sources,
      get: (name, options) => requests.json("GET /api/sources/:name", { ...options, params: { name } }),
    },
    skills: {
      list: async (options) => (await requests.json("GET /api/skills", { ...options })).skills,
      get: (name, options) => requests.json("GET /api/skills/:name", { ...options, params: { name } }),
    },
    strategies: { list: async (options) => (await requests.json("GET /api/strategies", { ...options })).strategies },
    hooks: { list: async (options) => (await requests.json("GET /api/hooks", { ...options })).hooks },
    filters: { list: async (options) => (await requests.json("GET /api/filters", { ...options })).filters },
    routes: { list: async (options) => (await requests.json("GET /api/routes", { ...options })).routes },
  };
}
