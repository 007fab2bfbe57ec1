// A copy of this project in a temporary folder with the same node_modules, so that a test and the original project do
// not affect each other. It contains what a fresh install and a build of agents/ have, and no other variables.

import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** A state folder with the catalog's migrations applied (migrated-state.ts); unset if each server applies them. */
    migratedState?: string;
  }
}

const original = fileURLToPath(new URL("../../../", import.meta.url));

const copied = [
  "agents",
  "examples",
  "migrations",
  "playground",
  "scripts",
  "src",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.node.json",
  "tsconfig.test.json",
  "tsconfig.node.json",
  "tsconfig.test.json",
  "tsconfig.worker.json",
  "wrangler.toml",
];

/** The files of the last build. With them a server in a copy with the same definitions does not compile them. */
const built = [".threadhold", ".cache/last-good", ".cache/types/findings.json", ".cache/unchanged-build.json"];

/** A copy of the project. */
export interface ProjectCopy {
  root: string;
  /** A folder for the state of one server. The migrations are already applied if this test run has a folder to copy. */
  state: (name: string) => string;
  /** Writes a file, by its path from the project's root. */
  write: (file: string, text: string) => void;
  remove: () => void;
}

/** Makes a copy. `variables` are the lines of its `.dev.vars`. */
export function copyProject(variables = "OPEN_LOOPBACK=true\n"): ProjectCopy {
  const root = mkdtempSync(path.join(tmpdir(), "threadhold-project-"));
  const migrated = inject("migratedState");
  // The bundles of the command line: without that of these sources, the first command in the copy would bundle it again.
  const bundles = readdirSync(path.join(original, ".cache")).filter((name) => /^cli-[0-9a-f]{16}$/.test(name));
  for (const name of [...copied, ...built, ...bundles.map((bundle) => `.cache/${bundle}`)]) {
    if (existsSync(path.join(original, name)))
      cpSync(path.join(original, name), path.join(root, name), { recursive: true });
  }
  symlinkSync(path.join(original, "node_modules"), path.join(root, "node_modules"));
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  };
  write(".dev.vars", variables);
  mkdirSync(path.join(root, "dist/ui"), { recursive: true });
  return {
    root,
    write,
    state: (name) => {
      const folder = path.join(root, "state", name);
      if (migrated !== undefined && !existsSync(folder)) cpSync(migrated, folder, { recursive: true });
      return folder;
    },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }),
  };
}
