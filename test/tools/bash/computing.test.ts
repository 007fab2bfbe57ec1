// Commands of the built-in tool `bash` that compute: the limits that end them.

import { expect, it } from "vitest";

import { WorkMeter } from "#tools/bash/work-meter.ts";

import { ToolCaller } from "../tool-caller.ts";

/** Scripts that compute without end, or grow values, each with the error of the limit that ends it. */
const computing: [command: string, error: string][] = [
  ["while true; do :; done", "more than 500000 operations"],
  ["for i in $(seq 1000); do for j in $(seq 1000); do :; done; done", "more than 500000 operations"],
  ["for ((i = 0; i < 100000000; i++)); do ((j = i * i)); done", "too many commands executed"],
  ["f() { [ $1 -le 0 ] && return; f $(($1 - 1)); f $(($1 - 1)); }; f 50", "more than 500000 operations"],
  ['x=\'eval "$x"\'; eval "$x"', "more than 500000 operations"],
  ["seq 9000 | while read x; do y=$x; done", "more than 500000 operations"],
  ["f() { f; }; f", "maximum recursion depth"],
  ["f() { x=$(f); }; f", "nesting limit exceeded"],
  ["x=a; while true; do x=$x$x; done", "string length limit exceeded"],
  [`a=(${"$(seq 9000) ".repeat(6)})`, "array"],
  ["seq 1 100000000 | wc -l", "seq: output size limit exceeded"],
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
  "for i in $(seq 9000); do echo $i; done > a",
])("The number of operations limits programs and loops, and nothing is stored: %s", async (command) => {
  const coder = await ToolCaller.create("coder");
  expect(await coder.call("bash", { command })).toMatchObject({
    status: "error",
    error: expect.stringContaining("more than 500000 operations"),
  });
  expect(await coder.text("bash", { command: "ls" })).toBe("Exit code: 0\n");
});

it.for(["printf '%200000s' x > a; for i in $(seq 900); do wc a; done", "wc -l large; cp large a; wc -l large"])(
  "A command that reads more than 16 MiB of files is ended with a text that names the limit, and nothing is stored: %s",
  async (command) => {
    const coder = await ToolCaller.create("coder");
    await coder.files.put("/large", "a line of a text\n".repeat(550_000));
    expect(await coder.call("bash", { command })).toMatchObject({
      status: "error",
      error: expect.stringMatching(/reads more than 16 MiB of files.*read_file and search/),
    });
    expect(await coder.text("bash", { command: "ls" })).toBe("Exit code: 0\nlarge\n");
  },
);

it("A command reads and searches a file of several megabytes, and appends to it several times", async () => {
  const coder = await ToolCaller.create("coder");
  const run = (command: string) => coder.text("bash", { command });
  await coder.files.put("/large", "a line of a text\n".repeat(490_000));
  await coder.files.put("/lines", "a line of a text\n".repeat(38_000));
  expect(await run("wc -l large")).toBe("Exit code: 0\n490000 large\n");
  expect(await run("head -n 1 large")).toBe("Exit code: 0\na line of a text\n");
  expect(await run("grep -c text lines")).toBe("Exit code: 0\n38000\n");
  expect(await run("for i in 1 2 3 4 5 6; do echo hi >> large; done; wc -l large")).toBe(
    "Exit code: 0\n490006 large\n",
  );
});

it("A script that renames 200 files one by one runs to its end", async () => {
  const coder = await ToolCaller.create("coder");
  const make = "mkdir d; for i in $(seq 200); do echo $i > d/$i; done";
  const rename = "for f in d/*; do n=$(wc -l < $f); [ $n -gt 0 ] && mv $f $f.txt; done";
  expect(await coder.text("bash", { command: `${make}; ${rename}; find d -name '*.txt' | wc -l` })).toBe(
    "Exit code: 0\n200\n",
  );
});

it("If a limit of the shell ends a command, nothing is stored, and the error names no option of the shell", async () => {
  const coder = await ToolCaller.create("coder");
  const { status, error } = await coder.call("bash", { command: "echo x > a; f() { f; }; f" });
  expect(status).toBe("error");
  expect(error).toContain("none of its changes of files are stored: f: maximum recursion depth (100) exceeded. ");
  expect(await coder.text("bash", { command: "ls" })).toBe("Exit code: 0\n");
  expect(await coder.text("bash", { command: "echo x > a; exit 126" })).toBe("Exit code: 126\n");
  expect(await coder.text("bash", { command: "ls" })).toBe("Exit code: 0\na\n");
});

it("A call and a regular expression of awk, [[ and case count as several operations", () => {
  const numberOf = (feature: string) => {
    const work = new WorkMeter(new AbortController().signal);
    for (let hits = 0; ; hits += 1) {
      try {
        work.hit(feature);
      } catch {
        return hits;
      }
    }
  };
  expect(numberOf("awk:expr:number")).toBe(500_000);
  expect(["awk:expr:call", "awk:expr:regex"].map(numberOf)).toEqual([50_000, 50_000]);
  expect(["bash:cmd:ConditionalCommand", "bash:cmd:Case"].map(numberOf)).toEqual([1666, 1666]);
  expect(numberOf("bash:cmd:SimpleCommand")).toBe(10_000);
});

it("A command that computes for 10 seconds is ended if the clock advances meanwhile, and a wait does not count", () => {
  let time = 0;
  const work = new WorkMeter(new AbortController().signal, () => time);
  time = 10_000;
  work.hit("awk:expr:call");
  time = 19_000;
  work.eventLoopRan();
  time = 29_000;
  work.hit("awk:expr:call");
  time = 29_001;
  expect(() => work.hit("awk:expr:call")).toThrow("computes for more than 10 seconds");
  work.eventLoopRan();
  expect(() => work.throwIfExceeded()).toThrow("none of its changes of files are stored");
});

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
    expect(text).toContain("none of its changes of files are stored");
    expect(text).toContain("brace expansion");
    expect(text).toContain("limit exceeded");
  },
);

it("A range of fewer words is expanded completely", async () => {
  const coder = await ToolCaller.create("coder");
  expect(await coder.text("bash", { command: "echo {1..9999} | wc -w; echo {1..9} | wc -w" })).toContain("9999");
  expect(await coder.text("bash", { command: "echo {1..100000000..20000} | wc -w" })).toContain("5000");
});
