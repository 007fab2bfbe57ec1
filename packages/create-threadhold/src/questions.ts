// Asks on the terminal for the choices that the command line does not name.

import type { Readable, Writable } from "node:stream";

import { isCancel, password, select, text } from "@clack/prompts";

import { defaults, providers, templates, valueProblem, type Choices, type ProviderVariable } from "./choices.ts";
import { CreateError } from "./context.ts";

interface Terminal {
  input: Readable;
  output: Writable;
}

/** Asks for the missing choices. `folderProblem` returns why a folder cannot be used. */
export async function askChoices(
  given: Partial<Choices>,
  terminal: Terminal,
  folderProblem: (folder: string) => string | undefined,
): Promise<Choices> {
  const folder =
    given.folder ??
    (await answer<string>(
      text({
        message: "What is the name of the project?",
        placeholder: defaults.folder,
        defaultValue: defaults.folder,
        validate: (value) => folderProblem(value === undefined || value === "" ? defaults.folder : value),
        ...terminal,
      }),
    ));
  const template = given.template ?? (await answer(selected("Which template?", templates, terminal)));
  const provider =
    given.provider ?? (await answer(selected("Which provider does the model have?", providers, terminal)));
  const values: Record<string, string> = {};
  for (const variable of providers[provider].variables) {
    const value = (await answer(valueOf(variable, terminal))).trim();
    if (value !== "") values[variable.name] = value;
  }
  return { folder, template, provider, values };
}

/** The question for the value of a variable. The value of a secret is not shown. */
async function valueOf(
  { name, description, isSecret }: ProviderVariable,
  terminal: Terminal,
): Promise<string | symbol> {
  const validate = (value: string | undefined): string | undefined => valueProblem((value ?? "").trim());
  const message = `${name}, ${description} (Enter leaves it out)`;
  const ask = isSecret ? password : text;
  // Without a typed character the value is undefined.
  return ((await ask({ message, validate, ...terminal })) as string | symbol | undefined) ?? "";
}

function selected<Name extends string>(
  message: string,
  choices: Record<Name, { description: string }>,
  terminal: Terminal,
): Promise<Name | symbol> {
  const entries = Object.entries(choices) as [Name, { description: string }][];
  const options = entries.map(([value, { description }]) => ({
    value: value as string,
    label: value,
    hint: description,
  }));
  return select<string>({ message, options, ...terminal }) as Promise<Name | symbol>;
}

/** The answer. Ctrl-C or Escape ends the command. */
async function answer<Value>(question: Promise<Value | symbol>): Promise<Value> {
  const value = await question;
  if (isCancel(value)) throw new CreateError("Nothing was created.");
  return value as Value;
}
