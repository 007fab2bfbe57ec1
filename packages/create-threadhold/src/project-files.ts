// Computes the files of a project from the layers of its template. Nothing is written here.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { providers, templates, type Choices, type ProviderVariable } from "./choices.ts";
import { CreateError } from "./context.ts";

/** Where the layers are, and what the files of a project depend on. */
export interface ProjectSource extends Omit<Choices, "folder"> {
  /** The folder `templates` of this package. */
  templatesFolder: string;
  name: string;
  /**
   * The version of `threadhold`, or tarballs of its packages by their names, which become files of the project. Undefined for the version of
   * this package.
   */
  threadhold: string | { tarballs: Readonly<Record<string, string>> } | undefined;
  /** The public address of the project's repository, for the Deploy to Cloudflare button. */
  repository: string | undefined;
}

/** The content of a file by its path, with slashes. */
export type ProjectFiles = ReadonlyMap<string, string | Buffer>;

interface Manifest {
  name: string;
  repository?: string;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  cloudflare: { bindings: Record<string, { description: string }> };
  [field: string]: unknown;
}

/** The name of the project in the files of the templates. */
const placeholder = /\bmy-app\b/g;

export function projectFiles(source: ProjectSource): ProjectFiles {
  const { templatesFolder, name, template, provider, threadhold } = source;
  const files = new Map<string, string | Buffer>();
  const providerLayers = provider === "none" ? [] : [`providers/${provider}`];
  for (const layer of [...templates[template].layers, ...providerLayers]) {
    for (const [file, text] of layerFiles(path.join(templatesFolder, layer))) {
      const below = files.get(file);
      const isMerged = file === "package.json" && below !== undefined;
      files.set(file, isMerged ? mergedJson(String(below), text) : text);
    }
  }
  for (const [file, text] of files) files.set(file, String(text).replaceAll(placeholder, name));
  const text = (file: string): string => String(files.get(file));

  const manifest = JSON.parse(text("package.json")) as Manifest;
  const packages = { ...manifest.dependencies, ...manifest.devDependencies };
  if (Object.hasOwn(packages, name))
    throw new CreateError(`"${name}" is the name of a package that the project uses. Choose another name.`);
  if (typeof threadhold === "string") {
    manifest.dependencies["threadhold"] = threadhold;
    manifest.devDependencies["@threadhold/cli"] = threadhold;
  } else if (threadhold !== undefined) {
    for (const [packageName, tarball] of Object.entries(threadhold.tarballs)) {
      const file = path.basename(tarball);
      files.set(file, readFileSync(tarball));
      const field = packageName in manifest.devDependencies ? "devDependencies" : "dependencies";
      manifest[field][packageName] = `file:${file}`;
    }
    // pnpm would look for the dependencies of a tarball in the registry, which does not have them.
    manifest["pnpm"] = { overrides: { "@threadhold/client": manifest.dependencies["@threadhold/client"] } };
  }
  const { variables, insteadOfKey = [], binding } = providers[provider];
  if (binding !== undefined) files.set("wrangler.toml", text("wrangler.toml") + aiBinding);
  for (const { name: variable, description } of variables)
    manifest.cloudflare.bindings[variable] = { description: sentence(description) };
  files.set(".dev.vars", text(".dev.vars") + variableLines(variables, insteadOfKey, source.values));
  files.set(".dev.vars.example", text(".dev.vars.example") + variableLines(variables, insteadOfKey));
  if (source.repository !== undefined) manifest.repository = source.repository;
  files.set("package.json", `${JSON.stringify(manifest, null, 2)}\n`);

  const readme = text("README.md")
    .replace("<!-- template -->", () => text("about.md").trim())
    .replace("<!-- model -->", () => modelText(provider))
    .replace("<!-- button -->", () => buttonText(source.repository));
  files.set("README.md", readme);
  files.delete("about.md");
  return files;
}

/** The files of a layer. npm does not pack files such as `.gitignore`, so their names begin with `_` there. */
function layerFiles(folder: string): [file: string, text: string][] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(folder, file).split(path.sep).join("/");
    return [name.replace(/^_/, "."), readFileSync(file, "utf8")];
  });
}

