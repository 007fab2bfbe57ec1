// The copy of the playground in the static assets of a project: what is written, kept and removed, over the builds of versions.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { copyPlayground } from "#cli/playground/copy-playground.ts";

import { runInProcess } from "../compiler/command.ts";
import { good, packageRoot as sources, writeFiles, writeProject, type Files } from "../compiler/temporary-project.ts";

const document = '<!doctype html><meta name="threadhold" data-pages="" data-api="" />';

/** A version of the package with a built playground, whose files have the name of the version. */
function packageOf(version: string): string {
  return writeProject({
    "dist/ui/index.html": `${document}<script src="./assets/${version}.js"></script>`,
    [`dist/ui/assets/${version}.js`]: `// ${version}`,
    "dist/ui/assets/icon.svg": "<svg/>",
    "dist/ui/THIRD-PARTY-LICENSES.txt": "MIT",
    "dist/ui/_headers": "/assets/*\n  X: y\n",
    "dist/ui/manifest.json": "{}",
  });
}

const site: Files = { "wrangler.toml": '[assets]\ndirectory = "public"\n', "public/index.html": "<h1>My shop</h1>" };

/** All files below a folder with their texts. */
function textsIn(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]));
}

const copied = (version: string) =>
  [
    ".gitignore",
    "THIRD-PARTY-LICENSES.txt",
    `assets/${version}.js`,
    "assets/icon.svg",
    "files.json",
    "page.txt",
  ].toSorted();

