// Modules of Node in a project's own sources: which of them do not work on Workers, and what to do if the types of the others are missing.
// Wrangler replaces a module that Workers lack by one whose functions throw, so a build and a start of the Worker succeed.

import type { Findings } from "./findings.ts";
import { importPosition } from "./import-position.ts";

/** The modules whose functions throw on Workers, with the reason. */
const withoutEffect: ReadonlyMap<string, string> = new Map([
  ["child_process", "a Worker starts no programs"],
  ["cluster", "a Worker starts no processes"],
  ["dgram", "a Worker has no UDP"],
  ["http2", "a Worker sends requests by fetch"],
  ["inspector", "the runtime has no inspector inside of a Worker"],
  ["readline", "a Worker has no terminal"],
  ["repl", "a Worker has no terminal"],
  ["sqlite", "a Worker stores rows in D1 or in a Durable Object"],
  ["trace_events", "the runtime writes no trace events"],
  ["vm", "a Worker evaluates no text as code"],
  ["wasi", "a Worker imports .wasm files as modules"],
  ["worker_threads", "a Worker starts no threads"],
]);

/** An import of a module of the runtime. */
export interface RuntimeImport {
  /** The importing file, as a path from the root. */
  file: string;
  /** The module, as the file names it. */
  specifier: string;
}

/** Why a module does not work on Workers; undefined for every other module. */
function withoutEffectOnWorkers(specifier: string): string | undefined {
  const [name = ""] = specifier.replace(/^node:/, "").split("/");
  const reason = withoutEffect.get(name);
  return reason === undefined
    ? undefined
    : `${specifier} does not work on Workers, because ${reason}: each of its functions throws. Remove the import, or call a service that does this work`;
}

/**
 * Reports imports of modules that do not work on Workers. They count as type errors: a strict check refuses them, and another build goes on,
 * because the import may be in code that only tests use.
 */
export function checkNodeModules(imports: readonly RuntimeImport[], root: string, findings: Findings): void {
  for (const { file, specifier } of imports) {
    const message = withoutEffectOnWorkers(specifier);
    if (message === undefined) continue;
    findings.warning({ code: "type", file, position: importPosition(file, specifier, root), message });
  }
}

/** TypeScript's message about missing types of Node, in words that hold for Workers; undefined for every other message. */
export function missingNodeTypes(message: string): string | undefined {
  const [, name] = /^Cannot find (?:name|module) '([^']+)'.*@types\/node/.exec(message) ?? [];
  if (name === undefined) return undefined;
  return (
    withoutEffectOnWorkers(name) ??
    `${name} works on Workers with the flag nodejs_compat, and its types are missing: run npm install --save-dev @types/node, and add "node" to "types" in tsconfig.json`
  );
}
