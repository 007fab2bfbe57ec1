// The built-in tool `bash` in runs of a real thread: results, limits, errors and details as REQ-047, REQ-094 to REQ-097, REQ-137 and
// REQ-139 of phi-core's roadmap state them, and the changes of files that commands make.

import { describe, expect, inject, it } from "vitest";

import { readTool } from "#spec/index.ts";
import type { ThreadState, ToolResult } from "#spec/index.ts";
import { createBashTool, denyPatterns } from "#tools/bash/index.ts";
import type { BashOptions, CommandContext } from "#tools/bash/index.ts";

import { ToolCaller } from "../tool-caller.ts";

/** A thread with files, and a function that runs a command there. */
async function shellOver(files: Record<string, string> = {}) {
  const coder = await ToolCaller.create("coder");
  for (const [path, text] of Object.entries(files)) await coder.files.put(path, text);
  const run = (command: string, more: object = {}) => coder.text("bash", { command, ...more });
  const list = async () => coder.text("bash", { command: "find . -type f | sort | xargs -n 1 echo | tr '\\n' ' '" });
  return { coder, run, list };
}

describe("the result of a command", () => {
  it("A command returns its exit code and output, and labels STDOUT and STDERR if it writes errors", async () => {
    const { coder, run } = await shellOver();
    const result = await coder.call("bash", { command: 'echo "hello"' });
    expect(result).toMatchObject({
      status: "success",
      result: "Exit code: 0\nhello\n",
      details: { exit_code: 0, success: true },
    });
    const failed = await coder.call("bash", { command: "echo out; echo err >&2; exit 3" });
    expect(failed).toMatchObject({
      status: "success",
      result: "Exit code: 3\nSTDOUT:\nout\n\nSTDERR:\nerr\n",
      details: { exit_code: 3, success: false },
    });
    expect(await run("node -e 1")).toContain("node: command not found");
    expect(await run("echo 'ä€😀' | wc -c")).toBe("Exit code: 0\n10\n");
    expect(await run("if then")).toContain("Exit code: 2\nSTDOUT:\n\nSTDERR:\nbash: syntax error");
  });

  it("Each output of a command over its limit is cut at a whole character, with a note", async () => {
    const outcome = { stdout: "ää", stderr: "123456", exitCode: 0 };
    const result = await callOf({ maxOutputBytes: 3, run: async () => outcome }).run("x");
    expect(result.result).toBe(
      "Exit code: 0\nSTDOUT:\nä\n... (output truncated)\nSTDERR:\n123\n... (output truncated)",
    );
    const { run } = await shellOver();
    // The thread shows the beginning and the end of so long a text, and keeps all of it as a file.
    const length = "Exit code: 0\n".length + 256 * 1024 + "\n... (output truncated)".length;
    expect(await run("seq 1 19000; seq 1 19000; seq 1 19000")).toContain(
      `This text of ${length} characters is too long`,
    );
  });

  it("Hidden characters are removed from the outputs of a custom run function of the bash tool, and not from those of the thread's shell", async () => {
    const text = "a\u202Eb\u{E0041}\n";
    const outcome = { stdout: text, stderr: text, exitCode: 0 };
    const { result } = await callOf({ run: async () => outcome }).run("x");
    expect(result).toBe("Exit code: 0\nSTDOUT:\nab\n\nSTDERR:\nab\n");
    const rejected = callOf({ run: () => Promise.reject(new Error(text)) }).run("x");
    await expect(rejected).rejects.toThrow(/^ab\n$/);
    const { run } = await shellOver({ "/a.txt": text });
    expect(await run("cat a.txt")).toBe(`Exit code: 0\n${text}`);
  });

  it("A command runs in the working directory of the call or the options, with the environment variables of the options", async () => {
    const { run } = await shellOver({ "/src/a.txt": "a" });
    expect(await run("pwd; ls", { cwd: "src" })).toBe("Exit code: 0\n/src\na.txt\n");
    expect(await run("pwd", { cwd: "none" })).toContain("Error: Directory not found: /none");
    const received: CommandContext[] = [];
    const { run: call } = callOf({
      cwd: "/home",
      env: { STAGE: "test" },
      run: async (_command, context) => {
        received.push(context);
        return { stdout: "", stderr: "", exitCode: 0 };
      },
    });
    await call("x");
    expect(received).toMatchObject([{ cwd: "/home", env: { STAGE: "test" }, callId: "call-1" }]);
  });
});

