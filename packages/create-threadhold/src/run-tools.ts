// Runs the package manager and Git in a new project.

import { spawn, spawnSync } from "node:child_process";

export type PackageManager = "npm" | "pnpm";

/** The package manager that started this program, according to the variable `npm_config_user_agent`; npm for any other value. */
export function currentPackageManager(env: NodeJS.ProcessEnv): PackageManager {
  return env["npm_config_user_agent"]?.startsWith("pnpm/") === true ? "pnpm" : "npm";
}

/** Installs the packages of a project. Returns whether that succeeded. `print` gets what the package manager prints. */
export async function installPackages(
  packageManager: PackageManager,
  { folder, env, print }: { folder: string; env: NodeJS.ProcessEnv; print: (chunk: Buffer) => void },
): Promise<boolean> {
  // The programs are `.cmd` files on Windows, which only a shell runs.
  const child = spawn(packageManager, ["install"], {
    cwd: folder,
    env,
    shell: process.platform === "win32",
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.on("data", print);
  child.stderr.on("data", print);
  return new Promise((resolve) => {
    child.on("error", () => resolve(false));
    child.on("close", (code) => resolve(code === 0));
  });
}

/** Creates a Git repository. Returns false if the folder is part of one, or Git is not installed. */
export function createRepository(folder: string, env: NodeJS.ProcessEnv): boolean {
  const git = (...args: string[]): boolean =>
    spawnSync("git", args, { cwd: folder, env, stdio: "ignore" }).status === 0;
  return !git("rev-parse", "--is-inside-work-tree") && git("init", "--initial-branch=main");
}
