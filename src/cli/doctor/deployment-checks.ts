// What works on this machine and not in a deployment: addresses of this machine or of a private network, and variables that only a local
// file sets. Secrets of a Worker are not known without its account, so the findings are warnings. Contract: no request is sent. Functions for
// headers and credentials, and asynchronous functions, may send requests with secrets of this machine, so they are not called: the variables
// are those that the function's text names.

import type { Project } from "#compiler/project.ts";
import { readHost } from "#lib/outbound/host.ts";
import { addressVariables, defaultAddress, missingNames, readiness } from "#models/readiness.ts";

import { ok, warning, type Finding } from "./finding.ts";
import { namedVariables } from "./named-variables.ts";

type Variables = Readonly<Record<string, unknown>>;

/** The definitions whose addresses and variables are checked. */
export type DeployedDefinitions = Pick<Project, "models" | "sources">;

/** The variables of the local server, and those of a deployment. */
export interface VariableSets {
  local: Variables;
  /** The variables of the configuration, and the secrets that a deploy sets from a file. */
  deployed: Variables;
}

/** Checks the addresses and variables of definitions for a deployment. */
export function deploymentFindings(definitions: DeployedDefinitions, sets: VariableSets): Finding[] {
  const uses = usedAddresses(definitions);
  const own = uses.flatMap((use) => addressFindings(use, sets));
  const variables = [...new Set(uses.flatMap((use) => [...variablesOf(use, sets.local)]))];
  return [
    ...own,
    ...uncalledFindings(uses),
    ...variableFindings(variables, sets),
    ...baseUrlFindings(definitions, sets),
    ...keyFindings(definitions, sets),
  ];
}

/** An address or other text of a definition, or the function that returns it. */
interface Use {
  /** The definition, for the finding. */
  name: string;
  value: unknown;
  isAddress: boolean;
}

type UseFunction = (context: object) => unknown;

const asFunction = (value: unknown): UseFunction | null =>
  typeof value === "function" ? (value as UseFunction) : null;

function usedAddresses({ models, sources }: DeployedDefinitions): Use[] {
  const use = (name: string, value: unknown, isAddress: boolean): Use => ({ name, value, isAddress });
  return [
    ...models.map(({ value }) => use(`model ${value.name}`, value.baseUrl, true)),
    ...sources.mcp.flatMap(({ name, value: { url, headers } }) => [
      use(`MCP server ${name}`, url, true),
      use(`MCP server ${name}`, headers, false),
    ]),
    ...sources.openapi.flatMap(({ name, value: { document, baseUrl, auth, headers } }) => {
      const {
        url,
        headers: ofDocument,
        servers,
      } = (typeof document === "string" ? {} : document) as {
        url?: unknown;
        headers?: unknown;
        servers?: readonly { url?: unknown }[];
      };
      const of = `OpenAPI document ${name}`;
      return [
        use(of, url, true),
        // An address of the definition replaces the servers of the document.
        use(of, baseUrl ?? servers?.[0]?.url, true),
        ...[ofDocument, auth, headers].map((value) => use(of, value, false)),
      ];
    }),
  ];
}

/** Whether the function of a use is called: only a synchronous function that returns an address. */
function isCalled({ value, isAddress }: Use): boolean {
  return isAddress && Object.prototype.toString.call(value) === "[object Function]";
}

/** The names of the variables that a function reads. A function may fail without the variables of a deployment. */
function variablesOf(use: Use, env: Variables): Set<string> {
  const called = asFunction(use.value);
  if (called === null) return new Set();
  if (!isCalled(use)) return namedVariables(Function.prototype.toString.call(called));
  const names = new Set<string>();
  const watched = new Proxy(env, {
    get(target, key): unknown {
      if (typeof key === "string") names.add(key);
      return Reflect.get(target, key);
    },
  });
  valueOf(use, watched);
  return names;
}

/** The value of a use; undefined if its function is not called, fails, or returns a promise against its type. */
function valueOf(use: Use, env: Variables): unknown {
  const called = asFunction(use.value);
  if (called === null) return use.value;
  if (!isCalled(use)) return undefined;
  try {
    const value = called({ env, userId: null, threadId: "" });
    if (!(value instanceof Promise)) return value;
    // The promise is not awaited. Its failure must not end the command.
    value.catch(() => undefined);
    return undefined;
  } catch {
    return undefined;
  }
}

