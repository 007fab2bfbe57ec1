// `threadhold upgrade` with a package of version 0.3.0, over projects that earlier versions compiled.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { recordPackageVersion } from "#compiler/package-version.ts";

import { runInProcess } from "../compiler/command.ts";
import { good, packageRoot, writeFiles, writeProject, type Files } from "../compiler/temporary-project.ts";
import { toml } from "./support/deploy-project.ts";

const changelog = `# Changelog

## [Unreleased]

Not yet.

## [0.3.0] - 2027-02-01

- Third.

## [0.2.0] - 2027-01-01

- Second.

## [0.1.0] - 2026-12-01

- First.
`;

const packageOf = (version: string): Files => ({
  "package.json": `{ "version": "${version}" }`,
  "CHANGELOG.md": changelog,
});

const upgrade = (root: string, argv: readonly string[] = [], installed = packageRoot) =>
  runInProcess(["upgrade", "--root", root, ...argv], { cwd: root, packageRoot: installed });

const projectIn = (files: Files): string => writeProject(files, join(packageRoot, ".cache/deploy"));

describe("the command upgrade", () => {
  it("The command upgrade shows the changes since the version that compiled the project, also after a build in between", async () => {
    const installed = writeProject(packageOf("0.1.0"));
    const root = projectIn({ "wrangler.toml": toml });
    recordPackageVersion(root, installed);
    writeFiles(installed, packageOf("0.3.0"));
    const first = await upgrade(root, [], installed);
    expect([first.code, first.output]).toEqual([0, expect.stringContaining("From version 0.1.0 to 0.3.0.")]);
    expect(first.output).toContain("## [0.3.0] - 2027-02-01\n\n- Third.\n\n## [0.2.0] - 2027-01-01\n\n- Second.\n");
    expect(first.output).not.toMatch(/First|Not yet/);
    expect(first.output).toContain("docs/upgrading.md");
    recordPackageVersion(root, installed);
    recordPackageVersion(root, installed);
    expect(await upgrade(root, [], installed)).toEqual(first);
    const { changes } = JSON.parse((await upgrade(root, ["--from", "0.2.0", "--json"], installed)).output) as {
      changes: { version: string }[];
    };
    expect(changes.map(({ version }) => version)).toEqual(["0.3.0"]);
  });

  it("The command upgrade ends with 1 and names the lines for a class that the configuration lacks", async () => {
    const installed = writeProject(packageOf("0.3.0"));
    const root = projectIn({ "wrangler.toml": toml.replace(', "ThreadFeed"]', "]") });
    const { code, output } = await upgrade(root, ["--from", "0.2.0"], installed);
    expect([code, output]).toEqual([1, expect.stringContaining('new_sqlite_classes = ["ThreadFeed"]')]);
  });

  it("The command upgrade refuses a previous version that is unknown, malformed or newer than the package, with the reason", async () => {
    const installed = writeProject(packageOf("0.3.0"));
    const root = projectIn({ "wrangler.toml": toml });
    expect(await upgrade(root, [], installed)).toMatchObject({
      code: 2,
      output: expect.stringContaining("--from") as string,
    });
    expect((await upgrade(root, ["--from", "latest"], installed)).output).toContain("latest is no version");
    expect((await upgrade(root, ["--from", "0.10.0"], installed)).output).toContain("is older than 0.10.0");
    // A suffix comes before the version.
    const { output } = await upgrade(root, ["--from", "0.3.0-beta.1"], installed);
    expect(output).toContain("- Third.");
  });

  it("A build records the version of the package", async () => {
    const root = projectIn({ ...good, "wrangler.toml": toml });
    const version = (JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string })
      .version;
    expect(await runInProcess(["build", "--root", root], { cwd: root })).toMatchObject({ code: 0 });
    const { code, output } = await upgrade(root);
    expect([code, output]).toEqual([
      0,
      expect.stringContaining(`Version ${version} is installed and compiled the project before.`),
    ]);
  });
});
