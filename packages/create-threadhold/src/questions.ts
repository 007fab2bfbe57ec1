// Asks on the terminal for the choices that the command line does not name.

import type { Readable, Writable } from "node:stream";

import { isCancel, select, text } from "@clack/prompts";

import { defaults, providers, templates, type Choices } from "./choices.ts";
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
  return { folder, template, provider };
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
