// The model port of a Worker. Its code is loaded with the first request to a model, because most requests to a Worker need no model.

import type { ModelPart, ModelPort } from "#core/ports/model-port.ts";

import type { createModelPort, ModelPortOptions } from "./create-model-port.ts";
import { thinksInSilence } from "./silent-thinking.ts";

/**
 * The loaded function. It holds no state of a port, so that all objects of the process can use it. The language models of the packages are
 * those of the whole process, because a package builds its schemas with each of them, and they contain nothing of a request or an object.
 */
let create: typeof createModelPort | undefined;

async function load(): Promise<typeof createModelPort> {
  const { createModelPort: createPort, LanguageModels } = await import("./create-model-port.ts");
  const languages = new LanguageModels();
  return (options) => createPort({ languages, ...options });
}

/** Creates a port that loads `createModelPort` with its first request and otherwise behaves like the port of that function. */
export function loadModelPort(options: ModelPortOptions): ModelPort {
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
  };
}
