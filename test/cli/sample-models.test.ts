// The models that documents, examples, demo agents, templates and generated files name are current ones that the package knows.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { catalogueOf } from "#models/load-catalogue.ts";
import { modelFacts } from "#models/model-facts.ts";
import { addClouds } from "#models/provider/clouds.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { packageRoot } from "../compiler/temporary-project.ts";

/** The models that samples name, by provider: the newest general ones. A new generation is entered here, and the test names every sample. */
const current = {
  anthropic: ["claude-sonnet-5-5", "claude-haiku-5-5"],
  azure: ["gpt-5.4-mini"],
  bedrock: ["global.anthropic.claude-sonnet-5"],
  google: ["gemini-3.5-flash", "gemini-3.1-pro-preview"],
  openai: ["gpt-5.4-mini"],
  openrouter: ["anthropic/claude-sonnet-5-5", "anthropic/claude-sonnet-5"],
  vertex: ["gemini-3.5-flash"],
  xai: ["grok-4.3"],
  /** Models that a machine of one's own serves. The package has no facts of them. */
  local: ["qwen3:8b"],
} as const;

/** The vendors' ids, with a generation or a size. `o3` and similar short names are families, as in "OpenAI's o1 to o4". */
const vendorId =
  /\b(?:gpt-\d|chatgpt-|o\d-(?:mini|pro|preview)|claude-(?:\d|instant|v\d|[a-z]+-\d)|gemini-(?:\d|pro|flash)|gemma-?\d|grok-\d|mi[sx]tral-\w|llama-?\d|deepseek-[a-z]|qwen-?\d|kimi-k\d|command-r|nova-(?:pro|lite|micro))[\w.:-]*/g;

/** Names of families in rules about all their models. */
const families = new Set(["gpt-5"]);

/** The pages of the rules for each family, of all generations. */
const rules = /^docs\/reference\/providers(?:\/|\.md$)/;

const folders = ["docs", "examples", "agents", "packages", "playground", "src/cli", "src/spec", "src/contract"];

/** The files of the repository that show samples. */
function samples(): string[] {
  const listed = execFileSync(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard", "-z", "*.md", ...folders],
    {
      cwd: packageRoot,
      encoding: "utf8",
    },
  );
  const isText = (file: string) =>
    /\.(?:md|mdx|tsx?|mjs|jsonc?|toml|txt|vars|example|html)$|\/_?\.?[a-z.]+vars/.test(file);
  return listed.split("\0").filter((file) => isText(file) && !rules.test(file));
}

/** The ids of models in a text, without the punctuation after them. */
const idsIn = (text: string): string[] => (text.match(vendorId) ?? []).map((id) => id.replace(/[.:-]+$/, ""));

const names = new Set<string>(
  Object.values(current).flatMap((models) => models.map((id) => id.replace(/^.*(?:\/|\banthropic\.)/, ""))),
);
/** The ids of a text that are no current models. */
const oldIn = (text: string): string[] => idsIn(text).filter((id) => !names.has(id) && !families.has(id));

it("Every model that a document, an example, a demo agent, a template or a generated file names is a current one", () => {
  const files = samples();
  const found = files.map((file) => ({ file, text: readFileSync(join(packageRoot, file), "utf8") }));
  expect(found.flatMap(({ file, text }) => oldIn(text).map((id) => `${file}: ${id}`))).toEqual([]);
  // Each of the listed models is in use, and the files that matter are among those that were read.
  const used = new Set(found.flatMap(({ text }) => idsIn(text)));
  expect([...names].filter((id) => !used.has(id))).toEqual([]);
  for (const file of [
    "README.md",
    "docs/guide/upp.md",
    "examples/uap/state.ts",
    "packages/create-threadhold/src/project-files.ts",
    "packages/create-threadhold/templates/providers/openai/agents/models/default.ts",
  ])
    expect(files).toContain(file);
});

it.each([
  'anthropic("claude-3-5-haiku-latest")',
  "`claude-sonnet-4-20250514`.",
  "anthropic.claude-instant-v1",
  "gpt-4o, and",
  "openai/gpt-5.1-codex",
  "o4-mini",
  "gemini-2.0-flash-001",
  "meta-llama/llama-3.3-70b-instruct",
  "deepseek-r1:8b",
  "mistral-large-latest",
  "grok-4",
])("The text %s names a model that is not current", (text) => {
  expect(oldIn(text)).toHaveLength(1);
});

const keyed = ["anthropic", "google", "openai", "openrouter"] as const;
const template = (provider: string) =>
  `packages/create-threadhold/templates/providers/${provider}/agents/models/default.ts`;
const files = [
  ...keyed.map((provider) => [provider, `agents/models/${provider}.ts`] as const),
  ...([...keyed, "azure", "bedrock", "vertex"] as const).map((provider) => [provider, template(provider)] as const),
];
addClouds();

it.each(files)(
  "The sample model of the provider %s in %s is known, and has its context window",
  async (provider, file) => {
    const text = readFileSync(join(packageRoot, file), "utf8");
    const model = /model: "([^"]+)"/.exec(text)?.[1] ?? "";
    const contextWindow = Number(/contextWindow: ([\d_]+)/.exec(text)?.[1]?.replaceAll("_", ""));
    const sample: AnyModelDefinition = { name: "sample", provider, model };
    const { limits } = modelFacts(sample, {}, await catalogueOf([sample]));
    expect([model, limits.contextWindow]).toEqual([model, contextWindow]);
    expect(current[provider]).toContain(model);
  },
);
