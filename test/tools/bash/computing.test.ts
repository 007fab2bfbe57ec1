// Commands of the built-in tool `bash` that compute: how a time limit, a stop and the limits of work end them.

import { expect, it } from "vitest";

import { readTool } from "#spec/index.ts";
import type { ToolResult } from "#spec/index.ts";
import { createBashTool } from "#tools/bash/index.ts";

import { ToolCaller } from "../tool-caller.ts";

const contextOf = (signal: AbortSignal) => ({ id: "call-1", attempt: 1, signal, progress: () => {} });

/** A chain of variables whose arithmetic evaluates the last one 2 ^ 40 times. */
const doubling = Array.from({ length: 40 }, (_, index) => `v${index}='v${index + 1}+v${index + 1}'`).join(";");

/** A text of megabytes. Each use of it takes milliseconds. */
const large = 'x=$(printf "%4000000s" x)';

/** Commands that only compute, for seconds, within the limits of work. */
const computing: [name: string, command: string][] = [
  ["an array grows in a loop", "for i in $(seq 9000); do a+=($i); done"],
  ["a replaced text grows", "x=; for i in $(seq 9000); do x+=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; y=${x//a/b}; done"],
  ["a searched text of awk grows", "awk 'BEGIN { for (i = 0; i < 90000; i++) { s = s i; n += index(s, \"z\") } }'"],
  ["variables refer to each other", `${doubling}; v40=1; echo $((v0))`],
  ["2,000 lengths of a large text", `${large}; : ${"${#x} ".repeat(2000)}`],
  ["2,000 doublings of a large text", `${large}; ${"y=$x$x ".repeat(2000)}`],
  ["2,000 patterns for a large text", `${large}; case "$x" in ${"*a*b) ;; ".repeat(2000)} esac`],
  ["30 replacements of sed in each line", `seq 90000 | sed '${"s/./&/;".repeat(30)}'`],
];

it.for(computing)("A time limit ends a command that only computes: %s", async ([, command]) => {
  const coder = await ToolCaller.create("coder");
  const { run } = readTool(createBashTool({ timeoutMs: 50 }));
  const result = await coder.withState(async (state) =>
    run?.(state, { command: `echo x > a.txt; ${command}` }, contextOf(new AbortController().signal)),
  );
  expect(result).toEqual({ status: "error", error: "Command timed out after 0.05s" });
  expect(await coder.text("bash", { command: "ls" })).toBe("Exit code: 0\n");
});

it.for(computing)("A stop ends a command that only computes: %s", async ([, command]) => {
  const coder = await ToolCaller.create("coder");
  const outcome = await coder.withState(async (state) => {
    const stop = new AbortController();
    const { run } = readTool(createBashTool());
    const call = run?.(state, { command: `echo x > a.txt; ${command}` }, contextOf(stop.signal));
    setTimeout(() => stop.abort(), 20);
    return (call as Promise<ToolResult>).catch((thrown: unknown) => (thrown as Error).name);
  });
  expect(outcome).toBe("AbortError");
  expect(await coder.text("bash", { command: "ls" })).toBe("Exit code: 0\n");
});

it.for([
  "awk 'BEGIN { for (i = 0; i < 90000; i++) for (j = 0; j < 90000; j++) x++ }' > a",
  "awk 'function f(n) { if (n < 1) return 1; return f(n - 1) + f(n - 1) } BEGIN { print f(60) }' > a",
  "seq 1 90000 | tr -d '\\n' | sed ':a;s/1/21/;ta' > a",
  "jq -n 'reduce range(0; 50000) as $i ([]; . + [$i])' > a",
])(
  "Nested loops, recursions and growing values are limited by the number of operations, and nothing is stored: %s",
  async (command) => {
    const coder = await ToolCaller.create("coder");
    expect(await coder.call("bash", { command })).toMatchObject({
      status: "error",
      error: expect.stringContaining("more than 3000000 operations"),
    });
    expect(await coder.text("bash", { command: "ls" })).toBe("Exit code: 0\n");
  },
);

it.for([
  "printf '%4000000s' x | grep -E '( | ){900}y'",
  "printf '%4000000s' x | awk '{ print match($0, /( | ){900}y/) }'",
  'x=$(printf "%400000s" x); [[ $x =~ ( | ){900}y ]]',
  "jq -n '[range(100000) | tostring | test(\"(a|b){900}c\")]'",
])("Regular expressions are limited by the number of steps, and the command fails: %s", async (command) => {
  const coder = await ToolCaller.create("coder");
  const text = await coder.text("bash", { command });
  expect(text).toMatch(/^Exit code: [1-9]/);
  expect(text).toContain("regular expression step limit exceeded (100000000)");
});

it("Regular expressions are limited by their length, and the command fails", async () => {
  const coder = await ToolCaller.create("coder");
  const text = await coder.text("bash", { command: "seq 90000 > a; echo x | grep -F -f a" });
  expect(text).toContain("regular expression length limit exceeded (100000)");
});

it("Commands of sed whose address does not match are limited by the length of the text", async () => {
  const coder = await ToolCaller.create("coder");
  const command = `printf '%4000000s' x | sed '${"/a/d;".repeat(1000)}' > a`;
  expect(await coder.call("bash", { command })).toMatchObject({
    status: "error",
    error: expect.stringContaining("more than 3000000 operations"),
  });
});

it("A comparison of texts with more than 2,000 different lines is refused, and one of similar texts is not", async () => {
  const coder = await ToolCaller.create("coder");
  const run = (command: string) => coder.text("bash", { command });
  await coder.files.put("/a", "one\ntwo\n");
  await coder.files.put("/b", "one\n2\n");
  expect(await run("seq 1 9000 > up; seq 9000 -1 1 > down; diff up down")).toContain(
    "diff: the files have more than 2000",
  );
  expect(await run("seq 1 9000 > up; sed s/^5000$/x/ up > changed; diff up changed")).toContain("-5000\n+x\n");
  expect(await run("diff a b")).toContain("Exit code: 1\n");
  expect(await run("cat a | diff - a; diff a none")).toContain("No such file");
});

it.for([
  "echo {1..100000000} | wc -c",
  "echo {1..10001} | wc -w",
  "echo {00001..30000} | wc -w",
  "echo {-1..-20000} | wc -w",
  "echo {20000..1} | wc -w",
  "x=({1..200000}); echo ${#x[@]}",
  "for i in {1..15000}; do :; done; echo $i",
  "eval 'echo {1..20000} | wc -w'",
  "echo {a,b}{1..20000} | wc -w",
  "echo {1..20000..1} | wc -w",
])(
  "A range with more words than the shell expands makes the command fail, in place of missing words: %s",
  async (command) => {
    const coder = await ToolCaller.create("coder");
    const text = await coder.text("bash", { command });
    expect(text).toMatch(/^Exit code: [1-9]/);
    expect(text).toContain("brace expansion");
    expect(text).toContain("limit exceeded");
  },
);

it("A range of fewer words is expanded completely", async () => {
  const coder = await ToolCaller.create("coder");
  expect(await coder.text("bash", { command: "echo {1..9999} | wc -w; echo {1..9} | wc -w" })).toContain("9999");
  expect(await coder.text("bash", { command: "echo {1..100000000..20000} | wc -w" })).toContain("5000");
});
