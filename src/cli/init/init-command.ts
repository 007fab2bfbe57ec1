// `threadhold init`: adds threads to a Worker that exists. It computes all changes, shows them, asks once, and writes all files or none.

import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";

import type { Command } from "commander";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";

import { readMountPath } from "#lib/mount-path.ts";

import { editConfigFile, readConfigFile } from "../config/config-file.ts";
import { writeFiles, type FileChange } from "../config/write-files.ts";
import { CommandError, projectFolder, type CliContext, type ExitCode } from "../context.ts";
import { sourcesToWatch } from "../doctor/watched-sources.ts";
import { readWranglerProject, type WranglerProject } from "../doctor/wrangler-package.ts";
import { isYes } from "../terminal.ts";
import { chooseSiteMain, mountingLines, namesWorkersAi, planProject } from "./project-plan.ts";
import { planWrangler, scopesOf, tableOf } from "./wrangler-plan.ts";

interface InitOptions {
  root: string;
  prefix: string;
  dryRun?: boolean;
  yes?: boolean;
  json?: boolean;
}

export function addInitCommand(program: Command, context: CliContext, end: (code: ExitCode) => void): void {
  program
    .command("init")
    .description(
      "Add threads to a Worker that exists: bindings, migrations, build, first definitions. Shows the changes first.",
    )
    .option("--root <folder>", "the folder with the wrangler configuration", ".")
    .option("--prefix <path>", "the path of the threads in a Worker with routes or files of its own", "/agents")
    .option("--yes", "make the changes without a question")
    .option("--dry-run", "show the changes and make none")
    .option("--json", "print the result as one line of JSON; needs --yes or --dry-run")
    .action(async (options: InitOptions) => end(await init(options, context)));
}

/** The changes that the command makes, and notes for the user. */
interface InitPlan {
  root: string;
  changes: FileChange[];
  notes: string[];
}

async function init(options: InitOptions, context: CliContext): Promise<ExitCode> {
  if (options.json === true && options.yes !== true && options.dryRun !== true) {
    throw new CommandError("--json asks no question: add --yes to make the changes, or --dry-run to see them.");
  }
  const plan = await planChanges(options, context);
  const { root, changes, notes } = plan;
  if (options.json !== true) print(plan, context);
  const write = changes.length > 0 && options.dryRun !== true && (options.yes === true || (await confirmed(context)));
  // The configuration is the first of the changes and is written last. If the command is killed before that, the Worker has no threads yet,
  // and the next run makes the missing changes.
  if (write) writeFiles(changes.toReversed());
  if (options.json === true) {
    const files = changes.map((change) => ({
      file: nameIn(root, change.path),
      created: change.before === null,
      diff: diffOf(root, change),
    }));
    context.print(JSON.stringify({ written: write, changes: files, notes }));
  } else if (write) {
    context.print(`${String(changes.length)} files are written.\nnext: npx threadhold doctor, then npx threadhold dev`);
  } else if (changes.length > 0 && options.dryRun !== true) {
    context.print("Nothing was written.");
    return 1;
  }
  return 0;
}

