// The files around a Worker's configuration: definitions, a main module, TypeScript's configuration, scripts, ignored files.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, relative } from "node:path";

import type { ConfigEdit } from "../config/config-edit.ts";
import { editConfigFile, readConfigFile } from "../config/config-file.ts";
import { temporarySuffix, type FileChange } from "../config/write-files.ts";
import { starters } from "../new/starters.ts";
import { tableOf, type WorkerKind } from "./wrangler-plan.ts";

/** A project whose Worker gets threads. */
export interface InitProject {
  root: string;
  kind: WorkerKind;
  siteMain: string;
  prefix: string;
}

/** Changes of files, and what a person has to do. */
export interface ProjectPlan {
  changes: FileChange[];
  notes: string[];
}

export function planProject(project: InitProject): ProjectPlan {
  const parts = [definitions(project), mainModule(project), typeScript(project), scripts(project), ignored(project)];
  return { changes: parts.flatMap(({ changes }) => changes), notes: parts.flatMap(({ notes }) => notes) };
}

const nothing: ProjectPlan = { changes: [], notes: [] };

function definitions({ root }: InitProject): ProjectPlan {
  const model = { name: "default", file: "agents/models/default.ts" };
  const prompt = { name: "assistant", file: "agents/prompts/assistant.ts" };
  const texts: Record<string, string> = {
    [model.file]: starters.model(model.name, {}).text,
    [prompt.file]: starters.prompt(prompt.name, { model }).text,
    "agents/agents/assistant.ts": starters.agent("assistant", { prompt }).text,
  };
  const existing = filesBelow(root, "agents");
  // A killed run may have written some of these files. Other files belong to the project, which then needs no first definitions.
  if (existing.some((file) => readFileSync(join(root, file), "utf8") !== texts[file])) return nothing;
  const missing = Object.entries(texts).filter(([file]) => !existing.includes(file));
  return { changes: missing.map(([file, text]) => created(root, file, text)), notes: [] };
}

/** Whether a model of the project is one of Workers AI. The text of its file is read, because init compiles nothing. */
export function namesWorkersAi(root: string): boolean {
  return filesBelow(root, "agents/models").some((file) =>
    /\bprovider:\s*["']workers-ai["']/.test(readFileSync(join(root, file), "utf8")),
  );
}

/** The files of a folder, from the root of the project, without those that a killed run has not renamed. */
function filesBelow(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory() && !entry.name.endsWith(temporarySuffix))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
}

function created(root: string, file: string, text: string): FileChange {
  return { path: join(root, file), before: null, after: text };
}

/** The main module for a Worker that had only static files. */
function mainModule({ root, kind, siteMain, prefix }: InitProject): ProjectPlan {
  if (kind !== "site" || existsSync(join(root, siteMain))) return nothing;
  return { changes: [created(root, siteMain, mainText(siteMain, prefix))], notes: [] };
}

/** The path of the main module for a Worker that has only static files. An existing module with a different content is kept. */
export function chooseSiteMain(root: string, prefix: string, configured: unknown): string {
  const first = "src/worker.ts";
  const path = join(root, first);
  const isFree = !existsSync(path) || readFileSync(path, "utf8") === mainText(first, prefix);
  return isFree || configured === first ? first : "src/threads.ts";
}

function mainText(siteMain: string, prefix: string): string {
  const text = `// Serves threads under ${prefix}. The files of [assets] answer everything else.
${importLines(siteMain)}

const threadhold = createThreadhold(registry, { diagnostics, prefix: ${JSON.stringify(prefix)} });

export const { ThreadObject, ThreadFeed } = threadhold;

interface Env extends ThreadholdBindings {
  ASSETS: Fetcher;
}

export default {
  fetch(request, env, context) {
    const { pathname } = new URL(request.url);
    return pathname.startsWith(${JSON.stringify(`${prefix}/`)}) ? threadhold.fetch(request, env, context) : env.ASSETS.fetch(request);
  },
} satisfies ExportedHandler<Env>;
`;
  return text.replace("{ createThreadhold }", "{ createThreadhold, type ThreadholdBindings }");
}

function importLines(main: string): string {
  const generated = posix.relative(posix.dirname(main), ".threadhold");
  const from = generated.startsWith(".") && !generated.startsWith(".threadhold") ? generated : `./${generated}`;
  return `import { createThreadhold } from "threadhold/worker";

import { diagnostics } from "${from}/diagnostics.ts";
import { registry } from "${from}/registry.ts";`;
}

/** The lines that have to be added to a main module of the project's own; undefined if it has them. */
export function mountingLines(root: string, main: string, prefix: string): string | undefined {
  const path = join(root, main);
  if (existsSync(path) && readFileSync(path, "utf8").includes("threadhold/worker")) return undefined;
  return `${importLines(main.replaceAll("\\", "/"))}

const threadhold = createThreadhold(registry, { diagnostics, prefix: ${JSON.stringify(prefix)} });
export const { ThreadObject, ThreadFeed } = threadhold;`;
}

