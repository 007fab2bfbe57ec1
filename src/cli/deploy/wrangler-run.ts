// Runs commands of the project's wrangler. It gets no terminal, so it asks nothing. A failure becomes one sentence with what to do. A signal
// that ends this process ends wrangler first.

import { spawn, type ChildProcess } from "node:child_process";
import { stripVTControlCharacters } from "node:util";

import { CommandError, CommandInterrupted, endingSignals, type EndingSignal } from "../context.ts";
import { signalGroup } from "../dev/process-group.ts";
import { installWrangler } from "../doctor/wrangler-package.ts";

/** The end of a command of wrangler. */
export interface WranglerResult {
  code: number | null;
  stdout: string;
  /** The error messages in one line; empty if there is none. */
  errors: string;
  /** The warnings, each in one line. */
  warnings: string[];
}

/** Runs a command of wrangler for the project's configuration and environment. */
export type RunWrangler = (args: readonly string[], options?: RunOptions) => Promise<WranglerResult>;

interface RunOptions {
  /** The standard input. It is used for secrets, because other processes can read arguments, and files remain on the disk. */
  input?: string;
  /** Variables added to those of this process. */
  env?: NodeJS.ProcessEnv;
  /** The configuration file that wrangler reads in place of the project's. */
  configFile?: string;
}

/** The settings for all commands of wrangler. */
export interface WranglerSettings {
  /** The command file of wrangler. */
  program: string;
  root: string;
  configFile: string;
  /** Empty for the root of the configuration. */
  environment: string | undefined;
  env: NodeJS.ProcessEnv;
}

/** Returns a function that runs commands of wrangler. */
export function wranglerOf({ program, root, configFile, environment, env: own }: WranglerSettings): RunWrangler {
  const named = environment === undefined ? [] : [`--env=${environment}`];
  return (args, { input = "", env = {}, configFile: file = configFile } = {}) => {
    const [command = "", ...others] = args;
    const child = spawn(process.execPath, [program, command, ...others, "--config", file, ...named], {
      cwd: root,
      // The leader of a process group, so that a signal also reaches the processes that wrangler starts.
      detached: process.platform !== "win32",
      // Without the banner wrangler does not look for a newer version. Its log file omits the contents of requests.
      env: { ...own, WRANGLER_HIDE_BANNER: "true", WRANGLER_LOG_SANITIZE: "true", FORCE_COLOR: "0", ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    // A command that ends early closes its input.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    const { interruptedBy, stop } = forwardSignals(child);
    return new Promise((resolve, reject) => {
      child.once("error", (error) => {
        stop();
        reject(error);
      });
      child.once("close", (code) => {
        stop();
        const signal = interruptedBy();
        if (signal !== undefined) {
          const shown = args.filter((each) => !each.startsWith("-")).join(" ");
          const next = "Run the command again: it continues with the steps that are not done.";
          reject(new CommandInterrupted(signal, `${signal} ended wrangler ${shown}. ${next}`));
          return;
        }
        const messages = stripVTControlCharacters(stderr);
        const warnings = messagesIn(messages, "WARNING");
        resolve({ code, stdout, errors: messagesIn(messages, "ERROR").join(" "), warnings });
      });
    });
  };
}

/** Forwards signals of this process to the group of wrangler until `stop`. A second signal kills the group. */
function forwardSignals(child: ChildProcess): { interruptedBy: () => EndingSignal | undefined; stop: () => void } {
  let first: EndingSignal | undefined;
  const forward = (signal: EndingSignal): void => {
    if (child.pid !== undefined) signalGroup(child.pid, first === undefined ? signal : "SIGKILL");
    first ??= signal;
  };
  const listeners = (Object.keys(endingSignals) as EndingSignal[]).map(
    (signal) => [signal, () => forward(signal)] as const,
  );
  for (const [signal, listener] of listeners) process.on(signal, listener);
  // A process that wrangler started may ignore the signal and outlive it.
  child.once("exit", () => {
    if (first !== undefined && child.pid !== undefined) signalGroup(child.pid, "SIGKILL");
  });
  const stop = (): void => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
  return { interruptedBy: () => first, stop };
}

/** The messages of a kind in wrangler's output, each in one line. */
function messagesIn(stderr: string, kind: "ERROR" | "WARNING"): string[] {
  const blocks = stderr.split(/^\S+ (?=\[(?:ERROR|WARNING)\] )|^\S+ +(?=Logs were written)/m);
  const messages = blocks
    .filter((block) => block.startsWith(`[${kind}] `))
    .map((block) => block.slice(kind.length + 3));
  // After a refused token wrangler also requests the token's owner. The error of that request adds nothing.
  const about = messages.filter((message) => !message.includes("/user/tokens/verify"));
  return about.map((message) => message.replaceAll(/\s+/g, " ").trim());
}

/**
 * Returns the error for a failed command: what failed, why, and what to do. `consequence` is a sentence on what was changed before the
 * command.
 */
export function wranglerFailure(command: string, { code, errors }: WranglerResult, consequence = ""): CommandError {
  const cause = errors === "" ? `it ended with code ${String(code)} and without a message` : errors;
  return new CommandError(`wrangler ${command} failed: ${cause.replace(/\.?$/, ".")} ${consequence}${advice(errors)}`);
}

function advice(errors: string): string {
  if (/fetch failed|connectivity/i.test(errors)) {
    return "Cloudflare's API was not reached; check the network and run the command again.";
  }
  if (
    /Authentication error|Invalid access token|CLOUDFLARE_API_TOKEN|code: (?:10000|9109|10001)\]|40[13] /.test(errors)
  ) {
    return "Set CLOUDFLARE_API_TOKEN to a token that may edit Workers Scripts and D1, or run npx wrangler login.";
  }
  if (/More than one account/i.test(errors)) return "Set CLOUDFLARE_ACCOUNT_ID to the account.";
  return "Correct the cause and run the command again.";
}

/** Runs a command that has to succeed and returns its standard output. */
export async function requireSuccess(run: RunWrangler, args: readonly string[], options?: RunOptions): Promise<string> {
  const result = await run(args, options);
  if (result.code !== 0) throw wranglerFailure(args.filter((each) => !each.startsWith("-")).join(" "), result);
  return result.stdout;
}

/** Runs a command that has to succeed and returns the list that it prints as JSON. Lines before the list, such as a note, are left out. */
export async function requireList<T>(run: RunWrangler, args: readonly string[], options?: RunOptions): Promise<T[]> {
  return parseList(await requireSuccess(run, args, options));
}

/** The list in JSON in the output of a command. */
export function parseList<T>(stdout: string): T[] {
  try {
    return JSON.parse(stdout.slice(stdout.search(/^\[/m))) as T[];
  } catch {
    throw new CommandError(
      `wrangler did not print a list in JSON: ${stdout.trim().slice(0, 200)}. Run ${installWrangler}.`,
    );
  }
}
