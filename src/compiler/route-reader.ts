// Reads a route file: its method and path from its name, its access from its `access` option, and its handler from its export.

import { closestWord } from "#lib/edit-distance.ts";
import { threadEndpointHandler, type RouteAccess } from "#spec/endpoint.ts";

import type { ReaderContext } from "./definition-reader.ts";
import type { ProjectFile } from "./project-file.ts";
import { readRouteName } from "./route-pattern.ts";

const accessLevels: readonly RouteAccess[] = ["public", "user", "admin"];

/** Adds a route to the project under its method and pattern. */
export function readRoute(
  { file, stem }: ProjectFile,
  exports: Record<string, unknown>,
  { project, findings, trees }: ReaderContext,
): void {
  const route = readRouteName(stem);
  if (route.type === "bad") {
    findings.error({ code: "bad_file_name", file, message: route.message });
    return;
  }
  const { method, pattern, params, doubt } = route;
  if (doubt !== undefined) {
    findings.warning({
      code: "bad_file_name",
      file,
      message: `"${stem.slice(stem.lastIndexOf(".") + 1)}" is no method, so this answers GET ${pattern}`,
      suggestion: doubt,
    });
  }
  if (pattern === "/~" || pattern.startsWith("/~/")) {
    findings.error({ code: "reserved_route", file, message: "routes under /~/ belong to the runtime" });
    return;
  }
  const kind = threadEndpointHandler(exports.default) === undefined ? "controller" : "thread";
  if (kind === "thread" && !pattern.includes("/:")) {
    findings.error({
      code: "missing_thread_segment",
      file,
      path: [],
      message: `a thread endpoint takes its thread from a dynamic segment, and ${pattern} has none`,
      suggestion: "agents/api/threads/[id]/…",
    });
    return;
  }
  const access = accessLevels.find((level) => level === exports.access);
  if (exports.access !== undefined && access === undefined) {
    findings.error({
      code: "invalid_field",
      file,
      position: trees.locateExport(file, "access"),
      message: `access must be ${accessLevels.map((level) => `"${level}"`).join(", ")}`,
      suggestion: typeof exports.access === "string" ? closestWord(exports.access, accessLevels) : undefined,
    });
  }
  project.routes.push({ method, pattern, params, file, kind, ...(access === undefined ? {} : { access }) });
}
