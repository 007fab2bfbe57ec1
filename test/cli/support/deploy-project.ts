// A project for tests of `threadhold deploy`, and the command on it. The project's wrangler is the repository's; its home folder is
// temporary, so a test can read all that wrangler writes.

import { spawn, type ChildProcessByStdio } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";

import { onTestFinished } from "vitest";

import type { CliContext } from "#cli/context.ts";
import type { Terminal } from "#cli/terminal.ts";

import { runInProcess } from "../../compiler/command.ts";
import { good, packageRoot, writeProject, type Files } from "../../compiler/temporary-project.ts";

const bindings = (prefix: string): string => `[[${prefix}durable_objects.bindings]]
name = "THREADS"
class_name = "ThreadObject"
[[${prefix}durable_objects.bindings]]
name = "FEEDS"
class_name = "ThreadFeed"
[[${prefix}d1_databases]]
binding = "CATALOG" # the list of threads
database_name = "threads"
migrations_dir = "migrations"
`;

/** A configuration without the id of the database. Its build step does nothing, because a deploy compiles the definitions itself. */
export const toml = `# my shop
name = "shop"
main = "src/index.ts"
compatibility_date = "2026-04-01"
compatibility_flags = ["nodejs_compat", "global_fetch_strictly_public", "enable_request_signal"]
[build]
command = "true threadhold build --auto"
[assets]
directory = "public"
${bindings("")}[[migrations]]
tag = "threadhold-v1"
new_sqlite_classes = ["ThreadObject", "ThreadFeed"]
`;

/** The same with an environment `staging`, whose database has another name. */
export const tomlWithStaging = `${toml}[env.staging]
${bindings("env.staging.").replace('"threads"', '"threads-staging"')}`;

/** A definition whose key is a secret. */
export const keyedModel: Files = {
  "agents/models/paid.ts": `import { defineModel } from "threadhold";
export default defineModel({ name: "paid", provider: "openai", model: "gpt-5" });`,
};

/** A project with two migrations and a small Worker of its own. */
export const shop: Files = {
  ...good,
  "wrangler.toml": toml,
  "src/index.ts": `import { DurableObject } from "cloudflare:workers";
export class ThreadObject extends DurableObject {}
export class ThreadFeed extends DurableObject {}
export default { fetch: () => new Response("the first shop") };`,
  "public/logo.txt": "logo",
  "migrations/0001_thread.sql": "CREATE TABLE thread (id TEXT); CREATE INDEX thread_by_id ON thread (id);",
  "migrations/0002_run.sql": "CREATE TABLE run (id TEXT);",
};

/** The end of a command. */
interface CommandResult {
  code: number;
  /** Standard output and standard error, in the order of the lines. */
  output: string;
}

/** A project and its commands. */
export interface DeployProject {
  root: string;
  /** A file of the project. */
  read: (file: string) => string;
  /** Runs `threadhold` in the project. */
  run: (argv: readonly string[], options?: Partial<CliContext>) => Promise<CommandResult>;
  /** Starts `threadhold` in the project as a process of its own, whose output is a pipe. */
  start: (argv: readonly string[]) => ChildProcessByStdio<null, Readable, Readable>;
  /** Command lines of the project's processes that still run. Empty on a system without /proc. */
  processes: () => string[];
  /** Everything that wrangler wrote to its home folder, such as logs. */
  home: () => string;
}

/** Writes a project. `apiEnv` leads wrangler to the local server. */
export function writeShop(files: Files, apiEnv: Record<string, string>): DeployProject {
  const root = writeProject(files, join(packageRoot, ".cache/deploy"));
  const home = mkdtempSync(join(tmpdir(), "threadhold-home-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const { PATH, TMPDIR, NODE_OPTIONS } = process.env;
  const env = {
    PATH,
    TMPDIR,
    NODE_OPTIONS,
    HOME: home,
    XDG_CONFIG_HOME: home,
    WRANGLER_SEND_METRICS: "false",
    ...apiEnv,
  };
  return {
    root,
    read: (file) => readFileSync(join(root, file), "utf8"),
    processes: () =>
      (existsSync("/proc") ? readdirSync("/proc") : [])
        .filter((name) => /^\d+$/.test(name))
        .map(commandLine)
        .filter((line) => line.includes(root)),
    home: () =>
      readdirSync(home, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
        .join("\n"),
    start: ([command = "", ...others]) =>
      spawn(process.execPath, [join(packageRoot, "scripts/threadhold.mjs"), command, "--root", root, ...others], {
        env,
        stdio: ["ignore", "pipe", "pipe"],
      }),
    run: ([command = "", ...others], { env: added, ...options } = {}) =>
      runInProcess([command, "--root", root, ...others], {
        fetch: () => Promise.resolve(Response.json({ status: "ok", version: "1.2.3" })),
        ...options,
        env: { ...env, ...added },
      }),
  };
}

/** The command line of a process; empty if the process has ended. */
function commandLine(id: string): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

/** A person who enters the given answers, one for each question. */
export function person(answers: readonly string[]): Terminal & { questions: string[] } {
  const left = [...answers];
  const questions: string[] = [];
  const answer = (question: string): Promise<string> => {
    questions.push(question);
    const next = left.shift();
    return next === undefined ? Promise.reject(new Error(`No answer for: ${question}`)) : Promise.resolve(next);
  };
  return { questions, ask: answer, askHidden: answer };
}
