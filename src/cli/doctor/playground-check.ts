// Checks whether the Worker can serve the playground next to the static assets that it has.

import { extname } from "node:path";

import { likelyPaths, needsOwnPath } from "../dev/find-playground.ts";
import { localVariables } from "../dev/local-access.ts";
import { ok, warning, type Finding } from "./finding.ts";
import { hasOwnMain, type WranglerProject } from "./wrangler-package.ts";

const name = "playground";

/** The finding about a Worker with assets of its own; none for any other Worker. */
export function playgroundFindings(project: WranglerProject, packageRoot: string): Finding[] {
  const { assets } = project.config;
  const variable = String(localVariables(project)["PLAYGROUND"]);
  if (assets?.directory === undefined || !needsOwnPath(project, packageRoot) || variable === "false") return [];
  const isToml = extname(project.file) === ".toml";
  if (assets.binding === undefined) {
    const line = isToml ? 'binding = "ASSETS"' : '"binding": "ASSETS"';
    const detail = "The static assets have no binding, from which the Worker could read the playground.";
    return [warning(name, detail, `npx threadhold init, or add to assets\n${line}`)];
  }
  const [path = "", ...others] = likelyPaths(project, variable);
  // The main module may compute the path.
  if (hasOwnMain(project) && others.length < 2) return [];
  const first = assets.run_worker_first;
  const listed = typeof first === "object" ? first : undefined;
  const isHandled = (assets.not_found_handling ?? "none") !== "none";
  const isServed =
    first === true || (!isHandled && listed === undefined) || listed?.some((each) => matches(each, path));
  if (isServed === true) return [ok(name, `at ${path}`)];
  const list = JSON.stringify([...(listed ?? []), path, `${path}/*`]);
  const own = listed === undefined ? ", with the paths of your own routes" : "";
  const line = isToml ? `run_worker_first = ${list}` : `"run_worker_first": ${list}`;
  const detail = `The static assets answer requests for ${path} before the Worker.`;
  return [warning(name, detail, `set in the section assets${own}\n${line}`)];
}

/** Whether a pattern such as `/studio/*` matches the pages below a path. */
function matches(pattern: string, path: string): boolean {
  return pattern.endsWith("*") && `${path}/inbox`.startsWith(pattern.slice(0, -1));
}