/** States which functions are not called. */
function uncalledFindings(uses: readonly Use[]): Finding[] {
  const uncalled = uses.filter((use) => asFunction(use.value) !== null && !isCalled(use));
  if (uncalled.length === 0) return [];
  const names = [...new Set(uncalled.map(({ name }) => name))].join(", ");
  const detail = `${names}: functions for headers and credentials, and asynchronous functions, are not called. Only variables that their text names, such as env.NAME, are checked.`;
  return [ok("functions of definitions", detail)];
}

function addressFindings(use: Use, { local, deployed }: VariableSets): Finding[] {
  if (!use.isAddress) return [];
  const isMissing = [...variablesOf(use, local)].some((variable) => !isSet(deployed[variable]));
  // Without its variables the address in a deployment is unknown, and there is a finding about the variable.
  const host = isMissing ? null : localHost(valueOf(use, deployed));
  if (host === null) return [];
  const fix =
    "give it a public address, for example by a variable: [vars] in the wrangler configuration for a deployment, .dev.vars for this machine";
  return [warning(use.name, `Its address is at ${host}, which a deployment does not reach.`, fix)];
}

function variableFindings(names: readonly string[], { local, deployed }: VariableSets): Finding[] {
  const only = names.filter((name) => isSet(local[name]) && !isSet(deployed[name]));
  return only.map((name) =>
    warning(
      `variable ${name}`,
      "Definitions read it, and only a file of this machine sets it.",
      `add it to [vars] of the wrangler configuration, or, if it is a secret, run npx wrangler secret put ${name} (nothing is left to do if you have run it)`,
    ),
  );
}

/** Checks the variables with the addresses of providers, and the addresses in all variables of the configuration. */
function baseUrlFindings({ models }: DeployedDefinitions, { local, deployed }: VariableSets): Finding[] {
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const { value } of models.filter((model) => model.value.baseUrl === undefined)) {
    const names = addressVariables(value);
    const [first = ""] = names;
    if (names.some((variable) => isSet(deployed[variable]))) continue;
    const host = localHost(defaultAddress(value));
    if (host !== null) {
      const detail = `The address of its preset is at ${host}, which a deployment does not reach.`;
      const fix = `set ${first} in [vars] of the wrangler configuration to a public address, or give the model a baseUrl`;
      findings.push(warning(`model ${value.name}`, detail, fix));
      continue;
    }
    const name = names.find((variable) => isSet(local[variable]));
    if (name === undefined || seen.has(name)) continue;
    seen.add(name);
    const detail = `Only a file of this machine sets it, so a deployment sends the requests of the provider "${value.preset ?? value.provider}" to the provider's own address.`;
    const fix = `add ${name} to [vars] of the wrangler configuration, or give the models a baseUrl`;
    findings.push(warning(`variable ${name}`, detail, fix));
  }
  for (const [name, value] of Object.entries(deployed)) {
    const host = localHost(value);
    if (host === null) continue;
    const fix = "put the local address into .dev.vars, and the public one into the configuration";
    findings.push(warning(`variable ${name}`, `Its address is at ${host}, which a deployment does not reach.`, fix));
  }
  return findings;
}

/** The keys that a deploy asks for, because only a file of this machine has them. */
function keyFindings({ models }: DeployedDefinitions, { local, deployed }: VariableSets): Finding[] {
  const needed = models.flatMap(({ value }) => {
    return readiness(value, local).ready ? missingNames(value, deployed) : [];
  });
  if (needed.length === 0) return [];
  return [
    ok("keys of a deployment", `threadhold deploy sets ${[...new Set(needed)].join(", ")} if the Worker lacks it`),
  ];
}

const isSet = (value: unknown): boolean => (value ?? "") !== "";

/** The host and port of an address that only this machine or a private network reaches; null for every other value. */
function localHost(value: unknown): string | null {
  if (typeof value !== "string" || !/^(?:https?|wss?):\/\//i.test(value) || !URL.canParse(value)) return null;
  const { host, hostname } = new URL(value);
  const read = readHost(hostname);
  const isLocal =
    read.type === "name"
      ? (read.inside && !reserved.test(read.name)) || !read.name.includes(".")
      : read.type === "address" && localKinds.includes(read.kind);
  return isLocal ? host : null;
}

/** Names for examples. They are no names of a network. */
const reserved = /(?:^|\.)(?:alt|example|invalid|onion|test)$/;

const localKinds = ["unspecified", "loopback", "private", "shared", "link_local"];
