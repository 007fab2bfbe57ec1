// Model ports whose code is loaded with the first request to a model: most requests to a Worker need no model, and a program may bring a
// provider of its own.

import type { ModelPart, ModelPort } from "#core/ports/model-port.ts";

import type { createModelPort, ModelPortOptions } from "./create-model-port.ts";
import { definitionNote } from "./definition-note.ts";
import type { Hint } from "./readiness.ts";
import { thinksInSilence } from "./silent-thinking.ts";

type CreatePort = typeof createModelPort;

/**
 * Returns a function whose ports load their code with the first request, and otherwise behave like those of the loaded function. That function
 * holds no state of a port, so that all objects of the process can use it.
 */
export function portsLoadedBy<Options extends ModelPortOptions>(
  load: () => Promise<(options: Options) => ModelPort>,
): (options: Options) => ModelPort {
  let create: ((options: Options) => ModelPort) | undefined;
  return (options) => {
    let port: ModelPort | undefined;

    async function* firstStream(...request: Parameters<ModelPort["stream"]>): AsyncGenerator<ModelPart> {
      const loaded = await load();
      // Another request may have loaded the function, or created the port, meanwhile.
      create ??= loaded;
      port ??= create(options);
      for await (const part of port.stream(...request)) yield part;
    }

    return {
      // Only the first stream has a generator of its own, because a generator takes processor time for each part.
      stream: (...request) =>
        create === undefined ? firstStream(...request) : (port ??= create(options)).stream(...request),
      thinksInSilence,
      definitionNote: (model) => definitionNote(model, options.fileOf),
    };
  };
}

/** The general hint, whose code is loaded with the first failure that needs it. */
export const loadedHint: Hint = async (...failed) => (await import("./hint/general-hint.ts")).generalHint(...failed);

/**
 * Creates the port of a Worker. The language models of the packages are those of the whole process, because a package builds its schemas with
 * each of them, and they contain nothing of a request or an object.
 */
export const loadModelPort: CreatePort = portsLoadedBy(async () => {
  const { createModelPort: createPort, LanguageModels } = await import("./create-model-port.ts");
  const languages = new LanguageModels();
  return (options) => createPort({ languages, generalHint: loadedHint, ...options });
});
