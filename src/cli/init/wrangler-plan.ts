// The changes that a Worker's configuration needs to serve threads. Bindings are not inherited by environments, so each environment gets
// its own. Settings that an environment inherits are changed there only if it has its own.

import { basename } from "node:path";

import { aiBindingName } from "#models/readiness.ts";

import type { ConfigEdit, ConfigPath } from "../config/config-edit.ts";
import type { ConfigFile } from "../config/config-file.ts";
import { CommandError } from "../context.ts";
import {
  chainedBuild,
  classes,
  compiles,
  flags,
  hasOwnBuild,
  oldestDate,
  unwatched,
  watchedPaths,
} from "../doctor/wrangler-checks.ts";

/** Values of TOML or JSON by their keys. */
type Table = Readonly<Record<string, unknown>>;

/** The root of the file or an environment. */
interface Scope {
  path: ConfigPath;
  table: Table;
  /** The name of the Worker in this scope. */
  worker: string;
}

/**
 * The kind of a Worker. `threads`: it only serves threads, and its main module is generated. `site`: it has files and no main module.
 * `own`: it has a main module of its own, which is never edited.
 */
export type WorkerKind = "threads" | "site" | "own";

/** What the plan depends on. */
export interface PlanSettings {
  /** The newest compatibility date that the installed runtime accepts. */
  newestDate: string;
  /** The migrations of the catalog, from the project's folder. */
  migrationsDir: string;
  /** The built playground, from the project's folder. */
  playgroundDir: string;
  /** The main module for a Worker that has files and no main module. */
  siteMain: string;
  /** The paths to watch for some main modules, and for what the definitions import. */
  sources: (mains: readonly string[]) => readonly string[];
  /** The path under which threads are served in a Worker that also serves other things. */
  prefix: string;
  /** Whether a model of the project needs the binding `AI`. */
  usesAi: boolean;
}

/** The changes of a configuration. */
export interface WranglerPlan {
  kind: WorkerKind;
  edits: ConfigEdit[];
  notes: string[];
}

const generatedMain = ".threadhold/worker.ts";

const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** A value as a table; an empty table for any other value. */
export const tableOf = (value: unknown): Table => (isTable(value) ? value : {});
/** The tables in a list; an empty list for any other value. */
export const tablesOf = (value: unknown): Table[] => (Array.isArray(value) ? value.filter(isTable) : []);
const textsOf = (value: unknown): string[] => [value].flat().filter((each): each is string => typeof each === "string");

/** Plans the changes. Throws a `CommandError` if a name is taken or the Worker cannot have threads. */
export function planWrangler(file: ConfigFile, settings: PlanSettings): WranglerPlan {
  const { value } = file;
  if (value["pages_build_output_dir"] !== undefined) {
    throw new CommandError(
      `${basename(file.path)} is that of a Pages project, which cannot have Durable Objects. Move it to a Worker with [assets] first: https://developers.cloudflare.com/workers/static-assets/migration-guides/migrate-from-pages/`,
    );
  }
  const scopes = scopesOf(value);
  const kind = kindOf(scopes);
  const edits = scopes.flatMap((scope) => {
    const inherits = (key: string): boolean => scope.path.length > 0 && scope.table[key] === undefined;
    return [
      ...(inherits("main") ? [] : mainEdits(scope, kind, settings)),
      ...(inherits("compatibility_date") ? [] : dateEdits(scope, settings)),
      ...(inherits("compatibility_flags") ? [] : flagEdits(scope, kind)),
      ...(inherits("build") ? [] : buildEdits(scope, sourcesOf(scope, scopes, { kind, settings }))),
      ...objectEdits(scope, file),
      ...(inherits("migrations") ? [] : migrationEdits(scope, file)),
      ...catalogEdits(scope, file, settings),
      ...aiEdits(scope, settings),
      ...(inherits("assets") ? [] : assetEdits(scope, kind, settings)),
    ];
  });
  return { kind, edits, notes: [...watchNotes(scopes, { kind, settings }), ...notesOf(scopes, kind, settings)] };
}

/** The main modules of a scope's build: its own, and for the root also those of the environments that inherit the build. */
function mainsOf({ path, table }: Scope, scopes: readonly Scope[]): string[] {
  const inheriting = path.length > 0 ? [] : scopes.slice(1).filter((scope) => scope.table["build"] === undefined);
  const own = table["main"] ?? scopes[0]?.table["main"];
  return [...new Set([own, ...inheriting.map((scope) => scope.table["main"])].flatMap(textsOf))];
}

