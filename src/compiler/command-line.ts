// The flags of `scripts/compile.mjs`, and the mode of a build.

import { parseArgs } from "node:util";

/** The options of a build. */
export interface CompileOptions {
  /** The folder that contains `agents/`. */
  root: string;
  /** `dev` keeps the last good output and never fails; `strict` fails on errors. */
  mode: "dev" | "strict";
  /** Print the result as one line of JSON. */
  json: boolean;
  /** When types are checked: with the build (`now`), without a build (`only`), or not at all, showing the last findings (`last`). */
  types: "now" | "only" | "last";
}

/** Commands of wrangler whose builds go to production; it sets WRANGLER_COMMAND for its `[build]` step. */
const publishing = new Set(["deploy", "versions upload"]);

/** Reads the flags; throws on unknown ones. */
export function readCommandLine(argv: readonly string[], env: NodeJS.ProcessEnv, cwd: string): CompileOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      dev: { type: "boolean", default: false },
      auto: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      types: { type: "boolean", default: false },
      "types-only": { type: "boolean", default: false },
      root: { type: "string", default: cwd },
    },
  });
  const lenient = values.dev || (values.auto && !publishing.has(env.WRANGLER_COMMAND ?? ""));
  const types = values["types-only"] ? "only" : values.types ? "now" : "last";
  return { root: values.root, mode: lenient ? "dev" : "strict", json: values.json, types };
}
