// Type errors of the definitions: TypeScript finds them, they are shown as warnings, and no build fails because of them.

import { readFileSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it, vi } from "vitest";

import { checkTypes, storedTypeFindings, parseTypeErrors } from "#compiler/type-check.ts";

import { runCommand } from "./command.ts";
import { good, packageRoot, writeFiles, writeProject, type Files } from "./temporary-project.ts";

// Each test starts processes; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const wrong = "agents/tools/wrong_result.ts";
const project: Files = {
  ...good,
  "tsconfig.json": JSON.stringify({
    compilerOptions: {
      module: "esnext",
      target: "es2022",
      moduleResolution: "bundler",
      strict: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      types: [],
      paths: {
        threadhold: [join(packageRoot, "src/spec/index.ts")],
        "#lib/*": [join(packageRoot, "src/lib/*")],
        "#spec/*": [join(packageRoot, "src/spec/*")],
      },
    },
  }),
  [wrong]: `import { defineTool } from "threadhold";

export default defineTool("Answers", async () => new Map([[1, "ok"]]));
`,
};

function typedProject(): string {
  const root = writeProject(project);
  symlinkSync(join(packageRoot, "node_modules"), join(root, "node_modules"));
  return root;
}

describe("type errors", () => {
  it("A strict build with --types shows type errors with their lines, and still succeeds", async () => {
    const root = typedProject();
    const { code, stdout } = await runCommand(["build", "--types", "--root", root]);
    expect(stdout).toContain(`${wrong}:3:38  warning  `);
    expect(stdout).toContain('export default defineTool("Answers", async () => new Map([[1, "ok"]]));');
    expect(stdout).toContain("1 warning");
    expect(stdout).toContain("compiled 5 definitions");
    expect(code).toBe(0);
    const deployed = readFileSync(join(root, ".threadhold/diagnostics.ts"), "utf8");
    expect(deployed).toContain("diagnostics: Diagnostic[] = [];");
  });

  it("One error prints no type errors of the uses of the definition's name, and other type errors stay", async () => {
    const root = typedProject();
    await runCommand(["build", "--root", root]);
    const model = `export default { name: "tiny", provider: "opnai", model: "m" };`;
    writeFiles(root, {
      "agents/models/fast.ts": `export default { name: "fast", provider: "opnai", model: "m", script: 5 };`,
      "agents/models/tiny.ts": model,
      "agents/prompts/other.ts": (good["agents/prompts/support.ts"] ?? "")
        .replace('"support"', '"other"')
        .replace('"fast"', '"tiny"')
        .replace('["search_docs"]', '["boom", "search_docs"]'),
      "agents/tools/boom.ts": `export default { description: "x", inputSchema: {}, execute() {} };`,
    });
    const { stdout } = await runCommand(["build", "--types", "--root", root]);
    expect(stdout.match(/^agents\/.*(?:error|warning) /gm)?.map((line) => line.split(":")[0])).toEqual([
      "agents/models/fast.ts",
      "agents/models/fast.ts",
      "agents/models/tiny.ts",
      "agents/tools/boom.ts",
      wrong,
    ]);
    // A model without a readable name may have any name.
    writeFiles(root, { "agents/models/tiny.ts": `const rest = {};\n${model.replace('name: "tiny"', "...rest")}` });
    const nameless = await runCommand(["build", "--types", "--root", root]);
    expect([nameless.stdout, nameless.stdout]).toEqual([
      expect.stringContaining(wrong),
      expect.not.stringContaining("prompts/"),
    ]);
  });

  it("A development build shows the type errors of the last check until their files change", async () => {
    const root = typedProject();
    const dev = (): ReturnType<typeof runCommand> =>
      runCommand(["build", "--dev", "--root", root], { TYPE_CHECK: "off" });
    expect((await dev()).stdout).not.toContain("warning");
    expect(await checkTypes(root, packageRoot)).toMatchObject([
      { severity: "warning", code: "type", file: wrong, line: 3 },
    ]);
    const { code, stdout } = await dev();
    expect(code).toBe(0);
    expect(stdout).toContain(`${wrong}:3:38  warning`);
    expect(readFileSync(join(root, ".threadhold/diagnostics.ts"), "utf8")).toContain('"code": "type"');
    utimesSync(join(root, wrong), 1, 1);
    expect((await dev()).stdout).not.toContain("warning");
    expect(storedTypeFindings(root)).toEqual([]);
  });

  it("A development build does not wait for the type check, which runs in another process", async () => {
    const root = typedProject();
    const { code, stdout } = await runCommand(["build", "--dev", "--root", root]);
    expect([code, stdout.includes("warning")]).toEqual([0, false]);
    await expect.poll(() => storedTypeFindings(root), { timeout: 50_000 }).toMatchObject([{ code: "type", line: 3 }]);
  });

  it("A type error about a module of Node states whether the module works on Workers", () => {
    const root = writeProject({ "agents/tools/a.ts": "one\n" });
    const shown = (name: string): string[] =>
      parseTypeErrors(
        `agents/tools/a.ts(1,1): error TS2591: Cannot find name '${name}'. Do you need to install type definitions for node? Try \`npm i --save-dev @types/node\` and then add 'node' to the types field in your tsconfig.`,
        root,
      ).map(({ message }) => message);
    expect(shown("node:crypto")).toEqual([
      expect.stringContaining("node:crypto works on Workers with the flag nodejs_compat"),
    ]);
    expect(shown("process")).toEqual([expect.stringContaining("npm install --save-dev @types/node")]);
    expect(shown("node:child_process")).toEqual([expect.stringMatching(/^node:child_process does not work(?!.*npm)/)]);
  });

  it("Type errors that are syntax errors or outside of agents/ are left out, and further lines of an error become notes", () => {
    const root = writeProject({ "agents/tools/a.ts": "one\ntwo\nthree\n" });
    const output = [
      "agents/tools/a.ts(2,3): error TS2345: Argument of type 'x'.",
      "  Type 'x' is not 'y'.",
      "agents/tools/a.ts(3,1): error TS1005: ';' expected.",
      "src/index.ts(1,1): error TS2304: Cannot find name.",
    ].join("\n");
    expect(parseTypeErrors(output, root)).toEqual([
      {
        severity: "warning",
        code: "type",
        message: "Argument of type 'x'. (TS2345)",
        file: "agents/tools/a.ts",
        line: 2,
        column: 3,
        source: "two",
        notes: ["Type 'x' is not 'y'."],
      },
    ]);
  });
});
