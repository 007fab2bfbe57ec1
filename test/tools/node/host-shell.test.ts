// The tool `bash` with the shell of this machine.

import { existsSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";

import { describe, expect, it, vi } from "vitest";

import { callTool, hostPlace, isRunning, temporaryFolder } from "./host-place.ts";

describe("a command", () => {
  it("A command runs as a process in the folder, and its outputs and exit code are the result", async () => {
    const { text, put, read } = hostPlace(true);
    put("src/a.txt", "one\n");
    expect(await text("bash", { command: "cat a.txt | tr a-z A-Z > b.txt; pwd | grep -o 'src$'", cwd: "src" })).toBe(
      "Exit code: 0\nsrc\n",
    );
    expect(read("src/b.txt")).toBe("ONE\n");
    expect(await text("bash", { command: "echo out; echo err >&2; exit 3" })).toBe(
      "Exit code: 3\nSTDOUT:\nout\n\nSTDERR:\nerr\n",
    );
    expect(await text("bash", { command: "kill -TERM $$" })).toContain("Exit code: 143");
    expect(await text("bash", { command: "cat" })).toBe("Exit code: 0\n");
  });

  it("A working directory outside of the folder is refused, also through a link", async () => {
    const { text, root } = hostPlace(true);
    symlinkSync(temporaryFolder(), path.join(root, "link"));
    for (const cwd of ["link", ".."]) expect(await text("bash", { command: "pwd", cwd })).toContain("leads out of");
    expect(await text("bash", { command: "pwd", cwd: "none" })).toContain("Error: Directory not found: /none");
  });

  it("A command receives only the usual variables of this process and those of the options", async () => {
    vi.stubEnv("THREADHOLD_TEST_KEY", "hidden");
    const { text } = hostPlace({ env: { STAGE: "test" } });
    const variables = await text("bash", { command: "env" });
    vi.unstubAllEnvs();
    expect(variables).toContain("STAGE=test\n");
    expect(variables).toContain("PATH=");
    expect(variables).not.toContain("THREADHOLD_TEST_KEY");
  });

  it("A command does not run if it contains a denied text or if the option confirm returns false", async () => {
    const { text } = hostPlace({ confirm: (command) => command !== "true" });
    expect(await text("bash", { command: "echo; mkfs /dev/none" })).toContain("Error: Command blocked");
    expect(await text("bash", { command: "true" })).toBe("Error: Command was not confirmed by the user.");
  });
});

describe("the limits of a command", () => {
  it("An output over the limit is cut at a whole character, and the command continues to its end", async () => {
    const { text } = hostPlace({ maxOutputBytes: 3 });
    expect(await text("bash", { command: "printf 'ää'; yes | head -c 3000000; echo 123456 >&2" })).toBe(
      "Exit code: 0\nSTDOUT:\nä\n... (output truncated)\nSTDERR:\n123\n... (output truncated)",
    );
  });

  it("A command that reaches its time limit returns an error", async () => {
    const { text } = hostPlace({ timeoutMs: 20 });
    expect(await text("bash", { command: "sleep 300" })).toBe("Error: Command timed out after 0.02s");
  });

  it("A cancelled command ends with all programs that it started", async () => {
    const { tools, root } = hostPlace(true);
    const stop = new AbortController();
    const command =
      "sleep 300 & echo $! > child.tmp; echo $$ > shell.tmp; mv child.tmp child; mv shell.tmp shell; wait";
    const call = callTool(tools, "bash", { command }, stop.signal);
    call.catch(() => undefined);
    const [child, shell] = [path.join(root, "child"), path.join(root, "shell")];
    await vi.waitUntil(() => existsSync(child) && existsSync(shell), { timeout: 60_000 });
    const processes = [child, shell].map((file) => Number(readFileSync(file, "utf8")));
    expect(processes.map(isRunning)).toEqual([true, true]);
    stop.abort();
    await expect(call).rejects.toMatchObject({ name: "AbortError" });
    await vi.waitUntil(() => !processes.some(isRunning), { timeout: 60_000 });
  });

  it("A command ends although a program that it started runs in the background, and the program ends with it", async () => {
    const { text, read } = hostPlace(true);
    expect(await text("bash", { command: "sleep 300 & echo $! > child; echo done" })).toBe("Exit code: 0\ndone\n");
    const child = Number(read("child"));
    await vi.waitUntil(() => !isRunning(child), { timeout: 60_000 });
  });

  it.each([
    ["of a session of its own", "setsid sleep 300 &"],
    ["that the job control of a shell started", "set -m; sleep 300 &"],
  ])("A command ends although it started a program %s, and the program ends with it", async (_what, start) => {
    const { text, read } = hostPlace(true);
    expect(await text("bash", { command: `${start} echo $! > child; echo done` })).toBe("Exit code: 0\ndone\n");
    // The kernel removes a killed process a moment later.
    await vi.waitUntil(() => !isRunning(Number(read("child"))), { timeout: 60_000 });
  });

  it("A cancelled command also ends a program that it started in a separate session", async () => {
    const { tools, root } = hostPlace(true);
    const stop = new AbortController();
    const call = callTool(tools, "bash", { command: "setsid sleep 300 & echo $! > a; mv a child; wait" }, stop.signal);
    call.catch(() => undefined);
    const child = path.join(root, "child");
    await vi.waitUntil(() => existsSync(child), { timeout: 60_000 });
    stop.abort();
    await expect(call).rejects.toMatchObject({ name: "AbortError" });
    await vi.waitUntil(() => !isRunning(Number(readFileSync(child, "utf8"))), { timeout: 60_000 });
  });
});
