// The packed package as a registry would serve it: its files, its manifest, its types. Nothing is installed here.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { parseSync } from "oxc-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { run } from "./run.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
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
  let tarball = "";
  let files: string[] = [];

  beforeAll(async () => {
    const packed = await run([process.execPath, path.join(root, "scripts/pack.mjs")], { cwd: root });
    expect(packed).toMatchObject({ code: 0 });
    tarball = path.join(root, /artifacts\/packages\/threadhold-\S+\.tgz/.exec(packed.output)?.[0] ?? "");
    expect(await run(["tar", "xzf", tarball, "-C", folder], { cwd: folder })).toMatchObject({ code: 0 });
    files = readdirSync(unpacked, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(unpacked, path.join(entry.parentPath, entry.name)));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const read = (file: string): string => readFileSync(path.join(unpacked, file), "utf8");

  it("The manifest and the files have no fault that publint or attw knows, for bundlers and for Node", async () => {
    expect(await run([tools("publint"), unpacked, "--strict"], { cwd: folder })).toMatchObject({ code: 0 });
    expect(await run([tools("attw"), tarball, "--profile", "esm-only"], { cwd: folder })).toMatchObject({ code: 0 });
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
    expect(files.filter((file) => /(?:^|\/)(?:src|test|agents|node_modules|scripts)\//.test(file))).toEqual([]);
    expect(files.filter((file) => /(?<!\.d)\.ts$/.test(file))).toEqual([]);
  });

  it("The manifest has no script, so that an installation runs nothing", () => {
    const manifest = JSON.parse(read("package.json")) as Record<string, unknown>;
    expect(Object.keys(manifest)).not.toContain("scripts");
    expect(manifest).toMatchObject({ sideEffects: false, type: "module" });
  });

  it("The list for coding agents links only to files of the package", () => {
    const links = [...read("llms.txt").matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target ?? "");
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter((link) => !files.includes(link))).toEqual([]);
  });
});
