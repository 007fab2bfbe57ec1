// Programs that use the entry as a user of the package does: bundled by esbuild, run in a separate Node process.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** A bundled program. */
export interface Program {
  file: string;
  /** The files in the bundle, relative to the project's root. */
  inputs: string[];
  /** The imports that the bundle does not contain. */
  imports: string[];
  remove: () => void;
}

/** Bundles a program from its text. */
export async function bundled(text: string): Promise<Program> {
  const folder = mkdtempSync(path.join(tmpdir(), "threadhold-session-"));
  const file = path.join(folder, "program.mjs");
  const { metafile } = await build({
    stdin: { contents: text, resolveDir: root, loader: "ts" },
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    outfile: file,
    metafile: true,
    logLevel: "silent",
  });
  const [output] = Object.values(metafile.outputs);
  return {
    file,
    inputs: Object.keys(metafile.inputs),
    imports: (output?.imports ?? []).map((one) => one.path),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs a program with these variables and no others; returns its printed JSON. Throws if the program fails. */
export async function printed(file: string, env: Record<string, string> = {}): Promise<unknown> {
  const child = spawn(process.execPath, [file], { env, stdio: ["ignore", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const code = await new Promise((resolve, reject) => {
    child.on("close", resolve);
    child.on("error", reject);
  });
  if (code !== 0 || err !== "") throw new Error(`The program ended with ${String(code)} and said:\n${err}`);
  return JSON.parse(out);
}
