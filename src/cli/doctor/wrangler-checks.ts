// Checks of wrangler and of its configuration file.

import { basename, extname } from "node:path";

import { error, isOlder, ok, warning, type Finding } from "./finding.ts";
import { findWrangler, wranglerConfigFile, type WranglerConfig, type WranglerPackage } from "./wrangler-package.ts";

/** The oldest wrangler that the package is tested with. */
const oldestWrangler = [4, 86] as const;

/** The oldest compatibility date that the package is tested with. */
const oldestDate = "2025-01-01";

/** Flags without which a thread does not run, or with which it is safer, with what each does. */
const flags = [
  { name: "nodejs_compat", needed: true, purpose: "definitions and packages of providers use modules of Node" },
  {
    name: "global_fetch_strictly_public",
    needed: false,
    purpose: "requests to hosts of the Worker's own zone are treated like requests from outside",
  },
  { name: "enable_request_signal", needed: false, purpose: "a search ends when its client leaves" },
];

const classes = { THREADS: "ThreadObject", FEEDS: "ThreadFeed" } as const;

/** Writes lines for a configuration in TOML or in JSON. */
type Lines = (toml: string, json: string) => string;

/** Checks wrangler and the configuration of a project. */
export function wranglerFindings(root: string): Finding[] {
  const wrangler = findWrangler(root);
  if (wrangler === null) {
    return [error("wrangler", "It is not installed in this project.", "npm install --save-dev wrangler@4")];
  }
  const file = wranglerConfigFile(root);
  if (file === undefined) {
    const fix = "docs/guide/operations.md lists the bindings and variables of a Worker with threads";
    return [
      versionFinding(wrangler),
      error("wrangler configuration", "There is no wrangler.toml or wrangler.jsonc.", fix),
    ];
  }
  let config: WranglerConfig;
  try {
    config = wrangler.readConfig(file);
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return [versionFinding(wrangler), error(basename(file), message, "correct the place that the message names")];
  }
  const lines: Lines = (toml, json) => (extname(file) === ".toml" ? toml : json);
  return [
    versionFinding(wrangler),
    dateFinding(config, wrangler, lines),
    ...flagFindings(config),
    ...classFindings(config, lines),
    catalogFinding(config, lines),
    buildFinding(config, lines),
  ];
}

function versionFinding({ version }: WranglerPackage): Finding {
  return isOlder(version, oldestWrangler)
    ? error(
        "wrangler",
        `Version ${version} is older than ${oldestWrangler.join(".")}.`,
        "npm install --save-dev wrangler@4",
      )
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
    `set ${set}, or install a newer wrangler`,
  );
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

function classFindings({ durable_objects, migrations }: WranglerConfig, lines: Lines): Finding[] {
  const created = new Set(migrations.flatMap(({ new_sqlite_classes: names = [] }) => names));
  return Object.entries(classes).flatMap(([binding, className]) => {
    const found = durable_objects.bindings.find(({ name }) => name === binding);
    const bound =
      found?.class_name === className
        ? ok(`binding ${binding}`, className)
        : error(
            `binding ${binding}`,
            found === undefined ? "It is missing." : `It names the class ${found.class_name ?? "of another name"}.`,
            lines(
              `add\n[[durable_objects.bindings]]\nname = "${binding}"\nclass_name = "${className}"`,
              `add to durable_objects.bindings: { "name": "${binding}", "class_name": "${className}" }`,
            ),
          );
    if (created.has(className) || found?.script_name !== undefined) return [bound];
    const fix = lines(
      `add\n[[migrations]]\ntag = "threadhold-${className}"\nnew_sqlite_classes = ["${className}"]`,
      `add to migrations: { "tag": "threadhold-${className}", "new_sqlite_classes": ["${className}"] }`,
    );
    return [bound, error(`migration of ${className}`, "No migration creates the class with SQLite.", fix)];
  });
}

function catalogFinding({ d1_databases }: WranglerConfig, lines: Lines): Finding {
  const name = "binding CATALOG";
  const folder = "node_modules/threadhold/migrations/catalog";
  const found = d1_databases.find(({ binding }) => binding === "CATALOG");
  if (found === undefined) {
    const fix = lines(
      `add\n[[d1_databases]]\nbinding = "CATALOG"\ndatabase_name = "threads"\ndatabase_id = "<npx wrangler d1 create threads>"\nmigrations_dir = "${folder}"`,
      `add to d1_databases: { "binding": "CATALOG", "database_name": "threads", "database_id": "<npx wrangler d1 create threads>", "migrations_dir": "${folder}" }`,
    );
    return error(name, "There is no D1 database for the list of threads.", fix);
  }
  if (found.migrations_dir !== undefined) return ok(name, "D1 database");
  const fix = lines(`add migrations_dir = "${folder}"`, `add "migrations_dir": "${folder}"`);
  return warning(name, "It has no migrations_dir, so `wrangler d1 migrations apply CATALOG` finds none.", fix);
}

function buildFinding({ build }: WranglerConfig, lines: Lines): Finding {
  const command = "npx threadhold build --auto";
  if (build.command?.includes("build --auto") === true) return ok("build command", build.command);
  const chained = build.command === undefined ? command : `${build.command} && ${command}`;
  const fix = lines(
    `set\n[build]\ncommand = "${chained}"\nwatch_dir = ["agents"]`,
    `set "build": { "command": "${chained}", "watch_dir": ["agents"] }`,
  );
  return error("build command", "It does not compile agents/.", fix);
}
