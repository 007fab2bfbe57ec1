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

type ProviderName =
  | "none"
  | "anthropic"
  | "openai"
  | "google"
  | "openrouter"
  | "azure"
  | "vertex"
  | "bedrock"
  | "cloudflare";

/** A variable that requests to the model need. */
export interface ProviderVariable {
  name: string;
  /** Its content, as a noun phrase for questions and comments. */
  description: string;
  isSecret: boolean;
}

interface ProviderChoice extends Choice {
  /** All variables that the model needs, in the order of the questions. The first one is the key. */
  variables: readonly ProviderVariable[];
  /** Variables that together replace the key. Absent: none. */
  insteadOfKey?: readonly ProviderVariable[];
  /** The binding that reaches the model. Absent: none. */
  binding?: string;
  /** A sentence for the README of the project about the definition of the model. Absent: none. */
  remark?: string;
}

const secret = (name: string, description = "the key of the model's provider"): ProviderVariable => ({
  name,
  description,
  isSecret: true,
});
const setting = (name: string, description: string): ProviderVariable => ({ name, description, isSecret: false });

/** The providers of the model. */
export const providers: Readonly<Record<ProviderName, ProviderChoice>> = {
  none: { description: "a scripted model, answers without a key", variables: [] },
  anthropic: { description: "Anthropic", variables: [secret("ANTHROPIC_API_KEY")] },
  openai: { description: "OpenAI", variables: [secret("OPENAI_API_KEY")] },
  google: { description: "Google", variables: [secret("GOOGLE_API_KEY")] },
  openrouter: { description: "OpenRouter", variables: [secret("OPENROUTER_API_KEY")] },
  azure: {
    description: "deployments of Azure",
    variables: [
      secret("AZURE_API_KEY", "a key of the resource at Azure"),
      setting("AZURE_RESOURCE_NAME", "the name of the resource, such as team in team.openai.azure.com"),
    ],
    insteadOfKey: [
      setting("AZURE_TENANT_ID", "the tenant of an application in Entra ID"),
      setting("AZURE_CLIENT_ID", "the id of the application"),
      secret("AZURE_CLIENT_SECRET", "the secret of the application"),
    ],
    remark: "Its field `model` is the name of your deployment.",
  },
  vertex: {
    description: "Vertex AI of Google Cloud",
    variables: [secret("GOOGLE_VERTEX_API_KEY", "an API key of Vertex AI in express mode")],
    insteadOfKey: [
      secret(
        "GOOGLE_APPLICATION_CREDENTIALS_JSON",
        "the JSON file of a service account's key, on one line in single quotes",
      ),
      setting("GOOGLE_VERTEX_PROJECT", "the id of the project"),
      setting("GOOGLE_VERTEX_LOCATION", "the location, such as global or europe-west1"),
    ],
  },
  bedrock: {
    description: "Amazon Bedrock",
    variables: [
      secret("AWS_BEARER_TOKEN_BEDROCK", "an API key of Amazon Bedrock"),
      setting("AWS_REGION", "the region, such as us-east-1"),
    ],
    insteadOfKey: [
      secret("AWS_ACCESS_KEY_ID", "the id of an access key of AWS"),
      secret("AWS_SECRET_ACCESS_KEY", "the secret of the access key"),
    ],
  },
  cloudflare: {
    description: "models of Cloudflare, answer after a deploy without a key",
    variables: [],
    binding: "AI",
  },
};

/** What a user chose. */
export interface Choices {
  folder: string;
  template: TemplateName;
  provider: ProviderName;
  /** The values of the provider's variables that a user entered, by name. */
  values: Readonly<Record<string, string>>;
}

/** The values of a command line without questions. */
export const defaults: Choices = { folder: "my-app", template: "blank", provider: "none", values: {} };

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

/** Why a value of a variable cannot be written to `.dev.vars` as it is; undefined for one that can. */
export function valueProblem(value: string): string | undefined {
  if (/^[\w!$%&()*+,./:;<=>?@[\]^{|}~-]*$/.test(value)) return undefined;
  return "The value has a space, a quote, a backslash, # or an unusual character. Leave it out, and write it into .dev.vars in quotes.";
}
