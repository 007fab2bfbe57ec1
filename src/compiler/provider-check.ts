// Checks the providers of a project and the providers that its models name, and attaches the project's own ones to these models, so that later
// checks and commands find them.

import { closestWord } from "#lib/edit-distance.ts";
import { withOwnProvider } from "#models/own-providers.ts";
import { providerNamed, providers as usable, refusedField } from "#models/provider/providers.ts";
import type { AnyModelDefinition } from "#spec/model.ts";

import { providers as builtIn } from "./definition-shape.ts";
import type { Findings } from "./findings.ts";
import { mayBeBroken, type Project } from "./project.ts";

const isBuiltIn = (name: string): boolean => (builtIn as readonly string[]).includes(name);

/** Checks names, and replaces the models of the project's own providers by models with their provider. */
export async function checkProviders(project: Project, findings: Findings): Promise<void> {
  for (const { name, file } of project.providers) {
    if (!isBuiltIn(name)) continue;
    const message = `"${name}" is the name of a built-in provider; a model could not refer to this one`;
    findings.error({ code: "duplicate_name", file, path: ["name"], message });
  }
  // The provider of a model with other errors is checked too. An empty name is one of those errors.
  for (const { provider: name = "", file } of project.broken)
    if (file !== undefined && name.length > 0 && !isBuiltIn(name)) reportUnlessKnown(project, { file, name }, findings);
  addVariables(project);
  const models = await Promise.all(project.models.map((definition) => completeModel(definition, project, findings)));
  const broken = project.models.filter((_, index) => models[index] === null);
  project.broken.push(...broken.map(({ name }) => ({ kind: "model" as const, name })));
  project.models = models.filter((model) => model !== null);
}

type Model = Project["models"][number];

/** A model with the provider of the project that it names; null if the project has none of this name. */
export async function withProjectProvider(
  model: AnyModelDefinition,
  providers: Project["providers"],
): Promise<AnyModelDefinition | null> {
  const own = providers.find((provider) => provider.name === model.provider);
  return own === undefined ? null : withOwnProvider(model, own.value, own.file);
}

/** The model with its provider; null for a model that cannot be used, which is reported. */
async function completeModel(model: Model, project: Project, findings: Findings): Promise<Model | null> {
  const { file, value } = model;
  const { provider: name } = value;
  if (isBuiltIn(name)) return model;
  const whole = await withProjectProvider(value, project.providers);
  if (whole === null) {
    reportUnlessKnown(project, { file, name }, findings);
    return null;
  }
  const refused = refusedField(whole);
  if (refused === undefined) return { ...model, value: whole };
  const message = `"${refused.field}" of a model: invalid value: ${refused.reason}`;
  findings.error({ code: "invalid_field", file, path: [refused.field], message });
  return null;
}

/** Adds the variables of providers to the types of `env`: a request is sent only if they are set. */
function addVariables(project: Project): void {
  const { names } = project.environment;
  const known = new Set(names.map(({ name }) => name));
  const read = new Set(project.providers.flatMap(({ value: { variables = [] } }) => variables));
  const added = [...read].flatMap((name) => (known.has(name) ? [] : [{ name, type: "string", optional: false }]));
  if (added.length === 0) return;
  const all = [...names, ...added].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  project.environment = { ...project.environment, names: all };
}

/** Reports the provider of a model that neither this package nor the project has. */
function reportUnlessKnown(project: Project, { file, name }: { file: string; name: string }, findings: Findings): void {
  const isKnown = project.providers.some((provider) => provider.name === name);
  if (isKnown || mayBeBroken(project, ["provider"], name)) return;
  const own = project.providers.flatMap((provider) =>
    providerNamed(provider.name) === undefined ? [provider.name] : [],
  );
  const broken = project.broken.flatMap(({ kind, name: lost }) =>
    kind === "provider" && lost !== undefined ? [lost] : [],
  );
  const known = [...usable.map((provider) => provider.name), ...own];
  findings.error({
    code: "unknown_provider",
    file,
    path: ["provider"],
    message: `unknown provider "${name}": the providers are ${known.join(", ")}`,
    suggestion: closestWord(name, [...known, ...broken]),
    notes: ["A provider of your own is a file in agents/providers/: npx threadhold new provider NAME"],
  });
}
