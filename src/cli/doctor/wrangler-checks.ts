// Checks of wrangler and of its configuration file.

import { basename, extname } from "node:path";

import { typeFindingsFile } from "#compiler/unchanged-build.ts";

import { readConfigFile } from "../config/config-file.ts";
import { error, isOlder, ok, warning, type Finding } from "./finding.ts";
import { contains, sourcesToWatch, withoutNested } from "./watched-sources.ts";
import {
  findWrangler,
  installWrangler,
  readWranglerProject,
  type WranglerConfig,
  type WranglerPackage,
  type WranglerProject,
} from "./wrangler-package.ts";

/** The oldest wrangler that the package is tested with. */
const oldestWrangler = [4, 86] as const;

/** The oldest compatibility date that the package is tested with. */
export const oldestDate = "2025-01-01";

/** Flags without which a thread does not run, or with which it is safer, with what each does. */
export const flags = [
  { name: "nodejs_compat", needed: true, purpose: "definitions and packages of providers use modules of Node" },
  {
    name: "global_fetch_strictly_public",
    needed: false,
    purpose: "requests to hosts of the Worker's own zone are treated like requests from outside",
  },
  { name: "enable_request_signal", needed: false, purpose: "a search ends when its client leaves" },
];

export const classes = { THREADS: "ThreadObject", FEEDS: "ThreadFeed" } as const;

/** The beginning of a fix that the command `init` makes too. */
const byInit = "npx threadhold init, or";

/** Writes lines for a configuration in TOML or in JSON. */
type Lines = (toml: string, json: string) => string;

/** Checks wrangler and the configuration of a project. */
export function wranglerFindings(root: string, project = readWranglerProject(root)): Finding[] {
  if ("wrangler" in project) return configFindings(project);
  const wrangler = findWrangler(root);
  return "program" in wrangler ? [versionFinding(wrangler), project] : [project];
}

/** Checks wrangler and a configuration that could be read. Without the environment of the given name nothing else is checked. */
export function configFindings({ wrangler, file, config, environment }: WranglerProject): Finding[] {
  if (environment !== undefined && config.definedEnvironments?.includes(environment) === false) {
    // Wrangler would use the settings at the root of the file, with another Worker name and the same database.
    const fix = `add env.${environment} with bindings of its own, or leave --env and CLOUDFLARE_ENV out`;
    return [error(basename(file), `It has no environment ${environment}.`, fix)];
  }
  const lines: Lines = (toml, json) => (extname(file) === ".toml" ? toml : json);
  // A named environment does not inherit bindings.
  const section = environment === undefined ? "" : `env.${environment}.`;
  const bindingLines: Lines = (toml, json) =>
    lines(toml.replaceAll("[[", `[[${section}`), json.replace("add to ", `add to ${section}`));
  return [
    versionFinding(wrangler),
    dateFinding(config, wrangler, lines),
    ...flagFindings(config),
    ...bindingFindings(config, bindingLines),
    ...migrationFindings(config, lines),
    catalogFinding(config, bindingLines),
    buildFinding(config, lines),
  ];
}

function versionFinding({ version }: WranglerPackage): Finding {
  return isOlder(version, oldestWrangler)
    ? error("wrangler", `Version ${version} is older than ${oldestWrangler.join(".")}.`, installWrangler)
    : ok("wrangler", `version ${version}`);
}

function dateFinding(
  { compatibility_date: date }: WranglerConfig,
  { newestDate }: WranglerPackage,
  lines: Lines,
): Finding {
  const name = "compatibility_date";
  const set = lines(`${name} = "${newestDate}"`, `"${name}": "${newestDate}"`);
  if (date === undefined) return error(name, "It is missing.", `add ${set}`);
  if (date < oldestDate)
    return error(name, `${date} is older than ${oldestDate}, the oldest that is tested.`, `set ${set}`);
  if (date <= newestDate) return ok(name, date);
  return error(
    name,
    `The installed runtime accepts dates up to ${newestDate}, not ${date}.`,
    `set ${set}, or install a newer wrangler, or give the installed one a newer runtime by these lines and install again\n${runtimeLines(date)}`,
  );
}

/** The lines that replace the runtime of wrangler. The versions of the runtime are dates; overrides of a dependency have no effect. */
function runtimeLines(date: string): string {
  const version = `^1.${date.replaceAll("-", "")}.0`;
  return [
    "npm, in package.json:",
    `  "overrides": { "workerd": "${version}" }`,
    "pnpm, in pnpm-workspace.yaml:",
    "  overrides:",
    `    workerd: ${version}`,
  ].join("\n");
}

