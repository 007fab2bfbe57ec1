// Compares the models of a project with the catalogue. The catalogue may be old or wrong, so all findings are warnings, and only a definition
// takes a capability away.

import { join } from "node:path";

import { cataloguePlace, mistypedId, modelFacts } from "#models/load-catalogue.ts";
import type { AnyModelDefinition } from "#spec/model.ts";

import { readIfExists, writeIfChanged } from "./changed-file.ts";
import type { Findings } from "./findings.ts";
import type { Definition, Project } from "./project.ts";

/** Reports ids that look like typing errors, and prompts with tools whose model has none by the catalogue. */
export async function checkCatalogue(project: Project, findings: Findings): Promise<void> {
  for (const definition of project.models) await checkId(definition, findings);
  for (const { file, value } of project.prompts) {
    const { name: called, tools = [] } = value;
    const first = project.models.find(({ name }) => name === value.model);
    if (tools.length === 0 || first === undefined) continue;
    for (const name of [first.name, ...(first.value.fallbacks ?? [])]) {
      const model = project.models.find((one) => one.name === name);
      const known = model === undefined ? undefined : capabilitiesOf(model.value, project);
      if (model === undefined || known?.functionCalling !== false) continue;
      findings.warning({
        code: "missing_capability",
        file,
        path: ["tools"],
        message: `prompt "${called}" has tools, and the model "${name}" (${model.value.model}) has none by ${known.source.url} of ${known.source.date}`,
        notes: [
          `Write capabilities: { functionCalling: true } in ${model.file} if the model has tools, or false to send requests without tools.`,
        ],
      });
    }
  }
}

/** The catalogue's capabilities of a model whose definition does not state `functionCalling`. */
function capabilitiesOf(model: AnyModelDefinition, { catalogue }: Project) {
  if (model.capabilities?.functionCalling !== undefined) return undefined;
  const place = cataloguePlace(model, {});
  return place === null ? undefined : catalogue[place.table]?.[model.model]?.capabilities;
}

async function checkId({ file, value }: Definition<AnyModelDefinition>, findings: Findings): Promise<void> {
  const meant = await mistypedId(value);
  if (meant === null) return;
  findings.warning({
    code: "unknown_model_id",
    file,
    path: ["model"],
    message: `the catalogue has no model "${value.model}" of ${value.preset ?? value.provider}`,
    suggestion: meant,
  });
}

/** Where a development server stores the lines that it printed. */
const printedFile = ".cache/price-notes.txt";

/** The lines that the last build of a development server did not print, so that a rebuild does not repeat them. Stores them as printed. */
export function newPriceNotes(root: string, project: Pick<Project, "models" | "catalogue">): string[] {
  const notes = priceNotes(project);
  const printed = (readIfExists(join(root, printedFile))?.toString("utf8") ?? "").split("\n");
  writeIfChanged(join(root, printedFile), notes.join("\n"));
  return notes.filter((note) => !printed.includes(note));
}

/** Returns a line with the models that have prices of the catalogue, for each of its copies. */
export function priceNotes({ models, catalogue }: Pick<Project, "models" | "catalogue">): string[] {
  const byCopy = new Map<string, string[]>();
  for (const { name, value } of models) {
    const { pricesSource } = modelFacts(value, {}, catalogue);
    if (pricesSource === null) continue;
    const copy = `${new URL(pricesSource.url).host}, ${pricesSource.date}`;
    byCopy.set(copy, [...(byCopy.get(copy) ?? []), name]);
  }
  return [...byCopy].map(
    ([copy, names]) =>
      `Prices of the catalogue (${copy}) apply to ${names.join(", ")}, so limits of cost count their runs. A definition overrides them.`,
  );
}
