// Checks of definitions that have many tools: their prefix, and a transport (stdio) that a Worker cannot use.

import { isObject, type NamedKind } from "./definition-kind.ts";
import type { Findings } from "./findings.ts";

/** The maximum length of a prefix. A tool's name has at most 64 characters: the prefix, `__`, and the name on the server. */
const prefixLength = 32;

/** Checks a definition whose fields are valid. Returns whether it can be used; true for definitions of other kinds. */
export function checkSource(
  { kind, file, value }: { kind: NamedKind; file: string; value: Record<string, unknown> },
  findings: Findings,
): boolean {
  if (kind !== "MCP server" && kind !== "OpenAPI document") return true;
  const field = value.prefix === undefined ? "name" : "prefix";
  const prefix = value[field];
  if (typeof prefix === "string" && isPrefix(prefix)) return true;
  findings.error({
    code: "bad_name",
    file,
    path: [field],
    message:
      `${JSON.stringify(prefix)} cannot begin the names of tools: letters, digits, - and single _ only, ` +
      `a letter first, at most ${prefixLength}`,
    ...(field === "name"
      ? { notes: ["without a prefix, the name of the definition begins the names of its tools"] }
      : {}),
  });
  return false;
}

function isPrefix(text: string): boolean {
  // `__` ends the prefix in a tool's name.
  return /^[A-Za-z][A-Za-z0-9_-]*$/.test(text) && text.length <= prefixLength && !/__|_$/.test(text);
}

/** Reports a definition of a server over stdio. Returns whether the definition is of this kind. */
export function reportStdio(file: string, value: unknown, findings: Findings): boolean {
  if (!isObject(value) || !("command" in value)) return false;
  findings.error({
    code: "not_available",
    file,
    path: ["command"],
    target: "key",
    message: "a Worker cannot start a program, so an MCP server over stdio cannot be reached from it",
    suggestion:
      'npx mcp-proxy --host 127.0.0.1 --port 8080 -- COMMAND, and url: "http://127.0.0.1:8080/mcp" with allowedHosts',
  });
  return true;
}