describe("a command that is not run, or not to its end", () => {
  it.for([
    "rm -rf /",
    "rm -rf /*",
    "rm -fr -- '/'",
    "rm -v -rf //; ls",
    "rm -Rvfx /",
    "mkfs",
    "dd if=",
    ":(){:|:&};:",
    ":(){ :|:& };:",
  ])("A command with the denied text %s is not run", async (text) => {
    const { coder, run } = await shellOver({ "/a.txt": "a" });
    const { status, error } = await coder.call("bash", { command: `echo x > b.txt; ${text}` });
    expect(status).toBe("error");
    const shown = JSON.parse(
      /^Command blocked: it contains (".*"), which this tool does not run\.$/.exec(error ?? "")?.[1] ?? '"none"',
    ) as string;
    expect(text).toContain(shown);
    expect(await run("ls")).toBe("Exit code: 0\na.txt\n");
  });

  it("A long option of rm in a command is compared with the denied texts without backtracking", async () => {
    const { run } = await shellOver({ "/a.txt": "a" });
    expect(await run(`echo 'rm -${"rf".repeat(20_000)} x' | wc -c`)).toBe("Exit code: 0\n40007\n");
  });

  it("The bash tool runs a command that deletes a folder by its absolute path, and blocks each command that matches a regular expression of denyPatterns", async () => {
    const { run } = await shellOver({ "/build/a.txt": "a", "/b.txt": "b" });
    expect(await run("rm -rf /build; rm -rf /none/*; ls")).toBe("Exit code: 0\nb.txt\n");
    const output = async () => ({ stdout: "", stderr: "", exitCode: 0 });
    const { run: call } = callOf({ denyPatterns: [/curl|wget/g], run: output });
    for (const command of ["curl a", "curl b", "wget c"]) {
      expect(await call(command)).toMatchObject({ status: "error", error: expect.stringContaining("Command blocked") });
    }
    expect(await call("ls")).toMatchObject({ status: "success" });
    expect(denyPatterns).toHaveLength(5);
  });

  it("The list of denied texts can be replaced, and a command that is not confirmed does not run", async () => {
    const ran: string[] = [];
    const run = async (command: string) => {
      ran.push(command);
      return { stdout: "", stderr: "", exitCode: 0 };
    };
    const { run: call } = callOf({ denyPatterns: ["secret"], confirm: (command) => command !== "no", run });
    expect(await call("cat secret.txt")).toMatchObject({ error: expect.stringContaining("Command blocked") });
    expect(await call("no")).toMatchObject({ error: "Command was not confirmed by the user." });
    expect(await call("rm -rf /")).toMatchObject({ status: "success" });
    expect(ran).toEqual(["rm -rf /"]);
  });

  it("A command that reaches its time limit returns an error, and none of its changes are stored", async () => {
    const coder = await ToolCaller.create("coder");
    const result = await coder.withState(async (state) =>
      readTool(createBashTool({ timeoutMs: 20 })).run?.(state, { command: "echo x > a.txt; sleep 300" }, callContext()),
    );
    expect(result).toEqual({ status: "error", error: "Command timed out after 0.02s" });
    expect(await coder.text("bash", { command: "ls" })).toBe("Exit code: 0\n");
  });

  it("A cancelled command stores nothing, and one that is cancelled before it begins does not run", async () => {
    const coder = await ToolCaller.create("coder");
    const outcomes = await coder.withState(async (state) => {
      const { run } = readTool(createBashTool());
      const stop = new AbortController();
      const command = "echo x > a.txt; while sleep 1; do echo y; done";
      const cancelled = run?.(state, { command }, { ...callContext(), signal: stop.signal });
      setTimeout(() => stop.abort(), 20);
      const early = run?.(state, { command: "echo x > b.txt" }, { ...callContext(), signal: AbortSignal.abort() });
      const settled = await Promise.allSettled([cancelled, early]);
      return settled.map((each) => (each.status === "rejected" ? (each.reason as Error).name : each));
    });
    expect(outcomes).toEqual(["AbortError", "AbortError"]);
    expect(await coder.text("bash", { command: "ls" })).toBe("Exit code: 0\n");
  });

  it("If a command is cancelled while its changes are prepared, none of them are stored", async () => {
    const coder = await ToolCaller.create("coder");
    const outcome = await coder.withState(async (state) => {
      const stop = new AbortController();
      const stopped = new Proxy(state, {
        get(target, key) {
          if (key !== "writeFiles") return Reflect.get(target, key) as unknown;
          return (...values: Parameters<typeof target.writeFiles>) => {
            const stored = target.writeFiles(...values);
            // The batch is not stored yet: its contents are.
            stop.abort();
            return stored;
          };
        },
      });
      const { run } = readTool(createBashTool());
      const call = run?.(stopped, { command: "echo x > a.txt" }, { ...callContext(), signal: stop.signal });
      return (call as Promise<ToolResult>).catch((thrown: unknown) => (thrown as Error).name);
    });
    expect(outcome).toBe("AbortError");
    expect(await coder.text("bash", { command: "ls" })).toBe("Exit code: 0\n");
  });

  it("The number of commands in a call of the bash tool, and of branches in a line of sed, is limited", async () => {
    const { run } = await shellOver({});
    expect(await run("echo x | sed ':a;s/x/xx/;ta'")).toContain("maximum iterations (1000)");
    expect(await run("for i in $(seq 150); do for j in $(seq 150); do :; done; done; echo finished")).not.toContain(
      "finished",
    );
  });

  it.for(["while true; do :; done", "f() { f; }; f", "seq 1 100000000 | wc -l", "awk 'BEGIN { while (1) x++ }'"])(
    "A limit of work ends a command that would run without end: %s",
    async (command) => {
      const { coder, run } = await shellOver();
      const text = await coder.text("bash", { command });
      expect(text).toMatch(/^(?:Exit code: [1-9]|Error: .* none of its changes of files are stored)/);
      expect(await run("echo fine")).toBe("Exit code: 0\nfine\n");
    },
  );
});

