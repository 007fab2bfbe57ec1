// Sends small requests to the real providers: `npm run check:live`. It needs keys in the environment, and a provider without one is skipped
// with a line. Each request costs a fraction of a cent. Tests never do this: they use local servers. Exits with 1 if a request failed.

import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { ensureInstall } from "./ensure-install.mjs";
import { fromRoot } from "./lib/paths.mjs";

await ensureInstall();
const { build } = await import("esbuild");
const { env } = process;

/** The port for models, the trials of `threadhold models test`, and the servers with a preset. */
async function loadModels() {
  const outfile = fromRoot(`.cache/check-live-${process.pid}.mjs`);
  mkdirSync(fromRoot(".cache"), { recursive: true });
  await build({
    stdin: {
      contents: `
        export { createModelPort } from "./models/create-model-port.ts";
        export { createRedact } from "./models/redact.ts";
        export { secretValues, tryModel } from "./models/trial/model-trial.ts";
        export { addClouds } from "./models/provider/clouds.ts";
        export { missingNames } from "./models/readiness.ts";
        export { modelPresets } from "./spec/model-preset.ts";
      `,
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

const { addClouds, createModelPort, createRedact, missingNames, modelPresets, secretValues, tryModel } =
  await loadModels();
addClouds();

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
  // Clouds have several ways to give a key and an address.
  ...["azure", "vertex"].map((provider) => ({
    name: provider,
    needs: missingNames({ name: provider, provider, model: "m" }, env),
    model: undefined,
    fields: { provider },
  })),
  {
    name: "bedrock",
    needs: ["AWS_BEARER_TOKEN_BEDROCK", "AWS_REGION"],
    model: undefined,
    fields: { provider: "bedrock" },
  },
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

/** Milliseconds after which a trial is given up. */
const limitMs = 60_000;

const port = createModelPort({ env, fetch });
const redact = createRedact(secretValues(env));
let failed = 0;
for (const { name, needs, model: sample, fields } of targets) {
  const missing = needs.filter((variable) => (env[variable] ?? "") === "");
  const variable = modelVariable(name);
  const id = env[variable] ?? sample;
  if (missing.length > 0 || id === undefined) {
    console.log(`skipped ${name}: set ${[...missing, ...(id === undefined ? [variable] : [])].join(" and ")}`);
    continue;
  }
  const definition = { file: "the environment", value: { name, model: id, ...fields } };
  for (const kind of ["text", "tool", "picture"]) {
    const {
      ok,
      detail,
      duration_ms: milliseconds,
      tokens,
    } = await tryModel(definition, kind, { port, limitMs, redact });
    // A model may not see pictures, which is no fault of the provider.
    if (!ok && kind !== "picture") failed += 1;
    const used = tokens === null ? "" : `, ${tokens.input} + ${tokens.output} tokens`;
    const time = ok ? ` ${(milliseconds / 1000).toFixed(1)} s${used}` : "";
    console.log(`${ok ? "ok     " : "FAILED "} ${name} ${id} ${kind}: ${detail}${time}`);
  }
}
process.exit(failed === 0 ? 0 : 1);
