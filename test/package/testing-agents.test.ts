// A project with a Worker of its own tests its agents by the installed entry `threadhold/testing`. The path of the project has a space.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { linkPackages } from "./linked-packages.ts";
import { run, type ProgramResult } from "./run.ts";

const header = `
import { startThread, text, type TestThread } from "threadhold/testing";
import { beforeAll, expect, test } from "vitest";
`;

/** An answer of a thread of one test that no request uses, and one that is allowed. */
const unusedInTest = `${header}
test("unused", async () => {
  const thread = await startThread("clerk", { answers: [text("Used"), text("Unused in a test")] });
  expect((await thread.send("Hi")).text).toBe("Used");
});

test("allowed", async () => {
  await startThread("clerk", { answers: [text("Unused")], allowUnusedAnswers: true });
});
`;

/** An answer of a thread for all tests of a file that no request uses. */
const unusedInFile = `${header}
let thread: TestThread;
beforeAll(async () => {
  thread = await startThread("clerk", { answers: [text("Used"), text("Unused in a file")] });
});

test("shared", async () => {
  expect((await thread.send("Hi")).text).toBe("Used");
});

test("another", () => {
  expect(thread.requests).toHaveLength(1);
});
`;

describe("a project that tests its agents", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "threadhold tested-"));
  const inProject = (...command: [string, ...string[]]): Promise<ProgramResult> =>
    run(command, { cwd: folder, env: { NO_COLOR: "1" } });
  const dist = path.join(folder, "node_modules/threadhold/dist");

  beforeAll(() => {
    cpSync(fileURLToPath(new URL("fixtures/tested", import.meta.url)), folder, { recursive: true });
    // The packages of a template: wrangler, TypeScript, vitest and its pool.
    const { assistant } = inject("packed").projects;
    cpSync(path.join(assistant, "package.json"), path.join(folder, "package.json"));
    linkPackages(assistant, folder);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

  it("The tests of a created project pass on a fresh clone, and print no messages of the Workers runtime", async () => {
    const { code, output } = await inProject("vitest", "run");
    expect([code, output]).toEqual([0, expect.stringMatching(/Tests.* 6 passed/)]);
    expect(output).not.toMatch(/exception|stack:/);
  });

  it("The tests of a created project, the generated module and the configuration have complete types", async () => {
    expect(await inProject("tsc", "-p", ".")).toMatchObject({ code: 0 });
    const options = ["--ignoreConfig", "--module", "nodenext", "--noEmit", "--strict", "--skipLibCheck"];
    expect(await inProject("tsc", ...options, "vitest.config.ts")).toMatchObject({ code: 0 });
  });

  it("A definition with an error fails the tests with the finding of the build", async () => {
    const file = path.join(folder, "agents/agents/clerk.ts");
    const good = readFileSync(file, "utf8");
    writeFileSync(file, good.replace('prompt: "clerk"', 'prompt: "clark"'));
    const { code, output } = await inProject("vitest", "run");
    writeFileSync(file, good);
    expect([code, output]).toEqual([1, expect.stringContaining("agents/ cannot be compiled, so no test can run.")]);
    expect(output).toContain('"clark"');
  });

  it("An unused answer fails its test, and an unused answer of a thread that all tests share fails the file", async () => {
    writeFileSync(path.join(folder, "agents/unused-in-test.test.ts"), unusedInTest);
    writeFileSync(path.join(folder, "agents/unused-in-file.test.ts"), unusedInFile);
    const { code, output } = await inProject("vitest", "run", "unused-in");
    expect([code, output]).toEqual([1, expect.stringMatching(/Tests.* 1 failed .* 3 passed/)]);
    for (const place of ["test", "file"])
      expect(output).toContain(`1 of 2 answers are unused; the first one is {"text":"Unused in a ${place}"}.`);
    expect(output).toMatch(/FAIL .*unused-in-test\.test\.ts > unused$/m);
    // Tests that are not selected may be those that use the answers.
    const selected = await inProject("vitest", "run", "unused-in-file", "--testNamePattern", "shared");
    expect([selected.code, selected.output]).toEqual([0, expect.stringMatching(/Tests.* 1 passed/)]);
    for (const place of ["test", "file"]) rmSync(path.join(folder, `agents/unused-in-${place}.test.ts`));
  });

  it("The package's entry for Workers imports no module of the test tools, directly or indirectly", () => {
    const reached = new Set<string>();
    const open = [path.join(dist, "worker.js")];
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      if (reached.has(file)) continue;
      reached.add(file);
      const imports = readFileSync(file, "utf8").matchAll(/(?:from |import\(|import )"(\.[^"]+)"/g);
      for (const [, name = ""] of imports) open.push(path.resolve(path.dirname(file), name));
    }
    const marks = (file: string): boolean =>
      /cloudflare:test|createTestWorker|RecordedRequest/.test(readFileSync(file, "utf8"));
    expect(reached.size).toBeGreaterThan(3);
    expect([...reached].filter(marks)).toEqual([]);
    expect(marks(path.join(dist, "testing.js"))).toBe(true);
  });
});
