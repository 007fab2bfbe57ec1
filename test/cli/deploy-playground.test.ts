// A deploy with the real wrangler uploads the copy of the playground, whatever git ignores, and the copy is in no `git status`.

import { execFileSync } from "node:child_process";
import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { copyPlayground } from "#cli/playground/copy-playground.ts";

import { runInProcess } from "../compiler/command.ts";
import { packageRoot as sources, writeProject, type Files } from "../compiler/temporary-project.ts";
import { startCloudflareApi, type CloudflareApi } from "./support/cloudflare-api.ts";
import { shop, writeShop } from "./support/deploy-project.ts";

/** The package with a small playground in place of the built one, which a checkout may lack. */
function packageWithPlayground(): string {
  const root = writeProject({
    "dist/ui/index.html": '<!doctype html><meta name="threadhold" data-pages="" data-api="" />',
    "dist/ui/assets/app-1.js": "export {};",
    "dist/ui/assets/icon.svg": "<svg/>",
  });
  for (const name of readdirSync(sources)) if (name !== "dist") symlinkSync(join(sources, name), join(root, name));
  return root;
}

const pages = ["/_threadhold/assets/app-1.js", "/_threadhold/assets/icon.svg", "/_threadhold/page.txt"];

describe("a deploy of a project with a page of its own", () => {
  let api: CloudflareApi;
  beforeAll(async () => {
    api = await startCloudflareApi();
  });
  beforeEach(() => api.reset());
  afterAll(() => api.stop());

  /** The paths of the assets that a deploy of a project with these files uploads. */
  async function deployed(
    files: Files,
    prepare: (root: string, packageRoot: string) => void = () => undefined,
  ): Promise<string[]> {
    const { root, run } = writeShop({ ...shop, ...files }, api.env);
    const packageRoot = packageWithPlayground();
    prepare(root, packageRoot);
    expect(await runInProcess(["build", "--root", root], { packageRoot })).toMatchObject({ code: 0 });
    const { code, output } = await run(["deploy", "--yes"]);
    expect([code, output]).toEqual([0, expect.stringContaining("worker: deployed shop")]);
    return api.assetPaths.get("shop") ?? [];
  }

  const git = (root: string, ...words: string[]): string =>
    execFileSync("git", ["-C", root, ...words], { encoding: "utf8" });

  it.each([
    ["ignores the folder itself", "node_modules\n.threadhold\npublic/_threadhold/\n"],
    ["has no line for the folder", "node_modules\n"],
  ])(
    "PLAY4 A deploy uploads the copied files, and git status lists none of them, if the .gitignore of the project %s",
    async (_, ignored) => {
      let status = "";
      const paths = await deployed({ ".gitignore": ignored }, (root, packageRoot) => {
        git(root, "init", "--quiet");
        copyPlayground({ root, packageRoot });
        status = git(root, "status", "--porcelain", "--untracked-files=all", "public");
      });
      expect(paths).toEqual(expect.arrayContaining([...pages, "/logo.txt"]));
      expect(status).toBe("?? public/logo.txt\n");
    },
  );

  it("PLAY4 An .assetsignore of the project decides what of the copy is uploaded", async () => {
    const paths = await deployed({ "public/.assetsignore": ".gitignore\n*.map\n" });
    expect(paths).toEqual(expect.arrayContaining(pages));
    expect(paths.filter((path) => path.endsWith(".gitignore"))).toEqual([]);
    expect(await deployed({ "public/.assetsignore": "_threadhold\n" })).toEqual(["/logo.txt"]);
  });

  it("PLAY4 A build step that empties the folder of the assets and then copies the pages leaves them in the upload", async () => {
    const command =
      'command = "rm -rf public && mkdir public && cp -R page/. public && cp -R copied public/_threadhold && true threadhold build --auto"';
    const paths = await deployed(
      {
        "wrangler.toml": (shop["wrangler.toml"] ?? "").replace(/command = .*/, command),
        "page/index.html": "<h1>My shop</h1>",
      },
      (root, packageRoot) => {
        // The build step of wrangler copies what the command build wrote in another folder.
        const other = writeProject({ "wrangler.toml": '[assets]\ndirectory = "public"\n', "public/index.html": "" });
        copyPlayground({ root: other, packageRoot });
        execFileSync("cp", ["-R", join(other, "public/_threadhold"), join(root, "copied")]);
        writeFileSync(join(root, "public/old.txt"), "old");
      },
    );
    expect(paths).toEqual(expect.arrayContaining([...pages, "/index.html"]));
    expect(paths).not.toContain("/old.txt");
  });
});
