// The values of secrets: from a file, from the environment if the user agrees, from a person at the terminal, or random. A value is never
// printed, written to a file or passed as an argument: wrangler reads the values from its standard input.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";

import { isSetting } from "#lib/deployment-secrets.ts";

import { CommandError } from "../context.ts";
import { isYes, type Terminal } from "../terminal.ts";
import type { NeededSecret } from "./needed-secrets.ts";
import { parseList, requireSuccess, wranglerFailure, type RunWrangler } from "./wrangler-run.ts";

/** The sources of the values. */
export interface SecretSources {
  /** The entries of the file of secrets. */
  file: Readonly<Record<string, string>>;
  env: NodeJS.ProcessEnv;
  /** Whether values of the environment are taken without a question. A shell may have keys that are not meant for the Worker. */
  fromEnv: boolean;
  /** Absent: nothing is asked. */
  terminal: Terminal | undefined;
  /** The name of the Worker, for the questions to the user. */
  worker: string;
  /** The command that sets a secret, without its name. */
  putCommand: string;
}

/** The collected values, and what to report about them. */
export interface CollectedSecrets {
  values: Record<string, string>;
  /** Names of the values, with their source. */
  sources: string[];
  /** Names of secrets that a person left out. */
  omitted: string[];
}

/** Collects the needed secrets and all entries of the file. */
export async function collectSecrets(
  needed: readonly NeededSecret[],
  { file, env, fromEnv, terminal, worker, putCommand }: SecretSources,
): Promise<CollectedSecrets> {
  const collected: CollectedSecrets = { values: { ...file }, sources: Object.keys(file), omitted: [] };
  const missing: NeededSecret[] = [];
  const add = (name: string, value: string, source: string): void => {
    collected.values[name] = value;
    collected.sources.push(`${name} (${source})`);
  };
  for (const secret of needed) {
    const { name, isServedBy, generated, purpose } = secret;
    if (Object.keys(file).some(isServedBy)) continue;
    const inEnvironment = variableFor(secret, env);
    const question = `${inEnvironment ?? name}, ${purpose}, is a variable of this shell. Shall deploy set it as a secret of ${worker}? (y/N) `;
    const isTaken = inEnvironment !== undefined && (fromEnv || isYes((await terminal?.ask(question)) ?? ""));
    if (isTaken) add(inEnvironment, env[inEnvironment] ?? "", "from the environment");
    else if (generated) add(name, randomBytes(32).toString("base64"), "generated");
    else missing.push(secret);
  }
  if (terminal === undefined) {
    if (missing.length > 0) throw missingSecrets(missing, putCommand, env);
    return collected;
  }
  for (const { name, purpose } of missing) {
    const value = await terminal.askHidden(`${name}, ${purpose} (not shown; Enter leaves it out): `);
    if (value === "") collected.omitted.push(name);
    else add(name, value, "entered");
  }
  return collected;
}

/** The variable of the environment that has a value for a secret. */
function variableFor({ isServedBy }: NeededSecret, env: NodeJS.ProcessEnv): string | undefined {
  return Object.keys(env).find((name) => isServedBy(name) && (env[name] ?? "").trim() !== "");
}

function missingSecrets(missing: readonly NeededSecret[], putCommand: string, env: NodeJS.ProcessEnv): CommandError {
  const lines = missing.map((secret) => {
    const { name, purpose } = secret;
    const variable = variableFor(secret, env);
    const flag = variable === undefined ? "" : `, or --secrets-from-env, which takes ${variable} of this shell`;
    const fix = isSetting(name) ? "add it to [vars] of the wrangler configuration" : `${putCommand} ${name}`;
    return `${name} is not set: ${purpose}.\n  fix: ${fix}${flag}`;
  });
  return new CommandError(
    `${lines.join("\n")}\nThe deploy also takes secrets from --secrets-file and, with --secrets-from-env, from the environment; --without NAME leaves one out. Nothing was deployed.`,
  );
}

/** Reads a file of secrets, as JSON or with lines NAME=value. Its errors name entries, never their values. */
export function readSecretsFile(path: string): Record<string, string> {
  let text: string;
  try {
    text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    throw new CommandError(`The file of secrets cannot be read: ${error instanceof Error ? error.message : path}`);
  }
  const entries = text.trimStart().startsWith("{") ? parseJson(text, path) : parseLines(text, path);
  const secrets: Record<string, string> = {};
  for (const [name, value] of Object.entries(entries)) {
    if (typeof value !== "string" || value.trim() === "") {
      throw new CommandError(`${name} of the file of secrets ${path} has no text; set it or remove it.`);
    }
    secrets[name] = value;
  }
  if (Object.keys(secrets).length === 0) {
    throw new CommandError(`The file of secrets ${path} has no entry; write lines NAME=value, or JSON.`);
  }
  return secrets;
}

/** Reads lines NAME=value. `parseEnv` leaves out lines that it does not understand, so they are found here. */
function parseLines(text: string, path: string): Record<string, unknown> {
  const name = String.raw`[ \t]*(?:export[ \t]+)?[\w.-]+[ \t]*=`;
  // A value in quotes may have several lines.
  const quoted = new RegExp(`^(${name}[ \\t]*)(["'\`])[^]*?\\2`, "gm");
  const lines = text.replaceAll(quoted, (all, start: string) => start + all.replaceAll(/[^\n]/g, "")).split("\n");
  const wrong = lines.findIndex((line) => !new RegExp(`^(?:${name}.*|[ \\t]*(?:#.*)?)\r?$`).test(line));
  if (wrong !== -1) {
    throw new CommandError(
      `Line ${String(wrong + 1)} of the file of secrets ${path} does not have the form NAME=value; correct it, or begin it with # if it is a comment.`,
    );
  }
  return parseEnv(text);
}

function parseJson(text: string, path: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    // The parser's message quotes the text.
    throw new CommandError(`The file of secrets ${path} starts with { and is no JSON; correct it.`);
  }
}

/** The names of the Worker's secrets; null if the Worker does not exist yet. */
export async function presentSecrets(run: RunWrangler): Promise<string[] | null> {
  const result = await run(["secret", "list", "--format", "json"]);
  if (result.code === 0) return parseList<{ name: string }>(result.stdout).map(({ name }) => name);
  if (/^Worker ".*" (?:\(env: .*\) )?not found\./.test(result.errors) || result.errors.includes("[code: 10007]")) {
    return null;
  }
  throw wranglerFailure("secret list", result);
}

/** Sets secrets of the Worker. A Worker that does not exist yet is created without routes of the project; the deploy replaces it. */
export async function uploadSecrets(run: RunWrangler, values: Readonly<Record<string, string>>): Promise<void> {
  await requireSuccess(run, ["secret", "bulk"], { input: `${JSON.stringify(values)}\n` });
}