async function planChanges(options: InitOptions, context: CliContext): Promise<InitPlan> {
  const root = projectFolder(context, options.root);
  const prefix = readMountPath(options.prefix);
  if (prefix === null || prefix === "") {
    throw new CommandError(`The prefix "${options.prefix}" is not a path. A path is like "/agents".`);
  }
  const { file: path, wrangler } = readable(root);
  const file = readConfigFile(path);
  for (const environment of Object.keys(tableOf(file.value["env"]))) readable(root, environment);
  const packageFolder = packageFrom(root);
  const siteMain = chooseSiteMain(root, prefix, file.value["main"]);
  const sources = await sourcesByMain(root, [siteMain, ...scopesOf(file.value).flatMap(({ table }) => table["main"])]);
  const { kind, edits, notes } = planWrangler(file, {
    newestDate: wrangler.newestDate,
    migrationsDir: `${packageFolder}/migrations/catalog`,
    playgroundDir: `${packageFolder}/dist/ui`,
    siteMain,
    sources: (mains) => [...new Set([null, ...mains].flatMap((main) => sources.get(main) ?? []))].toSorted(),
    prefix,
    usesAi: namesWorkersAi(root),
  });
  const after = editConfigFile(file, edits).text;
  const project = planProject({ root, kind, siteMain, prefix });
  const changed = after === file.text ? [] : [{ path, before: file.text, after }];
  const main = file.value["main"];
  const lines = kind === "own" && typeof main === "string" ? mountingLines(root, main, prefix) : undefined;
  const mounting =
    lines === undefined
      ? []
      : [
          `Add these lines to ${String(main)}, and answer requests whose path begins with ${prefix}/ by threadhold.fetch(request, env, context). The guide is docs/guide/existing-worker.md of the package.\n\n${lines}\n`,
        ];
  const playground =
    mounting.length === 0 && kind !== "site"
      ? []
      : [
          `\`threadhold dev\` serves the playground at ${prefix}/studio. A deployment serves it only with the option \`playground: "${prefix}/studio"\` of createThreadhold.`,
        ];
  return {
    root,
    changes: [...changed, ...project.changes],
    notes: [...mounting, ...playground, ...project.notes, ...notes],
  };
}

/** The paths to watch for each main module; with the key null those that the definitions need. */
async function sourcesByMain(root: string, mains: readonly unknown[]): Promise<ReadonlyMap<string | null, string[]>> {
  const names = new Set([null, ...mains.filter((main) => typeof main === "string")]);
  const watched = async (main: string | null) =>
    [main, await sourcesToWatch(root, main === null ? [] : [main])] as const;
  return new Map(await Promise.all([...names].map(watched)));
}

/** The configuration as the project's own wrangler reads it. */
function readable(root: string, environment?: string): WranglerProject {
  const found = readWranglerProject(root, { environment });
  if ("wrangler" in found) return found;
  const fix =
    found.name === "wrangler configuration"
      ? "run the command in the folder of your Worker; npm create threadhold@latest starts a new project"
      : found.fix;
  throw new CommandError(`${found.name}: ${found.detail} Nothing was changed.\nfix: ${fix ?? ""}`);
}

/** The folder of the installed package, from the project's folder. A package manager may have installed it in a folder above. */
function packageFrom(root: string): string {
  for (let folder = root; ; folder = dirname(folder)) {
    const found = join(folder, "node_modules/threadhold");
    if (existsSync(found)) return relative(root, found).replaceAll("\\", "/");
    if (folder === dirname(folder)) return "node_modules/threadhold";
  }
}

function print({ root, changes, notes }: InitPlan, context: CliContext): void {
  if (changes.length === 0) context.print("Nothing is left to change: the configuration has all that threads need.");
  for (const change of changes) context.print(coloured(diffOf(root, change), context.colours));
  for (const note of notes) context.print(`note: ${note}`);
}

async function confirmed({ terminal }: CliContext): Promise<boolean> {
  if (terminal === undefined) {
    throw new CommandError(
      "There is no terminal to ask at. Run the command again with --yes to make these changes, or with --dry-run.",
    );
  }
  return isYes(await terminal.ask("Make these changes? [y/N] "));
}

const nameIn = (root: string, path: string): string => relative(root, path).replaceAll("\\", "/");

function diffOf(root: string, { path, before, after }: FileChange): string {
  const name = nameIn(root, path);
  const headerOptions = FILE_HEADERS_ONLY;
  return createTwoFilesPatch(before === null ? "/dev/null" : name, name, before ?? "", after, "", "", {
    headerOptions,
  }).trimEnd();
}

function coloured(diff: string, colours: boolean): string {
  if (!colours) return diff;
  return diff.replaceAll(/^([+-]).*$/gm, (line, sign) => `\u001B[${sign === "+" ? "32" : "31"}m${line}\u001B[39m`);
}
