// The paths that `threadhold init` makes wrangler watch, in projects whose sources lie in different places.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { parseConfigFile } from "#cli/config/config-file.ts";

import { writeProject, type Files } from "../compiler/temporary-project.ts";
import { init } from "./support/run-init.ts";
import { inRepository } from "./wrangler-project.ts";

const textOf = (root: string, file: string): string => readFileSync(join(root, file), "utf8");

describe("the command init and watched folders", () => {
  const code = (name: string, ...imports: string[]): string =>
    `${imports.map((from) => `import ${JSON.stringify(from)};`).join("\n")}\nexport const name = "${name}";\n`;
  const watchCases: [string, Files, readonly string[]][] = [
    [
      "a main module in src that imports from two other folders, one of which a path of tsconfig.json names",
      {
        "wrangler.toml": 'name = "shop"\nmain = "src/worker/index.ts"\n',
        "tsconfig.json": `{ "compilerOptions": { "noEmit": true, "paths": { "@/*": ["./shared/*"] } }, "include": ["src"] }\n`,
        "src/worker/index.ts": code("index", "../../lib/a.js", "@/deep/b", "./missing.ts", "not-installed", "node:fs"),
        "lib/a.ts": code("a"),
        "shared/deep/b.ts": code("b", "../style.sql"),
        "shared/style.sql": "SELECT 1;\n",
      },
      ["lib", "shared", "src/worker"],
    ],
    [
      "a main module in the project's folder",
      {
        "wrangler.toml": 'name = "shop"\nmain = "./index.ts"\n',
        "index.ts": code(
          "index",
          "./routes.ts",
          "./views/page.tsx",
          "./.threadhold/registry.ts",
          "./node_modules/x/x.js",
        ),
        "routes.ts": code("routes", "./package.json"),
        "package.json": "{}",
        "views/page.tsx": "export const page = <p>Hello</p>;\n",
        ".threadhold/registry.ts": code("registry"),
        "node_modules/x/x.js": code("x"),
      },
      ["index.ts", "package.json", "routes.ts", "views"],
    ],
    [
      "an import of a folder that contains installed packages",
      {
        "wrangler.toml": 'name = "shop"\nmain = "src/index.ts"\n',
        "src/index.ts": code("index", "../site/a.ts"),
        "site/a.ts": code("a"),
        "site/node_modules/x/x.js": code("x"),
      },
      ["site/a.ts", "src"],
    ],
    [
      "definitions that import from outside of their folder",
      {
        "wrangler.toml": 'name = "shop"\n',
        "agents/tools/find.ts": code("find", "../../lib/find.ts"),
        "lib/find.ts": code("find"),
      },
      ["lib"],
    ],
    [
      "a main module with a syntax error",
      { "wrangler.toml": 'name = "shop"\nmain = "server/index.ts"\n', "server/index.ts": "export default {" },
      ["server"],
    ],
    [
      "an environment with another main module, which inherits the build",
      {
        "wrangler.toml": 'name = "shop"\nmain = "src/index.ts"\n[env.staging]\nmain = "test/index.ts"\n',
        "src/index.ts": code("index"),
        "test/index.ts": code("test"),
      },
      ["src", "test"],
    ],
    [
      "static files alone, for which it writes a main module",
      { "wrangler.toml": '[assets]\ndirectory = "public"\n' },
      ["src"],
    ],
  ];
  it.each(watchCases)(
    "The command init makes wrangler watch the Worker's own sources: %s",
    async (_, files, wanted) => {
      const root = writeProject(files, inRepository);
      expect(await init(root, ["--yes"])).toMatchObject({ code: 0 });
      const build = parseConfigFile("wrangler.toml", textOf(root, "wrangler.toml")).value["build"];
      expect(build).toEqual({
        command: "npx threadhold build --auto",
        watch_dir: [...wanted, "agents", ".cache/types/findings.json"],
      });
      expect(await init(root, ["--yes"])).toMatchObject({
        output: expect.stringContaining("Nothing is left") as string,
      });
    },
  );

  it("The command init adds the sources of an environment with a build of its own to that build", async () => {
    const toml =
      'name = "shop"\nmain = "src/index.ts"\n[env.staging]\nmain = "test/index.ts"\nbuild = { command = "npx threadhold build --auto" }\n';
    const root = writeProject(
      { "wrangler.toml": toml, "src/index.ts": code("a"), "test/index.ts": code("b") },
      inRepository,
    );
    expect(await init(root, ["--yes"])).toMatchObject({ code: 0 });
    const config = parseConfigFile("wrangler.toml", textOf(root, "wrangler.toml")).value;
    const watched = ["agents", ".cache/types/findings.json"];
    expect(config).toMatchObject({
      build: { watch_dir: ["src", ...watched] },
      env: { staging: { build: { watch_dir: ["src", "test", ...watched] } } },
    });
  });

  it.each([
    ["npm run css", 'watch_dir = ["styles"]', "worker/index.ts", "does not contain worker, so"],
    ["npm run css && npx threadhold build --auto", "", "worker/index.ts", "does not contain worker, so"],
    ["npm run bundle", 'watch_dir = ["worker"]', "dist/index.js", null],
  ])(
    "The command init keeps the watched folders of the build command %s, which may write into the sources, and names those that are missing",
    async (command, watched, main, note) => {
      const toml = `name = "shop"\nmain = "${main}"\n[build]\ncommand = "${command}"\n${watched}\n`;
      const root = writeProject({ "wrangler.toml": toml, [main]: code("main") }, inRepository);
      const { code: ended, output } = await init(root, ["--yes"]);
      expect([ended, output]).toEqual([
        0,
        note === null ? expect.not.stringContaining("does not contain") : expect.stringContaining(note),
      ]);
      const config = parseConfigFile("wrangler.toml", textOf(root, "wrangler.toml")).value;
      const kept = (/\[(.*)\]/.exec(watched)?.[1] ?? '"src"').replaceAll('"', "");
      expect(config["build"]).toMatchObject({ watch_dir: [kept, "agents", ".cache/types/findings.json"] });
    },
  );
});
