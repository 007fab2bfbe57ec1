// The route that tries a model with small requests, and the search of the catalogue. They run in the Worker and write no rows. The requests to a
// model end when the client disconnects.

import { refuse } from "#contract/error.ts";

import { jsonAnswer } from "../answer/json-answer.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";
import { catalogueModelView } from "./definition-views.ts";
import { unknownDefinition } from "./unknown-definition.ts";

export function modelHandlers({
  dependencies: { registry, testModel, searchCatalogue },
  limits,
}: Pick<Services, "dependencies" | "limits">): Pick<Handlers, "testModel" | "searchCatalogue"> {
  const { models, files } = registry;
  return {
    async testModel({ params: { name }, body: { kinds }, caller, request }) {
      const load = Object.hasOwn(models, name) ? models[name] : undefined;
      if (load === undefined) throw unknownDefinition("model", name, Object.keys(models));
      // Each trial costs money.
      await limits.invoke(caller);
      const value = await load();
      const file = files?.models?.[name] ?? `the definition of ${name}`;
      const tested = await testModel({ file, value }, { kinds, signal: request.signal });
      if ("problem" in tested) throw refuse("conflict", tested.problem);
      const { provider, model } = value;
      return jsonAnswer({ name, provider, model, trials: tested.trials });
    },
    async searchCatalogue({ query: { query, limit, cursor }, caller }) {
      await limits.list(caller);
      const { models: found, next } = await searchCatalogue({ query, limit, offset: cursor });
      return jsonAnswer({
        models: found.map(catalogueModelView),
        next_cursor: next === null ? null : String(next),
      });
    },
  };
}
