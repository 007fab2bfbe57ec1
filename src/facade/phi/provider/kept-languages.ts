// Keeps the language models of the provider packages from loop to loop, because some packages build their schemas with each of them, which
// takes longer than the rest of a turn. A language model contains the key, the address and the variables that it was made with. So it is used
// again only for the same config object of the caller with the same variables: two connections never share one.

import { LanguageModels } from "#models/language-models.ts";

type Variables = Readonly<Record<string, unknown>>;

/** The language models of a config, and the variables that they were made with. */
interface KeptLanguages {
  variables: Variables;
  languages: LanguageModels;
}

const keptByConfig = new WeakMap<object, KeptLanguages>();

/** The maximum number of definitions that are made from one config: by its thinking levels, and after changes of its fields. */
const mostDefinitions = 20;

/** The language models of a config, for requests with these variables. They are kept as long as the config. */
export function keptLanguages(config: object, variables: Variables): LanguageModels {
  const known = keptByConfig.get(config);
  if (known !== undefined && areSame(known.variables, variables)) return known.languages;
  const languages = new LanguageModels(byContent());
  keptByConfig.set(config, { variables, languages });
  return languages;
}

/** Returns a function that returns the same object for definitions with the same content. Each loop makes its definition again. */
function byContent(): (definition: object) => object {
  const known = new Map<string, object>();
  return (definition) => {
    const content = JSON.stringify(definition);
    const first = known.get(content) ?? definition;
    if (known.size >= mostDefinitions) known.clear();
    known.set(content, first);
    return first;
  };
}

/** Whether two lists of variables have the same values. A value that is no text, such as a binding, has to be the same object. */
function areSame(one: Variables, other: Variables): boolean {
  const names = Object.keys(one);
  const isSame = (name: string) => Object.hasOwn(other, name) && Object.is(one[name], other[name]);
  return names.length === Object.keys(other).length && names.every(isSame);
}
