// Type errors of `agents/`, found by TypeScript. They are warnings here, because code with a type error may still run, and a development
// build does not wait for them. A strict check turns them into errors. The last findings are stored in a file, each with its source's
// modification time, so that a build shows only findings of sources that have not changed since.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import type { Diagnostic } from "#spec/diagnostic.ts";

import { readIfExists, writeIfChanged } from "./changed-file.ts";
import { missingNodeTypes } from "./node-modules.ts";
import { openSyntaxTrees } from "./syntax-tree.ts";
import { typeFindingsFile } from "./unchanged-build.ts";

const configFile = ".cache/types/tsconfig.json";

interface StoredFinding {
  diagnostic: Diagnostic;
  /** The modification time of its file, in milliseconds. */
  writtenAt: number;
}

/** Checks the types of a project's definitions and stores the findings. A project without `tsconfig.json` has none. */
export async function checkTypes(root: string, packageRoot: string): Promise<Diagnostic[]> {
  const program = existsSync(join(root, "tsconfig.json")) ? typescriptProgram([root, packageRoot]) : undefined;
  const found = program === undefined ? [] : parseTypeErrors(await runTypescript(program, root), root);
  const kept = found.map((diagnostic): StoredFinding => ({ diagnostic, writtenAt: writtenAt(root, diagnostic.file) }));
  writeIfChanged(join(root, typeFindingsFile), JSON.stringify(kept));
  return found;
}

/** Creates the file of findings if it is missing, because a watcher ignores a file that does not exist when it starts. */
export function prepareTypeFindings(root: string): void {
  if (!existsSync(join(root, typeFindingsFile))) writeIfChanged(join(root, typeFindingsFile), "[]");
}

/** The stored findings of files that have not changed since. */
export function storedTypeFindings(root: string): Diagnostic[] {
  const text = readIfExists(join(root, typeFindingsFile))?.toString("utf8");
  const kept: unknown = text === undefined ? [] : JSON.parse(text);
  // This module wrote the file, so its form is known.
  return Array.isArray(kept)
    ? (kept as StoredFinding[]).flatMap(({ diagnostic, writtenAt: then }) =>
        writtenAt(root, diagnostic.file) === then ? [diagnostic] : [],
      )
    : [];
}

/**
 * The build's findings, and the type errors on lines without a finding of the build. A file with an error of the build has no type errors:
 * most of them would follow from that error, and the others are shown when it is corrected.
 */
export function withTypeFindings(diagnostics: readonly Diagnostic[], types: readonly Diagnostic[]): Diagnostic[] {
  const known = new Set(diagnostics.map(({ file, line }) => `${file}:${line ?? 0}`));
  const wrong = new Set(diagnostics.filter(({ severity }) => severity === "error").map(({ file }) => file));
  const isNew = ({ file, line }: Diagnostic): boolean => !wrong.has(file) && !known.has(`${file}:${line ?? 0}`);
  return [...diagnostics, ...types.filter(isNew)];
}

/** Reads TypeScript's plain output. Syntax errors are left out, since the build reports them. */
export function parseTypeErrors(output: string, root: string): Diagnostic[] {
  const trees = openSyntaxTrees(root);
  const found: Diagnostic[] = [];
  for (const line of output.split(/\r?\n/)) {
    const [, file, row, column, code, message] = /^(agents\/.+)\((\d+),(\d+)\): error TS(\d+): (.*)$/.exec(line) ?? [];
    if (file !== undefined) {
      if (code?.length === 4 && code.startsWith("1")) continue;
      const source = trees.lineText(file, Number(row));
      found.push({
        severity: "warning",
        code: "type",
        message: missingNodeTypes(message ?? "") ?? `${message} (TS${code})`,
        file,
        line: Number(row),
        column: Number(column),
        ...(source === undefined ? {} : { source }),
      });
    } else if (/^\s+\S/.test(line) && found.length > 0) {
      const last = found.at(-1);
      if (last) last.notes = [...(last.notes ?? []), line.trim()];
    }
  }
  return found;
}

function writtenAt(root: string, file: string): number {
  try {
    return statSync(join(root, file)).mtimeMs;
  } catch {
    // The file was deleted after the check.
    return 0;
  }
}

function typescriptProgram(folders: readonly string[]): string | undefined {
  for (const folder of folders) {
    try {
      const found = createRequire(join(folder, "package.json")).resolve("typescript/package.json");
      return join(dirname(found), "bin/tsc");
    } catch {
      // The next folder is tried. A project may have no TypeScript.
    }
  }
  return undefined;
}

function runTypescript(program: string, root: string): Promise<string> {
  mkdirSync(join(root, dirname(configFile)), { recursive: true });
  const config = {
    extends: "../../tsconfig.json",
    compilerOptions: { noEmit: true, incremental: true, tsBuildInfoFile: "types.tsbuildinfo" },
    // Not the main module: it imports the Worker, and no definition does.
    include: [
      "../../agents",
      "../../.threadhold/names.d.ts",
      "../../.threadhold/env.d.ts",
      "../../.threadhold/registry.ts",
    ],
    exclude: [],
  };
  writeIfChanged(join(root, configFile), JSON.stringify(config));
  const options = { cwd: root, maxBuffer: 16 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program, "-p", configFile, "--pretty", "false"], options, (error, stdout) => {
      // TypeScript ends with an exit code if it finds errors. Anything else is a failure to run it.
      if (error && typeof error.code !== "number") reject(new Error("TypeScript could not be run.", { cause: error }));
      else resolve(stdout);
    });
  });
}
