// The route that tries a model with small requests. It runs in the Worker and writes no rows. The requests end when the client disconnects.

import { refuse } from "#contract/error.ts";

import { jsonAnswer } from "../answer/json-answer.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";
import { unknownDefinition } from "./unknown-definition.ts";

export function modelHandlers({
  dependencies: { registry, testModel },
  limits,
}: Pick<Services, "dependencies" | "limits">): Pick<Handlers, "testModel"> {
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
  };
}
