// Packs the packages once for all tests, and creates two projects with them outside of the repository: one with the packages of the
// templates without a page, and one with those of the template `web`. Projects of the same template kind get a copy of their packages.

import { cpSync, mkdirSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import type { TestProject } from "vitest/node";

import { root, run } from "./run.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The tarballs and what was made of them. */
    packed: Packed;
  }
}

interface Packed {
  /** The folder of the tarballs. */
  tarballs: string;
  /** The tarball of `threadhold`. */
  threadhold: string;
  /** The tarball of `@threadhold/cli`. */
  cliTarball: string;
  /** The tarball of `@threadhold/client`. */
  clientTarball: string;
  /** The tarball of `create-threadhold`. */
  createTarball: string;
  /** The program of `create-threadhold`, unpacked from its tarball. */
  createProgram: string;
  /** The created and installed projects. */
  projects: Readonly<Record<"assistant" | "web", string>>;
}

/** Whether npm installs the newest versions in the published ranges, in place of the lowest ones, which are those of this repository. */
const newest = process.env["PACKAGE_VERSIONS"] === "newest";

/** How npm installs the packages of the projects. */
const installation = {
  npm_config_prefer_offline: "true",
  npm_config_audit: "false",
  npm_config_fund: "false",
};

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The path has a space, which every command has to accept.
  const folder = path.join(mkdtempSync(path.join(tmpdir(), "threadhold-packed-")), "with a space");
  mkdirSync(folder);
  // A synchronous removal takes longer than vitest waits for its processes to end, and blocks the process that waits for them.
  const remove = (): Promise<void> => rm(path.dirname(folder), { recursive: true, force: true, maxRetries: 3 });
  const must = async (...[command, options]: Parameters<typeof run>): Promise<string> => {
    const { code, output } = await run(command, options);
    if (code === 0) return output;
    await remove();
    throw new Error(`${command.join(" ")} failed with code ${String(code)}:\n${output}`);
  };
  const pack = [process.execPath, path.join(root, "scripts/pack.mjs"), ...(newest ? [] : ["--exact"])] as const;
  const packed = await must([...pack], { cwd: root });
  const tarballs = path.join(folder, "packages");
  mkdirSync(tarballs);
  const [threadhold = "", createTarball = "", cliTarball = "", clientTarball = ""] = [
    ...packed.matchAll(/artifacts\/packages\/(\S+\.tgz)/g),
  ].map(([tarball, name = ""]) => {
    cpSync(path.join(root, tarball), path.join(tarballs, name));
    return path.join(tarballs, name);
  });
  await must(["tar", "xzf", createTarball], { cwd: folder });
  const createProgram = path.join(folder, "package/dist/create-threadhold.js");
  const create = async (template: "assistant" | "web", { scripts }: { scripts: boolean }): Promise<void> => {
    const args = [createProgram, `${template}-app`, "--template", template, "--yes", "--threadhold", tarballs] as const;
    await must([process.execPath, ...args], {
      cwd: folder,
      env: { ...installation, npm_config_ignore_scripts: String(!scripts) },
    });
  };
  // The build scripts of dependencies run in one project, and are blocked in the other one.
  await Promise.all([create("assistant", { scripts: false }), create("web", { scripts: true })]);
  const projects = { assistant: path.join(folder, "assistant-app"), web: path.join(folder, "web-app") };
  project.provide("packed", {
    tarballs,
    threadhold,
    createTarball,
    cliTarball,
    clientTarball,
    createProgram,
    projects,
  });
  return remove;
}
