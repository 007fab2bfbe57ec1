// A project that is type-checked by the real compiler. It lies inside the package, so that `threadhold` is found as
// the package itself, the way a user's definitions find it.

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { onTestFinished } from "vitest";

const packageRoot = fileURLToPath(new URL("../..", import.meta.url));

/** What tsc says about the files: one line a finding, none when all is well. `options` are added to the compiler's. */
export async function typeCheck(
  files: Record<string, string>,
  options: Record<string, unknown> = {},
): Promise<string[]> {
  mkdirSync(join(packageRoot, ".cache"), { recursive: true });
  const root = mkdtempSync(join(packageRoot, ".cache/types-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const tsconfig = {
    extends: "../../tsconfig.json",
    include: ["**/*.ts", ".threadhold/*"],
    exclude: [],
    compilerOptions: { noUnusedLocals: false, ...options },
  };
  for (const [path, text] of Object.entries({ ...files, "tsconfig.json": JSON.stringify(tsconfig) })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const output = await new Promise<string>((resolve) => {
    const tsc = join(packageRoot, "node_modules/typescript/bin/tsc");
    execFile(process.execPath, [tsc, "-p", root, "--pretty", "false"], { cwd: root }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
  return output.split("\n").filter((line) => /^\S/.test(line));
}
