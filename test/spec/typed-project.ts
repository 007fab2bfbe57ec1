// A project that is type-checked by the real compiler. It is inside the package, so that `threadhold` is resolved to the package itself, as
// in a user's project.

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { onTestFinished } from "vitest";

const packageRoot = fileURLToPath(new URL("../..", import.meta.url));

/** The findings of tsc about the files, one line each. `options` are added to the compiler's options. */
export async function typeCheck(
  files: Record<string, string>,
  options: Record<string, unknown> = {},
): Promise<string[]> {
  mkdirSync(join(packageRoot, ".cache"), { recursive: true });
  const root = mkdtempSync(join(packageRoot, ".cache/types-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const tsconfig = {
    extends: "../../tsconfig.json",
    include: ["**/*", ".threadhold/*", "**/.threadhold/*"],
    exclude: [],
    compilerOptions: { noUnusedLocals: false, ...options },
  };
  for (const [path, text] of Object.entries({ ...files, "tsconfig.json": JSON.stringify(tsconfig) })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const output = await new Promise<string>((resolve) => {
    const tsc = join(packageRoot, "node_modules/typescript/bin/tsc");
    // Several checkers would each find the same types of the libraries, at twice the processor time.
    const options = ["--pretty", "false", "--checkers", "1"];
    // The compiler collects no garbage: it needs little memory for these programs.
    const env = { ...process.env, GOGC: "off" };
    execFile(process.execPath, [tsc, "-p", root, ...options], { cwd: root, env }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
  return output.split("\n").filter((line) => /^\S/.test(line));
}
