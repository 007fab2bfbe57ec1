// Checks of what the local server uses on this machine: its port, wrangler's explorer, and the database of its catalog.

import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseEnv } from "node:util";

import {
  localDatabases,
  areMigrationsRecorded,
  migrationsFolder,
  migrationsHash,
  pendingMigrations,
} from "../dev/catalog-migrations.ts";
import { isPortFree, nextFreePort } from "../dev/free-port.ts";
import { environmentFiles } from "../dev/local-access.ts";
import { lockOwner } from "../dev/state-lock.ts";
import { error, ok, warning, type Finding } from "./finding.ts";
import { defaultPort, localState, type WranglerProject } from "./wrangler-package.ts";

/** Checks the port, the explorer and the catalog of the local server. */
export async function localFindings(project: WranglerProject, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const server = lockOwner(localState(project));
  return [
    await portFinding(project, server),
    explorerFinding(project, env),
    ...(await catalogFindings(project, { server, env })),
  ];
}

async function portFinding(project: WranglerProject, server: number | undefined): Promise<Finding> {
  const port = defaultPort(project);
  const name = `port ${String(port)}`;
  if (await isPortFree(port)) return ok(name, "free");
  if (server !== undefined) return ok(name, `taken, and a server of this project runs (pid ${String(server)})`);
  const next = await nextFreePort(port + 1);
  return warning(
    name,
    `Another program listens on it, so \`threadhold dev\` takes ${String(next)}.`,
    `end that program, or choose a port: npx threadhold dev --port ${String(next)}`,
  );
}

/** Checks X_LOCAL_EXPLORER. Wrangler reads this variable from its environment, and from `.env` in the folder in which it runs. */
function explorerFinding({ root, environment }: WranglerProject, env: NodeJS.ProcessEnv): Finding {
  const name = "explorer of wrangler";
  const texts = environmentFiles(root, environment).map((path) => readFileSync(path, "utf8"));
  const variables = Object.assign({}, ...texts.map((text) => parseEnv(text)), env) as NodeJS.ProcessEnv;
  if (variables["X_LOCAL_EXPLORER"] === "false") return ok(name, "off");
  return warning(
    name,
    "Under plain `wrangler dev` it shows and changes all local data at /cdn-cgi/explorer without credentials; `threadhold dev` turns it off.",
    "add the line X_LOCAL_EXPLORER=false to .env",
  );
}

interface LocalServer {
  /** The pid of the server that uses the state folder. */
  server: number | undefined;
  env: NodeJS.ProcessEnv;
}

async function catalogFindings(project: WranglerProject, { server, env }: LocalServer): Promise<Finding[]> {
  // Without the binding or its folder there is a finding of the configuration.
  if (project.config.d1_databases.every(({ binding, migrations_dir }) => binding !== "CATALOG" || !migrations_dir)) {
    return [];
  }
  const folder = migrationsFolder(project);
  const hash = migrationsHash(folder);
  if (hash === undefined) {
    return [
      error(
        "migrations of CATALOG",
        `${relative(project.root, folder) || "."} has no migrations.`,
        'set migrations_dir to "node_modules/threadhold/migrations/catalog"',
      ),
    ];
  }
  return [await localCatalogFinding(project, hash, { server, env })];
}

async function localCatalogFinding(
  project: WranglerProject,
  hash: string,
  { server, env }: LocalServer,
): Promise<Finding> {
  const name = "local catalog";
  const state = localState(project);
  if (areMigrationsRecorded(state, hash)) return ok(name, "all migrations are applied");
  if (!existsSync(join(state, localDatabases))) return ok(name, "none yet; `threadhold dev` creates it");
  if (server !== undefined) return ok(name, `in use by the server with the pid ${String(server)}`);
  const pending = await pendingMigrations(project, state, env);
  if (pending === undefined) {
    const fix = "npx wrangler d1 migrations list CATALOG --local shows the cause";
    return warning(name, "Wrangler cannot read the migrations of the local database.", fix);
  }
  if (pending.length === 0) return ok(name, "all migrations are applied");
  return warning(
    name,
    `Not applied: ${pending.join(", ")}.`,
    "npx threadhold dev applies them; without a server: npx wrangler d1 migrations apply CATALOG --local",
  );
}
