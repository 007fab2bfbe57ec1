// Commands of the built-in tool `bash` that compute: the limits that end them.

import { expect, it } from "vitest";

import { ToolCaller } from "../tool-caller.ts";

/** Scripts that compute without end, or grow values, each with the error of the limit that ends it. */
const computing: [command: string, error: string][] = [
  ["while true; do :; done", "too many commands executed"],
  ["for i in $(seq 1000); do for j in $(seq 1000); do :; done; done", "too many commands executed"],
  ["for ((i = 0; i < 100000000; i++)); do ((j = i * i)); done", "too many commands executed"],
  ["f() { [ $1 -le 0 ] && return; f $(($1 - 1)); f $(($1 - 1)); }; f 50", "too many commands executed"],
  ['x=\'eval "$x"\'; eval "$x"', "too many commands executed"],
  ["seq 9000 | while read x; do y=$x; done", "too many commands executed"],
  ["f() { f; }; f", "maximum recursion depth"],
  ["f() { x=$(f); }; f", "nesting limit exceeded"],
  ["x=a; while true; do x=$x$x; done", "string length limit exceeded"],
  ["a=($(seq 9000) $(seq 9000) $(seq 9000))", "array"],
  ["seq 1 100000000 | wc -l", "iteration limit exceeded"],
  [`: ${":;".repeat(40_000)}`, "script input size limit exceeded"],
  ["echo {a,b}{1..9000} | wc -w", "limit exceeded"],
  ["echo x | sed ':a;s/x/xx/;ta'", "maximum iterations"],
  ["awk 'BEGIN { while (1) x++ }'", "maximum iterations"],
  ["awk 'BEGIN { s = \"a\"; while (1) s = s s }'", "size limit exceeded"],
  ["jq -n 'reduce range(0; 50000) as $i ([]; . + [$i])'", "limit exceeded"],
  ["jq -n 'def f(n): if n < 1 then 1 else f(n - 1) + f(n - 1) end; f(20)'", "too many iterations"],
  ["for i in $(seq 900); do printf '%200000s' x > a$i; done", "output size exceeded"],
];

it.for(computing)("A limit of the shell ends a command that only computes: %s", async ([command, error]) => {
  const coder = await ToolCaller.create("coder");
  const text = await coder.text("bash", { command });
  expect(text).not.toMatch(/^Exit code: 0/);
  expect(text).toContain(error);
});

it.for([
  "awk 'BEGIN { for (i = 0; i < 90000; i++) for (j = 0; j < 90000; j++) x++ }' > a",
  "awk 'function f(n) { if (n < 1) return 1; return f(n - 1) + f(n - 1) } BEGIN { print f(60) }' > a",
  `seq 9000 | sed '${"s/./&/;".repeat(30)}' > a`,
  "printf '%200000s' x > a; for i in $(seq 900); do wc a; done",
])(
  "The number of operations limits programs and the bytes that a command reads, and nothing is stored: %s",
  async (command) => {
    const coder = await ToolCaller.create("coder");
    expect(await coder.call("bash", { command })).toMatchObject({
      status: "error",
      error: expect.stringContaining("more than 500000 operations"),
    });
    expect(await coder.text("bash", { command: "ls" })).toBe("Exit code: 0\n");
  },
);

it("A comparison of texts with more than 1,500 different lines is refused, and one of similar texts is not", async () => {
  const coder = await ToolCaller.create("coder");
  const run = (command: string) => coder.text("bash", { command });
  await coder.files.put("/a", "one\ntwo\n");
  await coder.files.put("/b", "one\n2\n");
  expect(await run("seq 1 9000 > up; seq 9000 -1 1 > down; diff up down")).toContain(
    "diff: the files have more than 1500",
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
