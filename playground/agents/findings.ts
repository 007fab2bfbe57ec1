// Selects the findings of the last build that concern a definition: those in its file, and those that name it.

import type { RouteAnswer } from "threadhold/client";

import type { Kind, Reference } from "./definition.ts";

/** A finding of the build. */
export type Finding = NonNullable<RouteAnswer<"GET /healthz">["diagnostics"]>[number];

/** The folders with the files of a kind. */
const folders: Readonly<Record<Kind, readonly string[]>> = {
  agent: ["agents"],
  prompt: ["prompts"],
  model: ["models"],
  tool: ["tools"],
  source: ["mcp", "openapi"],
  skill: [],
};

export function findingsOf({ kind, name }: Reference, findings: readonly Finding[]): Finding[] {
  return findings.filter(({ file, message, notes = [] }) => {
    const stem = (file.split("/").at(-1) ?? "").replace(/\.[cm]?[jt]sx?$/, "");
    if (stem === name && folders[kind].some((folder) => file.startsWith(`agents/${folder}/`))) return true;
    if (kind === "skill" && file.startsWith(`agents/skills/${name}/`)) return true;
    return [message, ...notes].some((text) => text.includes(`${kind} "${name}"`));
  });
}

/** The position of a finding as an editor opens it: file, line and column. */
export function placeOf({ file, line, column }: Finding): string {
  return [file, line, line === undefined ? undefined : column].filter((part) => part !== undefined).join(":");
}