describe("the files of a command", () => {
  it("A command reads the thread's files and stores what it writes, and a replaced file keeps its content type", async () => {
    const { coder, run } = await shellOver({ "/src/a.ts": "one\ntwo\n", "/b.txt": "b" });
    await coder.files.put("/notes", "old", { "content-type": "text/markdown" });
    expect(await run("cat src/*.ts | grep two > found.txt; sed -i s/one/1/ src/a.ts; echo new > notes")).toBe(
      "Exit code: 0\n",
    );
    expect(await coder.read("/found.txt")).toBe("two\n");
    expect(await coder.read("/src/a.ts")).toBe("1\ntwo\n");
    expect((await coder.files.get("/notes")).headers.get("content-type")).toBe("text/markdown");
    expect((await coder.files.get("/found.txt")).headers.get("content-type")).toContain("text/plain");
  });

  it("All changes of a command are one batch, however often it writes a file", async () => {
    const { coder, run } = await shellOver();
    // The first call of a thread also writes rows of its own.
    await run("true");
    const rows = await coder.rowsWritten(() =>
      run("for i in $(seq 1 200); do echo $i >> log; echo $i > tmp; done; rm tmp"),
    );
    const one = await coder.rowsWritten(() => run("echo 1 > other"));
    expect(rows).toBe(one);
    expect((await coder.read("/log")).split("\n")).toHaveLength(201);
  });

  it("Files and folders that a command moves or swaps are moved or swapped in the thread", async () => {
    const { coder, run, list } = await shellOver({
      "/src/a.txt": "a",
      "/src/deep/b.txt": "b",
      "/x": "x",
      "/y": "y",
      "/z": "z",
    });
    expect(await run("ls -R src > /dev/null; mv src lib; mv x t; mv y x; mv t y; mv z w")).toBe("Exit code: 0\n");
    expect(await list()).toBe("Exit code: 0\n./lib/a.txt ./lib/deep/b.txt ./w ./x ./y ");
    expect([await coder.read("/lib/deep/b.txt"), await coder.read("/x"), await coder.read("/y")]).toEqual([
      "b",
      "y",
      "x",
    ]);
    const id = (path: string) => coder.files.get(path).then(({ headers }) => headers.get("etag"));
    const before = await id("/w");
    await run("mkdir new; mv w new/w");
    expect(await id("/new/w")).toBe(before);
  });

  it("A file that is moved or copied to an existing file replaces it, and is not copied to itself", async () => {
    const { run } = await shellOver({ "/a": "a", "/b": "b", "/d/a": "other" });
    expect(await run("mv a b; cat b; echo c > c; cp b c; cat c; cp c d/a; cat d/a; mv c d/a; ls . d")).toBe(
      "Exit code: 0\naaa.:\nb\nd\n\nd:\na\n",
    );
    expect(await run("cp b ./b")).toContain("are the same file");
  });

  it("A command can replace a file by a folder and a folder by a file, and deleted entries are absent afterwards", async () => {
    const { coder, run, list } = await shellOver({ "/f": "f", "/d/x": "x", "/d/y": "y", "/e/z": "z", "/e/u/v": "v" });
    expect(await run("mv f g; mkdir f; mv g f/g; mv d/x t; rm -r d; mv t d; mv e/u . && rm -r e; rm -f none")).toBe(
      "Exit code: 0\n",
    );
    expect(await list()).toBe("Exit code: 0\n./d ./f/g ./u/v ");
    expect([await coder.read("/f/g"), await coder.read("/d")]).toEqual(["f", "x"]);
    expect(await run("cp -r u c; cp f/g c/g; mv f/g f/h; touch c/new; mkdir -p empty/one; rm u/v; ls u empty c")).toBe(
      "Exit code: 0\nu:\n\nempty:\none\n\nc:\ng\nnew\nv\n",
    );
    expect(await run("find . | sort | tr '\\n' ' '")).toBe(
      "Exit code: 0\n. ./c ./c/g ./c/new ./c/v ./d ./empty ./empty/one ./f ./f/h ./u ",
    );
  });

  it("If a command moves a folder and then copies its parent, its files are in the moved folder and in the copy", async () => {
    const { coder, run, list } = await shellOver({ "/a/b/2": "two", "/d/3": "three" });
    expect(await run("mv a/b a/1; mkdir a/b; cp -r a d")).toBe("Exit code: 0\n");
    expect(await list()).toBe("Exit code: 0\n./a/1/2 ./d/3 ./d/a/1/2 ");
    expect([await coder.read("/a/1/2"), await coder.read("/d/a/1/2")]).toEqual(["two", "two"]);
  });

  it("After a random sequence of operations, the thread has the same files as the command listed at its end", async () => {
    const seed = inject("seed");
    const pick = random(seed);
    const { coder, run } = await shellOver({ "/a/1": "one", "/a/b/2": "two", "/b/3": "three", "/c": "four" });
    const paths = ["a", "b", "c", "a/b", "a/b/c", "b/a", "b/c", "a/1", "a/b/2", "b/3"];
    const state = 'find . -type d | sort; find . -type f | sort | while read f; do echo "$f: $(cat $f)"; done';
    for (let round = 0; round < 12; round += 1) {
      const one = () => paths[pick(paths.length)] ?? "a";
      const operations = Array.from({ length: 1 + pick(6) }, () => {
        const [from, to] = [one(), one()];
        return [
          `mv ${from} ${to}`,
          `cp -r ${from} ${to}`,
          `rm -r ${from}`,
          `mkdir -p ${from}`,
          `echo ${pick(1000)} > ${from}`,
          `ls -R ${from}`,
        ][pick(6)];
      });
      const command = `{ ${operations.join("; ")}; } > /dev/null 2>&1; ${state}`;
      const during = await run(command);
      expect(await run(state), `seed ${seed}, round ${round}: ${command}`).toBe(during);
    }
    expect(await coder.text("bash", { command: "true" })).toBe("Exit code: 0\n");
  });

  it("A command does not replace a file that another request changed meanwhile: it stores nothing and returns an error", async () => {
    const coder = await ToolCaller.create("coder");
    await coder.files.put("/a.txt", "old");
    await coder.files.put("/b.txt", "old");
    const outcome = await coder.withState(async (state) => {
      const { run } = readTool(createBashTool());
      // The change is made while the command reads the file.
      const racing = new Proxy(state, {
        get(target, key) {
          if (key !== "readFile") return Reflect.get(target, key) as unknown;
          return async (path: string) => {
            const bytes = await target.readFile(path);
            await target.writeFile(path, "other", "text/plain");
            return bytes;
          };
        },
      });
      const call = run?.(racing, { command: "echo new > b.txt; sed -i s/old/new/ a.txt" }, callContext());
      return (call as Promise<ToolResult>).catch((thrown: unknown) => (thrown as Error).message);
    });
    expect(outcome).toContain("ended with exit code 0, but none of its changes of files are stored");
    expect([await coder.read("/a.txt"), await coder.read("/b.txt")]).toEqual(["other", "old"]);
  });

  it("Links, system folders, and too many bytes are refused with the reason", async () => {
    const { coder, run } = await shellOver({ "/a": "a" });
    expect(await run("ln -s a b")).toContain("Exit code: 1");
    expect(await run("echo y > b; echo x > /dev/sda")).toContain("Exit code: 1\nSTDOUT:\n\nSTDERR:\nbash: EACCES");
    expect(await run("cat b; rm b")).toBe("Exit code: 0\ny\n");
    expect(await run("mkdir -p /usr/bin/x; ls")).toContain("permission denied");
    expect(await run("ls; cat /dev/null; echo x > /dev/null")).toBe("Exit code: 0\na\n");
    expect(await run("cat ../../../a")).toBe("Exit code: 0\na");
    await coder.files.put("/large", new Uint8Array(16 * 1024 * 1024 + 1));
    expect(await run("wc -c large")).toContain("Exit code: 1");
    expect(await run("cp large copy")).toContain("none of its changes of files are stored: EFBIG: file too large");
    expect(await run("mv large moved; ls")).toBe("Exit code: 0\na\nmoved\n");
  });

  it("A command reads only the folders and contents that it uses", async () => {
    const coder = await ToolCaller.create("coder");
    for (let folder = 0; folder < 4; folder += 1) await coder.fill(folder, 300);
    const rows = await coder.rowsRead(() => coder.text("bash", { command: "cat f1/7.txt" }));
    const all = await coder.rowsRead(() => coder.text("bash", { command: "find . -type f | wc -l" }));
    expect(rows).toBeLessThan(all / 2);
    expect(await coder.text("bash", { command: "find . -type f | wc -l; grep -r 'file 1199$' . | wc -l" })).toBe(
      "Exit code: 0\n1200\n1\n",
    );
  });
});

function callContext() {
  return { id: "call-1", attempt: 1, signal: new AbortController().signal, progress: () => {} };
}

/** Calls a tool with options without a thread. */
function callOf(options: BashOptions) {
  const tool = readTool(createBashTool(options));
  const run = async (command: string) => {
    return (await tool.run?.({} as ThreadState, { command }, callContext())) as ToolResult;
  };
  return { run };
}

/** Random whole numbers below a bound, by a seed. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