describe("the copy of the playground", () => {
  it("PLAY4 The copy has the document as plain text, the files that it loads, and a .gitignore that ignores the whole folder", () => {
    const root = writeProject(site);
    const packageRoot = packageOf("one");
    expect(copyPlayground({ root, packageRoot })).toEqual(["public/_threadhold"]);
    const files = textsIn(join(root, "public/_threadhold"));
    expect(Object.keys(files).toSorted()).toEqual(copied("one"));
    expect(files["page.txt"]).toContain('src="./assets/one.js"');
    expect(files[".gitignore"]).toMatch(/^\*$/m);
    expect(readFileSync(join(root, "public/index.html"), "utf8")).toBe("<h1>My shop</h1>");
    const written = statSync(join(root, "public/_threadhold/page.txt")).mtimeMs;
    expect(copyPlayground({ root, packageRoot })).toEqual([]);
    expect(statSync(join(root, "public/_threadhold/page.txt")).mtimeMs).toBe(written);
  });

  it("PLAY4 The copy of another version replaces the files of the first one, and keeps every file that it did not write", () => {
    const root = writeProject(site);
    copyPlayground({ root, packageRoot: packageOf("one") });
    writeFiles(root, { "public/_threadhold/mine.txt": "mine", "public/_threadhold/assets/mine.js": "mine" });
    expect(copyPlayground({ root, packageRoot: packageOf("two") })).toEqual(["public/_threadhold"]);
    const files = textsIn(join(root, "public/_threadhold"));
    expect(Object.keys(files).toSorted()).toEqual([...copied("two"), "assets/mine.js", "mine.txt"].toSorted());
    expect(files["page.txt"]).toContain("two.js");
  });

  it("PLAY4 Files that a build of the project's page deleted, and files that were changed, are restored", () => {
    const root = writeProject(site);
    const packageRoot = packageOf("one");
    const folder = join(root, "public/_threadhold");
    copyPlayground({ root, packageRoot });
    const whole = textsIn(folder);
    for (const change of [
      () => rmSync(folder, { recursive: true }),
      () => rmSync(join(folder, "assets/one.js")),
      () => rmSync(join(folder, "files.json")),
      () => writeFileSync(join(folder, "assets/one.js"), "// two"),
      () => writeFileSync(join(folder, "page.txt"), "x"),
      () => writeFileSync(join(folder, "files.json"), JSON.stringify(Object.keys(whole).slice(0, 2))),
    ]) {
      change();
      expect(copyPlayground({ root, packageRoot })).toEqual(["public/_threadhold"]);
      expect(textsIn(folder)).toEqual(whole);
    }
  });

  it("PLAY4 A file of the project at the place of a copied file, and a link in place of the folder, are refused and stay as they are", () => {
    const packageRoot = packageOf("one");
    for (const [file, text] of [
      ["public/_threadhold/page.txt", "my page"],
      ["public/_threadhold/assets/one.js", "my()"],
      ["public/_threadhold/assets/icon.svg/nested", "a folder"],
      ["public/_threadhold", "a file"],
      ["public/_threadhold/assets", "a file"],
    ] as const) {
      const root = writeProject({ ...site, [file]: text });
      const before = textsIn(root);
      expect(() => copyPlayground({ root, packageRoot }), file).toThrow(
        /is not a file of the playground.*PLAYGROUND = "false"/,
      );
      expect(textsIn(root)).toEqual(before);
    }
    const root = writeProject({ ...site, "elsewhere/page.txt": "mine" });
    symlinkSync(join(root, "elsewhere"), join(root, "public/_threadhold"));
    expect(() => copyPlayground({ root, packageRoot })).toThrow(/is not a file of the playground/);
    expect(textsIn(join(root, "elsewhere"))).toEqual({ "page.txt": "mine" });
  });

  it("PLAY4 A record that names files outside of its folder deletes none of them", () => {
    const root = writeProject({ ...site, "public/secret.txt": "mine" });
    copyPlayground({ root, packageRoot: packageOf("one") });
    const names = ["../secret.txt", "..", ".", "assets/../../secret.txt", "/etc/passwd", "assets/..", 7, null];
    writeFiles(root, { "public/_threadhold/files.json": JSON.stringify([...names, ...copied("one")]) });
    copyPlayground({ root, packageRoot: packageOf("two") });
    expect(readFileSync(join(root, "public/secret.txt"), "utf8")).toBe("mine");
    expect(Object.keys(textsIn(join(root, "public/_threadhold"))).toSorted()).toEqual(copied("two"));
  });

  it('PLAY4 A project with PLAYGROUND = "false" gets no copy, an earlier copy is removed, and files of the project stay', () => {
    const packageRoot = packageOf("one");
    const off = `${site["wrangler.toml"] ?? ""}[vars]\nPLAYGROUND = "false"\n`;
    const root = writeProject(site);
    copyPlayground({ root, packageRoot });
    writeFiles(root, { "wrangler.toml": off });
    expect(copyPlayground({ root, packageRoot })).toEqual(["public/_threadhold"]);
    expect(existsSync(join(root, "public/_threadhold"))).toBe(false);
    expect(copyPlayground({ root, packageRoot })).toEqual([]);
    writeFiles(root, { "wrangler.toml": site["wrangler.toml"] ?? "" });
    copyPlayground({ root, packageRoot });
    writeFiles(root, { "wrangler.toml": off, "public/_threadhold/mine.txt": "mine" });
    copyPlayground({ root, packageRoot });
    expect(textsIn(join(root, "public/_threadhold"))).toEqual({ "mine.txt": "mine" });
  });

  it("PLAY4 Each environment's own folder gets a copy, and assets that are the playground, missing folders and projects without assets get none", () => {
    const packageRoot = packageOf("one");
    const toml = `${site["wrangler.toml"] ?? ""}[env.a.assets]\ndirectory = "./a/"\n[env.b.assets]\ndirectory = "none"\n[env.c.vars]\nPLAYGROUND = "false"\n`;
    const root = writeProject({ ...site, "wrangler.toml": toml, "a/index.html": "" });
    expect(copyPlayground({ root, packageRoot })).toEqual(["public/_threadhold", "a/_threadhold"]);
    expect(existsSync(join(root, "none"))).toBe(false);
    for (const files of [
      { "wrangler.toml": `[assets]\ndirectory = ${JSON.stringify(join(packageRoot, "dist/ui"))}\n` },
      { "wrangler.toml": '[assets]\ndirectory = "public"\n', "public/index.html": document },
      { "wrangler.toml": 'main = "src/index.ts"\n' },
      { "wrangler.toml": "[assets\n" },
      {},
    ] satisfies Files[]) {
      const other = writeProject(files);
      expect(copyPlayground({ root: other, packageRoot })).toEqual([]);
    }
    const linked = writeProject({ "wrangler.toml": '[assets]\ndirectory = "ui"\n' });
    symlinkSync(join(packageRoot, "dist/ui"), join(linked, "ui"));
    expect(copyPlayground({ root: linked, packageRoot })).toEqual([]);
  });

  it("PLAY4 Without a built playground in the package nothing is copied and nothing is removed", () => {
    const root = writeProject(site);
    copyPlayground({ root, packageRoot: packageOf("one") });
    const before = textsIn(root);
    expect(copyPlayground({ root, packageRoot: writeProject({}) })).toEqual([]);
    expect(textsIn(root)).toEqual(before);
  });

  it("PLAY4 The command build copies the playground also if the definitions have not changed, and a strict build ends with the error about a foreign file", async () => {
    const packageRoot = packageOf("one");
    for (const name of readdirSync(sources)) {
      if (name !== "dist") symlinkSync(join(sources, name), join(packageRoot, name));
    }
    const root = writeProject({ ...good, ...site, "public/_threadhold/page.txt": "my page" });
    const build = (...more: string[]) => runInProcess(["build", "--root", root, ...more], { packageRoot });
    expect(await build()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is not a file of the playground") as string,
    });
    expect(await build("--dev")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("is not a file of the playground") as string,
    });
    rmSync(join(root, "public/_threadhold/page.txt"));
    expect(await build()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("The playground in public/_threadhold is up to date.") as string,
    });
    rmSync(join(root, "public/_threadhold"), { recursive: true });
    mkdirSync(join(root, "public"), { recursive: true });
    expect(await build()).toMatchObject({ code: 0 });
    expect(existsSync(join(root, "public/_threadhold/page.txt"))).toBe(true);
  });
});