function flagFindings({ compatibility_flags: given }: WranglerConfig): Finding[] {
  return flags.map(({ name, needed, purpose }) => {
    if (given.includes(name)) return ok(`flag ${name}`, "set");
    return (needed ? error : warning)(
      `flag ${name}`,
      `It is not set: ${purpose}.`,
      `add "${name}" to compatibility_flags`,
    );
  });
}

function bindingFindings({ durable_objects }: WranglerConfig, lines: Lines): Finding[] {
  return Object.entries(classes).map(([binding, className]) => {
    const found = durable_objects.bindings.find(({ name }) => name === binding);
    if (found?.class_name === className) return ok(`binding ${binding}`, className);
    const how = found === undefined ? `${byInit} add` : "add";
    return error(
      `binding ${binding}`,
      found === undefined ? "It is missing." : `It names the class ${found.class_name ?? "of another name"}.`,
      lines(
        `${how}\n[[durable_objects.bindings]]\nname = "${binding}"\nclass_name = "${className}"`,
        `${how} to durable_objects.bindings: { "name": "${binding}", "class_name": "${className}" }`,
      ),
    );
  });
}

/** Checks that the migrations, in their order, lead to classes with SQLite. */
function migrationFindings({ durable_objects, migrations }: WranglerConfig, lines: Lines): Finding[] {
  const tags = migrations.map(({ tag }) => tag);
  const repeated = tags.find((tag, at) => tags.indexOf(tag) !== at);
  const tagFindings =
    repeated === undefined
      ? []
      : [
          error(
            "migration tags",
            `The tag "${repeated}" occurs twice, so a deploy cannot tell which migrations are applied.`,
            "give the later migration a tag of its own",
          ),
        ];
  const here = Object.entries(classes).filter(
    ([binding]) => durable_objects.bindings.find(({ name }) => name === binding)?.script_name === undefined,
  );
  return [...tagFindings, ...here.flatMap(([, className]) => classFinding(className, migrations, lines))];
}

/** Checks that the migrations lead to a class with SQLite; returns no finding if they do. */
function classFinding(className: string, migrations: WranglerConfig["migrations"], lines: Lines): Finding[] {
  const name = `migration of ${className}`;
  let created: "sqlite" | "plain" | "deleted" | undefined;
  let last = "";
  for (const { tag, new_sqlite_classes, new_classes, renamed_classes, deleted_classes } of migrations) {
    const before = created;
    if (new_sqlite_classes?.includes(className) === true) created = "sqlite";
    // The class is assumed to have SQLite. It may have been created under its earlier name by a migration that is not in this list.
    else if (renamed_classes?.some(({ to }) => to === className) === true) created = "sqlite";
    else if (new_classes?.includes(className) === true) created = "plain";
    else if (deleted_classes?.includes(className) === true) created = "deleted";
    if (created !== before) last = tag;
  }
  if (created === "sqlite") return [];
  if (created === "plain") {
    const fix = `in the migration "${last}" write new_sqlite_classes in place of new_classes; if it is deployed, delete the class in a new migration and create it in the next`;
    return [error(name, `The migration "${last}" creates the class without SQLite.`, fix)];
  }
  if (created === "deleted") {
    const fix = `remove the migration "${last}", or create the class again in a later one`;
    return [error(name, `The migration "${last}" deletes the class with all its data.`, fix)];
  }
  const fix = lines(
    `${byInit} add\n[[migrations]]\ntag = "threadhold-${className}"\nnew_sqlite_classes = ["${className}"]`,
    `${byInit} add to migrations: { "tag": "threadhold-${className}", "new_sqlite_classes": ["${className}"] }`,
  );
  return [error(name, "No migration creates the class with SQLite.", fix)];
}

function catalogFinding({ d1_databases }: WranglerConfig, lines: Lines): Finding {
  const name = "binding CATALOG";
  const folder = "node_modules/threadhold/migrations/catalog";
  const found = d1_databases.find(({ binding }) => binding === "CATALOG");
  if (found === undefined) {
    const fix = lines(
      `${byInit} add\n[[d1_databases]]\nbinding = "CATALOG"\ndatabase_name = "threads"\ndatabase_id = "<npx wrangler d1 create threads>"\nmigrations_dir = "${folder}"`,
      `${byInit} add to d1_databases: { "binding": "CATALOG", "database_name": "threads", "database_id": "<npx wrangler d1 create threads>", "migrations_dir": "${folder}" }`,
    );
    return error(name, "There is no D1 database for the list of threads.", fix);
  }
  if (found.migrations_dir !== undefined) return ok(name, "D1 database");
  const fix = lines(`add migrations_dir = "${folder}"`, `add "migrations_dir": "${folder}"`);
  return warning(name, "It has no migrations_dir, so `wrangler d1 migrations apply CATALOG` finds none.", fix);
}

