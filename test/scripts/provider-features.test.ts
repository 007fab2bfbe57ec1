// The page docs/reference/providers/features.md has the features of each provider's profile. `npm test -- test/scripts/provider-features -u` writes it.

import { readdirSync, readFileSync } from "node:fs";

import { expect, it } from "vitest";

import type { Json } from "#contract/json.ts";
import type { ModelRequest } from "#core/ports/model-port.ts";
import { nameOfType } from "#lib/file-name.ts";
import { isObject } from "#lib/json-value.ts";
import { thinkingFields } from "#models/bedrock/converse-thinking.ts";
import { acceptsType } from "#models/provider/accepted-files.ts";
import { addClouds } from "#models/provider/clouds.ts";
import { currentIds, findEntry } from "#models/provider/facts/fact-table.ts";
import { factTables } from "#models/provider/facts/tables.ts";
import { plainWireOf } from "#models/provider/plain/plain-wires.ts";
import type { ProviderProfile, ProviderSettings } from "#models/provider/provider-profile.ts";
import { providers } from "#models/provider/providers.ts";
import { readThinkingRequest } from "#models/thinking-request.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

const folder = new URL("../../docs/reference/providers/", import.meta.url).pathname;

const isNetworked = (provider: (typeof providers)[number]): provider is ProviderProfile => "variables" in provider;
const yes = (value: unknown): string => (value === undefined || value === false || value === null ? "no" : "yes");
const code = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(", ") || "none";

addClouds();

const networked = providers.filter(isNetworked);

/** Models of a provider with one profile: the title of their column, one of them, and the profile. */
interface Column {
  title: string;
  model: AnyModelDefinition;
  profile: ProviderProfile;
}

const profileOf = (provider: ProviderProfile, model: AnyModelDefinition): ProviderProfile =>
  provider.atHost?.(model, null) ?? provider;

const columnOf = (provider: ProviderProfile, more: Partial<AnyModelDefinition> = {}, of = ""): Column => {
  const model = { name: "any", provider: provider.name, model: "any", ...more } as AnyModelDefinition;
  return { title: `\`${provider.name}\`${of}`, model, profile: profileOf(provider, model) };
};

/** The protocols and families of models that have a profile, or parts for the cache, of their own. */
const variants: Readonly<Record<string, [of: string, definition: Partial<AnyModelDefinition>][]>> = {
  openai: [["Chat Completions", { api: "chat" }]],
  openrouter: [["Claude", { model: "anthropic/claude-sonnet-4.5" }]],
  azure: [["Chat Completions", { api: "chat" }]],
  bedrock: [
    ["Claude", { model: "anthropic.claude-sonnet-4-5-20250929-v1:0" }],
    ["Nova", { model: "amazon.nova-2-lite-v1:0" }],
  ],
  vertex: [["Claude", { model: "claude-sonnet-4-5@20250929" }]],
  "workers-ai": [["Claude", { model: "anthropic/claude-sonnet-4-5" }]],
};

// `openai-responses` is a name of the Responses API of `openai`, and so its column.
const columns: Column[] = networked
  .filter(({ name }) => name !== "openai-responses")
  .flatMap((provider) => [
    columnOf(provider),
    ...(variants[provider.name] ?? []).map(([of, more]) => columnOf(provider, more, `, ${of}`)),
  ]);

const withDirectPath = new Set<ProviderProfile>();
for (const { profile } of columns) if ((await plainWireOf(profile)) !== undefined) withDirectPath.add(profile);

/** The ids of a column's models in the catalogue that reason; that of the column if the catalogue has no table for it. */
const reasoningIds = new Map<Column, string[]>();
for (const column of columns) {
  const { model, profile } = column;
  const provider = networked.find(({ name }) => name === model.provider) ?? profile;
  // The binding `AI` has no prices of Anthropic's models, and so no table of its own for them.
  const own = profile.catalogueAt?.(model, null)?.table;
  const { facts } = (await factTables[own ?? profile.name]?.()) ?? { facts: [] };
  const isOf = (id: string): boolean => own === undefined || profileOf(provider, { ...model, model: id }) === profile;
  const ids = currentIds(facts).filter((id) => findEntry(facts, id)?.capabilities?.reasoning === true && isOf(id));
  reasoningIds.set(column, ids.length === 0 ? [model.model] : ids);
}

