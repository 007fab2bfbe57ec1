// The routes that export and import a whole thread, as rows of the one route table. The bodies are lines of JSON, which no schema of a
// single value describes; docs/reference/export-format.md describes them, and docs/guide/sessions-of-loops.md those of sessions.

import type { BuiltInRoute } from "./built-in-route.ts";
import { exportMediaType, exportThreadSchema } from "./export-header.ts";
import { threadSchema } from "./thread.ts";

export const exportRoutes = {
  exportThread: {
    method: "GET",
    path: "/api/threads/:id/export",
    summary:
      "The whole thread as lines of JSON, with `files` the bytes of its files too; with `format=sessions` a session in each line: the thread, then its child threads",
    tag: "threads",
    access: "user",
    query: exportThreadSchema,
    raw: "answer",
    rawType: exportMediaType,
    answers: { 200: null },
  },
  importThread: {
    method: "POST",
    path: "/api/threads/import",
    summary: "Makes a thread of an export, under the id it had; all of it or nothing",
    tag: "threads",
    access: "user",
    raw: "request",
    rawType: exportMediaType,
    keyed: true,
    answers: { 201: threadSchema },
  },
} as const satisfies Record<string, BuiltInRoute>;
