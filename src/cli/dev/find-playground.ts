// Finds the playground of a running server: its main module chooses the path, so the command asks the server at the likely paths.

import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

import type { WranglerProject } from "../doctor/wrangler-package.ts";
import { isPlayground } from "../playground/copy-playground.ts";

/** Addresses of a running server. */
export interface FoundPlayground {
  playground: string;
  api: string;
}

/**
 * Whether the Worker serves the playground only at a path of its own: its static assets are something else than the playground, it has none,
 * or its main module gets all requests, as `threadhold init` sets it up in a Worker that had no assets.
 */
export function needsOwnPath({ file, config }: WranglerProject, packageRoot: string): boolean {
  const { directory, run_worker_first: first } = config.assets ?? {};
  if (directory === undefined || first === true) return true;
  return !isPlayground(resolve(dirname(file), directory), packageRoot);
}

/** The paths to try, the likeliest first: those in the text of the main module, the variable, and the default ones. */
export function likelyPaths(project: WranglerProject, variable: unknown): string[] {
  const { main } = project.config;
  const text = main !== undefined && existsSync(main) ? readFileSync(main, "utf8") : "";
  const written = (name: string): string[] =>
    [...text.matchAll(new RegExp(`\\b${name}:\\s*["'\`](/[\\w.~/-]*)["'\`]`, "g"))].map(([, path = ""]) =>
      path.replace(/\/$/, ""),
    );
  const paths = [
    ...written("playground"),
    ...(typeof variable === "string" && variable.startsWith("/") ? [variable.replace(/\/$/, "")] : []),
    ...written("prefix").map((prefix) => `${prefix}/studio`),
    "/studio",
    "",
  ];
  return [...new Set(paths)];
}

/** The playground at one of the paths of a server; undefined if none of them is its page. */
export async function findPlayground(
  url: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<FoundPlayground | undefined> {
  for (const path of paths) {
    try {
      const response = await fetch(`${url}${path}/`, { headers: { accept: "text/html" }, signal });
      const found = /<meta name="threadhold" data-pages="([^"]*)" data-api="([^"]*)">/.exec(await response.text());
      if (found !== null) return { playground: `${url}${found[1] ?? ""}`, api: `${url}${found[2] ?? ""}/api` };
    } catch {
      // The greeting is printed without the address. Other requests show why the server does not answer.
      return undefined;
    }
  }
  return undefined;
}