const levels = new Set<Json | undefined>(["minimal", "low", "medium", "high"]);

/** What the options of a request state about thinking: a level, a number of tokens, or nothing. */
function depthsIn(value: unknown): string[] {
  if (typeof value === "number") return ["budget"];
  if (isObject(value)) return Object.values(value).flatMap(depthsIn);
  return typeof value === "string" && levels.has(value) ? ["level"] : [];
}

/** How a column's models receive the thinking that a prompt asks for. */
function thinkingBy(column: Column, reasoning: NonNullable<ModelRequest["reasoning"]>): string {
  const { profile } = column;
  const to = { profile, apiKey: "", baseUrl: null, host: null, owner: profile.name } satisfies ProviderSettings;
  const depths = reasoningIds.get(column)?.flatMap((id) => {
    const model = { ...column.model, model: id };
    const request = { model, reasoning, tools: [], messages: [], toolChoice: "auto" } as unknown as ModelRequest;
    const thinking = readThinkingRequest(request);
    const { options } = profile.reasoning(request, { thinking, maxTokens: null, to });
    // The fields of Converse depend on the family of the model, and are written with the request.
    const sent = profile.optionsName === "bedrock" ? thinkingFields(id, options["thinking"] as never).fields : options;
    const found = depthsIn(sent);
    return found.length === 0 ? ["nothing"] : found;
  });
  return [...new Set(depths)].toSorted().join(", ");
}

const features: [name: string, cell: (column: Column) => string][] = [
  ["structured output, for models that have it", ({ profile }) => yes(profile.structure)],
  ["a level of thinking is sent as", (column) => thinkingBy(column, { effort: "medium" })],
  ["a number of tokens to think with is sent as", (column) => thinkingBy(column, { maxTokens: 3000 })],
  ["thinking needs its signature", ({ profile }) => yes(profile.isSigned)],
  ["parts that `cache` marks", ({ profile, model }) => code(profile.cacheParts?.(model.model) ?? [])],
  ["paused turns are continued", ({ profile }) => yes(profile.pausesTurns)],
  ["tools that it executes itself", ({ profile }) => yes(profile.providerTools)],
  ["images in results of tools", ({ profile }) => yes(profile.imagesInToolResults)],
  ["files in results of tools", ({ profile }) => yes(profile.filesInToolResults)],
  ["a flag for failed calls", ({ profile }) => yes(profile.flagsToolErrors)],
  ["turns have to alternate", ({ profile }) => yes(profile.alternatesTurns)],
  ["limit of an answer without one", ({ profile }) => String(profile.defaultMaxTokens ?? "none")],
  ["one document in place of a stream is an answer", ({ profile }) => yes(profile.eventsOfDocument)],
  ["the cost is reported", ({ profile }) => yes(profile.reportedCost)],
  ["plain deltas are read directly", ({ profile }) => yes(withDirectPath.has(profile))],
];

