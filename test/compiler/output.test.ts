// What a build writes, when, and what it does not change; the command's modes and exit codes.

import { existsSync, readFileSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";

import { build } from "esbuild";
import { describe, expect, it, vi } from "vitest";

import { runCli } from "#cli/run-cli.ts";
import { formatDiagnostics } from "#compiler/diagnostic-report.ts";
import { isBuildUnchanged } from "#compiler/unchanged-build.ts";

import { cliBuild } from "../../scripts/lib/cli-bundle.mjs";
import { runCommand } from "./command.ts";
import { good, packageRoot, writeFiles, writeProject } from "./temporary-project.ts";

// Each test starts processes; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const read = (root: string, path: string): string => readFileSync(join(root, path), "utf8");
/** Builds without the check of types in the background, which would outlive the test (`type-check.test.ts` tests it). */
const compile = (root: string, ...flags: string[]): ReturnType<typeof runCommand> =>
  runCommand(["build", "--root", root, ...flags], { TYPE_CHECK: "off" });

const syntaxError = { "agents/tools/search_docs.ts": "export default defineTool(" };
const unknownTool = {
  "agents/prompts/support.ts": (good["agents/prompts/support.ts"] ?? "").replace("search_docs", "serch_docs"),
};

/** Bundles the generated registry as wrangler would, so that an import that cannot be resolved or parsed throws. */
async function bundleRegistry(root: string): Promise<string> {
  const result = await build({
    entryPoints: [join(root, ".threadhold/registry.ts")],
    bundle: true,
    write: false,
    format: "esm",
    external: ["zod"],
    alias: { threadhold: join(packageRoot, "src/spec/index.ts") },
    logLevel: "silent",
  });
  return result.outputFiles[0]?.text ?? "";
}

describe("output", () => {
  it("The build writes a registry of lazy loaders, the names of definitions and empty diagnostics", async () => {
    const root = writeProject({
      ...good,
      "agents/hooks/b.ts": `import { defineHook } from "threadhold";\nexport default defineHook("filter_messages", async (_s, m) => m);`,
      "agents/hooks/a.ts": `import { defineHook } from "threadhold";\nexport default defineHook("after_create_message", async () => {});`,
      "agents/filters/z.ts": `import { defineFilter } from "threadhold";\nexport default defineFilter(() => ({ action: "pass" }));`,
      "agents/filters/y.js": `import { defineFilter } from "threadhold";\nexport default defineFilter(async () => ({ action: "pass" }));`,
      "agents/api/[x].ts": "export default () => null;",
      "agents/api/static.ts": "export default () => null;",
    });
    expect(await compile(root)).toMatchObject({ code: 0, stderr: "" });
    const registry = read(root, ".threadhold/registry.ts");
    expect(registry).toContain('() => import("../agents/tools/search_docs.ts").then((module) => module.default)');
    expect(registry).toContain('"search_docs": "agents/tools/search_docs.ts",');
    expect(registry.indexOf("agents/hooks/a.ts")).toBeLessThan(registry.indexOf("agents/hooks/b.ts"));
    expect(registry).toContain('() => import("../agents/filters/z.ts").then((module) => module.default)');
    expect(registry.indexOf("agents/filters/y.js")).toBeLessThan(registry.indexOf("agents/filters/z.ts"));
    expect(registry.indexOf('pattern: "/static"')).toBeLessThan(registry.indexOf('pattern: "/:x"'));
    const names = read(root, ".threadhold/names.d.ts");
    expect(names).toContain('declare module "threadhold"');
    expect(names).toContain('tools: "search_docs";');
    expect(read(root, ".threadhold/diagnostics.ts")).toContain("diagnostics: Diagnostic[] = [];");
  });

  it("The build rewrites no file if nothing changed, and the registry has a new hash if a definition changed", async () => {
    const root = writeProject(good);
    await compile(root);
    const before = statSync(join(root, ".threadhold/registry.ts")).mtimeMs;
    const registry = read(root, ".threadhold/registry.ts");
    expect(JSON.parse((await compile(root, "--json")).stdout)).toMatchObject({ ok: true, changed: false, files: 4 });
    expect(statSync(join(root, ".threadhold/registry.ts")).mtimeMs).toBe(before);
    writeFiles(root, {
      "agents/prompts/support.ts": (good["agents/prompts/support.ts"] ?? "").replace("Help.", "Help!"),
    });
    expect(JSON.parse((await compile(root, "--json")).stdout)).toMatchObject({ ok: true, changed: true });
    const [hash, next] = [registry, read(root, ".threadhold/registry.ts")].map(
      (text) => /hash: "(\w+)"/.exec(text)?.[1],
    );
    expect(hash).toMatch(/^[0-9a-f]{16}$/);
    expect(next).not.toBe(hash);
  });

  it("A build does nothing if no file has changed, and compiles again if any file that it reads or writes has changed", async () => {
    const root = writeProject({
      ...good,
      "agents/lib/words.ts": `export const words = "Help.";`,
      "shared/more.ts": `export const more = "More.";`,
      "agents/prompts/support.ts": `import { more } from "../../shared/more.ts";
import { words } from "../lib/words.ts";
export default { name: "support", toolDescription: "S", prompt: words + more, model: "fast", tools: ["search_docs"] };`,
      "tsconfig.json": "{}",
    });
    const unchanged = "The definitions have not changed since they were compiled.\n";
    const compiled = expect.stringMatching(/^compiled 4 definitions in \d+ ms\n$/);
    const next = async (...flags: string[]): Promise<string> => (await compile(root, ...flags)).stdout;
    expect([await next(), await next(), await next("--auto")]).toEqual([compiled, unchanged, unchanged]);
    const isUnchanged = (): boolean => isBuildUnchanged(root, cliBuild());
    const changes: [file: string, text: string | null][] = [
      ["agents/lib/words.ts", `export const words = "Help!";`],
      ["agents/lib/new.ts", ""],
      ["agents/tools/search_docs.ts", null],
      ["shared/more.ts", `export const more = "More!";`],
      ["tsconfig.json", `{ "compilerOptions": {} }`],
      ["wrangler.toml", `compatibility_date = "2026-08-03"`],
      [".threadhold/registry.ts", null],
      [".threadhold/names.d.ts", "export {};"],
      [".threadhold/diagnostics.ts", ""],
      [".threadhold/worker.ts", ""],
      [".cache/last-good/registry.txt", null],
      [".cache/types/findings.json", "[{}]"],
    ];
    for (const [file, text] of changes) {
      expect([file, isUnchanged()]).toEqual([file, true]);
      const before = existsSync(join(root, file)) ? read(root, file) : null;
      if (text === null) unlinkSync(join(root, file));
      else writeFiles(root, { [file]: text });
      expect([file, isUnchanged()]).toEqual([file, false]);
      if (before === null) unlinkSync(join(root, file));
      else writeFiles(root, { [file]: before });
    }
    expect(isBuildUnchanged(root, "another version")).toBe(false);
    const warned = (good["agents/agents/desk.ts"] ?? "").replace("sideA", "labl: 1, sideA");
    writeFiles(root, { "agents/agents/desk.ts": warned });
    expect(await next()).toContain("1 warning");
    expect(isUnchanged()).toBe(false);
  });

  it("A strict build with errors exits 1 and rewrites only the diagnostics", async () => {
    const root = writeProject(good);
    await compile(root);
    const [registry, names] = [".threadhold/registry.ts", ".threadhold/names.d.ts"].map((path) => read(root, path));
    writeFiles(root, unknownTool);
    expect(await compile(root)).toMatchObject({ code: 1 });
    expect(read(root, ".threadhold/registry.ts")).toBe(registry);
    expect(read(root, ".threadhold/names.d.ts")).toBe(names);
    expect(read(root, ".threadhold/diagnostics.ts")).toContain('"code": "unknown_tool"');
  });

  it("A failed build in development exits 0 and keeps serving the last good sources", async () => {
    const root = writeProject(good);
    await compile(root, "--dev");
    for (const fault of [syntaxError, unknownTool]) {
      writeFiles(root, { ...good, ...fault });
      const failed = await compile(root, "--dev");
      expect(failed.code).toBe(0);
      expect(failed.stdout).toContain("the last good build keeps being served");
      expect(read(root, ".threadhold/diagnostics.ts")).toContain('"severity": "error"');
      expect(await bundleRegistry(root)).toContain('tools: ["search_docs"]');
    }
    writeFiles(root, good);
    unlinkSync(join(root, "agents/tools/search_docs.ts"));
    expect((await compile(root, "--dev")).stdout).toContain('unknown tool "search_docs"');
    expect(await bundleRegistry(root)).toContain("Searches");
    writeFiles(root, good);
    await compile(root, "--dev");
    expect(read(root, ".threadhold/registry.ts")).toContain('import("../agents/tools/search_docs.ts")');
    expect(read(root, ".threadhold/diagnostics.ts")).toContain("Diagnostic[] = [];");
  });

  it("If the first development build fails, it still writes a valid, empty registry, and the names of all definitions", async () => {
    const root = writeProject({ ...good, ...syntaxError });
    expect((await compile(root, "--dev")).code).toBe(0);
    expect(read(root, ".threadhold/registry.ts")).toContain("tools: {},");
    await bundleRegistry(root);
    expect(read(root, ".threadhold/names.d.ts")).toContain('models: "fast";');
  });

  it("A project without definitions builds an empty registry and warns", async () => {
    const root = writeProject({});
    const empty = await compile(root);
    expect(empty).toMatchObject({ code: 0 });
    expect(empty.stdout).toContain("agents  warning  there are no definitions");
    expect(read(root, ".threadhold/registry.ts")).toContain("routes: [],");
  });

  it("A definition's output goes to stderr, and its timers and exits do not end or delay the build", async () => {
    const root = writeProject({
      ...good,
      "agents/tools/noisy.ts": `console.log("noise");\nsetInterval(() => {}, 1000);\nexport default ["Noisy", null, () => {}];`,
    });
    const result = await compile(root, "--json");
    expect(result.code).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({ ok: true, diagnostics: [] });
    expect(result.stderr).toContain("noise");
    writeFiles(root, { "agents/tools/noisy.ts": `process.exit(0);\nexport default ["Noisy", null, () => {}];` });
    const stopped = await compile(root);
    expect(stopped.code).toBe(1);
    expect(stopped.stdout).toContain("agents/tools/noisy.ts:1:9  error  Error: process.exit was called");
  });
});

describe("command", () => {
  it("A build with --auto is strict if wrangler deploys or uploads, and a development build otherwise", async () => {
    const root = writeProject({ ...good, ...syntaxError });
    const exitCode = (env: NodeJS.ProcessEnv, ...flags: string[]): Promise<number> =>
      runCli(["build", ...flags], {
        env: { TYPE_CHECK: "off", ...env },
        cwd: root,
        packageRoot,
        version: "test",
        print: () => {},
        printError: () => {},
        colours: false,
        self: ["false"],
      });
    // A strict build fails, and a development build does not.
    expect(await exitCode({ WRANGLER_COMMAND: "deploy" }, "--auto")).toBe(1);
    expect(await exitCode({ WRANGLER_COMMAND: "versions upload" }, "--auto")).toBe(1);
    expect(await exitCode({ WRANGLER_COMMAND: "dev" }, "--auto")).toBe(0);
    expect(await exitCode({}, "--auto")).toBe(0);
    expect(await exitCode({})).toBe(1);
    expect(await exitCode({ WRANGLER_COMMAND: "deploy" }, "--dev")).toBe(0);
  });

  it("The build command prints each finding with its position, source line, mark and suggestion, and the number of findings, in colour only when requested", async () => {
    const root = writeProject({ ...good, ...unknownTool });
    const { stdout } = await compile(root);
    expect(stdout).toBe(
      [
        'agents/prompts/support.ts:7:11  error  unknown tool "serch_docs"',
        '  7 │   tools: ["serch_docs"],',
        "    │           ^",
        '  Did you mean "search_docs"?',
        "",
        "1 error",
        "",
      ].join("\n"),
    );
    const finding = { severity: "error", code: "syntax", message: "m", file: "f" } as const;
    expect(formatDiagnostics([finding], true)).toContain("\u001B[31merror\u001B[39m");
    expect(formatDiagnostics([finding, { ...finding, severity: "warning" }], false)).toMatch(/\n\n1 error, 1 warning$/);
  });

  it("The build command refuses an unknown flag", async () => {
    const refused = await runCommand(["build", "--rot", "x"]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("--rot");
  });
});
