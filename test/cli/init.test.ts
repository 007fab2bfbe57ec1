// `threadhold init` over configurations that are generated, and over projects with one fault each. The installed wrangler reads them.

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { editConfigFile, parseConfigFile } from "#cli/config/config-file.ts";
import { findWrangler, type WranglerConfig } from "#cli/doctor/wrangler-package.ts";
import { planWrangler, type PlanSettings } from "#cli/init/wrangler-plan.ts";

import { packageRoot, writeProject, type Files } from "../compiler/temporary-project.ts";
import { jsonText, tomlText } from "./support/config-texts.ts";
import { init } from "./support/run-init.ts";
import { inRepository } from "./wrangler-project.ts";

const own: Files = {
  "wrangler.toml": `name = "shop" # my shop
main = "src/index.ts"
compatibility_date = "2024-06-01"

[build]
command = "npm run css" # styles

[[migrations]]
tag = "v1"
new_sqlite_classes = ["Cart"]

[env.staging] # the test shop
vars = { A = "b" }
`,
  "src/index.ts": "export default {};\n",
  "package.json": `{\n    "name": "shop",\n    "scripts": { "dev": "wrangler dev" }\n}\n`,
  "tsconfig.json": `{\n  "compilerOptions": { "noEmit": true }, // no files\n  "include": ["src"] // sources\n}\n`,
  ".gitignore": "node_modules\n.wrangler\n",
};

/** The text of every file, and when it was last written. */
function snapshot(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(root.length + 1), `${String(statSync(path).mtimeMs)} ${readFileSync(path, "utf8")}`]),
  );
}

const textOf = (root: string, file: string): string => readFileSync(join(root, file), "utf8");

