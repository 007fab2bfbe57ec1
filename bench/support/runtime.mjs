// Runs the bench's Worker in workerd alone, which is as close to a deployment as a local machine gets: bundled as for a deployment,
// with its socket open to the client, without a proxy and without an inspector. `wrangler dev` attaches an inspector to the Worker that
// receives every chunk of every body: 1,000 of them took 50 times as long with it, with and without Threadhold.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";

import { fromRoot } from "../../scripts/lib/paths.mjs";
import { tools, wranglerEnvironment } from "../../scripts/lib/tools.mjs";

const config = fromRoot("bench/worker/wrangler.jsonc");
const entry = "index.js";

/** Bundles the Worker into a folder. */
function bundle(folder) {
  const args = [fromRoot(tools.wrangler), "deploy", "--dry-run", "--config", config, "--outdir", folder];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    env: { ...process.env, ...wranglerEnvironment },
  });
  if (status !== 0) throw new Error(`The Worker could not be bundled:\n${stdout}${stderr}`);
}

/** The Worker's modules, its entry first. */
function modulesIn(folder) {
  const texts = readdirSync(folder).filter((name) => /\.(html|sql)$/.test(name));
  const module = (type, name) => ({ type, path: path.join(folder, name) });
  return [module("ESModule", entry), ...texts.map((name) => module("Text", name))];
}

/**
 * Starts the Worker with a temporary state folder.
 * @param {Record<string, string>} [variables] added to the Worker's own
 * @param {object} [more] options of the server
 * @returns {Promise<{ url: string, stop: () => Promise<void>, inspector?: URL }>} `inspector`: its address, with the option `inspectorPort`
 */
export async function startRuntime(variables = {}, more = {}) {
  const fromWrangler = createRequire(createRequire(fromRoot("package.json")).resolve("wrangler/package.json"));
  const { Miniflare } = fromWrangler("miniflare");
  const { unstable_readConfig: readConfig } = fromWrangler("wrangler");
  const folder = mkdtempSync(path.join(tmpdir(), "threadhold-bench-"));
  const { compatibility_date, compatibility_flags, durable_objects, d1_databases, vars } = readConfig({ config });
  bundle(path.join(folder, "bundle"));
  const runtime = new Miniflare({
    modulesRoot: path.join(folder, "bundle"),
    modules: modulesIn(path.join(folder, "bundle")),
    compatibilityDate: compatibility_date,
    compatibilityFlags: compatibility_flags,
    bindings: { ...vars, ...variables },
    durableObjects: Object.fromEntries(
      durable_objects.bindings.map(({ name, class_name }) => [name, { className: class_name, useSQLite: true }]),
    ),
    d1Databases: Object.fromEntries(d1_databases.map(({ binding, database_id }) => [binding, database_id])),
    durableObjectsPersist: path.join(folder, "objects"),
    d1Persist: path.join(folder, "catalog"),
    // This option adds a Worker that every request to the provider passes. A deployment has none.
    stripCfConnectingIp: false,
    // The Worker's log lines are dropped; errors of workerd are shown.
    handleRuntimeStdio: (out, problems) => {
      out.resume();
      problems.pipe(process.stderr);
    },
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    ...more,
  });
  const stop = async () => {
    await runtime.dispose();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await runtime.ready;
    const url = (await runtime.unsafeGetDirectURL()).origin;
    return { url, stop, ...(more.inspectorPort === undefined ? {} : { inspector: await runtime.getInspectorURL() }) };
  } catch (error) {
    await stop();
    throw error;
  }
}
