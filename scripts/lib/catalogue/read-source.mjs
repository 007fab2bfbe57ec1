// Reads the models of models.dev from a folder or from its `api.json`, in one form. A file that is not in the form of models.dev is refused.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

import { parse } from "smol-toml";

import { tables } from "./tables.mjs";

/** @typedef {{ url: string, date: string }} Origin */
/** @typedef {{ originOf: (provider: string) => Origin, providers: Map<string, Map<string, any>> }} Source */

/** The address of the repository; groups of the tables whose source begins with it are written again. */
export const repository = "https://github.com/anomalyco/models.dev";
export const api = "https://models.dev/api.json";

/** The longest file that is read, in bytes. The api.json of 2026 has 3 MB. */
const longest = 64 * 1024 * 1024;

/**
 * @param {string} source
 * @param {{ date?: string | undefined, commit?: string | undefined }} given
 * @returns {Source}
 */
export function readSource(source, given) {
  if (!existsSync(source)) throw new Error(`${source} does not exist. Name a checkout of models.dev, or its api.json.`);
  if (given.date !== undefined && !isDate(given.date))
    throw new Error(`--date ${given.date} is no date. Write it as YYYY-MM-DD.`);
  if (given.commit !== undefined && !/^[0-9a-f]{12,40}$/.test(given.commit))
    throw new Error(`--commit ${given.commit} is no commit. Write at least 12 hexadecimal digits.`);
  return statSync(source).isDirectory() ? readFolder(source, given) : readDocument(source, given);
}

function isDate(text) {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/**
 * @param {string} file
 * @param {{ date?: string | undefined }} given
 */
function readDocument(file, { date }) {
  if (date === undefined)
    throw new Error("api.json has no date of its own. Add the day of the download: --date YYYY-MM-DD.");
  const document = parsed(file, JSON.parse);
  const providers = new Map();
  for (const { provider } of Object.values(tables)) {
    const models = isFields(document) && Object.hasOwn(document, provider) ? document[provider].models : undefined;
    if (!isFields(models))
      throw new Error(`${file} has no models of the provider "${provider}". Is it the api.json of models.dev?`);
    providers.set(provider, new Map(Object.entries(models)));
  }
  return { originOf: () => ({ url: api, date }), providers };
}

function readFolder(folder, given) {
  const { commit, date } = originOfFolder(folder, given);
  const providers = new Map();
  for (const { provider } of Object.values(tables)) {
    const models = path.join(folder, "providers", provider, "models");
    if (!existsSync(models))
      throw new Error(`${folder} has no folder providers/${provider}/models. Is it a checkout of models.dev?`);
    const ids = readdirSync(models, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".toml"));
    providers.set(
      provider,
      new Map(
        ids
          .map((name) => name.replaceAll(path.sep, "/").slice(0, -".toml".length))
          .toSorted()
          .map((id) => [id, readModel(folder, path.join(models, `${id}.toml`))]),
      ),
    );
  }
  const originOf = (provider) => ({
    url: `${repository}/tree/${commit.slice(0, 12)}/providers/${provider}/models`,
    date,
  });
  return { originOf, providers };
}

/** The commit and its date: those of the checkout, or those that the options state. */
function originOfFolder(folder, given) {
  const git = (...args) => {
    try {
      return execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", stdio: "pipe" }).trim();
    } catch {
      return "";
    }
  };
  // A folder inside of another repository has that repository's commits, which are not those of models.dev.
  const isCheckout = existsSync(path.join(folder, ".git"));
  const [commit = "", date = ""] = isCheckout ? git("log", "-1", "--format=%H %cs").split(" ") : [];
  const origin = { commit: given.commit ?? commit, date: given.date ?? date };
  if (origin.commit === "" || origin.date === "")
    throw new Error(`${folder} is no Git checkout. Add its commit and date: --commit HASH --date YYYY-MM-DD.`);
  return origin;
}

/** A model with the facts of the model that it names as `base_model`. */
function readModel(folder, file) {
  const { base_model: base, base_model_omit: omitted = [], ...own } = parsed(file, parse);
  if (base === undefined) return own;
  const models = path.join(folder, "models");
  const baseFile = path.resolve(models, `${base}.toml`);
  if (!baseFile.startsWith(path.resolve(models) + path.sep) || !existsSync(baseFile))
    throw new Error(`${file} names the base model "${base}", which has no file in models/.`);
  const merged = mergedFields(parsed(baseFile, parse), own);
  for (const name of omitted) omit(merged, String(name).split("."));
  return merged;
}

function mergedFields(base, own) {
  const merged = { ...base };
  for (const [name, value] of Object.entries(own))
    merged[name] = isFields(value) && isFields(base[name]) ? mergedFields(base[name], value) : value;
  return merged;
}

/**
 * @param {any} fields
 * @param {string[]} names
 */
function omit(fields, [name = "", ...inner]) {
  if (!isFields(fields) || !Object.hasOwn(fields, name)) return;
  if (inner.length === 0) delete fields[name];
  else omit(fields[name], inner);
}

function isFields(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(file, read) {
  if (statSync(file).size > longest) throw new Error(`${file} has more than 64 MiB, so it is not read.`);
  try {
    return read(readFileSync(file, "utf8"));
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split("\n");
    throw new Error(`${file} cannot be read: ${reason}`, { cause: error });
  }
}