interface PlannedKind {
  kind: WorkerKind;
  settings: PlanSettings;
}

function sourcesOf(scope: Scope, scopes: readonly Scope[], { kind, settings }: PlannedKind): readonly string[] {
  return settings.sources(kind === "site" ? [settings.siteMain] : mainsOf(scope, scopes));
}

/** The root of the file and its environments. */
export function scopesOf(value: Table): Scope[] {
  const name = typeof value["name"] === "string" ? value["name"] : "worker";
  const environments = Object.entries(tableOf(value["env"])).flatMap(([key, table]) =>
    isTable(table) ? [{ path: ["env", key], table, worker: textsOf(table["name"])[0] ?? `${name}-${key}` }] : [],
  );
  return [{ path: [], table: value, worker: name }, ...environments];
}

function kindOf([root, ...environments]: Scope[]): WorkerKind {
  const mains = [root, ...environments].flatMap((scope) => textsOf(scope?.table["main"]));
  if (mains.length > 0) return mains.every((main) => main.replace(/^\.\//, "") === generatedMain) ? "threads" : "own";
  return root?.table["assets"] === undefined ? "threads" : "site";
}

/** The binding of the models of Cloudflare. A binding under another name stays, and `threadhold doctor` names the missing one. */
function aiEdits({ path, table }: Scope, { usesAi }: PlanSettings): ConfigEdit[] {
  return usesAi && table["ai"] === undefined
    ? [{ action: "set", path: [...path, "ai", "binding"], value: aiBindingName }]
    : [];
}

function mainEdits({ path, table }: Scope, kind: WorkerKind, { siteMain }: PlanSettings): ConfigEdit[] {
  if (kind === "own" || table["main"] !== undefined || path.length > 0) return [];
  return [{ action: "set", path: ["main"], value: kind === "site" ? siteMain : generatedMain }];
}

function dateEdits({ path, table }: Scope, { newestDate }: PlanSettings): ConfigEdit[] {
  const date = table["compatibility_date"];
  if (date !== undefined && (typeof date !== "string" || date >= oldestDate)) return [];
  const value = date === undefined ? newestDate : oldestDate;
  return [{ action: "set", path: [...path, "compatibility_date"], value }];
}

/**
 * Returns the flags that a Worker needs. `global_fetch_strictly_public` routes requests to the Worker's own zone through Cloudflare's
 * network, so a Worker that forwards requests to its own zone would call itself without end.
 */
function wantedFlags(kind: WorkerKind): string[] {
  return flags.filter(({ name }) => kind !== "own" || name !== "global_fetch_strictly_public").map(({ name }) => name);
}

function flagEdits({ path, table }: Scope, kind: WorkerKind): ConfigEdit[] {
  const given = textsOf(table["compatibility_flags"]);
  const missing = wantedFlags(kind).filter((flag) => !given.includes(flag));
  const place = [...path, "compatibility_flags"];
  if (table["compatibility_flags"] === undefined) return [{ action: "set", path: place, value: missing }];
  return missing.map((flag) => ({ action: "append", path: place, value: flag }));
}

function buildEdits({ path, table }: Scope, sources: readonly string[]): ConfigEdit[] {
  const { command, watch_dir: watched } = tableOf(table["build"]);
  const own = typeof command === "string" ? command : undefined;
  const edits: ConfigEdit[] = [];
  if (!compiles(own)) edits.push({ action: "set", path: [...path, "build", "command"], value: chainedBuild(own) });
  // Wrangler watches "src" if a build command names no folder.
  const folders = textsOf(watched ?? (command === undefined ? [] : "src"));
  // A build command of the project's own may write into its sources, so its list stays as the project has it.
  const added = hasOwnBuild(own) ? [] : unwatched(sources, folders, own);
  const missing = [...added, ...watchedPaths.filter((each) => !folders.includes(each))];
  const place = [...path, "build", "watch_dir"];
  if (Array.isArray(watched)) for (const value of missing) edits.push({ action: "append", path: place, value });
  else if (missing.length > 0) edits.push({ action: "set", path: place, value: [...folders, ...missing] });
  return edits;
}

/** A note for each build command of the project's own that does not watch the Worker's sources. */
function watchNotes(scopes: readonly Scope[], planned: PlannedKind): string[] {
  return scopes.flatMap((scope) => {
    const { command, watch_dir: watched } = tableOf(scope.table["build"]);
    if (typeof command !== "string" || !hasOwnBuild(command)) return [];
    const missing = unwatched(sourcesOf(scope, scopes, planned), textsOf(watched ?? "src"), command);
    if (missing.length === 0) return [];
    return [
      `build.watch_dir${inScope(scope.path)} does not contain ${missing.join(", ")}, so \`threadhold dev\` does not serve changes there. Add it, unless your build command writes there.`,
    ];
  });
}

/** The names of the classes, in the order in which one migration creates them. */
const classNames = Object.values(classes);

function objectEdits({ path, table }: Scope, file: ConfigFile): ConfigEdit[] {
  const bindings = tablesOf(tableOf(table["durable_objects"])["bindings"]);
  return Object.entries(classes).flatMap(([name, className]): ConfigEdit[] => {
    const found = bindings.find((binding) => binding["name"] === name);
    if (found?.["class_name"] === className) return [];
    if (found !== undefined || bindingNames(table).includes(name)) throw taken(file, name, path);
    const other = bindings.find(
      (binding) => binding["class_name"] === className && binding["script_name"] === undefined,
    );
    if (other !== undefined) throw takenClass(file, className);
    const value = { name, class_name: className };
    return [{ action: "append", path: [...path, "durable_objects", "bindings"], value }];
  });
}

function migrationEdits({ path, table }: Scope, file: ConfigFile): ConfigEdit[] {
  const migrations = tablesOf(table["migrations"]);
  const bindings = tablesOf(tableOf(table["durable_objects"])["bindings"]);
  const created = (key: string): string[] => migrations.flatMap((migration) => textsOf(migration[key]));
  const missing = Object.entries(classes).flatMap(([name, className]) => {
    const found = bindings.find((binding) => binding["name"] === name);
    if (created("new_classes").includes(className)) throw takenClass(file, className);
    const exists = created("new_sqlite_classes").includes(className);
    if (exists && found === undefined && path.length === 0) throw takenClass(file, className);
    return exists || found?.["script_name"] !== undefined ? [] : [className];
  });
  if (missing.length === 0) return [];
  const tags = migrations.map(({ tag }) => tag);
  let version = 1;
  while (tags.includes(`threadhold-v${String(version)}`)) version += 1;
  const value = {
    tag: `threadhold-v${String(version)}`,
    new_sqlite_classes: classNames.filter((name) => missing.includes(name)),
  };
  return [{ action: "append", path: [...path, "migrations"], value }];
}

function catalogEdits({ path, table, worker }: Scope, file: ConfigFile, { migrationsDir }: PlanSettings): ConfigEdit[] {
  const found = tablesOf(table["d1_databases"]).find(({ binding }) => binding === "CATALOG");
  if (found !== undefined) {
    const folder = found["migrations_dir"];
    if (typeof folder === "string" && /migrations[\\/]catalog[\\/]?$/.test(folder)) return [];
    throw new CommandError(
      `${basename(file.path)} has a D1 database with the binding CATALOG${inScope(path)} that does not name the migrations of threads. Give it another name, or, if it is the database of threads, set its migrations_dir to "${migrationsDir}". Nothing was changed.`,
    );
  }
  if (bindingNames(table).includes("CATALOG")) throw taken(file, "CATALOG", path);
  const value = { binding: "CATALOG", database_name: `${worker}-threads`, migrations_dir: migrationsDir };
  return [{ action: "append", path: [...path, "d1_databases"], value }];
}

function assetEdits({ path, table }: Scope, kind: WorkerKind, settings: PlanSettings): ConfigEdit[] {
  const assets = table["assets"];
  const set = (key: string, value: string | string[] | boolean): ConfigEdit => ({
    action: "set",
    path: [...path, "assets", key],
    value,
  });
  if (kind === "threads" && assets === undefined) {
    return [
      set("directory", settings.playgroundDir),
      set("binding", "ASSETS"),
      set("run_worker_first", ["/*", "!/assets/*"]),
    ];
  }
  // All requests reach the Worker, as before, and it alone serves the playground.
  if (kind === "own" && assets === undefined && table["site"] === undefined && !isTaken(table)) {
    return [set("directory", settings.playgroundDir), set("binding", assetsBinding), set("run_worker_first", true)];
  }
  if (!isTable(assets) || (kind === "threads" && isPackaged(assets["directory"]))) return [];
  const { binding, run_worker_first: first } = assets;
  const wanted = kind === "threads" ? ["/studio", "/studio/*"] : [`${settings.prefix}/*`];
  const missing =
    first === true ? [] : wanted.filter((route) => !textsOf(first).some((pattern) => covers(pattern, route)));
  const routed: ConfigEdit[] = Array.isArray(first)
    ? missing.map((route) => ({ ...set("run_worker_first", route), action: "append" }))
    : missing.length === 0
      ? []
      : [set("run_worker_first", missing)];
  const bound = binding === undefined && !isTaken(table) ? [set("binding", assetsBinding)] : [];
  if (kind === "site") return [...bound, ...routed];
  // Without a list of routes, a main module gets all requests that no file answers. With one, `not_found_handling` answers the others.
  return [...bound, ...(Array.isArray(first) ? routed : [])];
}

/** Whether a folder of assets is the playground of the package, which a Worker serves at its root. */
function isPackaged(directory: unknown): boolean {
  return /(?:^|[\\/])dist[\\/]ui[\\/]?$/.test(String(directory));
}

/** The name of the binding for static assets, from which the Worker reads the playground. */
const assetsBinding = "ASSETS";

/** Whether something else than the assets has the name of their binding. */
function isTaken(table: Table): boolean {
  const { assets: _, ...others } = table;
  return bindingNames(others).includes(assetsBinding);
}

/** Whether a pattern such as `/api/*` matches all paths of a route. */
function covers(pattern: string, route: string): boolean {
  return pattern.endsWith("*") ? route.startsWith(pattern.slice(0, -1)) : pattern === route;
}

/** The names of all bindings and variables of a scope. */
function bindingNames(table: Table): string[] {
  const { env: _, ...own } = table;
  const names = (value: unknown): string[] =>
    Array.isArray(value)
      ? value.flatMap(names)
      : isTable(value)
        ? [...textsOf(value["binding"]), ...Object.values(value).flatMap(names)]
        : [];
  const sent = tablesOf(table["send_email"]).flatMap(({ name }) => textsOf(name));
  return [...names(own), ...sent, ...Object.keys(tableOf(table["vars"]))];
}

const inScope = (path: ConfigPath): string => (path.length === 0 ? "" : ` in the environment ${String(path[1])}`);

function taken(file: ConfigFile, name: string, path: ConfigPath): CommandError {
  return new CommandError(
    `${basename(file.path)} uses the name ${name}${inScope(path)} for something else, and threads need a binding of this name. Give yours another name, there and in your code. Nothing was changed.`,
  );
}

function takenClass(file: ConfigFile, className: string): CommandError {
  return new CommandError(
    `${basename(file.path)} has a class ${className} that is not the one of threads: it has another binding, or it is created without SQLite. Rename it by a migration with renamed_classes. Nothing was changed.`,
  );
}

function notesOf(scopes: readonly Scope[], kind: WorkerKind, { prefix }: PlanSettings): string[] {
  if (kind !== "own") return [];
  const given = scopes.flatMap(({ table }) => textsOf(table["compatibility_flags"]));
  const isStrict = given.includes("global_fetch_strictly_public");
  return [...scopes.flatMap((scope) => playgroundNotes(scope, prefix)), ...(isStrict ? [] : [strictFetchNote])];
}

const strictFetchNote =
  'Consider the compatibility flag "global_fetch_strictly_public": requests of tools to hosts of your own zone are then treated like requests from outside. It is not added, because a Worker that passes requests on to its origin would call itself.';

/** Why the Worker cannot serve the playground next to the static assets that it has, and what to do. */
function playgroundNotes({ path, table }: Scope, prefix: string): string[] {
  const { binding, not_found_handling: handling, run_worker_first: first } = tableOf(table["assets"]);
  const isOther = isTaken(table) || (binding !== undefined && binding !== assetsBinding);
  const named = `The playground needs static assets with the binding ${assetsBinding}${inScope(path)}, and this name or theirs is another one. Rename the bindings, there and in your code.`;
  const routed = `A browser that opens ${prefix}/studio gets the page of not_found_handling${inScope(path)}. For the playground list "${prefix}/*" and the paths of your own routes in run_worker_first of [assets].`;
  const answersAll = typeof handling === "string" && handling !== "none" && first === undefined;
  return [...(isOther ? [named] : []), ...(answersAll ? [routed] : [])];
}