/** The extensions of the types of a group, else the types without the group: `docx`, `x-aac`, or `all`. */
const typesOf = (types: readonly string[], group: RegExp): string => {
  const names = types
    .filter((type) => group.test(type))
    .map((type) => nameOfType("", type).slice(1) || type.replace(/^.*?\//, ""));
  return names.includes("*") ? "all" : code([...new Set(names)]);
};

const files: [name: string, cell: (column: Column) => string][] = [
  ["documents", ({ profile }) => typesOf(profile.files.bytes, /^application\//)],
  ["audio", ({ profile }) => typesOf(profile.files.bytes, /^audio\//)],
  ["video", ({ profile }) => typesOf(profile.files.bytes, /^video\//)],
  ["texts are files", ({ profile }) => yes(acceptsType(profile.files.bytes, "text/plain"))],
  ["images", ({ profile }) => (profile.files.images === undefined ? "all" : typesOf(profile.files.images, /^/))],
];

const addresses: typeof files = [
  [
    "images",
    ({ profile: { files: accepted } }) => (accepted.imageUrls === undefined ? "all" : code(accepted.imageUrls)),
  ],
  ["documents", ({ profile }) => typesOf(profile.files.urls, /^application\//)],
  ["audio", ({ profile }) => typesOf(profile.files.urls, /^audio\//)],
  ["video", ({ profile }) => typesOf(profile.files.urls, /^video\//)],
];

const access: [name: string, cell: (profile: ProviderProfile) => string][] = [
  ["key", ({ variables }) => code(variables.keys)],
  ["address", ({ variables }) => code(variables.baseUrls)],
  ["binding", ({ variables }) => code(variables.binding === undefined ? [] : [variables.binding])],
  ["path at AI Gateway", ({ variables }) => code(variables.gatewayPath === undefined ? [] : [variables.gatewayPath])],
];

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** A table with a row for each of these. */
function table<Of>(of: readonly Of[], title: (each: Of) => string, cells: [string, (each: Of) => string][]): string[] {
  const head = ["provider", ...cells.map(([name]) => name)];
  const rows = of.map((each) => row([title(each), ...cells.map(([, cell]) => cell(each))]));
  return [row(head), `|${"---|".repeat(head.length)}`, ...rows];
}

/** A table with a column for each profile. */
function byFeature(): string[] {
  const head = ["feature", ...columns.map(({ title }) => title)];
  const rows = features.map(([name, cell]) => row([name, ...columns.map(cell)]));
  return [row(head), `|${"---|".repeat(head.length)}`, ...rows];
}

it("The page of features has the features of each provider's profile", async () => {
  const text = [
    "# Features of providers",
    "",
    "This page is generated from the profiles of the providers (`src/models/provider/`). What a row means is in [providers.md](../providers.md). A",
    "model can lack what its provider has, such as structured output. `openai` and `azure` are the Responses API, `openai-responses` has the column",
    "of `openai`, `vertex` is Gemini, and `bedrock`, `openrouter` and `workers-ai` are the models without a column of their own.",
    "",
    ...byFeature(),
    "",
    "The rows about thinking are about the reasoning models of the [catalogue](../providers.md#token-limits-prices-and-capabilities). Where a row",
    "has several values, the model decides.",
    "",
    "## Files as bytes",
    "",
    "Types are named by the extensions of their files. A file of a type that the table lacks is sent as a line with its name, or as its text if it",
    "is one. Voxtral and Nova 2 Omni at Bedrock also read [audio](bedrock.md#request).",
    "",
    ...table(columns, ({ title }) => title, files),
    "",
    "## Files as URLs",
    "",
    ...table(columns, ({ title }) => title, addresses),
    "",
    "## Access",
    "",
    "Presets of `openai-compatible` have variables and paths of their own ([table](openai-compatible.md#servers-with-a-preset)). The pages of",
    "`azure`, `bedrock` and `vertex` list further credentials, and the variables of the resource, the region, the project and the location.",
    "",
    ...table(networked, ({ name }) => `\`${name}\``, access),
    "",
  ];
  await expect(text.join("\n")).toMatchFileSnapshot(`${folder}features.md`);
});

const sections = ["Authentication", "Addresses", "Request", "Response", "Quirks"];

it.each(readdirSync(folder).filter((file) => file !== "features.md"))(
  "The page %s has the sections of each provider, and each of them has a text",
  (file) => {
    const parts = readFileSync(`${folder}${file}`, "utf8").split(/^## /m).slice(1);
    const texts = new Map(parts.map((part): [string, string] => [part.split("\n")[0] ?? "", part.replace(/.*/, "")]));
    expect([...texts.keys()].filter((title) => sections.includes(title))).toEqual(sections);
    for (const title of sections) expect(texts.get(title)?.trim(), title).toMatch(/[.|]$/);
  },
);

it("Each provider over the network has a page, which the page of providers names", () => {
  const text = readFileSync(`${folder}../providers.md`, "utf8");
  const rows = [...text.matchAll(/^\| (`[^|]+) \| \[[^\]]+\]\(providers\/([\w-]+\.md)\)/gm)];
  const pages = networked.map(({ name }) => rows.find(([, names]) => names?.includes(`\`${name}\``))?.[2]);
  expect(new Set([...pages, "features.md"])).toEqual(new Set(readdirSync(folder)));
});
