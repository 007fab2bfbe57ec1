// The names and types of a Worker's bindings, variables and secrets, which definitions read as `state.env`. They are read from the wrangler
// file, and the names of secrets from `.dev.vars`, also those of named environments. Values of secrets are not kept.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

import { readIfExists } from "./changed-file.ts";
import { isObject } from "./definition-kind.ts";
import { readConfiguration } from "./wrangler-settings.ts";

/** One name of `state.env`. */
interface EnvironmentName {
  name: string;
  /** TypeScript. Types of bindings are those of `@cloudflare/workers-types`. */
  type: string;
  /** Whether only named environments have it, in the wrangler file or in a file such as `.dev.vars.staging`. */
  optional: boolean;
}

/** What the files of a project state about its Worker's environment. */
export interface WorkerEnvironment {
  /** Sorted by name. */
  names: readonly EnvironmentName[];
  /** The names of secrets, sorted. A name that the wrangler file declares under `vars` at its root is none. */
  secrets: readonly string[];
}

/** The files whose names are secrets in every environment. The examples are committed, so that a check finds the names without the values. */
const commonFiles = [".dev.vars", ".dev.vars.example", ".env", ".env.local", ".env.example"];

/** The files whose names are secrets: those of every environment, and those of the named environments of the wrangler file. */
export function secretFiles(root: string): string[] {
  return [...commonFiles, ...environmentFiles(readConfiguration(root))];
}

/** The files that wrangler reads for a named environment, in addition to or in place of the common ones. */
function environmentFiles({ env }: Table): string[] {
  const names = Object.keys(isObject(env) ? env : {}).filter((name) => /^[\w.-]+$/.test(name) && name !== "example");
  return names.flatMap((name) => [`.dev.vars.${name}`, `.env.${name}`, `.env.${name}.local`]);
}

type Table = Readonly<Record<string, unknown>>;

/** The keys of bindings in a wrangler file, as paths: the field with a binding's name, and the binding's type. */
const bindingKinds: readonly (readonly [path: string, field: "binding" | "name", type: string])[] = [
  ["kv_namespaces", "binding", "KVNamespace"],
  ["r2_buckets", "binding", "R2Bucket"],
  ["d1_databases", "binding", "D1Database"],
  ["durable_objects.bindings", "name", "DurableObjectNamespace"],
  ["queues.producers", "binding", "Queue"],
  ["services", "binding", "Fetcher"],
  ["vectorize", "binding", "VectorizeIndex"],
  ["hyperdrive", "binding", "Hyperdrive"],
  ["analytics_engine_datasets", "binding", "AnalyticsEngineDataset"],
  ["workflows", "binding", "Workflow"],
  ["send_email", "name", "SendEmail"],
  ["ratelimits", "name", "RateLimit"],
  ["secrets_store_secrets", "binding", "SecretsStoreSecret"],
  ["dispatch_namespaces", "binding", "DispatchNamespace"],
  ["mtls_certificates", "binding", "Fetcher"],
  ["vpc_services", "binding", "Fetcher"],
  ["pipelines", "binding", "unknown"],
  ["ai", "binding", "Ai"],
  ["browser", "binding", "Fetcher"],
  ["images", "binding", "ImagesBinding"],
  ["assets", "binding", "Fetcher"],
  ["version_metadata", "binding", "WorkerVersionMetadata"],
  ["unsafe.bindings", "name", "unknown"],
];

/** Reads the environment of the project's Worker. A file that cannot be parsed has no names: wrangler reports the mistake. */
export function readWorkerEnvironment(root: string): WorkerEnvironment {
  const config = readConfiguration(root);
  const named = Object.values(isObject(config["env"]) ? config["env"] : {}).filter(isObject);
  const types = new Map<string, Set<string>>();
  const add = (name: string, type: string): void => void types.set(name, (types.get(name) ?? new Set()).add(type));
  for (const table of [config, ...named]) {
    for (const [name, value] of variablesOf(table)) add(name, typeOfValue(value));
    for (const [name, type] of bindingsOf(table)) add(name, type);
  }
  const common = new Set([...requiredSecrets(config), ...namesInFiles(root, commonFiles)]);
  const secrets = new Set([...common, ...namesInFiles(root, environmentFiles(config))]);
  for (const name of secrets) if (!types.has(name)) add(name, "string");
  const atRoot = new Set([...[...variablesOf(config), ...bindingsOf(config)].map(([name]) => name), ...common]);
  const declared = new Set(variablesOf(config).map(([name]) => name));
  return {
    names: [...types].toSorted(byFirst).map(([name, kinds]) => {
      return { name, type: [...kinds].join(" | "), optional: !atRoot.has(name) };
    }),
    secrets: [...secrets].filter((name) => !declared.has(name)).toSorted(),
  };
}

const byFirst = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

function variablesOf({ vars }: Table): [name: string, value: unknown][] {
  return isObject(vars) && !Array.isArray(vars) ? Object.entries(vars) : [];
}

function bindingsOf(table: Table): [name: string, type: string][] {
  return bindingKinds.flatMap(([path, field, type]) => {
    let value: unknown = table;
    for (const key of path.split(".")) value = isObject(value) ? value[key] : undefined;
    return (Array.isArray(value) ? (value as unknown[]) : [value]).flatMap((each): [string, string][] => {
      const name = isObject(each) ? each[field] : undefined;
      return typeof name === "string" ? [[name, type]] : [];
    });
  });
}

/** Names that the wrangler file declares as secrets. */
function requiredSecrets({ secrets }: Table): string[] {
  const required = isObject(secrets) ? secrets["required"] : undefined;
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : [];
}

/** Wrangler reads the files `.env` only if there is no `.dev.vars`. */
function namesInFiles(root: string, files: readonly string[]): string[] {
  const hasOwn = existsSync(join(root, ".dev.vars"));
  return files.filter((file) => !hasOwn || !file.startsWith(".env")).flatMap((file) => namesIn(join(root, file)));
}

function namesIn(file: string): string[] {
  const text = readIfExists(file)?.toString("utf8");
  return text === undefined ? [] : Object.keys(parseEnv(text));
}

/** The type of a variable's value, which may be any JSON. */
function typeOfValue(value: unknown): string {
  if (Array.isArray(value)) {
    const types = new Set(value.map(typeOfValue));
    return `readonly (${[...types].join(" | ") || "unknown"})[]`;
  }
  if (!isObject(value)) return value === null ? "null" : typeof value;
  const fields = Object.entries(value).map(([name, each]) => `readonly ${JSON.stringify(name)}: ${typeOfValue(each)}`);
  return `{ ${fields.join("; ")} }`;
}
