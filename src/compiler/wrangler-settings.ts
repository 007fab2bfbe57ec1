// Reads the part of a project's wrangler configuration that the compiler needs. The file is searched as text, because the compiler
// has no parser for TOML, and each setting has only one notation in each of the three formats.

import { join } from "node:path";

import { readIfExists } from "./changed-file.ts";

/** The settings that the compiler reads. */
export interface WranglerSettings {
  compatibilityDate: string;
  compatibilityFlags: readonly string[];
  /** Extensions that module rules name, with their dot. */
  moduleExtensions: readonly string[];
}

const fileNames = ["wrangler.toml", "wrangler.jsonc", "wrangler.json"];
const fallback = { compatibilityDate: "2026-08-03", compatibilityFlags: ["nodejs_compat"] };

/** Reads the configuration of a project. Without a configuration or a compatibility date, this package's own settings apply. */
export function readWranglerSettings(root: string): WranglerSettings {
  const text = fileNames.map((name) => readIfExists(join(root, name))?.toString("utf8")).find(Boolean) ?? "";
  const bare = text.replaceAll(/^\s*(?:#|\/\/).*$/gm, "");
  const date = /"?compatibility_date"?\s*[=:]\s*"(\d{4}-\d\d-\d\d)"/.exec(bare)?.[1];
  const flags = /"?compatibility_flags"?\s*[=:]\s*\[([^\]]*)\]/.exec(bare)?.[1];
  const globs = [...bare.matchAll(/"?globs"?\s*[=:]\s*\[([^\]]*)\]/g)].flatMap(([, list]) => stringsOf(list ?? ""));
  return {
    compatibilityDate: date ?? fallback.compatibilityDate,
    compatibilityFlags: flags === undefined ? fallback.compatibilityFlags : stringsOf(flags),
    moduleExtensions: globs.flatMap((glob) => /\.\w+$/.exec(glob)?.[0] ?? []),
  };
}

function stringsOf(list: string): string[] {
  return [...list.matchAll(/"([^"]*)"/g)].flatMap(([, text]) => text ?? []);
}
