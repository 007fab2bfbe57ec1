// The routes that show the project's definitions. Each list has all of its kind; there is never another page.

import type { ErrorCode } from "#contract/error.ts";
import { refuse } from "#contract/error.ts";
import { closestWord } from "#lib/edit-distance.ts";

import { jsonAnswer } from "../answer/json-answer.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";
import { agentView } from "./agent-view.ts";
import { modelView } from "./model-view.ts";
import { promptView } from "./prompt-view.ts";
import { toolViews } from "./tool-view.ts";

type DefinitionRoutes =
  | "listAgents"
  | "getAgent"
  | "listPrompts"
  | "getPrompt"
  | "listModels"
  | "getModel"
  | "listTools"
  | "getTool";

type KindName = "agent" | "prompt" | "model" | "tool";

/** One kind of definition: where it is loaded from and how it is shown. */
interface Kind<D> {
  kind: KindName;
  loaders: Record<string, () => Promise<D>>;
  view: (name: string, definition: D, url: URL) => unknown;
}

/** The handlers. */
export function definitionHandlers({ dependencies }: Services): Pick<Handlers, DefinitionRoutes> {
  const { registry, readiness } = dependencies;
  const agents = showing({
    kind: "agent",
    loaders: registry.agents,
    view: (_name, agent, url) => agentView(agent, url.origin),
  });
  const prompts = showing({
    kind: "prompt",
    loaders: registry.prompts,
    view: (_name, prompt) => promptView(prompt),
  });
  const models = showing({
    kind: "model",
    loaders: registry.models,
    view: (_name, model) => modelView(model, readiness(model)),
  });
  return {
    listAgents: agents.list,
    getAgent: agents.get,
    listPrompts: prompts.list,
    getPrompt: prompts.get,
    listModels: models.list,
    getModel: models.get,
    listTools: async () => jsonAnswer({ tools: [...(await toolViews(registry)).values()], next_cursor: null }),
    getTool: async ({ params }) => {
      const tools = await toolViews(registry);
      const tool = tools.get(params.name);
      if (tool === undefined) throw unknown("tool", params.name, [...tools.keys()]);
      return jsonAnswer(tool);
    },
  };
}

/** The two routes of a kind. */
interface Showing {
  list: (call: { url: URL }) => Promise<Response>;
  get: (call: { url: URL; params: { name: string } }) => Promise<Response>;
}

function showing<D>({ kind, loaders, view }: Kind<D>): Showing {
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
    if (loader === undefined) throw unknown(kind, name, Object.keys(loaders));
    return loader();
  }
}

function unknown(kind: KindName, name: string, known: readonly string[]): Error {
  const meant = closestWord(name, known);
  const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  const missing: ErrorCode = `${kind}_not_found`;
  return refuse(missing, `There is no ${kind} "${name}".${hint}`);
}
