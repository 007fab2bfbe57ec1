// `scripts/models-catalogue.mjs` writes the tables of the catalogue from a copy of models.dev.

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { transform } from "esbuild";
import { expect, it, onTestFinished } from "vitest";

import { findEntry, type FactTable } from "#models/provider/facts/fact-table.ts";

import { tables } from "../../scripts/lib/catalogue/tables.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

function folder(files: Record<string, string>): string {
  const made = mkdtempSync(path.join(tmpdir(), "catalogue-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(made, file)), { recursive: true });
    writeFileSync(path.join(made, file), text);
  }
  return made;
}

const plain = `tool_call = true
[cost]
input = 1
output = 2
[limit]
context = 100_000
output = 8_000
[modalities]
input = ["text"]
output = ["text"]
`;

/** A checkout of models.dev in which each provider has the model `plain`. */
function checkout(files: Record<string, string> = {}): string {
  const providers = Object.values(tables).map(({ provider }) => [`providers/${provider}/models/plain.toml`, plain]);
  return folder({ ...Object.fromEntries(providers), ...files });
}

const copy = ["--commit", "0123456789abcdef", "--date", "2026-11-28"];

/** Runs the script and returns its output; `failed` if it ends with an error. */
async function write(source: string, into: string, options: readonly string[] = copy) {
  const args = [path.join(root, "scripts/models-catalogue.mjs"), source, "--into", into, ...options];
  try {
    return { failed: false, text: (await run(process.execPath, args)).stdout };
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    return { failed: true, text: stdout + stderr };
  }
}

async function tableOf(into: string, name: string): Promise<FactTable> {
  const { code } = await transform(readFileSync(path.join(into, `${name}-facts.ts`), "utf8"), { loader: "ts" });
  return ((await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { facts: FactTable }).facts;
}

it("CATALOGUE4 The script writes limits, prices and capabilities of each table, with the address and the date of the copy", async () => {
  const into = folder({});
  const source = checkout({
    "models/xai/grok.toml": `reasoning = true\nstructured_output = true\n[limit]\ncontext = 500_000\noutput = 10_000\n[modalities]\ninput = ["text", "image"]\noutput = ["text"]\n`,
    "providers/xai/models/deep/grok.toml": `base_model = "xai/grok"\nbase_model_omit = ["structured_output"]\nstatus = "deprecated"\n[limit]\ncontext = 400_000\n[cost]\ninput = 2\noutput = 6\ncache_read = 0.5\ncache_write = 0\n[[cost.tiers]]\ntier = { size = 200_000 }\ninput = 4\noutput = 12\n`,
    "providers/xai/models/embedding-1.toml": plain,
    "providers/xai/models/painter.toml": plain.replace('output = ["text"]', 'output = ["image"]'),
    "providers/xai/models/free.toml": plain.replace("input = 1\noutput = 2", "input = 0\noutput = 0"),
    "providers/xai/models/thinks.toml": plain.replace("output = 2", "output = 2\nreasoning = 9"),
    "providers/xai/models/contradiction.toml": plain.replace("output = 8_000", "output = 200_000"),
  });
  expect(await write(source, into)).toMatchObject({ failed: false, text: expect.stringContaining("xai: 5 models") });
  expect(readdirSync(into).toSorted()).toEqual(
    Object.keys(tables)
      .map((name) => `${name}-facts.ts`)
      .toSorted(),
  );
  const [group, ...more] = await tableOf(into, "xai");
  expect(more).toEqual([]);
  expect(group).toEqual({
    source: {
      url: "https://github.com/anomalyco/models.dev/tree/0123456789ab/providers/xai/models",
      date: "2026-11-28",
    },
    models: {
      contradiction: [100_000, null, null, [1, 2, null, null], "vT"],
      "deep/grok": [400_000, null, 10_000, [2, 6, 0.5, null], "VRX", [200_000, 4, 12, null, null]],
      free: [100_000, null, 8_000, null, "vT"],
      plain: [100_000, null, 8_000, [1, 2, null, null], "vT"],
      thinks: [100_000, null, 8_000, null, "vT"],
    },
  });
  // The prices of a trial, or with a fee for each request, are left out.
  expect(findEntry(await tableOf(into, "nvidia"), "plain")?.prices).toBeUndefined();
});

it("CATALOGUE4 Facts of other sources survive, and the script adds only facts that they do not state", async () => {
  const heading = "// Models of xAI, with a remark.\n";
  const group = `source: { url: "https://docs.x.ai/models", date: "2026-11-20" },\n    models: { plain: [90_000, null, 9_000] },`;
  const old = `source: { url: "https://github.com/anomalyco/models.dev/tree/000000000000/providers/xai/models", date: "2026-01-01" },\n    models: { gone: [1, null, null] },`;
  const into = folder({
    "xai-facts.ts": `${heading}\nimport type { FactTable } from "./fact-table.ts";\n\nexport const facts: FactTable = [\n  { ${group} },\n  { ${old} },\n];\n`,
  });
  expect((await write(checkout(), into)).failed).toBe(false);
  const table = await tableOf(into, "xai");
  expect(table.map(({ models }) => models)).toEqual([
    { plain: [90_000, null, 9_000] },
    { plain: [null, null, null, [1, 2, null, null], "vT"] },
  ]);
  expect(table[0]?.source).toEqual({ url: "https://docs.x.ai/models", date: "2026-11-20" });
  const text = readFileSync(path.join(into, "xai-facts.ts"), "utf8");
  expect(text.startsWith(heading)).toBe(true);
  // A second run changes nothing.
  expect((await write(checkout(), into)).failed).toBe(false);
  expect(readFileSync(path.join(into, "xai-facts.ts"), "utf8")).toBe(text);
});

it("CATALOGUE4 The script reads api.json, with the date of the download", async () => {
  const model = {
    tool_call: false,
    cost: { input: 3, output: 4, tiers: [{ input: 5, output: 6, tier: { type: "context", size: 128_000 } }] },
    limit: { context: 200_000, output: 0 },
    modalities: { input: ["text", "image"], output: ["text"] },
  };
  const unclear = { ...model, cost: { input: 3, output: 4, context_over_200k: { input: 5, output: 6 } } };
  const document = Object.fromEntries(
    Object.values(tables).map(({ provider }) => [provider, { models: { "one/m": model, unclear } }]),
  );
  const file = path.join(folder({ "api.json": JSON.stringify(document) }), "api.json");
  const into = folder({});
  expect(await write(file, into, ["--date", "2026-11-28"])).toMatchObject({ failed: false });
  expect(await tableOf(into, "mistral")).toEqual([
    {
      source: { url: "https://models.dev/api.json", date: "2026-11-28" },
      models: {
        "one/m": [200_000, null, null, [3, 4, null, null], "Vt", [128_000, 5, 6, null, null]],
        unclear: [200_000, null, null, null, "Vt"],
      },
    },
  ]);
});

it("The committed tables are in the form that the script writes, and the script keeps their other sources", async () => {
  const committed = path.join(root, "src/models/provider/facts");
  const files = readdirSync(committed).filter((name) => name.endsWith("-facts.ts"));
  expect(files.toSorted()).toEqual(
    Object.keys(tables)
      .map((name) => `${name}-facts.ts`)
      .toSorted(),
  );
  const into = folder(
    Object.fromEntries(files.map((name) => [name, readFileSync(path.join(committed, name), "utf8")])),
  );
  expect((await write(checkout(), into)).failed).toBe(false);
  for (const name of Object.keys(tables)) {
    const [before, after] = [await tableOf(committed, name), await tableOf(into, name)];
    expect(after.slice(0, -1)).toEqual(before.slice(0, -1));
    expect(before.at(-1)?.source.url).toMatch(
      /^https:\/\/github\.com\/anomalyco\/models\.dev\/tree\/[0-9a-f]{12}\/providers\//,
    );
  }
});

const broken: Record<string, [files: Record<string, string>, sentence: RegExp, options?: string[]]> = {
  "text that is no TOML": [{ "providers/xai/models/odd.toml": "= 1" }, /odd\.toml cannot be read/],
  "a negative price": [
    { "providers/xai/models/odd.toml": plain.replace("input = 1", "input = -1") },
    /The model "odd" of xai: the price input is -1\. A price is a number from 0/,
  ],
  "a price that is a text": [
    { "providers/xai/models/odd.toml": plain.replace("output = 2", 'output = "2"') },
    /the price output is 2\. A price is a number/,
  ],
  "a limit with a fraction": [
    { "providers/xai/models/odd.toml": plain.replace("100_000", "0.5") },
    /limit\.context is 0\.5\. A limit is a whole number/,
  ],
  "no limits": [
    { "providers/xai/models/odd.toml": plain.replace("[limit]", "[other]") },
    /limit has to be a table of fields/,
  ],
  "a list of modalities that is a text": [
    { "providers/xai/models/odd.toml": plain.replace('input = ["text"]', 'input = "text"') },
    /modalities\.input has to be a list/,
  ],
  "a capability that is a text": [
    { "providers/xai/models/odd.toml": plain.replace("tool_call = true", 'tool_call = "yes"') },
    /tool_call has to be true or false/,
  ],
  "an id that could end a text of the table": [
    { "providers/xai/models/a`${b}.toml": plain },
    /has an id with other characters/,
  ],
  "a base model outside of the folder": [
    { "providers/xai/models/odd.toml": 'base_model = "../../outside"' },
    /names the base model "\.\.\/\.\.\/outside", which has no file in models\//,
  ],
  "a folder without a commit": [{}, /is no Git checkout\. Add its commit and date/, []],
  "a date that does not exist": [
    {},
    /--date 2026-02-30 is no date/,
    ["--commit", "0123456789ab", "--date", "2026-02-30"],
  ],
  "a commit that is no commit": [{}, /--commit main is no commit/, ["--commit", "main", "--date", "2026-02-03"]],
};

it.each(Object.entries(broken))(
  "CATALOGUE4 The script refuses %s with a sentence, and writes no table",
  async (_, [files, sentence, options]) => {
    const into = folder({});
    const { failed, text } = await write(checkout(files), into, options);
    expect(text).toMatch(sentence);
    expect(text).not.toContain("    at ");
    expect(failed).toBe(true);
    expect(readdirSync(into)).toEqual([]);
  },
);

it("CATALOGUE4 The script refuses a missing path, a folder of something else, and a document of something else", async () => {
  const into = folder({});
  const other = folder({ "api.json": "[]", "README.md": "Other." });
  expect((await write(path.join(other, "none"), into)).text).toMatch(
    /none does not exist\. Name a checkout of models\.dev/,
  );
  expect((await write(other, into)).text).toMatch(
    /has no folder providers\/anthropic\/models\. Is it a checkout of models\.dev\?/,
  );
  const file = path.join(other, "api.json");
  expect((await write(file, into)).text).toMatch(
    /has no models of the provider "anthropic"\. Is it the api\.json of models\.dev\?/,
  );
  expect((await write(file, into, [])).text).toMatch(/api\.json has no date of its own\. Add the day of the download/);
  writeFileSync(file, "{");
  expect((await write(file, into)).text).toMatch(/api\.json cannot be read/);
  expect(readdirSync(into)).toEqual([]);
});
