// The wrangler that a project has installed, with its runtime. Wrangler reads its own configuration, in all three formats.

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** The part of a wrangler configuration that a Worker with threads needs. */
export interface WranglerConfig {
  compatibility_date?: string;
  compatibility_flags: readonly string[];
  durable_objects: { bindings: readonly { name: string; class_name?: string; script_name?: string }[] };
  migrations: readonly { new_sqlite_classes?: readonly string[] }[];
  d1_databases: readonly { binding: string; migrations_dir?: string }[];
  build: { command?: string };
}

/** An installed wrangler. */
export interface WranglerPackage {
  version: string;
  /** The newest compatibility date that its runtime accepts. */
  newestDate: string;
  /** Reads a configuration file. Throws wrangler's own error, whose message names the place. */
  readConfig: (file: string) => WranglerConfig;
}

/** The names of wrangler's configuration file, in the order in which wrangler looks for them. */
const configNames = ["wrangler.json", "wrangler.jsonc", "wrangler.toml"];

/** The path of a project's wrangler configuration; undefined if there is none. */
export function wranglerConfigFile(root: string): string | undefined {
  return configNames.map((name) => join(root, name)).find((file) => existsSync(file));
}

/** The wrangler of a project; null if none is installed, or not for this platform. */
export function findWrangler(root: string): WranglerPackage | null {
  try {
    const fromProject = createRequire(join(root, "package.json"));
    const manifest = fromProject.resolve("wrangler/package.json");
    const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
    const { compatibilityDate } = createRequire(manifest)("workerd") as { compatibilityDate: string };
    const readConfig = (file: string): WranglerConfig => {
      const { unstable_readConfig: read } = fromProject("wrangler") as {
        unstable_readConfig: (args: { config: string }, options: { hideWarnings: boolean }) => WranglerConfig;
      };
      return read({ config: file }, { hideWarnings: true });
    };
    return { version, newestDate: compatibilityDate, readConfig };
  } catch {
    return null;
  }
}
