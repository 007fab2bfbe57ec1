// The check of the marks for the cache. It is loaded with the first loop.

import { isObject } from "#lib/json-value.ts";

import { LoopError } from "../loop-error.ts";
import { checkNames, shown } from "./config-field.ts";

/** Checks a cache config. Throws a LoopError that names the wrong field. */
export function checkCacheConfig(config: unknown): void {
  if (!isObject(config)) throw new LoopError("The cache config has to be an object with `enabled` and `strategy`.");
  checkNames("cache config", config, ["enabled", "strategy"]);
  const { enabled, strategy } = config;
  if (typeof enabled !== "boolean")
    throw new LoopError(`\`enabled\` of the cache config is ${shown(enabled)}. It has to be true or false.`);
  if (strategy === "Auto" || strategy === "Disabled") return;
  const manual = isObject(strategy) ? strategy["Manual"] : undefined;
  if (!isObject(manual) || Object.keys(strategy as object).length > 1)
    throw new LoopError(
      `\`strategy\` of the cache config is ${shown(strategy)}. It has to be "Auto", "Disabled" or { Manual: { cache_system, cache_tools, cache_messages } }.`,
    );
  const flags = ["cache_system", "cache_tools", "cache_messages"];
  checkNames("cache config", manual, flags);
  for (const name of flags) {
    if (typeof manual[name] !== "boolean")
      throw new LoopError(`\`${name}\` of the cache config is ${shown(manual[name])}. It has to be true or false.`);
  }
}
