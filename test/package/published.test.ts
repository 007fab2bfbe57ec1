// The packed package as a registry would serve it: its files, its manifest, its types. Nothing is installed here.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { parseSync } from "oxc-parser";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { root, run } from "./run.ts";

const tools = (name: string): string => path.join(root, "node_modules/.bin", name);

/** The modules that a module names. */
function specifiersOf(file: string, text: string): string[] {
  const { module } = parseSync(file, text);
  const dynamic = module.dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start, end));
  return [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
    ...dynamic.flatMap((source) => /^"([^"]+)"$/.exec(source)?.[1] ?? []),
  ];
}

describe("the package", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "threadhold-published-"));
  const unpacked = path.join(folder, "package");
  const { threadhold: tarball, cliTarball, clientTarball, createTarball, createProgram } = inject("packed");
  let files: string[] = [];

  beforeAll(async () => {
    expect(await run(["tar", "xzf", tarball, "-C", folder], { cwd: folder })).toMatchObject({ code: 0 });
    files = readdirSync(unpacked, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(unpacked, path.join(entry.parentPath, entry.name)));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const read = (file: string): string => readFileSync(path.join(unpacked, file), "utf8");

  const expectNoFaults = async (packed: string): Promise<void> => {
    // For a folder, publint runs npm to list the packed files. A tarball has them already.
    expect(await run([tools("publint"), packed, "--strict"], { cwd: folder })).toMatchObject({ code: 0 });
    expect(await run([tools("attw"), packed, "--profile", "esm-only"], { cwd: folder })).toMatchObject({ code: 0 });
  };

  it("The package has no fault that publint or attw reports, for bundlers and for Node", () => expectNoFaults(tarball));

  it("The package @threadhold/client has no fault that publint or attw reports, for bundlers and for Node", () =>
    expectNoFaults(clientTarball));

  it("The package @threadhold/cli has no fault that publint or attw reports, for Node", () =>
    expectNoFaults(cliTarball));

  it("The package create-threadhold has no fault that publint reports, no dependency and no script", async () => {
    const created = path.dirname(path.dirname(createProgram));
    expect(await run([tools("publint"), createTarball, "--strict"], { cwd: folder })).toMatchObject({ code: 0 });
    const manifest = JSON.parse(readFileSync(path.join(created, "package.json"), "utf8")) as Record<string, unknown>;
    for (const field of ["dependencies", "scripts", "private"]) expect(Object.keys(manifest)).not.toContain(field);
    expect(readFileSync(path.join(created, "THIRD-PARTY-LICENSES.txt"), "utf8")).toMatch(/^@clack\/prompts 1\./m);
  });

  it("The package contains the licences of the shell and of its packages, and has no dependency on them", () => {
    const licenses = read("THIRD-PARTY-LICENSES.txt");
    for (const name of ["just-bash", "minimatch", "yaml"]) expect(licenses).toMatch(new RegExp(`^${name} \\d`, "m"));
    expect(read("dist/tools/bash.js")).not.toMatch(/from "just-bash/);
    expect(read("package.json")).not.toContain("just-bash");
  });

  it("No module or declaration imports a path of the repository or a name that starts with #", () => {
    const specifiers = files
      .filter((file) => /\.(?:js|d\.ts)$/.test(file) && !file.startsWith("dist/ui/"))
      .flatMap((file) => specifiersOf(file, read(file)));
    expect(specifiers.length).toBeGreaterThan(100);
    expect(specifiers.filter((name) => name.startsWith("#") || name.startsWith("/") || name.endsWith(".ts"))).toEqual(
      [],
    );
    expect(specifiers.filter((name) => name.endsWith(".sql"))).toEqual([]);
  });

  it("The package has the built entries, the playground, the migrations and the documents, and no source or test", () => {
    const folders = new Set(files.map((file) => file.split("/").slice(0, 2).join("/")));
    for (const expected of [
      "dist/worker.js",
      "dist/cli",
      "dist/ui",
      "migrations/catalog",
      "docs/guide",
      "docs/reference",
      "llms.txt",
    ])
      expect(folders).toContain(expected);
    expect(files.filter((file) => /(?:^|\/)(?:src|test|node_modules|scripts)\//.test(file))).toEqual([]);
    // `dist/agents` has the built entries of `threadhold/agents`; `agents` would be the definitions of this repository.
    expect(files.filter((file) => /(?:^|\/)agents\//.test(file) && !file.startsWith("dist/agents/"))).toEqual([]);
    expect(files.filter((file) => /(?<!\.d)\.ts$/.test(file))).toEqual([]);
  });

  it("No file of the packages names the folder in which they were built", () => {
    const created = path.dirname(path.dirname(createProgram));
    const ofCreated = readdirSync(created, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const all = [
      ...files.map((file) => path.join(unpacked, file)),
      ...ofCreated.map(({ parentPath, name }) => path.join(parentPath, name)),
    ];
    expect(all.filter((file) => readFileSync(file, "latin1").includes(root))).toEqual([]);
  });

  it("The playground carries the licences of its packages and fonts, and no file of another build", () => {
    const licenses = read("dist/ui/THIRD-PARTY-LICENSES.txt");
    for (const name of [
      "react",
      "react-dom",
      "katex",
      "@fontsource-variable/ibm-plex-sans",
      "@fontsource/ibm-plex-mono",
    ])
      expect(licenses).toMatch(new RegExp(`^${name} \\d+\\.`, "m"));
    expect(licenses).toContain("SIL OPEN FONT LICENSE");
    const pages = files.filter((file) => /^dist\/ui\/assets\/index-[^/]+\.js$/.test(file));
    expect(pages).toHaveLength(1);
  });

  it("The package's manifest has no script, so that an installation runs nothing", () => {
    const manifest = JSON.parse(read("package.json")) as Record<string, unknown>;
    expect(Object.keys(manifest)).not.toContain("scripts");
    expect(manifest).toMatchObject({ sideEffects: false, type: "module" });
  });

  it("A program that uses the client alone needs no wrangler, which is an optional peer", () => {
    const { peerDependencies, peerDependenciesMeta } = JSON.parse(read("package.json")) as {
      peerDependencies: Record<string, string>;
      peerDependenciesMeta: Record<string, unknown>;
    };
    const required = Object.keys(peerDependencies).filter((name) => !(name in peerDependenciesMeta));
    expect([peerDependencies["wrangler"], required]).toEqual(["^4.86.0", ["zod"]]);
  });

  it("Every relative link of a document leads to a file of the package", () => {
    const links = files
      .filter((file) => file.endsWith(".md") || file === "llms.txt")
      .flatMap((file) =>
        [...read(file).matchAll(/\]\(([^()\s#]+)(?:#[^()\s]*)?\)/g)].flatMap(([, target = ""]) =>
          /^[a-z]+:/.test(target) ? [] : [path.posix.join(path.posix.dirname(file), target)],
        ),
      );
    expect(links.length).toBeGreaterThan(100);
    expect(links.filter((link) => !files.includes(link))).toEqual([]);
  });
});
