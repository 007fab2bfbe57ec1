// Sends small requests to the real providers: `npm run check:live`. It needs keys in the environment, and a provider without one is skipped
// with a line. Each request costs a fraction of a cent. Tests never do this: they use local servers. Exits with 1 if a request failed.

import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { ensureInstall } from "./ensure-install.mjs";
import { fromRoot } from "./lib/paths.mjs";

await ensureInstall();
const { build } = await import("esbuild");
const { env } = process;

/** The port for models, and the servers with a preset. */
async function loadModels() {
  const outfile = fromRoot(`.cache/check-live-${process.pid}.mjs`);
  mkdirSync(fromRoot(".cache"), { recursive: true });
  await build({
    stdin: {
      contents: `export { createModelPort } from "./models/create-model-port.ts"; export { modelPresets } from "./spec/model-preset.ts";`,
      resolveDir: fromRoot("src"),
      loader: "ts",
    },
    outfile,
    absWorkingDir: fromRoot("."),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    logLevel: "error",
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile, { force: true });
  }
}

const { createModelPort, modelPresets } = await loadModels();

/** The sample model of a provider, which `create-threadhold` writes. */
function sampleOf(provider) {
  const file = fromRoot(`packages/create-threadhold/templates/providers/${provider}/agents/models/default.ts`);
  return /model: "([^"]+)"/.exec(readFileSync(file, "utf8"))?.[1];
}

/** The variable with the model to try: `LIVE_MODEL_LM_STUDIO`. */
const modelVariable = (name) => `LIVE_MODEL_${name.replaceAll("-", "_").toUpperCase()}`;

const account = env["CLOUDFLARE_ACCOUNT_ID"] ?? "";

/** What is tried: the variables that it needs, and its definition. */
const targets = [
  ...["anthropic", "openai", "google", "openrouter"].map((provider) => ({
    name: provider,
    needs: [`${provider.toUpperCase()}_API_KEY`],
    model: sampleOf(provider),
    fields: { provider },
  })),
  {
    name: "workers-ai",
    needs: ["CLOUDFLARE_ACCOUNT_ID", "CLOUDFLARE_API_TOKEN"],
    model: sampleOf("cloudflare"),
    // Outside of a Worker there is no binding, so the requests go to the address of the API.
    fields: {
      provider: "openai-compatible",
      baseUrl: env["WORKERS_AI_BASE_URL"] ?? `https://api.cloudflare.com/client/v4/accounts/${account}/ai/v1`,
      keyVariable: "CLOUDFLARE_API_TOKEN",
    },
  },
  ...Object.entries(modelPresets).map(([preset, { keyVariable }]) => ({
    name: preset,
    needs: [keyVariable],
    model: undefined,
    fields: { provider: "openai-compatible", preset },
  })),
];

/** A picture of one red pixel. */
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFAAH/e+m+7wAAAABJRU5ErkJggg==";

const tool = {
  name: "get_weather",
  description: "Returns the weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

/** The requests, and whether an answer is as expected. */
const tries = [
  {
    what: "text",
    parts: [{ type: "text", text: "Answer with the word OK." }],
    isRight: ({ text }) => text.trim() !== "",
  },
  {
    what: "tool",
    parts: [{ type: "text", text: "What is the weather in Oslo? Use the tool." }],
    tools: [tool],
    isRight: ({ calls }) => calls.includes(tool.name),
  },
  {
    what: "picture",
    parts: [
      { type: "text", text: "Which colour is this picture? Answer with one word." },
      { type: "image", mime_type: "image/png", data: pixel },
    ],
    isRight: ({ text }) => text.trim() !== "",
  },
];

/** Milliseconds after which a request is given up. */
const patience = 60_000;

/**
 * Sends one request. Returns the text, the names of the calls, and the failure.
 *
 * @param {any} model
 * @param {{ parts: any[], tools?: any[] }} asked
 */
async function send(model, { parts, tools = [] }) {
  const port = createModelPort({ env, fetch });
  /** @type {{ text: string, calls: string[], failure: any, usage: any }} */
  const answer = { text: "", calls: [], failure: null, usage: null };
  const request = {
    model,
    system: "",
    messages: [{ id: null, role: "user", parts, name: null, tool_call_id: null, result: null }],
    tools,
    toolChoice: "auto",
    parallelToolCalls: true,
    reasoning: null,
    temperature: null,
    maxTokens: 1024,
    raw: false,
  };
  for await (const part of port.stream(request, AbortSignal.timeout(patience))) {
    if (part.type === "text_delta") answer.text += part.delta;
    if (part.type === "toolcall_end") answer.calls.push(part.name);
    if (part.type === "error") answer.failure = part.failure;
    if (part.type === "finish") answer.usage = part.usage;
  }
  return answer;
}

let failed = 0;
for (const { name, needs, model: sample, fields } of targets) {
  const missing = needs.filter((variable) => (env[variable] ?? "") === "");
  const variable = modelVariable(name);
  const id = env[variable] ?? sample;
  if (missing.length > 0 || id === undefined) {
    console.log(`skipped ${name}: set ${[...missing, ...(id === undefined ? [variable] : [])].join(" and ")}`);
    continue;
  }
  for (const { what, isRight, ...asked } of tries) {
    const begun = performance.now();
    const { failure, usage, ...answer } = await send({ name, model: id, ...fields }, asked);
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    const isOk = failure === null && isRight(answer);
    // A model may not see pictures, which is no fault of the provider.
    if (!isOk && what !== "picture") failed += 1;
    const why =
      failure?.message ?? `answered "${answer.text.slice(0, 80)}", called ${answer.calls.join(", ") || "no tool"}`;
    const tokens = usage === null ? "" : `, ${usage.input} + ${usage.output} tokens`;
    console.log(`${isOk ? "ok     " : "FAILED "} ${name} ${id} ${what}: ${isOk ? `${seconds} s${tokens}` : why}`);
  }
}
process.exit(failed === 0 ? 0 : 1);
