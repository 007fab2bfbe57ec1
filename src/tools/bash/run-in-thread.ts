// Runs a command in the Worker: just-bash interprets the command, over the thread's files, and starts no program of the machine. When the
// command has ended, all its changes of files are stored in one batch, or none of them.

import { Bash, getCommandNames } from "just-bash/browser";
import type { BashOptions, CommandName } from "just-bash/browser";

import { ThreadholdError, refuse } from "#contract/error.ts";
import type { ExtendedThreadState } from "#spec/index.ts";

import { commandFetch } from "./command-network.ts";
import { FileTree } from "./file-tree.ts";
import type { TreeSource } from "./file-tree.ts";
import { limitedDiff } from "./limited-diff.ts";
import type { CommandOutput, RunCommand } from "./run-command.ts";
import { ShellFileSystem } from "./shell-file-system.ts";
import { changesOf } from "./tree-changes.ts";
import { WorkMeter } from "./work-meter.ts";

const megabyte = 1024 * 1024;

/**
 * Limits of a command. The shell does not yield to the event loop while it computes, and the clock of a Worker does not advance, so a time limit ends only a
 * command that waits. These numbers end most scripts with loops and growing values after a few seconds of processor time; the measurements,
 * and the scripts that no number ends, are in docs/decisions/0067-the-shell-as-published.md. The limits of `awk` apply to each loop, so nested
 * loops are limited by `WorkMeter`.
 */
const limits: NonNullable<BashOptions["executionLimits"]> = {
  maxSourceBytes: 64 * 1024,
  maxCommandCount: 10_000,
  maxLoopIterations: 100_000,
  maxAwkIterations: 100_000,
  maxSedIterations: 1_000,
  maxJqIterations: 300_000,
  maxQueryElements: 20_000,
  maxWorkUnits: 300_000,
  maxGlobOperations: 100_000,
  maxTraversalEntries: 20_000,
  maxTraversalWork: 100_000,
  maxLiveBytes: 16 * megabyte,
  maxInputBytes: 8 * megabyte,
  maxOutputSize: 4 * megabyte,
  maxStringLength: megabyte / 4,
  maxHeredocSize: 64 * 1024,
  maxArrayElements: 50_000,
  // The shell cuts a range such as {1..20000} after 10,000 words without an error. It counts two operations a word, so with this limit every
  // range that would be cut fails.
  maxBraceExpansionResults: 19_999,
  maxArchiveBytes: 32 * megabyte,
  maxArchiveEntryBytes: 16 * megabyte,
  maxArchiveCompressedBytes: 16 * megabyte,
  maxArchiveEntries: 10_000,
};

/** Commands that need a database engine or the DOM of a browser. */
const unavailable = new Set(["sqlite3", "html-to-markdown"]);

const commands = getCommandNames().filter((name): name is CommandName => !unavailable.has(name));

/** Runs a command over the files of the thread. */
export const runInThread: RunCommand = async (command, { cwd, env, signal, network, state: given }) => {
  const state = given as ExtendedThreadState;
  const tree = new FileTree(sourceOf(state));
  if ((await tree.find(cwd))?.type !== "folder") {
    throw refuse("file_not_found", `Directory not found: ${cwd}. Check the path and try again.`);
  }
  const work = new WorkMeter(signal);
  const shell = new Bash({
    fs: new ShellFileSystem(tree, work),
    cwd: "/",
    env: { PATH: "/usr/bin", ...env },
    commands,
    executionLimits: limits,
    coverage: work,
    customCommands: [limitedDiff],
    ...(network === undefined ? {} : { fetch: commandFetch(network, state, signal) }),
    // This option would replace globals of the isolate while a command runs, and other requests of the isolate would see them.
    defenseInDepth: false,
    // The meter, the file system and this function end a cancelled command. With the shell's own signal, a short command takes five times as long.
    sleep: (ms) => sleep(ms, signal),
  });
  const timer = setInterval(() => work.eventLoopRan(), 100);
  const output = await shell
    .exec(command, { cwd, rawScript: true })
    .catch(endOfShell)
    .finally(() => clearInterval(timer));
  const { stdout, stderr, exitCode } = output;
  work.throwIfExceeded();
  throwIfLimited(output);
  try {
    const changes = await changesOf(tree);
    if (changes.length > 0) await state.writeFiles(changes, { signal });
  } catch (thrown) {
    signal.throwIfAborted();
    const code = thrown instanceof ThreadholdError ? thrown.code : "too_large";
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw refuse(
      code,
      `The command ended with exit code ${exitCode}, but none of its changes of files are stored: ${reason}`,
    );
  }
  return { stdout, stderr, exitCode };
};

/** Throws if a limit of the shell ended the command before its end, so that no part of the work is stored. */
function throwIfLimited({ stderr, exitCode }: CommandOutput): void {
  if (exitCode !== 126) return;
  const reason = /^bash: (.*(?:exceeded|too many|maximum).*)\n?$/m.exec(stderr)?.[1];
  if (reason === undefined) return;
  // The name of an option that only this file sets.
  const limit = reason.replace(/, increase executionLimits\.\w+/, "");
  throw refuse(
    "too_large",
    `A limit of the shell ended the command, and none of its changes of files are stored: ${limit}. Use a smaller input, or split the work into several commands.`,
  );
}

/** Returns the output of a shell that was ended by an error of the file system, as by a redirection to a path that cannot be written. */
function endOfShell(thrown: unknown): CommandOutput {
  if (thrown instanceof Error && /^E[A-Z]+: /.test(thrown.message)) {
    return { stdout: "", stderr: `bash: ${thrown.message}\n`, exitCode: 1 };
  }
  throw thrown;
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", cancel);
      resolve();
    }, ms);
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel, { once: true });
  });
}

function sourceOf(state: ExtendedThreadState): TreeSource {
  return {
    entries: async (folder) => (await state.readdirFile(folder)).entries,
    async read(path) {
      const bytes = await state.readFile(path);
      if (bytes === null)
        throw refuse("unavailable", `The content of ${path} is not stored in the thread, so it cannot be read.`);
      return new Uint8Array(bytes);
    },
  };
}