describe("the command init", () => {
  it.each([
    ["wrangler.toml", tomlText],
    ["wrangler.jsonc", jsonText],
  ] as const)(
    "The command init adds to each environment of a generated %s the settings that threads need, and a second init adds nothing",
    (name, texts) => {
      mkdirSync(inRepository, { recursive: true });
      const wrangler = findWrangler(packageRoot);
      if (!("program" in wrangler)) throw new Error(wrangler.detail);
      const file = join(writeProject({}, inRepository), name);
      const settings: PlanSettings = {
        newestDate: "2026-04-01",
        usesAi: true,
        migrationsDir: "node_modules/threadhold/migrations/catalog",
        playgroundDir: "node_modules/threadhold/dist/ui",
        siteMain: "src/worker.ts",
        sources: (mains) => mains.map((main) => posix.dirname(main)).filter((folder) => !folder.startsWith(".")),
        prefix: "/agents",
      };
      const read = (text: string, environment?: string): WranglerConfig => {
        writeFileSync(file, text);
        return wrangler.readConfig(file, environment);
      };
      let changed = 0;
      const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
      fc.assert(
        fc.property(texts, (text) => {
          const before = parseConfigFile(file, text);
          try {
            read(text);
          } catch {
            // The command ends before it plans anything.
            return;
          }
          const after = editConfigFile(before, planWrangler(before, settings).edits);
          changed += 1;
          expect(planWrangler(parseConfigFile(file, after.text), settings).edits).toEqual([]);
          expect(after.text.match(/comment \d+/g)).toEqual(text.match(/comment \d+/g));
          for (const environment of [undefined, ...Object.keys(before.value["env"] ?? {})]) {
            const config = read(after.text, environment);
            expect(config.durable_objects.bindings).toEqual(
              expect.arrayContaining([
                { name: "THREADS", class_name: "ThreadObject" },
                { name: "FEEDS", class_name: "ThreadFeed" },
              ]),
            );
            expect(config.migrations.at(-1)).toMatchObject({ new_sqlite_classes: ["ThreadObject", "ThreadFeed"] });
            expect(config.d1_databases.at(-1)).toMatchObject({
              binding: "CATALOG",
              migrations_dir: settings.migrationsDir,
            });
            expect(config.ai).toMatchObject({ binding: "AI" });
            expect(config.compatibility_flags).toContain("nodejs_compat");
            expect(config.build.command).toMatch(/^(?:make && )?npx threadhold build --auto$/);
          }
        }),
        { seed, numRuns: 60 },
      );
      expect(changed, `seed ${String(seed)}`).toBeGreaterThan(15);
    },
  );

  it("The command init shows the difference, writes after the user confirms, adds its build to the build command, keeps comments, and changes no byte when it is repeated", async () => {
    const root = writeProject(own, inRepository);
    const first = snapshot(root);
    const refused = await init(root, [], () => "");
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("Nothing was written.") as string });
    expect(snapshot(root)).toEqual(first);
    const questions: string[] = [];
    const { code, output } = await init(root, [], (question) => (questions.push(question), "y"));
    expect([code, questions]).toEqual([0, ["Make these changes? [y/N] "]]);
    expect(output).toContain(
      '-command = "npm run css" # styles\n+command = "npm run css && npx threadhold build --auto" # styles',
    );
    expect(output).toContain("--- /dev/null\n+++ agents/agents/assistant.ts");
    expect(output).toContain("note: Add these lines to src/index.ts");
    expect(output).toContain('import { registry } from "../.threadhold/registry.ts";');
    const toml = textOf(root, "wrangler.toml");
    expect(toml).toContain('compatibility_date = "2025-01-01"\n');
    expect(toml).toContain('watch_dir = ["src", "agents", ".cache/types/findings.json"]\n');
    expect(toml).toContain('new_sqlite_classes = ["Cart"]\n\n[[migrations]]\ntag = "threadhold-v1"\n');
    expect(toml.match(/#.*$/gm)).toEqual(["# my shop", "# styles", "# the test shop"]);
    expect(toml).toContain(
      '[[env.staging.d1_databases]]\nbinding = "CATALOG"\ndatabase_name = "shop-staging-threads"\n',
    );
    expect(toml).toContain(
      '[assets]\ndirectory = "node_modules/threadhold/dist/ui"\nbinding = "ASSETS"\nrun_worker_first = true\n',
    );
    expect(output).toContain("`threadhold dev` serves the playground at /agents/studio.");
    expect(textOf(root, "tsconfig.json")).toBe(
      `{\n  "compilerOptions": { "noEmit": true, "allowImportingTsExtensions": true }, // no files\n  "include": ["src", "agents", ".threadhold/*"] // sources\n}\n`,
    );
    expect(JSON.parse(textOf(root, "package.json"))).toEqual({
      name: "shop",
      scripts: { dev: "wrangler dev", check: "threadhold check", deploy: "threadhold deploy" },
    });
    expect(textOf(root, ".gitignore")).toBe(
      "node_modules\n.wrangler\n.threadhold/\n.cache/\n.dev.vars*\n!.dev.vars.example\n",
    );
    expect(textOf(root, "src/index.ts")).toBe("export default {};\n");
    const written = snapshot(root);
    const again = await init(root, ["--yes"]);
    expect(again).toMatchObject({ code: 0, output: expect.stringContaining("Nothing is left to change") as string });
    expect(snapshot(root)).toEqual(written);
  });

  it("The command init adds a pattern for the generated files to a TypeScript configuration that includes only the name of their folder", async () => {
    // TypeScript takes `.threadhold` for the name of a file.
    const files = {
      "wrangler.json": `{ "name": "site", "main": "src/index.ts" }`,
      "src/index.ts": "export default {};\n",
      "tsconfig.json": `{ "include": ["src", "agents/", ".threadhold"] }\n`,
    };
    const root = writeProject(files, inRepository);
    expect(await init(root, ["--yes"])).toMatchObject({ code: 0 });
    expect(textOf(root, "tsconfig.json")).toContain(`"include": ["src", "agents/", ".threadhold", ".threadhold/*"]`);
  });

  it("The command init writes a main module for a Worker that serves only static files, keeps these files, and keeps existing definitions", async () => {
    const root = writeProject(
      {
        "wrangler.json": `{ "name": "site", "assets": { "directory": "public" } }`,
        "agents/agents/mine.ts": "// mine\n",
        "package.json": "{}",
      },
      inRepository,
    );
    expect(await init(root, ["--yes", "--prefix", "/help/"])).toMatchObject({ code: 0 });
    const config = JSON.parse(textOf(root, "wrangler.json")) as Record<string, unknown>;
    expect(config).toMatchObject({
      main: "src/worker.ts",
      assets: { directory: "public", binding: "ASSETS", run_worker_first: ["/help/*"] },
    });
    expect(textOf(root, "src/worker.ts")).toContain('prefix: "/help"');
    expect(readdirSync(join(root, "agents"), { recursive: true })).toEqual(["agents", "agents/mine.ts"]);
    const written = snapshot(root);
    expect(await init(root, ["--yes", "--prefix", "/help/"])).toMatchObject({ code: 0 });
    expect(snapshot(root)).toEqual(written);
  });

  it.each([
    ['["/api/*"]', ["/api/*", "/agents/*"]],
    ['["/a*"]', ["/a*"]],
    ["true", true],
  ])(
    "The command init makes run_worker_first = %s include the API's prefix if the project has its own main module",
    async (given, wanted) => {
      const assets = `[assets]\ndirectory = "public"\nnot_found_handling = "single-page-application"\nrun_worker_first = ${given}\n`;
      const root = writeProject(
        { ...own, "wrangler.toml": `name = "shop"\nmain = "src/index.ts"\n${assets}` },
        inRepository,
      );
      expect(await init(root, ["--yes"])).toMatchObject({ code: 0 });
      const config = parseConfigFile("wrangler.toml", textOf(root, "wrangler.toml")).value;
      expect(config["assets"]).toEqual({
        directory: "public",
        binding: "ASSETS",
        not_found_handling: "single-page-application",
        run_worker_first: wanted,
      });
      expect(await init(root, ["--yes"])).toMatchObject({
        output: expect.stringContaining("Nothing is left") as string,
      });
    },
  );

  it.each([
    ["'''\nnpm run css\n'''", "npm run css && npx threadhold build --auto"],
    ['""', "npx threadhold build --auto"],
    ['"npm run css # styles"', "(npm run css # styles\n) && npx threadhold build --auto"],
    [
      '"make # && npx threadhold build --auto"',
      "(make # && npx threadhold build --auto\n) && npx threadhold build --auto",
    ],
    ['"cd site && make"', "(cd site && make\n) && npx threadhold build --auto"],
    [`'echo "# css"; npx threadhold build --auto'`, 'echo "# css"; npx threadhold build --auto'],
  ])(
    "The command init adds its build to the build command %s in a form that a shell can run",
    async (given, wanted) => {
      const files = { ...own, "wrangler.toml": `name = "shop"\nmain = "src/index.ts"\n[build]\ncommand = ${given}\n` };
      const root = writeProject(files, inRepository);
      expect(await init(root, ["--yes"])).toMatchObject({ code: 0 });
      const config = parseConfigFile("wrangler.toml", textOf(root, "wrangler.toml")).value;
      expect(config["build"]).toMatchObject({ command: wanted });
    },
  );

  it.each([
    ['watch_dir = ["agents"]\n', ["agents", "src", ".cache/types/findings.json"]],
    ['watch_dir = ["src", ".cache/types/findings.json"]\n', ["src", ".cache/types/findings.json", "agents"]],
    ['watch_dir = "src"\n', ["src", "agents", ".cache/types/findings.json"]],
    ["", ["src", "agents", ".cache/types/findings.json"]],
  ])(
    "The command init adds the missing watched paths to a build that compiles the definitions: %s",
    async (given, wanted) => {
      const command = 'command = "npx threadhold build --auto"\n';
      const toml = `name = "shop"\nmain = "src/index.ts"\n[build]\n${command}${given}`;
      const root = writeProject({ ...own, "wrangler.toml": toml }, inRepository);
      const buildOf = () => parseConfigFile("wrangler.toml", textOf(root, "wrangler.toml")).value["build"];
      expect(await init(root, ["--yes"])).toMatchObject({ code: 0 });
      expect(buildOf()).toEqual({ command: "npx threadhold build --auto", watch_dir: wanted });
      const written = snapshot(root);
      expect(await init(root, ["--yes"])).toMatchObject({ code: 0 });
      expect(snapshot(root)).toEqual(written);
    },
  );

  it("The command init uses the generated main module and serves the playground in a Worker that has nothing else", async () => {
    const root = writeProject({ "wrangler.jsonc": `{\n  // empty\n  "name": "app"\n}\n` }, inRepository);
    expect(await init(root, ["--yes"])).toMatchObject({ code: 0 });
    expect(parseConfigFile("wrangler.jsonc", textOf(root, "wrangler.jsonc")).value).toMatchObject({
      main: ".threadhold/worker.ts",
      assets: { directory: "node_modules/threadhold/dist/ui", binding: "ASSETS" },
    });
    const written = snapshot(root);
    expect(await init(root, ["--yes"])).toMatchObject({ code: 0 });
    expect(snapshot(root)).toEqual(written);
  });

  it("The command init adds the binding AI to a project with a model of Workers AI, and to no other project", async () => {
    const bound = async (provider: string) => {
      const model = `export default { name: "fast", provider: "${provider}", model: "@cf/a/b" };\n`;
      const files = { "wrangler.toml": 'name = "app"\n', "agents/models/fast.ts": model };
      const root = writeProject(files, inRepository);
      expect(await init(root, ["--yes"])).toMatchObject({ code: 0 });
      return parseConfigFile("wrangler.toml", textOf(root, "wrangler.toml")).value["ai"];
    };
    expect(await bound("workers-ai")).toEqual({ binding: "AI" });
    expect(await bound("test")).toBeUndefined();
  });

  it("The command init prints JSON, and without a terminal it names the flags that answer its question", async () => {
    const root = writeProject(own, inRepository);
    const first = snapshot(root);
    expect(await init(root, [])).toMatchObject({ code: 2, output: expect.stringContaining("with --yes") as string });
    expect(await init(root, ["--json"])).toMatchObject({
      code: 2,
      output: expect.stringContaining("--dry-run") as string,
    });
    const { code, output } = await init(root, ["--json", "--dry-run"]);
    const result = JSON.parse(output) as {
      written: boolean;
      changes: { file: string; created: boolean; diff: string }[];
    };
    expect([code, result.written]).toEqual([0, false]);
    expect(result.changes.map(({ file, created }) => [file, created])).toEqual([
      ["wrangler.toml", false],
      ["agents/models/default.ts", true],
      ["agents/prompts/assistant.ts", true],
      ["agents/agents/assistant.ts", true],
      ["tsconfig.json", false],
      ["package.json", false],
      [".gitignore", false],
    ]);
    expect(snapshot(root)).toEqual(first);
    expect(JSON.parse((await init(root, ["--json", "--yes"])).output)).toMatchObject({ written: true });
    expect(JSON.parse((await init(root, ["--json", "--yes"])).output)).toMatchObject({ written: false, changes: [] });
  });

  const d1 = (lines: string): string =>
    `name = "app"\n[[d1_databases]]\nbinding = "CATALOG"\ndatabase_name = "books"\n${lines}`;
  it.each([
    ["that cannot be parsed", "name = ", "wrangler.toml"],
    ["that wrangler refuses", 'name = "app"\nmain = 5\n', 'Expected "main" to be of type string'],
    [
      "with a database of the same name",
      d1(""),
      "has a D1 database with the binding CATALOG that does not name the migrations of threads",
    ],
    [
      "with a database of the same name and other migrations",
      d1('migrations_dir = "sql"\n'),
      'set its migrations_dir to "',
    ],
    [
      "with a variable of the same name",
      'name = "app"\nvars = { FEEDS = "rss" }\n',
      "uses the name FEEDS for something else",
    ],
    [
      "with a bucket of the same name in an environment",
      'name = "app"\n[[env.staging.r2_buckets]]\nbinding = "THREADS"\nbucket_name = "yarns"\n',
      "uses the name THREADS in the environment staging",
    ],
    [
      "with an object of the same name",
      'name = "app"\n[[durable_objects.bindings]]\nname = "THREADS"\nclass_name = "Yarn"\n',
      "uses the name THREADS",
    ],
    [
      "with a class of the same name",
      'name = "app"\n[[durable_objects.bindings]]\nname = "MINE"\nclass_name = "ThreadObject"\n',
      "has a class ThreadObject that is not the one of threads",
    ],
    [
      "whose class has no SQLite",
      'name = "app"\n[[migrations]]\ntag = "v1"\nnew_classes = ["ThreadFeed"]\n',
      "created without SQLite",
    ],
    ["of a Pages project", 'name = "app"\npages_build_output_dir = "dist"\n', "cannot have Durable Objects"],
    ["whose environment wrangler refuses", 'name = "app"\n[env.staging]\nmain = 5\n', 'Expected "main" to be'],
  ])("The command init refuses a configuration %s, and writes nothing", async (_, toml, message) => {
    const root = writeProject({ ...own, "wrangler.toml": toml }, inRepository);
    const first = snapshot(root);
    const { code, output } = await init(root, ["--yes"]);
    expect([code, output]).toEqual([2, expect.stringContaining(message)]);
    expect(output).not.toMatch(/^ {4}at /m);
    expect(snapshot(root)).toEqual(first);
  });

  it("The command init refuses a folder without a configuration, one without wrangler, a broken tsconfig.json and an invalid prefix", async () => {
    const { "wrangler.toml": toml = "", ...others } = own;
    const cases: [Files, string | undefined, string[], string][] = [
      [others, inRepository, [], "npm create threadhold"],
      [own, undefined, [], "npm install --save-dev wrangler@4"],
      [{ ...own, "tsconfig.json": "{ include: }" }, inRepository, [], "tsconfig.json cannot be parsed"],
      [{ ...own, "wrangler.toml": toml }, inRepository, ["--prefix", "agents"], 'The prefix "agents" is not a path.'],
    ];
    for (const [files, under, args, message] of cases) {
      const root = writeProject(files, under);
      const first = snapshot(root);
      const { code, output } = await init(root, ["--yes", ...args]);
      expect({ code, output }).toEqual({
        code: 2,
        output: expect.stringContaining(message) as string,
      });
      expect(snapshot(root)).toEqual(first);
    }
  });
});
