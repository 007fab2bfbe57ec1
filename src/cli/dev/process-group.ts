// Runs a program in a process group of its own that ends with this process. If this process is killed (SIGKILL), its end of the pipe
// closes, and the program ends its whole group. Otherwise wrangler's workerd would continue, keep the port and run alarms on the files.

import { spawn, type ChildProcessByStdio, type SpawnOptions } from "node:child_process";
import type { Readable, Writable } from "node:stream";

export interface ProcessGroup {
  pid: number | undefined;
  stdout: Readable;
  stderr: Readable;
  /** Sends a signal to each process of the group. */
  signal: (name: NodeJS.Signals) => void;
  /** Sends a message to the first process, which must have a channel. */
  send: (message: object) => void;
  /** Resolves with the first message of the first process; undefined if the process ends before it sends one. */
  firstMessage: Promise<unknown>;
  /** Resolves with the exit code of the first process when all output has been read. */
  ended: Promise<number>;
}

interface GroupOptions extends Pick<SpawnOptions, "cwd" | "env"> {
  /** Whether the first process, which is Node, has a channel for messages. */
  channel?: boolean;
}

/**
 * Starts a program as the leader of a process group. The program must call `endGroupWithParent`. For a program that does not, start the
 * hidden command `supervise`, which calls it and runs the program.
 */
export function startGroup(
  [program, ...args]: readonly [program: string, ...args: string[]],
  { cwd, env, channel = false }: GroupOptions,
): ProcessGroup {
  const child = spawn(program, args, {
    cwd,
    env,
    detached: true,
    stdio: ["pipe", "pipe", "pipe", ...(channel ? ["ipc" as const] : [])],
  }) as ChildProcessByStdio<Writable, Readable, Readable>;
  const signal = (name: NodeJS.Signals): void => {
    if (child.pid !== undefined) signalGroup(child.pid, name);
  };
  const ended = new Promise<number>((resolve) => {
    child.on("error", () => resolve(127));
    // A remaining process of the group would keep the port and the files open.
    child.on("exit", () => signal("SIGKILL"));
    // "close" comes after "exit", when all output has been read.
    child.on("close", (code) => resolve(code ?? 1));
  });
  const firstMessage = new Promise<unknown>((resolve) => {
    child.once("message", resolve);
    void ended.then(() => resolve(undefined));
  });
  // A process that has ended is reported by `ended`.
  const send = (message: object): void => void child.send(message, () => undefined);
  return { pid: child.pid, stdout: child.stdout, stderr: child.stderr, signal, send, firstMessage, ended };
}

/** Ends the process group that this process leads when the process that started it ends. */
export function endGroupWithParent(): void {
  const end = (): void => signalGroup(process.pid, "SIGKILL");
  process.stdin.on("end", end);
  process.stdin.on("error", end);
  process.stdin.resume();
}

/** Runs a program in the group of this process until it ends. */
export function supervise(program: string, args: readonly string[]): Promise<number> {
  const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
  // Signals reach the program directly, since it is in the same group. This process must not end before the program does.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  endGroupWithParent();
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => resolve(code ?? 1));
  });
}

/** Sends a signal to each process of the group that a process leads. */
export function signalGroup(leader: number, name: NodeJS.Signals): void {
  try {
    // Windows has no process groups.
    process.kill(process.platform === "win32" ? leader : -leader, name);
  } catch (error) {
    // ESRCH: no process of the group is left, which is the wanted result.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