/** TypeScript takes the name `.threadhold` alone for a file with an extension, and reads nothing there. */
const included = ["agents", ".threadhold/*"];

function typeScript({ root }: InitProject): ProjectPlan {
  const path = join(root, "tsconfig.json");
  if (!existsSync(path)) return nothing;
  const file = readConfigFile(path);
  const { include, files, references, compilerOptions } = file.value;
  if (Array.isArray(references) && include === undefined) {
    return {
      changes: [],
      notes: [`Add ${quoted(included)} to "include" of the TypeScript configuration of your Worker.`],
    };
  }
  const options = tableOf(compilerOptions);
  const edits: ConfigEdit[] = [];
  const notes: string[] = [];
  if (Array.isArray(include)) {
    const covered = (wanted: string): boolean => {
      const folder = wanted.replace("/*", "");
      const patterns = [wanted, `./${wanted}`, `${folder}/**/*`, `${folder}/**/*.ts`];
      if (wanted === folder) patterns.push(`${folder}/`);
      return include.some((pattern) => patterns.includes(String(pattern)));
    };
    // Patterns do not reach folders whose names begin with a dot.
    const everything = include.some((pattern) => ["**/*", "**/*.ts", ".", "./"].includes(String(pattern)));
    for (const folder of included.filter((name) => !covered(name) && !(everything && name === "agents"))) {
      edits.push({ action: "append", path: ["include"], value: folder });
    }
  } else if (file.value["extends"] === undefined) {
    edits.push({ action: "set", path: ["include"], value: files === undefined ? ["**/*", ".threadhold/*"] : included });
  } else {
    notes.push(`Add ${quoted(included)} to "include" of tsconfig.json, if it does not inherit them.`);
  }
  if (options["allowImportingTsExtensions"] !== true && options["rewriteRelativeImportExtensions"] !== true) {
    const place = ["compilerOptions", "allowImportingTsExtensions"];
    if (options["noEmit"] === true) edits.push({ action: "set", path: place, value: true });
    else
      notes.push(
        'Set "allowImportingTsExtensions" and "noEmit" in tsconfig.json: the generated modules import files with their extension.',
      );
  }
  const after = editConfigFile(file, edits).text;
  return { changes: after === file.text ? [] : [{ path, before: file.text, after }], notes };
}

const quoted = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(" and ");

const wantedScripts = { dev: "threadhold dev", check: "threadhold check", deploy: "threadhold deploy" };

function scripts({ root }: InitProject): ProjectPlan {
  const path = join(root, "package.json");
  if (!existsSync(path))
    return {
      changes: [],
      notes: ["Create a package.json, and run npm install threadhold zod && npm install --save-dev @threadhold/cli."],
    };
  const file = readConfigFile(path);
  const existing = tableOf(file.value["scripts"]);
  const missing = Object.entries(wantedScripts).filter(([name]) => existing[name] === undefined);
  const edits = missing.map(([name, value]): ConfigEdit => ({ action: "set", path: ["scripts", name], value }));
  const after = editConfigFile(file, edits).text;
  const notes: string[] = [];
  const dependencies = { ...tableOf(file.value["devDependencies"]), ...tableOf(file.value["dependencies"]) };
  const packages = ["threadhold", "zod"].filter((name) => !(name in dependencies));
  const installs = [
    ...(packages.length > 0 ? [`npm install ${packages.join(" ")}`] : []),
    ...("@threadhold/cli" in dependencies ? [] : ["npm install --save-dev @threadhold/cli"]),
  ];
  if (installs.length > 0) notes.push(`Run ${installs.join(" && ")}.`);
  const { deploy } = existing;
  if (typeof deploy === "string" && !deploy.includes("threadhold deploy")) {
    notes.push('The script "deploy" is kept. threadhold deploy also creates and migrates the database of threads.');
  }
  if ("@cloudflare/vite-plugin" in dependencies) {
    notes.push("Vite does not run [build] of the wrangler configuration: run npx threadhold build before it.");
  }
  return { changes: after === file.text ? [] : [{ path, before: file.text, after }], notes };
}

/** Folders of builds, and files of secrets, of which each environment may have its own. */
const ignoredNames = [".threadhold/", ".cache/", ".wrangler/", ".dev.vars*", "!.dev.vars.example"];

function ignored({ root }: InitProject): ProjectPlan {
  const path = join(root, ".gitignore");
  const before = existsSync(path) ? readFileSync(path, "utf8") : null;
  const lines = (before ?? "").split(/\r?\n/).map((line) => line.trim().replace(/^\//, ""));
  const folders = lines.map((line) => `${line.replace(/[/*]+$/, "")}/`);
  const missing = ignoredNames.filter((name) => !lines.includes(name) && !folders.includes(name));
  if (missing.length === 0) return nothing;
  const newline = before?.includes("\r\n") === true ? "\r\n" : "\n";
  const text = before ?? "";
  const gap = text === "" || text.endsWith("\n") ? "" : newline;
  return { changes: [{ path, before, after: text + gap + missing.join(newline) + newline }], notes: [] };
}
