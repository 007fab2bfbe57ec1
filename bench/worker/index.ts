// The Worker that benches measure: the real one, with a few definitions that answer at once. It has its own wrangler.jsonc, so that the
// definitions in `agents/` have no influence.

import { defineAgent, defineModel, definePrompt, defineThreadEndpoint, defineTool } from "#spec/index.ts";
import type { Registry } from "#spec/index.ts";
import type { Environment } from "#worker/bindings.ts";
import { compose } from "#worker/compose.ts";

import { servePlain } from "./plain-object.ts";
import type { PlainObject } from "./plain-object.ts";

export { FloorObject } from "./floor.ts";
export { PlainObject } from "./plain-object.ts";

const instant = defineModel({ name: "instant", provider: "test", model: "instant", script: () => ({ text: "Yes." }) });

/** Models of the scripted provider. Their names select the answer. */
const served = ["text-5", "text-20", "text-1000", "paced-200-10", "tool"].map((name) =>
  defineModel({ name, provider: "openai", model: name }),
);

/** A model with a small window. A long thread of its agent is compacted. */
const windowed = defineModel({ name: "tool-32k", provider: "openai", model: "tool", contextWindow: 32_000 });

const models = [instant, ...served, windowed];

const prompts = [
  definePrompt({ name: "own_run", toolDescription: "", prompt: "Answer.", model: "instant" }),
  definePrompt({ name: "whole_chat", toolDescription: "", prompt: "Answer.", model: "text-20", includeChat: true }),
  definePrompt({
    name: "tool-32k",
    toolDescription: "",
    prompt: "Answer.",
    model: "tool-32k",
    includeChat: true,
    includePastTools: true,
    tools: ["at_once"],
  }),
  ...served.map(({ name }) =>
    definePrompt({
      name,
      toolDescription: "",
      prompt: "Answer.",
      model: name,
      tools: name === "tool" ? ["at_once"] : [],
    }),
  ),
];

const atOnce = defineTool("Answers at once.", () => Promise.resolve({ status: "success" as const, result: "Done." }));

/** Reads a file as a stream and returns its size and hash. */
const readStream = defineThreadEndpoint(async (request, state) => {
  const path = new URL(request.url).searchParams.get("path") ?? "";
  const stream = await state.readFileStream(path);
  let bytes = 0;
  let chunks = 0;
  const digest = new crypto.DigestStream("SHA-256");
  const writer = digest.getWriter();
  for await (const chunk of stream ?? []) {
    bytes += chunk.data.byteLength;
    chunks += 1;
    await writer.write(chunk.data);
  }
  await writer.close();
  return Response.json({ bytes, chunks, sha256: Buffer.from(await digest.digest).toString("hex") });
});

const registry: Registry = {
  models: Object.fromEntries(models.map((model) => [model.name, () => Promise.resolve(model)])),
  prompts: Object.fromEntries(prompts.map((prompt) => [prompt.name, () => Promise.resolve(prompt)])),
  agents: Object.fromEntries(
    prompts.map(({ name }) => [name, () => Promise.resolve(defineAgent({ name, sideA: { prompt: name } }))]),
  ),
  tools: { at_once: () => Promise.resolve(atOnce) },
  hooks: [],
  routes: [
    {
      method: "GET",
      pattern: "/threads/:id/read-stream",
      params: ["id"],
      file: "bench/worker/index.ts",
      kind: "thread",
      load: () => Promise.resolve(readStream),
    },
  ],
  hash: "bench",
};

/** Whether the catalog is written. The Worker and its objects share an isolate, so a request can change it for both. */
let writesCatalog = true;

const { ThreadObject, ThreadFeed, fetch } = compose(registry, {}, (dependencies) => {
  const { catalog } = dependencies;
  const flush: typeof catalog.flush = (entry, totals) =>
    writesCatalog ? catalog.flush(entry, totals) : Promise.resolve();
  return { ...dependencies, catalog: { ...catalog, flush } };
});

export { ThreadFeed, ThreadObject };

interface BenchEnvironment extends Environment {
  FLOORS: DurableObjectNamespace;
  PLAIN_OBJECTS: DurableObjectNamespace<PlainObject>;
}

/** Passes a request on to the floor's object, to a plain object or to the Worker. The floor and the Worker request the provider. */
function serve(request: Request, env: BenchEnvironment, context: ExecutionContext): Response | Promise<Response> {
  const [, kind, name] = /^\/(floor|plain|catalog)\/(\w+)$/.exec(new URL(request.url).pathname) ?? [];
  if (name === undefined) return fetch(request, env, context);
  if (kind === "catalog") {
    writesCatalog = name === "on";
    return new Response(null, { status: 204 });
  }
  if (kind === "plain") return servePlain(request, env.PLAIN_OBJECTS, name);
  return env.FLOORS.get(env.FLOORS.idFromName(name)).fetch(request);
}

// oxlint-disable-next-line import/no-default-export -- the platform takes the entry's default export
export default { fetch: serve } satisfies ExportedHandler<BenchEnvironment>;
