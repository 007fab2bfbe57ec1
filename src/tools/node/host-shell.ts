// Runs the commands of `bash` as processes of this machine. The processes of a command end with it.

import { spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import type { Readable } from "node:stream";

import { refuse } from "#contract/error.ts";

import type { RunCommand } from "../bash/run-command.ts";
import { hostEnvironment } from "./host-environment.ts";
import { HostFolder } from "./host-folder.ts";
import { markedProcesses } from "./marked-processes.ts";
import type { MarkedProcesses } from "./marked-processes.ts";

/** Options of `hostShell`. */
export interface HostShellOptions {
  /** The program that interprets commands; it receives `-c` and the command. Default `bash`. */
  shell?: string;
}

/**
 * Returns the function that runs commands in a folder of this machine, for the option `run` of `createBashTool`. A command can read and change
 * everything that the user of this process can: the folder is only its working directory.
 */
export function hostShell(root: string, { shell = "bash" }: HostShellOptions = {}): RunCommand {
  const folder = new HostFolder(root);
  return async (command, { cwd, env, signal, maxOutputBytes, network }) => {
    if (network !== undefined) {
      throw refuse(
        "invalid_request",
        "A shell of this machine cannot limit the network. Remove the option `network` of bash.",
      );
    }
    const directory = await folder.existing(cwd);
    if (directory === null) {
      throw refuse("file_not_found", `Directory not found: ${cwd}. Check the path and try again.`);
    }
    signal.throwIfAborted();
    const marked = markedProcesses();
    const child = spawn(shell, ["-c", command], {
      cwd: directory,
      env: { ...hostEnvironment(), ...env, ...marked.env },
      // A group of its own, so that `endGroup` also ends the programs that the command started.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [stdout, stderr] = [beginningOf(child.stdout, maxOutputBytes), beginningOf(child.stderr, maxOutputBytes)];
    const abort = () => endGroup(child);
    signal.addEventListener("abort", abort, { once: true });
    try {
      const exitCode = await exitCodeOf(child, { shell, marked });
      signal.throwIfAborted();
      return { stdout: stdout(), stderr: stderr(), exitCode };
    } finally {
      signal.removeEventListener("abort", abort);
    }
  };
}

/** Milliseconds in which the rest of an output is read after the end of the command. */
const drainMs = 1000;

/**
 * Waits for the end of a process, ends the programs that the process started and that still run, and reads the remaining output. Rejects if
 * it cannot be started.
 */
async function exitCodeOf(
  child: ChildProcessByStdio<null, Readable, Readable>,
  { shell, marked }: { shell: string; marked: MarkedProcesses },
): Promise<number> {
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const exitCode = await new Promise<number>((resolve, reject) => {
    child.once("error", ({ message }) =>
      reject(refuse("unavailable", `The shell ${shell} cannot be started: ${message}`)),
    );
    child.once("exit", (code, signal) => resolve(code ?? (signal === null ? 1 : 128 + (numberOf[signal] ?? 9))));
  });
  endGroup(child);
  await marked.kill();
  // On a system without marks a program with a group of its own may keep the outputs open.
  const timer = setTimeout(() => {
    child.stdout.destroy();
    child.stderr.destroy();
  }, drainMs);
  await closed;
  clearTimeout(timer);
  return exitCode;
}

/** The numbers of signals that end commands, for exit codes as in bash. */
const numberOf: Partial<Record<NodeJS.Signals, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGTERM: 15,
};

function endGroup({ pid }: { pid?: number | undefined }): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // No process of the group is left.
  }
}

/** Collects the beginning of an output, and one byte more, which shows that the output is longer. The rest is read and dropped. */
function beginningOf(output: Readable, limit: number): () => string {
  const pieces: Buffer[] = [];
  let size = 0;
  output.on("data", (piece: Buffer) => {
    if (size <= limit) pieces.push(piece.subarray(0, limit + 1 - size));
    size += piece.byteLength;
  });
  return () => {
    const bytes = Buffer.concat(pieces);
    // The last character of a longer output may be incomplete.
    return new TextDecoder().decode(bytes, { stream: size > limit });
  };
}
