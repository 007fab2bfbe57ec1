// A project that uses the hooks for AI SDK UI and assistant-ui of the installed package, with the packages that these hooks extend.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { quickTypescript } from "../../scripts/lib/tools.mjs";
import { linkPackages } from "./linked-packages.ts";
import { root, run, type ProgramResult } from "./run.ts";

interface Manifest {
  devDependencies: Record<string, string>;
  overrides?: Record<string, string>;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as Manifest;

describe("a project with a chat of another package", () => {
  const { threadhold, cliTarball, clientTarball, projects } = inject("packed");
  const folder = mkdtempSync(path.join(tmpdir(), "threadhold-facades-"));
  const inProject = (...command: [string, ...string[]]): Promise<ProgramResult> => run(command, { cwd: folder });

  beforeAll(async () => {
    cpSync(fileURLToPath(new URL("fixtures/facades", import.meta.url)), folder, { recursive: true });
    const tarballs = [threadhold, cliTarball, clientTarball].map((file) => path.basename(file));
    for (const file of ["package-lock.json", ...tarballs])
      cpSync(path.join(projects.web, file), path.join(folder, file));
    linkPackages(projects.web, folder);
    const { devDependencies: versions, overrides = {} } = readManifest(root);
    // assistant-ui names versions of its own packages that need a newer Node, or that the registry may not have.
    const { "@assistant-ui/core": core, "nanoid@^6": nanoid } = overrides;
    const manifest = { ...readManifest(projects.web), overrides: { "@assistant-ui/core": core, "nanoid@^6": nanoid } };
    writeFileSync(path.join(folder, "package.json"), JSON.stringify(manifest));
    const names = ["ai", "@ai-sdk/react", "@assistant-ui/react", "@types/node"];
    const packages = names.map((name) => `${name}@${versions[name] ?? ""}`);
    const flags = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
    expect(await inProject("npm", "install", ...flags, ...packages)).toMatchObject({ code: 0 });
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

  it.each([
    ["bundler", "esnext"],
    ["nodenext", "nodenext"],
  ])(
    "The hooks for AI SDK UI and assistant-ui have complete types under the module resolution %s",
    async (resolution, module) => {
      const target = ["--target", "es2023", "--lib", "es2023,dom,dom.iterable", "--module", module];
      // The declarations of `ai` need the types of Node.
      const options = [
        "--ignoreConfig",
        "--moduleResolution",
        resolution,
        "--types",
        "node",
        "--strict",
        "--noEmit",
        ...quickTypescript,
      ];
      const checked = await inProject("tsc", ...target, ...options, "facades.ts");
      expect(checked).toMatchObject({ code: 0 });
    },
  );
});
