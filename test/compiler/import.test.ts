// Imports that the Worker's bundle or the Workers runtime could not load are errors of the build.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it, vi } from "vitest";

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

  it("An import of a missing file is an error without a command, also if the import is not used", async () => {
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
    "A module or name that the Workers runtime does not have is an error at its import: %s",
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

  it("An import of a name that a Node module lacks is an error, and the other definitions are still read", async () => {
    const { diagnostics, project } = await compileWith(tool(`import { nope } from "node:fs";`, "void nope;"));
    expect(diagnostics).toMatchObject([
      { severity: "error", code: "import", file: "agents/tools/caller.ts", line: 1, column: 10 },
    ]);
    expect(project.agents.map(({ name }) => name)).toEqual(["desk"]);
  });

  it("Node modules that Workers have can be imported and required with and without the prefix node:", async () => {
    const { diagnostics } = await compileWith(
      tool(
        `import { createHash } from "node:crypto";\nimport { Buffer } from "buffer";\nimport * as child from "child_process";`,
        `void [createHash("sha256").update(Buffer.from("x")).digest("hex"), child];`,
      ),
    );
    expect(diagnostics).toEqual([]);
  });

  it("An import of a file type is an error without a module rule for it, and no error with one", async () => {
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

  it("An import of a name that zod lacks is an error at its position, which names zod", async () => {
    const [finding] = await findingsOf("import", tool(`import { z, nothing } from "zod";`, "void [z, nothing];"));
    expect(finding).toMatchObject({
      severity: "error",
      file: "agents/tools/caller.ts",
      line: 1,
      column: 13,
      message: 'no matching export in "zod" for import "nothing"',
    });
  });

  it("A build notices a change of the project's own zod, which the Worker's bundle reads", async () => {
    const zod = (added: string): Files => ({
      "node_modules/zod/package.json": `{ "name": "zod", "type": "module", "main": "main.js" }`,
      "node_modules/zod/main.js": `export * from ${JSON.stringify(join(packageRoot, "node_modules/zod/index.js"))};${added}`,
    });
    const root = writeProject({ ...good, ...zod("") });
    const build = async () => (await compileProject(root, packageRoot)).diagnostics;
    expect(await build()).toEqual([]);
    writeFiles(root, zod(`if ("WebSocketPair" in globalThis) throw new Error("only in Node");`));
    rmSync(join(root, ".cache/workers-checked.json"));
    expect(await build()).toMatchObject([{ message: "the Worker does not start: Error: only in Node" }]);
    writeFiles(root, zod(""));
    expect(await build()).toEqual([]);
  });

  it("A damaged copy of the bundle of zod is made again", async () => {
    const root = writeProject(good);
    const build = (): ReturnType<typeof runCommand> => runCommand(["build", "--root", root]);
    expect((await build()).code).toBe(0);
    const copies = readdirSync(join(root, ".cache")).filter((name) => name.startsWith("zod-"));
    expect(copies).toEqual([expect.stringMatching(/^zod-\w+\.mjs\.json$/)]);
    const copy = join(root, ".cache", copies[0] ?? "");
    const whole = readFileSync(copy, "utf8");
    for (const damaged of ["{", JSON.stringify({ ...JSON.parse(whole), hash: "other", code: "import 'nothing';" })]) {
      writeFileSync(copy, damaged);
      writeFiles(root, { "agents/tools/other.ts": `${good["agents/tools/search_docs.ts"]}\n// ${damaged.length}` });
      expect((await build()).code).toBe(0);
      expect(readFileSync(copy, "utf8")).toBe(whole);
    }
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

  it("A definition that loads in Node and throws in the Workers runtime is a warning at the line that threw", async () => {
    const found: Diagnostic[] = await findingsOf("evaluation", {
      ...good,
      "agents/_lib/made.ts": `export const made = 1;\nexport const add: unknown = new Function("a", "b", "return a + b");`,
      ...tool(`import { add } from "../_lib/made.ts";`, "void add;"),
    });
    expect(found).toMatchObject([{ severity: "warning", file: "agents/_lib/made.ts", line: 2 }]);
    expect(found[0]?.message).toMatch(/^EvalError: .*while the module was loaded in the Workers runtime$/);
  });
});
