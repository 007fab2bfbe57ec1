// The page docs/reference/providers/features.md has the features of each provider's profile. `npm test -- test/scripts/provider-features -u` writes it.

import { expect, it } from "vitest";

import { addClouds } from "#models/provider/clouds.ts";
import { plainWireOf } from "#models/provider/plain/plain-wires.ts";
import type { ProviderProfile } from "#models/provider/provider-profile.ts";
import { providers } from "#models/provider/providers.ts";

const page = new URL("../../docs/reference/providers/features.md", import.meta.url).pathname;

const isNetworked = (provider: (typeof providers)[number]): provider is ProviderProfile => "variables" in provider;
const yes = (value: unknown): string => (value === undefined || value === false || value === null ? "no" : "yes");
const code = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(", ") || "none";

addClouds();

const networked = providers.filter(isNetworked);

/** The name of a provider, as a definition has it. */
const titleOf = ({ name }: ProviderProfile): string => `\`${name}\``;

const withDirectPath = new Set<ProviderProfile>();
for (const profile of networked) if ((await plainWireOf(profile)) !== undefined) withDirectPath.add(profile);

const features: [name: string, cell: (profile: ProviderProfile) => string][] = [
  ["structured output, for models that have it", ({ structure }) => yes(structure)],
  ["thinking needs its signature", ({ isSigned }) => yes(isSigned)],
  ["paused turns are continued", ({ pausesTurns }) => yes(pausesTurns)],
  [
    "tools that it executes itself",
    (profile) =>
      yes((profile.atHost?.({ name: "", provider: profile.name, model: "" }, null) ?? profile).providerTools),
  ],
  ["images in results of tools", ({ imagesInToolResults }) => yes(imagesInToolResults)],
  ["a flag for failed calls", ({ flagsToolErrors }) => yes(flagsToolErrors)],
  ["turns have to alternate", ({ alternatesTurns }) => yes(alternatesTurns)],
  ["limit of an answer without one", ({ defaultMaxTokens }) => String(defaultMaxTokens ?? "none")],
  ["one document in place of a stream is an answer", ({ eventsOfDocument }) => yes(eventsOfDocument)],
  ["the cost is reported", ({ reportedCost }) => yes(reportedCost)],
  ["plain deltas are read directly", (profile) => yes(withDirectPath.has(profile))],
];

const access: [name: string, cell: (profile: ProviderProfile) => string][] = [
  ["key", ({ variables }) => code(variables.keys)],
  ["address", ({ variables }) => code(variables.baseUrls)],
  ["binding", ({ variables }) => code(variables.binding === undefined ? [] : [variables.binding])],
  ["path at AI Gateway", ({ variables }) => code(variables.gatewayPath === undefined ? [] : [variables.gatewayPath])],
];

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** A table with a row for each provider. */
function byProvider(columns: typeof access): string[] {
  const head = ["provider", ...columns.map(([name]) => name)];
  const rows = networked.map((profile) => row([titleOf(profile), ...columns.map(([, cell]) => cell(profile))]));
  return [row(head), `|${"---|".repeat(head.length)}`, ...rows];
}

/** A table with a column for each provider. */
function byFeature(): string[] {
  const head = ["feature", ...networked.map(titleOf)];
  const rows = features.map(([name, cell]) => row([name, ...networked.map(cell)]));
  return [row(head), `|${"---|".repeat(head.length)}`, ...rows];
}

it("The page of features has the features of each provider's profile", async () => {
  const text = [
    "# Features of providers",
    "",
    "This page is generated from the profiles of the providers (`src/models/provider/`). What a row means is in [providers.md](../providers.md). A",
    "model can lack what its provider has, such as thinking or structured output. The column `azure` is the Responses API, `bedrock` is all models",
    "except Claude and Nova, and `vertex` is Gemini; their pages state what differs.",
    "",
    ...byFeature(),
    "",
    "## Access",
    "",
    "Presets of `openai-compatible` have variables and paths of their own ([table](openai-compatible.md#servers-with-a-preset)). The pages of",
    "`azure`, `bedrock` and `vertex` list further credentials, and the variables of the resource, the region, the project and the location.",
    "",
    ...byProvider(access),
    "",
  ];
  await expect(text.join("\n")).toMatchFileSnapshot(page);
});
