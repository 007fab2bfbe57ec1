// Reads the definitions of a deployment: agents, prompts, models, callable tools, sources of tools, skills, strategies, hooks, input
// filters and routes. The responses contain no secrets.

import type { RouteAnswer } from "./route-type.ts";
import type { RequestOptions, Requests } from "./send-request.ts";

/** Reads the definitions of one kind. */
export interface DefinitionList<T> {
  list(options?: RequestOptions): Promise<T[]>;
  /** Throws `ThreadholdClientError` with a `…_not_found` code for an unknown name. */
  get(name: string, options?: RequestOptions): Promise<T>;
}

/** Reads the MCP servers of the project, and its APIs with an OpenAPI document. */
interface SourceList {
  list(options?: RequestOptions): Promise<RouteAnswer<"GET /api/sources">["sources"]>;
  /**
   * Returns a source with its state and its tools. The deployment requests the list of tools from the source's server now, which takes at
   * most 20 seconds. If that server fails, the promise resolves and `error` is the reason. Needs the credentials of an administrator.
   * Throws `ThreadholdClientError` with the code `source_not_found` for an unknown name.
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
  /** The sources of tools: MCP servers, and APIs with an OpenAPI document. */
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

const kinds = [
  "agents",
  "prompts",
  "models",
  "tools",
  "sources",
  "skills",
  "strategies",
  "hooks",
  "filters",
  "routes",
] as const satisfies (keyof Definitions)[];

/** Builds the lists over a client's requests. */
export function definitions(requests: Requests): Definitions {
  // The names of the routes are built here, and the types of their responses are those of the interface above. A kind without a route for
  // one definition has only `list` in its type.
  const json = (route: string, options: object): Promise<unknown> => requests.json(route as "GET /api/agents", options);
  const lists = kinds.map((kind) => [
    kind,
    {
      list: async (options?: RequestOptions) => ((await json(`GET /api/${kind}`, { ...options })) as Json)[kind],
      get: (name: string, options?: RequestOptions) => json(`GET /api/${kind}/:name`, { ...options, params: { name } }),
    },
  ]);
  return Object.fromEntries(lists) as Definitions;
}

type Json = Record<string, unknown>;
