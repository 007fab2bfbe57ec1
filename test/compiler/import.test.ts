// Imports that the Worker's bundle or the Workers runtime could not load are errors of the build.

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

import { describe, expect, it, onTestFinished, vi } from "vitest";

import { compileProject } from "#compiler/compile.ts";
import type { Diagnostic } from "#spec/diagnostic.ts";

import { runCommand } from "./command.ts";
import {
  compileWith,
  findingsOf,
  good,
  onlyFinding,
  packageRoot,
  writeFiles,
  writeProject,
  type Files,
} from "./temporary-project.ts";

// Each build starts the Workers runtime.
vi.setConfig({ testTimeout: 60_000 });

const tool = (first: string, body = ""): Files => ({
  "agents/tools/caller.ts": `${first}
import { defineTool } from "threadhold";
${body}
export default defineTool("Calls", async () => ({ status: "success" }));`,
});

const realZod = join(packageRoot, "node_modules/zod/index.js");
const onlyInNode = `if ("WebSocketPair" in globalThis) throw new Error("only in Node");`;

const ownZod = "node_modules/zod/main.js";

/** A folder that is the installed package for the compiler, with a zod of its own. */
function installPackage(): string {
  const root = writeProject({
    "package.json": JSON.stringify({
      exports: { ".": join("..", relative(tmpdir(), packageRoot), "src/spec/index.ts") },
    }),
    "node_modules/zod/package.json": `{ "name": "zod", "type": "module", "main": "main.js" }`,
    [ownZod]: `export * from ${JSON.stringify(realZod)};`,
  });
  symlinkSync(join(packageRoot, "node_modules/wrangler"), join(root, "node_modules/wrangler"));
  return root;
}

const keepsImports = { "tsconfig.json": JSON.stringify({ compilerOptions: { verbatimModuleSyntax: true } }) };