/** The name of the finding about the build command. If that command does not compile the definitions, changes of them are not served. */
export const buildCheck = "build command";

/** Whether the build command of a configuration compiles the definitions. */
export const compilesDefinitions = ({ build }: WranglerConfig): boolean => compiles(build.command);

/** Whether a command of a shell compiles the definitions, outside of its comments. */
export function compiles(command: string | undefined): boolean {
  const parts = /("(?:\\.|[^"\\])*"|'[^']*')|(?:^|\s)#[^\n]*/g;
  return (command ?? "").replaceAll(parts, (_, quoted: string | undefined) => quoted ?? "").includes("build --auto");
}

/** The paths whose changes start a build: the folder of definitions, and the file with the type errors that a check in the background found. */
export const watchedPaths = ["agents", typeFindingsFile];

/** What a shell reads as more than one command, as a comment or as a change of folder. */
const compound = /[#;\\\n]|&$|\b(?:cd|pushd)\b/;

/** The command that compiles the definitions after a build command of the project's own, whose text may end with a line break. */
export function chainedBuild(command: string | undefined): string {
  const compile = "npx threadhold build --auto";
  const own = command?.trim() ?? "";
  if (own === "") return compile;
  // The line break ends a comment, and the parentheses keep a change of folder inside.
  return compound.test(own) ? `(${own}\n) && ${compile}` : `${own} && ${compile}`;
}

function buildFinding(config: WranglerConfig, lines: Lines): Finding {
  const { build } = config;
  if (compilesDefinitions(config)) return ok(buildCheck, build.command ?? "");
  const chained = JSON.stringify(chainedBuild(build.command));
  const fix = lines(`${byInit} set\n[build]\ncommand = ${chained}`, `${byInit} set "build": { "command": ${chained} }`);
  return error(buildCheck, "It does not compile agents/.", fix);
}

/** Whether a build command runs something besides the compiler of the definitions. That may write files, which must not be watched. */
export function hasOwnBuild(command: string | undefined): boolean {
  const only = /^[^&;|\n]*\bthreadhold(?:\.mjs)? build --auto[^&;|\n]*$/;
  return (command ?? "").trim() !== "" && !only.test((command ?? "").trim());
}

/** Folders that a build command usually writes into. */
const output = /^(?:\.\/)?(?:dist|build|out|output)(?:\/|$)/;

/** The paths that a `watch_dir` lacks. Sources in the output of a build command of the project's own are not among them. */
export function unwatched(
  sources: readonly string[],
  watched: readonly string[],
  command: string | undefined,
): string[] {
  return withoutNested(sources).filter(
    (path) => !watched.some((each) => contains(each, path)) && !(hasOwnBuild(command) && output.test(path)),
  );
}

interface BuildTable {
  build?: { watch_dir?: string | string[] };
}

/** Checks that wrangler watches the definitions and the Worker's own sources. */
export async function watchFindings({ root, file, config, environment }: WranglerProject): Promise<Finding[]> {
  const { command } = config.build;
  // Without a command wrangler watches the main module and its imports.
  if (command === undefined || command === "") return [];
  const name = "watched folders";
  // Wrangler gives the list that an environment inherits relative to another folder.
  const { env, build } = readConfigFile(file).value as {
    env?: Record<string, BuildTable>;
    build?: BuildTable["build"];
  };
  const { watch_dir: given = "src" } = (environment === undefined ? build : (env?.[environment]?.build ?? build)) ?? {};
  const watched = [given].flat();
  const sources = await sourcesToWatch(root, config.main === undefined ? [] : [config.main]);
  const missing = unwatched([...sources, ...watchedPaths], watched, command);
  if (missing.length === 0) return [ok(name, watched.join(", "))];
  const list = [...watched, ...missing].map((path) => JSON.stringify(path)).join(", ");
  const line = extname(file) === ".toml" ? `watch_dir = [${list}]` : `"watch_dir": [${list}]`;
  const how = hasOwnBuild(command) ? "unless your build command writes there, set" : `${byInit} set`;
  const detail = `Without ${missing.join(", ")} in build.watch_dir, \`threadhold dev\` does not serve changes there.`;
  return [warning(name, detail, `${how} in the section build\n${line}`)];
}
