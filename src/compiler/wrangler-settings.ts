// Reads the part of a project's wrangler configuration that the compiler needs.

import { extname, join } from "node:path";

import { readIfExists } from "./changed-file.ts";
import { isObject } from "./definition-kind.ts";
import { parseConfigText, wranglerFileNames } from "./wrangler-text.ts";

/** The settings that the compiler reads. */
export interface WranglerSettings {
  compatibilityDate: string;
  compatibilityFlags: readonly string[];
  /** Extensions that module rules name, with their dot. */
  moduleExtensions: readonly string[];
}

const fallback = { compatibilityDate: "2026-08-03", compatibilityFlags: ["nodejs_compat"] };

/**
 * Reads the configuration of a project at the root of its file, without environments. Without a configuration, a compatibility date or
 * flags, and for a file that cannot be parsed, this package's own settings apply: wrangler and the commands that need the configuration
 * report the mistake.
 */
export function readWranglerSettings(root: string): WranglerSettings {
  const { compatibility_date: date, compatibility_flags: flags, rules } = readConfiguration(root);
  const globs = Array.isArray(rules) ? rules.flatMap((rule) => (isObject(rule) ? textsOf(rule["globs"]) : [])) : [];
  return {
    compatibilityDate: typeof date === "string" ? date : fallback.compatibilityDate,
    compatibilityFlags: Array.isArray(flags) ? textsOf(flags) : fallback.compatibilityFlags,
    moduleExtensions: globs.flatMap((glob) => /\.\w+$/.exec(glob)?.[0] ?? []),
  };
}

/** Reads the wrangler file of a project as a table. It is empty for a project without one, and for a file that cannot be parsed. */
export function readConfiguration(root: string): Readonly<Record<string, unknown>> {
  for (const name of wranglerFileNames) {
    const text = readIfExists(join(root, name))?.toString("utf8");
    if (text === undefined) continue;
    try {
      const value = parseConfigText(extname(name) === ".toml" ? "toml" : "json", text);
      return isObject(value) ? value : {};
    } catch {
      return {};
    }
  }
  return {};
}

function textsOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((each): each is string => typeof each === "string") : [];
}
