// What a project is made from: its template, the provider of its model, and its name.

import { CreateError } from "./context.ts";
import { shownPath } from "./shown-path.ts";

interface Choice {
  /** One line for the question and for the help. */
  description: string;
}

/** The templates. Files of a later layer replace those of an earlier one. */
export const templates = {
  blank: { description: "one agent without tools", layers: ["base", "blank"] },
  assistant: { description: "one agent with tools", layers: ["base", "assistant"] },
  team: { description: "two agents that hand the conversation over", layers: ["base", "team"] },
  web: { description: "the assistant with a page of your own: Vite and React", layers: ["base", "assistant", "web"] },
} satisfies Record<string, Choice & { layers: readonly string[] }>;

type TemplateName = keyof typeof templates;

/** The providers of the model. `key` is the variable with the key of the provider. */
export const providers = {
  none: { description: "a scripted model, answers without a key", key: null },
  anthropic: { description: "Anthropic", key: "ANTHROPIC_API_KEY" },
  openai: { description: "OpenAI", key: "OPENAI_API_KEY" },
  google: { description: "Google", key: "GOOGLE_API_KEY" },
  openrouter: { description: "OpenRouter", key: "OPENROUTER_API_KEY" },
  cloudflare: { description: "models of Cloudflare, answer after a deploy without a key", key: null, binding: "AI" },
} satisfies Record<string, Choice & { key: string | null; binding?: string }>;

type ProviderName = keyof typeof providers;

/** What a user chose. */
export interface Choices {
  folder: string;
  template: TemplateName;
  provider: ProviderName;
}

/** The values of a command line without questions. */
export const defaults: Choices = { folder: "my-app", template: "blank", provider: "none" };

/** Returns a name that is one of the choices. Throws a `CreateError` that lists the choices for any other name. */
export function namedChoice<Name extends string>(kind: string, given: string, choices: Record<Name, Choice>): Name {
  if (Object.hasOwn(choices, given)) return given as Name;
  throw new CreateError(`There is no ${kind} "${given}". Choose one of ${Object.keys(choices).join(", ")}.`);
}

/** Why a name cannot be used; undefined for one that can. The name is also the name of the Worker. */
export function nameProblem(name: string): string | undefined {
  if (/^(?:con|prn|aux|nul|com\d|lpt\d)$/.test(name))
    return `"${name}" is the name of a device on Windows, where no folder can have it. Choose another name.`;
  if (/^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name)) return undefined;
  return (
    `"${shownPath(name)}" is not a name for a project. Use at most 63 lowercase letters, digits and dashes, ` +
    "start with a letter and end with a letter or a digit."
  );
}
