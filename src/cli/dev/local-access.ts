// The variables of a local server, and whether a server without variables serves this machine without credentials.

import { existsSync, readFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";

import type { WranglerProject } from "../doctor/wrangler-package.ts";

/** Variables that determine who may call the API. */
const access = ["OPEN_LOOPBACK", "API_TOKENS", "JWT_SECRET", "JWKS_URL"];

/** The settings that decide which files of variables wrangler reads. */
type Variables = Pick<WranglerProject, "file" | "environment"> & { config: Pick<WranglerProject["config"], "vars"> };

/** The variables that the local server gets from the configuration and from files: `.dev.vars`, or `.env` if there is none. */
export function localVariables({ file, environment, config }: Variables): Record<string, unknown> {
  const folder = dirname(file);
  const suffixes = environment === undefined ? [""] : [`.${environment}`, ""];
  const own = suffixes.map((suffix) => join(folder, `.dev.vars${suffix}`)).find((path) => existsSync(path));
  const files = own === undefined ? environmentFiles(folder, environment) : [own];
  const inFiles = files.flatMap((path) => Object.entries(parseEnv(readFileSync(path, "utf8"))));
  return { ...config.vars, ...Object.fromEntries(inFiles) };
}

/** The files that wrangler reads if there is no `.dev.vars`. A later file takes precedence. */
export function environmentFiles(folder: string, environment: string | undefined): string[] {
  const suffixes = environment === undefined ? [""] : ["", `.${environment}`];
  return suffixes
    .flatMap((suffix) => [`.env${suffix}`, `.env${suffix}.local`])
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path));
}

/** Addresses that only this machine reaches; wrangler's default is `localhost`. */
const isLoopback = (ip: string): boolean => ip === "localhost" || ip === "::1" || (isIPv4(ip) && ip.startsWith("127."));

/**
 * Whether the server gets OPEN_LOOPBACK=true: it listens on a loopback address, there is no `.dev.vars`, and nothing else that wrangler
 * reads sets a variable of access. With a `.dev.vars`, the developer decides about access.
 */
export function opensLoopback(
  { file, environment, config }: WranglerProject,
  { ip, variables }: { ip: string; variables: readonly (readonly [name: string, value: string])[] },
): boolean {
  const folder = dirname(file);
  const suffixes = environment === undefined ? [""] : ["", `.${environment}`];
  if (!isLoopback(ip) || suffixes.some((suffix) => existsSync(join(folder, `.dev.vars${suffix}`)))) return false;
  const set = new Set([
    ...Object.keys(localVariables({ file, environment, config })),
    ...variables.map(([name]) => name),
  ]);
  return !access.some((name) => set.has(name));
}
