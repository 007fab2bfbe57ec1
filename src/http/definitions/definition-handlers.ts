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
import { toolView } from "./tool-view.ts";

type DefinitionRoutes =
  | "listAgents"
  | "getAgent"
  | "listPrompts"
  | "getPrompt"
  | "listModels"
  | "getModel"
  | "listTools"
  | "getTool";

/** One kind of definition: where it is loaded from and how it is shown. */
interface Kind<D> {
  plural: "agents" | "prompts" | "models" | "tools";
  missing: ErrorCode;
  loaders: Record<string, () => Promise<D>>;
  view: (name: string, definition: D, url: URL) => unknown;
}

/** The handlers. */
export function definitionHandlers({ dependencies }: Services): Pick<Handlers, DefinitionRoutes> {
  const { registry, readiness } = dependencies;
  const agents = showing({
    plural: "agents",
    missing: "agent_not_found",
    loaders: registry.agents,
    view: (_name, agent, url) => agentView(agent, url.origin),
  });
  const prompts = showing({
    plural: "prompts",
    missing: "prompt_not_found",
    loaders: registry.prompts,
    view: (_name, prompt) => promptView(prompt),
  });
  const models = showing({
    plural: "models",
    missing: "model_not_found",
    loaders: registry.models,
    view: (_name, model) => modelView(model, readiness(model)),
  });
  const tools = showing({ plural: "tools", missing: "tool_not_found", loaders: registry.tools, view: toolView });
  return {
    listAgents: agents.list,
    getAgent: agents.get,
    listPrompts: prompts.list,
    getPrompt: prompts.get,
    listModels: models.list,
    getModel: models.get,
    listTools: tools.list,
    getTool: tools.get,
  };
}

/** The two routes of a kind. */
interface Showing {
  list: (call: { url: URL }) => Promise<Response>;
  get: (call: { url: URL; params: { name: string } }) => Promise<Response>;
}

function showing<D>({ plural, missing, loaders, view }: Kind<D>): Showing {
  return {
    async list({ url }) {
      const names = Object.keys(loaders).toSorted();
      const views = await Promise.all(names.map(async (name) => view(name, await load(name), url)));
      return jsonAnswer({ [plural]: views, next_cursor: null });
    },
    get: async ({ params, url }) => jsonAnswer(view(params.name, await load(params.name), url)),
  };

  function load(name: string): Promise<D> {
    const loader = Object.hasOwn(loaders, name) ? loaders[name] : undefined;
    if (loader === undefined) throw unknown(name);
    return loader();
  }

  function unknown(name: string): Error {
    const meant = closestWord(name, Object.keys(loaders));
    const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
    return refuse(missing, `There is no ${plural.slice(0, -1)} "${name}".${hint}`);
  }
}