type JsonObject = Record<string, unknown>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A JSON file with the fields of another one added. Fields that are objects are merged; the names of packages are sorted. */
function mergedJson(below: string, above: string): string {
  const merge = (one: JsonObject, other: JsonObject): JsonObject => {
    const merged = { ...one };
    for (const [key, value] of Object.entries(other)) {
      const known = merged[key];
      merged[key] = isObject(known) && isObject(value) ? merge(known, value) : value;
    }
    return merged;
  };
  const merged = merge(JSON.parse(below) as JsonObject, JSON.parse(above) as JsonObject);
  for (const field of ["dependencies", "devDependencies"]) {
    const packages = Object.entries(merged[field] ?? {});
    merged[field] = Object.fromEntries(packages.sort(([one], [other]) => (one < other ? -1 : 1)));
  }
  return JSON.stringify(merged);
}

/** The lines of the binding that models of Cloudflare need. */
const aiBinding = `
# The models of Cloudflare. On this machine the binding needs a login: npx wrangler login
[ai]
binding = "AI"
`;

/** A noun phrase as a sentence. */
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** Lines for variables, each below a comment. Those that replace the key are comments as a whole. */
function variableLines(
  variables: readonly ProviderVariable[],
  insteadOfKey: readonly ProviderVariable[],
  values: Choices["values"] = {},
): string {
  const lines = variables.flatMap(({ name, description }) => [
    `# ${sentence(description)}`,
    `${name}=${values[name] ?? ""}`,
  ]);
  const [key] = variables;
  if (key !== undefined && insteadOfKey.length > 0) {
    const others = insteadOfKey.flatMap(({ name, description }) => [`# ${sentence(description)}`, `# ${name}=`]);
    lines.push(`# The following variables together replace ${key.name}.`, ...others);
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** Names as a part of a sentence: `A`, `A and B`, `A, B and C`. */
const joined = (names: readonly string[]): string => new Intl.ListFormat("en-GB").format(names);

function modelText(provider: Choices["provider"]): string {
  const { variables, insteadOfKey = [], binding, remark } = providers[provider];
  const file = "`agents/models/default.ts`";
  if (binding !== undefined) {
    return `The Worker reaches the model by its binding \`AI\`, so the project needs no key, and your account is billed. On your machine run
\`npx wrangler login\` once. The model is defined in ${file}. To work without an account, replace it by a model that plays a script:

\`\`\`ts
import { defineModel } from "threadhold";

export default defineModel({ name: "default", provider: "test", model: "scripted", script: [{ text: "Hello." }] });
\`\`\``;
  }
  const [key] = variables;
  if (key !== undefined) {
    const lines = joined(variables.map(({ name }) => `\`${name}=…\``));
    const others = joined(insteadOfKey.map(({ name }) => `\`${name}\``));
    const sentences = [
      `Put ${lines} into \`.dev.vars\`, and restart \`npm run dev\`.`,
      ...(insteadOfKey.length === 0 ? [] : [`${others} together replace \`${key.name}\`.`]),
      `The model is defined in ${file}.`,
      ...(remark === undefined ? [] : [remark]),
    ];
    return sentences.join("\n");
  }
  return `${file} plays a script, so the project needs no key. To use a real model, write for example

\`\`\`ts
import { defineModel } from "threadhold";

export default defineModel({ name: "default", provider: "anthropic", model: "claude-sonnet-5-5" });
\`\`\`

put \`ANTHROPIC_API_KEY=…\` into \`.dev.vars\`, and restart \`npm run dev\`. The providers with a key are \`anthropic\`, \`openai\`,
\`google\`, \`openrouter\` and \`openai-compatible\`; the clouds are \`azure\`, \`vertex\` and \`bedrock\`, and \`workers-ai\` of Cloudflare needs no key.
\`npx threadhold new model <name>\` writes the file for each of them and names its variables.`;
}

/** The Markdown of a Deploy to Cloudflare button. */
export function deployButton(repository: string): string {
  const service = "https://deploy.workers.cloudflare.com";
  return `[![Deploy to Cloudflare](${service}/button)](${service}/?url=${repository})`;
}

function buttonText(repository: string | undefined): string {
  if (repository !== undefined) return deployButton(repository);
  return `If the project has a public repository at GitHub or GitLab, this line adds a button with which others deploy it to their own account:

\`\`\`md
${deployButton("https://github.com/<owner>/<repository>")}
\`\`\``;
}
