// The examples of threadhold/loop with the packed package, in an empty folder outside of the repository: their types, and each program in Node.

import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { quickTypescript } from "../../scripts/lib/tools.mjs";
import { linkPackages } from "./linked-packages.ts";
import { run, type ProgramResult } from "./run.ts";

const packed = inject("packed");

const programs = ["repl.ts", "coder.ts", "compare.ts", "judges.ts", "pipeline.ts"];

/** As in examples/run.mjs: packages that are no ES modules require the modules of Node. */
const banner = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

describe("a project with the examples of the loop", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "threadhold-loop-"));
  const inProject = (...command: [string, ...string[]]): Promise<ProgramResult> => run(command, { cwd: folder });

  beforeAll(async () => {
    cpSync(fileURLToPath(new URL("../../examples/loop", import.meta.url)), folder, { recursive: true });
    cpSync(path.join(packed.projects.web, "package.json"), path.join(folder, "package.json"));
    linkPackages(packed.projects.web, folder);
    const bundled = ["--bundle", "--platform=node", "--format=esm", "--target=node20", "--outdir=bundle"];
    const names = ["--out-extension:.js=.mjs", `--banner:js=${banner}`, "--log-level=error"];
    const { code, output } = await inProject("esbuild", ...programs, ...bundled, ...names);
    expect([code, output]).toEqual([0, ""]);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

  it("The examples of the loop type-check in strict TypeScript with the packed package, and have no casts and no suppressed errors", async () => {
    const sources = readdirSync(folder).filter((name) => name.endsWith(".ts"));
    expect(sources).toEqual(expect.arrayContaining(programs));
    const lib = ["--target", "es2023", "--lib", "es2024,dom,dom.iterable", "--module", "esnext", "--types", "node"];
    const resolution = ["--ignoreConfig", "--moduleResolution", "bundler", "--allowImportingTsExtensions", "--noEmit"];
    const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", ...quickTypescript];
    expect(await inProject("tsc", ...lib, ...resolution, ...strict, ...sources)).toEqual({ code: 0, output: "" });
    for (const name of sources) {
      const text = readFileSync(path.join(folder, name), "utf8");
      const code = text.replaceAll(/\/\/.*$/gm, "").replaceAll(/"[^"\n]*"/g, '""');
      expect([name, code.match(/\bas\b(?! const)|<any>|: any\b/g)]).toEqual([name, null]);
      expect(text).not.toContain("@ts-");
    }
  });

  it("The conversation of the loop's examples answers, changes its model, forgets, and ends at /quit with the packed package", async () => {
    const lines = ["Hello.", "/model other", "Again.", "/clear", "More.", "/quit", "no"];
    const typed = lines.map((line) => `echo "${line}"`).join("; ");
    const { code, output } = await inProject("sh", "-c", `{ ${typed}; } | node bundle/repl.mjs`);
    expect(code, output).toBe(0);
    expect(output.split("\n").filter((line) => line.startsWith("This is"))).toEqual([
      "This is claude-sonnet-5-5. You sent 1 messages.",
      "This is other. You sent 3 messages.",
      "This is other. You sent 1 messages.",
    ]);
  });

  it("The coding assistant of the loop's examples writes a file in its folder with the packed package", async () => {
    mkdirSync(path.join(folder, "work"));
    const { code, output } = await inProject("node", "bundle/coder.mjs", "work", "Write a file.");
    expect([code, output]).toEqual([0, expect.stringContaining("[write_file")]);
    expect(readFileSync(path.join(folder, "work/notes.txt"), "utf8")).toBe("Written by a loop.\n");
  });

  it("The comparison of the loop's examples shows the answer that the judge selects with the packed package", async () => {
    const { code, output } = await inProject("node", "bundle/compare.mjs");
    expect([code, output]).toEqual([0, expect.stringContaining("\nthorough: Faro: in March")]);
  });

  it("The three judges of the loop's examples select the answer with the most votes with the packed package", async () => {
    const { code, output } = await inProject("node", "bundle/judges.mjs", "Which city?", "3", "2", "2");
    expect([code, output]).toEqual([0, expect.stringContaining("votes: 0, 2, 1\nwarm: Porto, for its wine.")]);
  });

  it("The pipeline of the loop's examples gives each agent the text of the agent before it with the packed package", async () => {
    const { code, output } = await inProject("node", "bundle/pipeline.mjs", "cork");
    const edited = 'AN ARTICLE. FACTS: ANSWER TO "WHAT IS KNOWN ABOUT CORK?".';
    expect([code, output]).toEqual([0, expect.stringContaining(edited)]);
  });
});
