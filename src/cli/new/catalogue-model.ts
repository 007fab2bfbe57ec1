// The model that `threadhold new model` writes: a provider and an id, from flags or chosen in the catalogue. An id that the catalogue does not
// have is written with a remark, because models are newer than the catalogue.

import type { Project } from "#compiler/project.ts";
import { closestWords } from "#lib/edit-distance.ts";
import {
  catalogueIds,
  catalogueOf,
  cataloguePlace,
  mistypedId,
  modelFacts,
  ownProviders,
} from "#models/load-catalogue.ts";
import { newModelText } from "#models/new-model-text.ts";
import { addClouds } from "#models/provider/clouds.ts";
import { bindingOf, joined, missingNames } from "#models/readiness.ts";
import { modelPresets, type AnyModelDefinition, type PresetName } from "#spec/index.ts";

import { CommandError } from "../context.ts";
import type { Terminal } from "../terminal.ts";

/** The most ids that a search lists. */
const mostListed = 12;

/** A provider and an id, as the flags of the command state them, and the providers of the project. */
interface ModelFlags {
  provider?: string | undefined;
  model?: string | undefined;
  own?: Project["providers"];
}

/** The text of a definition, and lines about it for the person who runs the command. */
interface NewModel {
  text: string;
  about: string[];
}

type Named = Pick<AnyModelDefinition, "provider" | "preset">;

/** The values that `--provider` accepts in every project: providers whose models have an address, and presets of `openai-compatible`. */
function builtIn(): string[] {
  addClouds();
  return [...ownProviders(), ...Object.keys(modelPresets)];
}

/**
 * The model for a name. Null: neither flags nor a person choose one. A terminal asks for what the flags leave out; without one both flags are
 * needed.
 */
export async function chooseModel(
  name: string,
  { provider, model, own = [] }: ModelFlags,
  terminal: Terminal | undefined,
): Promise<NewModel | null> {
  const names = own.map((definition) => definition.name);
  const choices = [...new Set([...builtIn(), ...names])];
  if (terminal === undefined && provider === undefined && model === undefined) return null;
  if (terminal === undefined && (provider === undefined || model === undefined))
    throw new CommandError("Give both --provider and --model, or neither of them.");
  const chosen =
    provider ?? (await terminal?.ask(`Provider, or nothing for scripted answers (${choices.join(", ")}): `)) ?? "";
  if (chosen === "") return null;
  // A provider of the project may have the name of a preset.
  const isOwn = names.includes(chosen);
  const named = isOwn ? { provider: chosen as AnyModelDefinition["provider"] } : namedProvider(chosen, choices);
  const id = model ?? (await searchedId(named, terminal));
  const made: AnyModelDefinition = { name, ...named, model: id };
  if (!isOwn) return newModel(made);
  // Imported here, so that other commands start without the checks of the compiler.
  const { withProjectProvider } = await import("#compiler/provider-check.ts");
  return newModel((await withProjectProvider(made, own)) ?? made);
}

function namedProvider(chosen: string, choices: readonly string[]): Named {
  if (Object.hasOwn(modelPresets, chosen)) return { provider: "openai-compatible", preset: chosen as PresetName };
  const known = choices.find((one) => one === chosen);
  if (known !== undefined) return { provider: known as AnyModelDefinition["provider"] };
  const [close] = closestWords(chosen, choices);
  const meant = close === undefined ? "" : ` Did you mean "${close}"?`;
  throw new CommandError(`There is no provider "${chosen}".${meant} Use one of ${choices.join(", ")}.`);
}

/** Asks for an id, or for a part of one, until one model is chosen. */
async function searchedId(named: Named, terminal: Terminal | undefined): Promise<string> {
  const ids = await idsOf(named);
  let question = ids.length === 0 ? "Id of the model: " : "Id of the model, or a part of it to search: ";
  let previous = "";
  for (;;) {
    const answer = (await terminal?.ask(question)) ?? "";
    if (answer === "") throw new CommandError("No model was chosen. Give its id with --model.");
    if (ids.length === 0 || ids.includes(answer) || answer === previous) return answer;
    const found = ids.filter((id) => id.toLowerCase().includes(answer.toLowerCase()));
    if (found.length === 1) return found[0] ?? answer;
    const listed = (found.length === 0 ? closestWords(answer, ids) : found).slice(0, mostListed);
    const more = found.length > listed.length ? [`and ${String(found.length - listed.length)} more`] : [];
    const lines = [...listed, ...more].map((line) => `  ${line}\n`).join("");
    question =
      `${found.length === 0 ? `The catalogue has no "${answer}".` : "Found:"}\n${lines}` +
      `Id, a part of it, or "${answer}" again to use it although the catalogue does not have it: `;
    previous = answer;
  }
}

async function idsOf(named: Named): Promise<string[]> {
  const place = cataloguePlace({ name: "", model: "", ...named }, {});
  return place === null ? [] : catalogueIds(place.table);
}

/** The definition, after its id was looked up. Throws a `CommandError` for an id that looks like a typing error. */
async function newModel(model: AnyModelDefinition): Promise<NewModel> {
  const meant = await mistypedId(model);
  const of = model.preset ?? model.provider;
  if (meant !== null) {
    const close = closestWords(model.model, await idsOf(model)).slice(0, mostListed);
    throw new CommandError(
      `The catalogue has no model "${model.model}" of ${of}. Close ids are ${close.join(", ")}. ` +
        `If yours is right, run the command without --model and --provider, and correct the file.`,
    );
  }
  const { limits, prices, pricesSource, limitsSource } = modelFacts(model, {}, await catalogueOf([model]));
  const source = pricesSource ?? limitsSource;
  const { contextWindow } = limits;
  const { inputPrice, outputPrice } = prices;
  const price =
    inputPrice === undefined || outputPrice === undefined
      ? "no known price"
      : `$${String(inputPrice)} for a million tokens of input and $${String(outputPrice)} of output`;
  const window =
    contextWindow === null ? "no known window" : `a window of ${contextWindow.toLocaleString("en-US")} tokens`;
  const about =
    source === null
      ? `The catalogue has no model "${model.model}" of ${of}. Write its prices and its contextWindow into the file, so that limits of cost count.`
      : `By the catalogue (${new URL(source.url).host}, ${source.date}) it has ${window} and ${price}.`;
  const binding = bindingOf(model);
  const missing = binding === null ? missingNames(model, {}) : [];
  return {
    text: newModelText(model, { limits: limitsSource !== null, prices: pricesSource !== null }),
    about: [
      about,
      ...(missing.length === 0
        ? []
        : [`It needs ${joined(missing)}: put ${missing.length > 1 ? "them" : "it"} into .dev.vars.`]),
      ...(binding === null
        ? []
        : [
            `It is reached by the binding ${binding}: npx threadhold init adds it, and npx wrangler login lets it work here.`,
          ]),
    ],
  };
}
