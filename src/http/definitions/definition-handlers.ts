// The routes that show the project's definitions. A list contains all definitions of its kind on one page.

import type { RouteView, StrategyView } from "#contract/definition.ts";
import type { Registry, RouteEntry } from "#spec/registry.ts";

import { jsonAnswer } from "../answer/json-answer.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";
import { agentView, modelView, promptView } from "./definition-views.ts";
import { modelHandlers } from "./model-handlers.ts";
import { skillHandlers, sourceHandlers } from "./source-handlers.ts";
import { toolViews } from "./tool-view.ts";
import { unknownDefinition } from "./unknown-definition.ts";
import type { KindName } from "./unknown-definition.ts";

type DefinitionRoutes =
  | "listAgents"
  | "getAgent"
  | "listPrompts"
  | "getPrompt"
  | "listModels"
  | "getModel"
  | "testModel"
  | "searchCatalogue"
  | "listTools"
  | "getTool"
  | "listSources"
  | "getSource"
  | "listSkills"
  | "getSkill"
  | "listFilters"
  | "listStrategies"
  | "listHooks"
  | "listRoutes";

/** One kind of definition: its loaders, and the function that builds its view. */
interface Kind<D> {
  kind: KindName;
  loaders: Record<string, () => Promise<D>>;
  view: (name: string, definition: D, url: URL) => unknown;
}

export function definitionHandlers(services: Services): Pick<Handlers, DefinitionRoutes> {
  const { registry, readiness, modelFacts } = services.dependencies;
  const fileOf = (kind: keyof NonNullable<Registry["files"]>, name: string): string | null => {
    const files = registry.files?.[kind] ?? {};
    return Object.hasOwn(files, name) ? (files[name] ?? null) : null;
  };
  const agents = kindHandlers({
    kind: "agent",
    loaders: registry.agents,
    view: (name, agent, url) => agentView(agent, { origin: url.origin, file: fileOf("agents", name) }),
  });
  const prompts = kindHandlers({
    kind: "prompt",
    loaders: registry.prompts,
    view: (name, prompt) => promptView(prompt, fileOf("prompts", name)),
  });
  const models = kindHandlers({
    kind: "model",
    loaders: registry.models,
    view: (name, model) =>
      modelView(model, { ...readiness(model), facts: modelFacts(model), file: fileOf("models", name) }),
  });
  return {
    listAgents: agents.list,
    getAgent: agents.get,
    listPrompts: prompts.list,
    getPrompt: prompts.get,
    listModels: models.list,
    getModel: models.get,
    ...modelHandlers(services),
    listTools: async () => jsonAnswer({ tools: [...(await toolViews(registry, fileOf)).values()], next_cursor: null }),
    getTool: async ({ params }) => {
      const tools = await toolViews(registry, fileOf);
      const tool = tools.get(params.name);
      if (tool === undefined) throw unknownDefinition("tool", params.name, [...tools.keys()]);
      return jsonAnswer(tool);
    },
    ...sourceHandlers(services),
    ...skillHandlers(registry),
    listStrategies: async () => {
      const loaders = Object.entries(registry.strategies ?? {}).toSorted(([one], [other]) => (one < other ? -1 : 1));
      const strategies = await Promise.all(
        loaders.map(async ([name, load]): Promise<StrategyView> => {
          const { description = null } = await load();
          return { name, file: fileOf("strategies", name), description };
        }),
      );
      return jsonAnswer({ strategies, next_cursor: null });
    },
    listHooks: async () =>
      jsonAnswer({ hooks: registry.hooks.map(({ hook, file }) => ({ hook, file })), next_cursor: null }),
    listFilters: async () =>
      jsonAnswer({ filters: (registry.filters ?? []).map(({ file }) => ({ file })), next_cursor: null }),
    listRoutes: async () => jsonAnswer({ routes: registry.routes.map(routeView), next_cursor: null }),
  };
}

function routeView({ method, pattern, kind, access, file }: RouteEntry): RouteView {
  return { method, path: `/api${pattern}`, kind, access: access ?? "user", file };
}

/** The list route and the get route of one kind. */
interface KindHandlers {
  list: (call: { url: URL }) => Promise<Response>;
  get: (call: { url: URL; params: { name: string } }) => Promise<Response>;
}

function kindHandlers<D>({ kind, loaders, view }: Kind<D>): KindHandlers {
  return {
    async list({ url }) {
      const names = Object.keys(loaders).toSorted();
      const views = await Promise.all(names.map(async (name) => view(name, await load(name), url)));
      return jsonAnswer({ [`${kind}s`]: views, next_cursor: null });
    },
    get: async ({ params, url }) => jsonAnswer(view(params.name, await load(params.name), url)),
  };

  function load(name: string): Promise<D> {
    const loader = Object.hasOwn(loaders, name) ? loaders[name] : undefined;
    if (loader === undefined) throw unknownDefinition(kind, name, Object.keys(loaders));
    return loader();
  }
}
