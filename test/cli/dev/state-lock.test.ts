// One server per state folder, and no lock outlives its owner.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";

import { lockName, lockState } from "#cli/dev/state-lock.ts";

// Above every pid of a Linux or macOS kernel, so no process has it.
const deadPid = 2 ** 30;

let folder = "";
beforeEach(() => {
  folder = path.join(mkdtempSync(path.join(tmpdir(), "threadhold-lock-")), "state");
});
afterEach(() => {
  rmSync(path.dirname(folder), { recursive: true });
});

const lockFile = (): string => path.join(folder, lockName);

function acquire(): { release: () => void } {
  const lock = lockState(folder);
  if ("heldBy" in lock) throw new Error(`held by ${lock.heldBy}`);
  return lock;
}

it("The lock of the dev command creates the state folder, and its file contains the process id until the lock is released", () => {
  const lock = acquire();
  expect(readFileSync(lockFile(), "utf8").split("\n")[0]).toBe(String(process.pid));
  lock.release();
  expect(readdirSync(folder)).toEqual([]);
});

it("The error for a locked state folder names the process that holds the lock", () => {
  acquire();
  // The parent lives as long as this test does.
  writeFileSync(lockFile(), `${process.ppid}\n`);
  expect(lockState(folder)).toEqual({ heldBy: process.ppid });
  expect(readdirSync(folder)).toEqual([lockName]);
});

it.each([
  ["the id of a process that has ended", `${deadPid}\n`],
  ["nothing", ""],
  ["text that is not a process id", "pid\n"],
])("The dev command takes over a lock file that contains %s", (_, text) => {
  acquire().release();
  writeFileSync(lockFile(), text);
  acquire().release();
  expect(existsSync(lockFile())).toBe(false);
});

it("The lock of a process that has ended is taken over, although another process has its pid", async () => {
  const server = spawn("sleep", ["60"], { stdio: "ignore" });
  onTestFinished(() => void server.kill());
  const pid = server.pid ?? 0;
  const paused = lockState(folder, pid);
  expect("release" in paused).toBe(true);
  expect(lockState(folder)).toEqual({ heldBy: pid });
  // The same lock with the pid of a process that started at another time.
  writeFileSync(lockFile(), readFileSync(lockFile(), "utf8").replace(String(pid), String(process.ppid)));
  acquire().release();
  expect(existsSync(lockFile())).toBe(false);
});

it("The dev command's lock stays valid on macOS when the time zone changes", () => {
  const platform = Object.getOwnPropertyDescriptor(process, "platform") ?? {};
  onTestFinished(() => {
    vi.unstubAllEnvs();
    Object.defineProperty(process, "platform", platform);
  });
  Object.defineProperty(process, "platform", { ...platform, value: "darwin" });
  vi.stubEnv("TZ", "UTC");
  expect("release" in lockState(folder, process.ppid)).toBe(true);
  expect(readFileSync(lockFile(), "utf8")).toMatch(/^\d+\n.*\d\d:\d\d:\d\d/);
  vi.stubEnv("TZ", "Asia/Tokyo");
  expect(lockState(folder)).toEqual({ heldBy: process.ppid });
});

it("A process does not release the lock of a state folder that another process has taken over", () => {
  const lock = acquire();
  writeFileSync(lockFile(), `${process.ppid}\n`);
  lock.release();
  expect(existsSync(lockFile())).toBe(true);
});
