// The lock of one process: processes that have ended, and several processes that take over the same lock.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import type * as NodeFs from "node:fs";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished, vi } from "vitest";

import { lockHolder, takeLock } from "#cli/process-lock.ts";

/** The code with which the file system refuses hard links. */
const links = vi.hoisted(() => ({ refusal: undefined as string | undefined }));
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof NodeFs>();
  const linkSync: typeof fs.linkSync = (from, to) => {
    if (links.refusal === undefined) return fs.linkSync(from, to);
    throw Object.assign(new Error("no links"), { code: links.refusal });
  };
  return { ...fs, linkSync };
});

// Above every pid of a Linux or macOS kernel, so no process has it.
const killed = (name: string): string => `${String(2 ** 30)}\n\n${name}\n`;

function lockFile(text?: string): { folder: string; file: string } {
  const folder = mkdtempSync(join(tmpdir(), "threadhold-lock-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "lock");
  if (text !== undefined) writeFileSync(file, text);
  return { folder, file };
}

const succession = (file: string, text: string): string =>
  `${file}.after-${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;

it("A process that finds the lock of a killed process does not take it from a process that takes it over in the meantime", () => {
  const { folder, file } = lockFile(killed("first"));
  const kill = process.kill.bind(process);
  const first: ReturnType<typeof takeLock>[] = [];
  const spy = vi.spyOn(process, "kill").mockImplementation((pid, signal) => {
    spy.mockImplementation(kill);
    first.push(takeLock(file));
    return kill(pid, signal);
  });
  onTestFinished(() => spy.mockRestore());
  const second = takeLock(file);
  expect([first.map((lock) => "release" in lock), second]).toEqual([[true], { heldBy: process.pid }]);
  expect([lockHolder(file), readdirSync(folder)]).toEqual([process.pid, ["lock"]]);
  for (const lock of first) if ("release" in lock) lock.release();
  expect(readdirSync(folder)).toEqual([]);
});

it("The lock of a killed process is taken over although the process that took it over was killed too, and what both left is removed", () => {
  const { folder, file } = lockFile(killed("first"));
  writeFileSync(succession(file, killed("first")), killed("second"));
  writeFileSync(`${file}.0123456789abcdef`, killed("second"));
  expect("release" in takeLock(file)).toBe(true);
  expect([lockHolder(file), readdirSync(folder)]).toEqual([process.pid, ["lock"]]);
});

it("A process that takes over the lock of a killed one holds it before the lock has its text", () => {
  const { file } = lockFile(killed("first"));
  writeFileSync(succession(file, killed("first")), `${String(process.ppid)}\n`);
  expect(takeLock(file)).toEqual({ heldBy: process.ppid });
  expect(readFileSync(file, "utf8")).toBe(killed("first"));
});

it("Two requests of one process for the same lock get it one after the other", () => {
  const { file } = lockFile();
  const first = takeLock(file);
  expect(takeLock(file)).toEqual({ heldBy: process.pid });
  if ("release" in first) first.release();
  expect("release" in takeLock(file)).toBe(true);
});

it.runIf(process.platform === "linux")(
  "The lock of a killed process is free although its parent has not read its exit code",
  async () => {
    const { file } = lockFile();
    // The shell starts a process, and becomes a program that reads no exit codes.
    const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void parent.kill("SIGKILL"));
    const pid = await new Promise<number>((resolve) => parent.stdout.once("data", (text) => resolve(Number(text))));
    // Some shells read exit codes at once, so the process is killed only after the shell has become the other program.
    await vi.waitFor(() => expect(readFileSync(`/proc/${String(parent.pid)}/comm`, "utf8")).toBe("sleep\n"));
    expect("release" in takeLock(file, pid)).toBe(true);
    expect(lockHolder(file)).toBe(pid);
    process.kill(pid, "SIGKILL");
    await vi.waitFor(() => expect(lockHolder(file)).toBeUndefined());
    expect(readFileSync(`/proc/${String(pid)}/stat`, "utf8")).toContain(") Z ");
    expect("release" in takeLock(file)).toBe(true);
  },
);

it.each(["EPERM", "ENOTSUP", "ENOSYS"])(
  "A file system that refuses hard links with %s has locks too, and those of killed processes are free",
  (code) => {
    links.refusal = code;
    onTestFinished(() => void (links.refusal = undefined));
    const { folder, file } = lockFile(killed("first"));
    const taken = takeLock(file);
    expect([takeLock(file), lockHolder(file)]).toEqual([{ heldBy: process.pid }, process.pid]);
    if ("release" in taken) taken.release();
    expect(readdirSync(folder)).toEqual([]);
  },
);
