// The tool `bash`: its arguments, the limits of a command, and its result. The function `run` decides where a command runs.

import { z } from "zod";

import { refuse, ThreadholdError } from "#contract/error.ts";
import { defineTool } from "#spec/index.ts";
import type { ThreadState, ToolOptions, ToolResult } from "#spec/index.ts";

import { withTimeLimit } from "../limited-time.ts";
import { visibleText } from "../outside-text.ts";
import { hostsOf } from "./command-network.ts";
import type { CommandNetwork, CommandOutput, RunCommand } from "./run-command.ts";
import { runInThread } from "./run-in-thread.ts";

const args = z.object({
  command: z.string().min(1).describe("The command, as for bash -c"),
  cwd: z.string().min(1).optional().describe("Working directory of this command. Default: the root folder"),
});

/** Arguments of `bash`. */
export type BashArgs = z.infer<typeof args>;

/** Options of `bash`. */
export interface BashOptions {
  /** A command that contains one of these texts, or matches one of these expressions, is not run. Default: `denyPatterns`. */
  denyPatterns?: readonly (string | RegExp)[];
  /** The time limit of a command in milliseconds. Default 120,000. */
  timeoutMs?: number;
  /** The maximum number of bytes of stdout, and of stderr, in a result. Default 256 KiB each. */
  maxOutputBytes?: number;
  /** Called before each command; a command for which it returns false is not run. For a person's approval use `needsApproval`. */
  confirm?: (command: string, state: ThreadState) => boolean | Promise<boolean>;
  /** Whether a command waits for a person's approval. */
  needsApproval?: NonNullable<ToolOptions<ThreadState, BashArgs>["needsApproval"]>;
  /** Working directory of commands whose call has no `cwd`. Default `/`. */
  cwd?: string;
  /** Environment variables of each command. */
  env?: Readonly<Record<string, string>>;
  /** The network that commands may reach with `curl`. If set, hidden characters are removed from the outputs in results. Default: none. */
  network?: CommandNetwork;
  /**
   * Runs the commands. Hidden characters are removed from the outputs in results, because the function may reach a network. Default: in the
   * Worker, over the files of the thread.
   */
  run?: RunCommand;
  /** Describes the tool to the model. Replace it together with `run`. */
  description?: string;
}

/** The default of the option `denyPatterns`: texts of commands that delete everything, overwrite disks, or start processes without end. */
export const denyPatterns: readonly (string | RegExp)[] = [
  // The root folder itself, and everything in it; not `rm -rf /tmp/build`.
  /\brm\s+(?:-[a-zA-Z-]+\s+)*-(?=[a-zA-Z]*[rR])(?=[a-zA-Z]*f)[a-zA-Z]+\s+(?:--\s+)?["']?\/+(?:\*|["']|(?=[\s;&|)]|$))/,
  "mkfs",
  "dd if=",
  ":(){:|:&};:",
  ":(){ :|:& };:",
];

/** Describes the shell of the thread to the model. */
function shellDescription(network: CommandNetwork | undefined): string {
  return [
    "Runs a bash command over the thread's files: pipes, variables, loops, and commands such as ls, cat, grep, rg, sed, awk, find, sort, jq,",
    network === undefined
      ? "diff and gzip. There is no network, no git, and no compiler or interpreter such as node or python. All changes of files are stored when"
      : `diff, gzip and curl. curl reaches only ${network.allowedHosts.join(", ")}. There is no git, and no compiler or interpreter such as node or python. All changes of files are stored when`,
    "the command ends. Variables and the working directory do not last until the next command. For texts over 256 KiB and files over 50,000",
    "lines use the tools read_file and search.",
  ].join(" ");
}

/** Creates the tool `bash`. */
export function createBashTool({
  denyPatterns: denied = denyPatterns,
  timeoutMs = 120_000,
  maxOutputBytes = 256 * 1024,
  confirm,
  needsApproval,
  cwd: home = "/",
  env = {},
  network,
  run = runInThread,
  description = shellDescription(network),
}: BashOptions = {}) {
  // An invalid host is an error of the project, so it is reported when the tool is created.
  if (network !== undefined) hostsOf(network);
  // The output may have come over a network. A function other than the default may reach a network also without the option.
  const isFromOutside = network !== undefined || run !== runInThread;
  const shown = isFromOutside ? visibleText : (text: string) => text;
  return defineTool(
    description,
    args,
    async (state, { command, cwd = home }, { id, signal }) => {
      const found = denied.map((each) => textIn(command, each)).find((each) => each !== undefined);
      if (found !== undefined) {
        return failed(`Command blocked: it contains ${JSON.stringify(found)}, which this tool does not run.`);
      }
      signal.throwIfAborted();
      if (confirm !== undefined && !(await confirm(command, state))) {
        return failed("Command was not confirmed by the user.");
      }
      const context = {
        cwd: absolute(cwd),
        env,
        maxOutputBytes,
        callId: id,
        state,
        ...(network === undefined ? {} : { network }),
      };
      const work = (limited: AbortSignal) => run(command, { ...context, signal: limited });
      const output = await withTimeLimit(signal, timeoutMs, work).catch((thrown: unknown) => {
        throw shownError(thrown, shown);
      });
      if (output === "timeout") return failed(`Command timed out after ${timeoutMs / 1000}s`);
      const { stdout, stderr, exitCode } = output;
      return resultOf({ stdout: shown(stdout), stderr: shown(stderr), exitCode }, maxOutputBytes);
    },
    {
      // Sequential: each command sees the changes of the previous one.
      sequential: true,
      // A longer limit for the call, so that the limit of the command ends it first, with an error text that names the limit.
      timeoutMs: timeoutMs + 10_000,
      ...(needsApproval === undefined ? {} : { needsApproval }),
    },
  );
}

/**
 * Converts the output of a command to the result of the tool. The call succeeds even if the command fails: the model reads the exit code.
 */
function resultOf({ stdout, stderr, exitCode }: CommandOutput, limit: number): ToolResult {
  const [out, err] = [truncate(stdout, limit), truncate(stderr, limit)];
  const output = err === "" ? out : `STDOUT:\n${out}\nSTDERR:\n${err}`;
  return {
    status: "success",
    result: `Exit code: ${exitCode}\n${output}`,
    value: { exit_code: exitCode, success: exitCode === 0 },
  };
}

/** Removes hidden characters from the error of a command. The error can contain the name of a file, and the name a text from the network. */
function shownError(thrown: unknown, shown: (text: string) => string): unknown {
  if (!(thrown instanceof Error) || shown(thrown.message) === thrown.message) return thrown;
  const message = shown(thrown.message);
  return thrown instanceof ThreadholdError ? refuse(thrown.code, message) : new Error(message);
}

function truncate(text: string, limit: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.byteLength <= limit) return text;
  // With `stream`, the decoder omits the incomplete character at the end.
  return `${new TextDecoder().decode(bytes.subarray(0, limit), { stream: true })}\n... (output truncated)`;
}

/** Returns the part of a command that a pattern denies; undefined if there is none. */
function textIn(command: string, pattern: string | RegExp): string | undefined {
  if (typeof pattern === "string") return command.includes(pattern) ? pattern : undefined;
  // A new expression, because one with the flag `g` keeps the position of its last match.
  return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, "")).exec(command)?.[0];
}

function absolute(path: string): string {
  return path.startsWith("/") ? path : `/${path}`;
}

function failed(error: string): ToolResult {
  return { status: "error", error };
}
