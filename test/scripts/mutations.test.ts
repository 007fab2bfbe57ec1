// The command `npm run mutate`: the places that it finds, the marks that show which of them run, and the copy in which it works.

import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";

import { copyTree, runnersOf } from "../../scripts/lib/mutant-tree.mjs";
import { describeMutation, mutated, mutationsOf, reachedPlaces, withMarks } from "../../scripts/lib/mutations.mjs";
import { fromRoot } from "../../scripts/lib/paths.mjs";
import { namedCode, rowId } from "../../scripts/lib/uap-conformance.mjs";

const changes = (text: string): string[] => mutationsOf(text, "a.ts").map((mutation) => mutated(text, mutation));

it.each([
  ["a condition is negated", "if (a && b) c = d;", ["if (!(a && b)) c = d;"]],
  ["a condition of a value is negated", "a = b ? c : d;", ["a = !(b) ? c : d;"]],
  ["a condition of a loop is negated", "while (a) b = c;", ["while (!(a)) b = c;"]],
  ["a call is left out", "a.b();", [";"]],
  ["a call that is awaited is left out", "await a?.();", [";"]],
  ["two arguments are swapped", "a = b(c, d);", ["a = b(d, c);"]],
  ["arguments of a constructor are swapped", "a = new B(c, d, e);", ["a = new B(d, c, e);", "a = new B(c, e, d);"]],
  ["a number is one too high", "a = b[0];", ["a = b[(0 + 1)];"]],
  ["a function returns at its start", "function f() { throw a; }", ["function f() { return; throw a; }"]],
  ["a function returns nothing", "a = (b) => b.c;", ["a = (b) => (undefined);"]],
  ["a method returns at its start", "class A { b() { this.c = d; } }", ["class A { b() { return; this.c = d; } }"]],
  ["an expression with a type is read", "a = b(1 as never);", ["a = b((1 + 1) as never);"]],
])("A mutation of a text: %s", (_, text, expected) => {
  expect(changes(text)).toEqual(expected);
});

it.each([
  ["types", "type A = 1 | B<2>; let a: 3; interface C { d(): 4 }"],
  ["names of members", "a = { 1: b };"],
  ["equal arguments", "a = b(c, c);"],
  ["arguments whose order has no effect", "a = Math.max(b, c);"],
  ["spread arguments", "a = b(...c, d);"],
  ["the call of the parent's constructor", "class A extends B { constructor() { super(); } }"],
  ["empty functions", "function f() {}"],
])("No mutation concerns %s", (_, text) => {
  expect(changes(text)).toEqual([]);
});

it("A mutation has its line, the functions around it, and a text of one line", () => {
  const text = "const outer = () => {\n  inner(a,\n    b);\n};\nclass A {\n  read() {\n    return 7;\n  }\n}\n";
  const mutations = mutationsOf(text, "a.ts");
  expect(mutations.map((one) => [one.line, one.functions, describeMutation(text, one)])).toEqual([
    [1, ["outer"], "return: const outer = () => {"],
    [2, ["outer"], "drop: inner(a, b);"],
    [2, ["outer"], "swap: a, b"],
    [6, ["read"], "return: read() {"],
    [7, ["read"], "add 1: 7"],
  ]);
});

it("Marked code has the same results, and reports each place that it reaches once", async () => {
  const text = [
    "const add = (a, b) => a + b;",
    "function pick(n) { if (n > 1) return add(n, 10); return (n ? 20 : 30); }",
    "const other = () => add(40, 50)",
    "export const results = [pick(2), pick(3), pick(0)];",
  ].join("\n");
  const mutations = mutationsOf(text, "a.js");
  const folder = await mkdtemp(path.join(tmpdir(), "threadhold-marks-"));
  try {
    const report = path.join(folder, "reached.txt");
    const marked = `data:text/javascript,${encodeURIComponent(withMarks(text, mutations, report))}`;
    const { results } = (await import(/* @vite-ignore */ marked)) as { results: number[] };
    expect(results).toEqual([12, 13, 30]);
    const output = await readFile(report, "utf8");
    const reached = reachedPlaces(output);
    expect(output.match(/\d+/g)).toHaveLength(reached.size);
    const missed = mutations.filter((_none, at) => !reached.has(at));
    expect(missed.map((one) => describeMutation(text, one))).toEqual([
      "add 1: 20",
      "return: const other = () => add(40, 50)",
      "swap: 40, 50",
      "add 1: 40",
      "add 1: 50",
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

it("The marked code of every file that a row of phi-core.md names parses, and so does each kind of mutation of it", async () => {
  const document = await readFile(fromRoot("docs/reference/phi-core.md"), "utf8");
  const rows = document.split("\n").filter((line) => rowId(line) !== undefined);
  const files = new Set(rows.flatMap((line) => namedCode(line, "src/facade/phi")));
  expect(files.size).toBeGreaterThan(100);
  for (const file of files) {
    if (!file.endsWith(".ts")) continue;
    const text = await readFile(fromRoot(file), "utf8");
    const mutations = mutationsOf(text, file);
    const one = new Map(mutations.map((mutation) => [mutation.kind, mutation])).values();
    for (const changed of [
      withMarks(text, mutations, "reached.txt"),
      ...[...one].map((mutation) => mutated(text, mutation)),
    ])
      expect(parseSync(file, changed).errors, file).toEqual([]);
  }
});

it("A suite that is no test file is run by the files that import it", () => {
  const files = ["test/tools/files/file-tools.test.ts", "test/tools/node/host-workspace.test.ts"];
  expect(runnersOf("test/a.test.ts", files)).toEqual(["test/a.test.ts"]);
  expect(runnersOf("test/tools/files/workspace-contract.ts", files)).toContain(
    "test/tools/node/host-workspace.test.ts",
  );
});

it("A change in the copy of the project changes no file of the project", async () => {
  const folder = await copyTree();
  try {
    const file = "src/facade/phi/message-queue.ts";
    const before = await readFile(fromRoot(file), "utf8");
    expect(await readFile(path.join(folder, file), "utf8")).toBe(before);
    await writeFile(path.join(folder, file), "mutated");
    expect(await readFile(fromRoot(file), "utf8")).toBe(before);
    expect(await readdir(path.join(folder, "node_modules/vitest"))).toContain("package.json");
    expect(await readdir(path.join(folder, "node_modules"))).not.toContain(".vite");
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** Runs the command until it ends. `onOutput` is called with the process and all that it printed. */
async function mutate(args: string[], env: object, onOutput?: (stop: () => void, output: string) => void) {
  const child = spawn(process.execPath, [fromRoot("scripts/mutate.mjs"), ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      output += String(chunk);
      onOutput?.(() => child.kill("SIGINT"), output);
    });
  const code = await new Promise((resolve) => child.on("close", resolve));
  return { code, output };
}

it("The command refuses a row that does not exist, and a seed that is no number", async () => {
  expect(await mutate(["999"], {})).toMatchObject({ code: 1, output: expect.stringContaining("no row 999") });
  expect(await mutate([], { MUTATE_SEED: "x" })).toMatchObject({
    code: 1,
    output: expect.stringContaining("MUTATE_SEED has to be a whole number"),
  });
});

it("The command removes its copy when it is interrupted", async () => {
  const temporary = await mkdtemp(path.join(tmpdir(), "threadhold-interrupted-"));
  try {
    const { code } = await mutate(["061"], { TMPDIR: temporary, MUTATE_SEED: "1" }, (stop, output) => {
      if (output.includes("MUTATE_SEED=1")) stop();
    });
    expect(code).toBe(130);
    expect(await readdir(temporary)).toEqual([]);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
});