describe("imports", () => {
  it("An import of a package that is not installed is an error with the command that installs it, also if it is unused", async () => {
    const used = await onlyFinding(tool(`import ky from "ky-of-nobody/core";`, "void ky;"));
    const unused = await onlyFinding({ ...keepsImports, ...tool(`import ky from "ky-of-nobody/core";`) });
    for (const finding of [used, unused]) {
      expect(finding).toMatchObject({
        severity: "error",
        code: "import",
        file: "agents/tools/caller.ts",
        line: 1,
        column: 16,
        source: 'import ky from "ky-of-nobody/core";',
        suggestion: "npm install ky-of-nobody",
      });
    }
    const scoped = await onlyFinding(tool(`import x from "@nobody/thing";`, "void x;"));
    expect(scoped.suggestion).toBe("npm install @nobody/thing");
  });

  it("An import of a missing file is an error without an install command, also if the import is not used", async () => {
    const finding = await onlyFinding({ ...keepsImports, ...tool(`import { x } from "../_lib/gone.ts";`) });
    expect(finding).toMatchObject({ severity: "error", code: "import", line: 1, column: 19 });
    expect(finding.suggestion).toBeUndefined();
  });

  it.each([
    [`import sea from "node:sea";`, "void sea;", 'the Workers runtime has no module "node:sea"', 17],
    [
      `import thing from "cloudflare:thing";`,
      "void thing;",
      'the Workers runtime has no module "cloudflare:thing"',
      19,
    ],
    [
      `import { DurableThing } from "cloudflare:workers";`,
      "void DurableThing;",
      '"cloudflare:workers" of the Workers runtime has no export "DurableThing"',
      10,
    ],
  ])(
    "The build reports an import of a module or name that the Workers runtime lacks, at its position: %s",
    async (first, body, message, column) => {
      expect(await onlyFinding(tool(first, body))).toMatchObject({
        severity: "error",
        code: "import",
        file: "agents/tools/caller.ts",
        line: 1,
        column,
        message,
      });
    },
  );

  it("The build reports an import of a name that a Node module lacks, and still reads the other definitions", async () => {
    const { diagnostics, project } = await compileWith(tool(`import { nope } from "node:fs";`, "void nope;"));
    expect(diagnostics).toMatchObject([
      { severity: "error", code: "import", file: "agents/tools/caller.ts", line: 1, column: 10 },
    ]);
    expect(project.agents.map(({ name }) => name)).toEqual(["desk"]);
  });

  it("Definitions can import the Node modules of the Workers runtime with and without the prefix node:", async () => {
    const { diagnostics } = await compileWith(
      tool(
        `import { createHash } from "node:crypto";\nimport { Buffer } from "buffer";`,
        `void createHash("sha256").update(Buffer.from("x")).digest("hex");`,
      ),
    );
    expect(diagnostics).toEqual([]);
  });

  it.each([
    [
      "node:child_process",
      `import { exec } from "node:child_process";`,
      "void exec;",
      "because a Worker starts no programs",
    ],
    ["child_process", `import * as child from "child_process";`, "void child;", "because a Worker starts no programs"],
    ["node:worker_threads", `import { Worker } from "node:worker_threads";`, "void Worker;", "starts no threads"],
    [
      "node:readline/promises",
      `import { createInterface } from "node:readline/promises";`,
      "void createInterface;",
      "has no terminal",
    ],
  ])(
    "An import of %s is one finding, which states why the module does not work on Workers",
    async (name, first, body, reason) => {
      expect(await onlyFinding(tool(first, body))).toMatchObject({
        severity: "warning",
        code: "type",
        file: "agents/tools/caller.ts",
        line: 1,
        message: expect.stringMatching(new RegExp(`^${name} does not work on Workers.*${reason}.*Remove the import`)),
      });
      const shared = { ...tool(`import "../_lib/run.ts";`), "agents/_lib/run.ts": `${first}\n${body}` };
      expect(await onlyFinding(shared)).toMatchObject({ file: "agents/_lib/run.ts", code: "type", line: 1 });
    },
  );

  it("An import of a Markdown file is an error unless wrangler's configuration has a module rule for it, and a .txt file needs no rule", async () => {
    const files = {
      ...tool(`import text from "../_lib/words.md";`, "void text.length;"),
      "agents/_lib/words.md": "Words",
    };
    expect(await onlyFinding(files)).toMatchObject({ severity: "error", code: "import", line: 1, column: 18 });
    const rule = '[[rules]]\ntype = "Text"\nglobs = ["**/*.md"]\nfallthrough = true\n';
    expect((await compileWith({ ...files, "wrangler.toml": rule })).diagnostics).toEqual([]);
    const text = {
      ...tool(`import text from "../_lib/words.txt";`, "void text.length;"),
      "agents/_lib/words.txt": "Words",
    };
    expect((await compileWith(text)).diagnostics).toEqual([]);
  });

  it("The build reports an import of a name that zod lacks at the position of the name, and the message names zod", async () => {
    const [finding] = await findingsOf("import", tool(`import { z, nothing } from "zod";`, "void [z, nothing];"));
    expect(finding).toMatchObject({
      severity: "error",
      file: "agents/tools/caller.ts",
      line: 1,
      column: 13,
      message: 'no matching export in "zod" for import "nothing"',
    });
  });

  it("If the project's own zod throws in Workers, the definition that imports it gets a warning", async () => {
    const zod = (added: string): Files => ({
      "node_modules/.package-lock.json": JSON.stringify({ added }),
      "node_modules/zod/package.json": `{ "name": "zod", "type": "module", "main": "main.js" }`,
      "node_modules/zod/main.js": `export * from ${JSON.stringify(realZod)};${added}`,
    });
    const root = writeProject({ ...good, ...zod("") });
    const build = async () => (await compileProject(root, packageRoot)).diagnostics;
    expect(await build()).toEqual([]);
    writeFiles(root, zod(onlyInNode));
    expect(await build()).toMatchObject([{ severity: "warning", file: "agents/tools/search_docs.ts" }]);
    writeFiles(root, zod(""));
    expect(await build()).toEqual([]);
  });

  it("Each build checks a changed project with the zod that is installed with the package, also after that zod was replaced", async () => {
    const installed = installPackage();
    const root = writeProject(good);
    const build = async (help: string) => {
      writeFiles(root, {
        "agents/prompts/support.ts": (good["agents/prompts/support.ts"] ?? "").replace("Help", help),
      });
      return (await compileProject(root, installed)).diagnostics;
    };
    expect(await build("One")).toEqual([]);
    expect(await build("Two")).toEqual([]);
    writeFiles(installed, { [ownZod]: `export * from ${JSON.stringify(realZod)};${onlyInNode}` });
    expect(await build("Three")).toMatchObject([{ message: "the Worker does not start: Error: only in Node" }]);
  });

  it.each(["{", "null", "{}", "[]", `{ "hash": "other", "code": "import 'nothing';", "exports": [], "inputs": [] }`])(
    "The build ignores a stored bundle of zod that is damaged or outdated: %s",
    async (damaged) => {
      const installed = installPackage();
      const hash = createHash("sha256").update(join(installed, ownZod)).digest("hex");
      const root = writeProject({ ...good, [`.cache/zod-${hash.slice(0, 12)}.mjs.json`]: damaged });
      expect((await compileProject(root, installed)).diagnostics).toEqual([]);
    },
  );

  it("A bundle of zod is not stored if zod may have been replaced while it was bundled", async () => {
    const root = writeProject(good);
    const stored = () => readdirSync(join(root, ".cache")).filter((name) => name.startsWith("zod-"));
    vi.useFakeTimers({ toFake: ["Date"], now: 0 });
    onTestFinished(() => void vi.useRealTimers());
    expect((await compileProject(root, installPackage())).diagnostics).toEqual([]);
    expect(stored()).toEqual([]);
    vi.setSystemTime(Date.UTC(2100, 0));
    writeFiles(root, { "agents/tools/other.ts": good["agents/tools/search_docs.ts"] ?? "" });
    expect((await compileProject(root, installPackage())).diagnostics).toEqual([]);
    expect(stored()).toHaveLength(1);
  });

  it("A later build in another process uses the stored bundle of zod", async () => {
    const root = writeProject(good);
    const build = (): ReturnType<typeof runCommand> => runCommand(["build", "--root", root]);
    expect((await build()).code).toBe(0);
    const copy = readdirSync(join(root, ".cache")).find((name) => name.startsWith("zod-")) ?? "none";
    const stored = JSON.parse(readFileSync(join(root, ".cache", copy), "utf8")) as { code: string };
    const marked = JSON.stringify({ ...stored, code: `${stored.code}\nthrow new Error("stored");` });
    writeFiles(root, {
      [`.cache/${copy}`]: marked,
      "agents/tools/other.ts": good["agents/tools/search_docs.ts"] ?? "",
    });
    expect((await build()).stdout).toContain("the Worker does not start: Error: stored");
  });

  it("The next build notices a change in a file that only the Worker's bundle reads", async () => {
    const root = writeProject({
      ...good,
      ...keepsImports,
      ...tool(`import { x } from "../_lib/words.ts";`),
      "agents/_lib/words.ts": "export const x = 1;",
    });
    const compile = (): ReturnType<typeof runCommand> => runCommand(["build", "--root", root]);
    expect((await compile()).code).toBe(0);
    expect((await compile()).code).toBe(0);
    writeFiles(root, { "agents/_lib/words.ts": `import ky from "ky-of-nobody";\nexport const x = 1;` });
    const { code, stdout } = await compile();
    expect(stdout).toContain("agents/_lib/words.ts:1:16  error");
    expect(stdout).toContain("Run: npm install ky-of-nobody");
    expect(code).toBe(1);
    mkdirSync(join(root, "node_modules/ky-of-nobody"), { recursive: true });
    writeFiles(root, {
      "node_modules/ky-of-nobody/package.json": `{ "name": "ky-of-nobody", "main": "main.js" }`,
      "node_modules/ky-of-nobody/main.js": "module.exports = 1;",
      "node_modules/.package-lock.json": "{}",
    });
    expect((await compile()).code).toBe(0);
    rmSync(join(root, "node_modules"), { recursive: true });
    expect((await compile()).code).toBe(1);
  });

  it("If a definition throws in the Workers runtime although it loads in Node, the build warns at the line that threw", async () => {
    const found: Diagnostic[] = await findingsOf("evaluation", {
      ...good,
      "agents/_lib/made.ts": `export const made = 1;\nexport const add: unknown = new Function("a", "b", "return a + b");`,
      ...tool(`import { add } from "../_lib/made.ts";`, "void add;"),
    });
    expect(found).toMatchObject([{ severity: "warning", file: "agents/_lib/made.ts", line: 2 }]);
    expect(found[0]?.message).toMatch(/^EvalError: .*while the module was loaded in the Workers runtime$/);
  });
});
