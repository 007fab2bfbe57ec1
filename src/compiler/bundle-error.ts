// Converts an error of the bundler to a finding: its position, and a suggestion for an import that cannot be resolved.

import { builtinModules } from "node:module";

import type { Message } from "esbuild";

import type { Findings } from "./findings.ts";
import type { SyntaxTrees } from "./syntax-tree.ts";

/** How an error of the bundler names the zod that is bundled separately (bundled-zod.ts). */
const bundledZod = /"bundled-zod:[^"]*"/;

export function reportBundleError(
  error: Message,
  { findings, trees }: { findings: Findings; trees: SyntaxTrees },
): void {
  const { location } = error;
  if (location && reportSyntax(location, { findings, trees })) return;
  const file = location?.file ?? "agents";
  const position = location
    ? {
        line: location.line,
        column: location.column + 1,
        source: trees.lineText(file, location.line) ?? location.lineText,
      }
    : undefined;
  const lost = /^Could not resolve "(.+)"$/.exec(error.text)?.[1];
  const importing =
    lost !== undefined || /^Could not read|^No matching export|^No loader is configured/.test(error.text);
  const hint = /^Did you mean to import "(.+)" instead\?$/.exec(error.notes[0]?.text ?? "")?.[1];
  const command = lost === undefined ? undefined : installCommand(lost);
  findings.error({
    code: importing ? "import" : "syntax",
    file,
    position,
    message: (error.text.charAt(0).toLowerCase() + error.text.slice(1)).replace(bundledZod, '"zod"'),
    suggestion: hint ?? command,
  });
}

/**
 * Reports the syntax error that a second parser finds, unless it follows the position of the bundler's error. The second parser also
 * reports the beginning of an unclosed string and the bracket that is still open. Returns whether an error was reported.
 */
function reportSyntax(
  { file, line, column }: NonNullable<Message["location"]>,
  { findings, trees }: { findings: Findings; trees: SyntaxTrees },
): boolean {
  const [fault] = trees.syntaxErrors(file);
  if (!fault || fault.line > line || (fault.line === line && fault.column > column + 1)) return false;
  const { message, opened, ...position } = fault;
  findings.error({
    code: "syntax",
    file,
    position,
    message,
    ...(opened ? { notes: [`the bracket at ${file}:${opened.line}:${opened.column} is not closed`] } : {}),
  });
  return true;
}

/** The command that installs the imported package; undefined if the specifier is not the name of a package. */
function installCommand(specifier: string): string | undefined {
  const name = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*/i.exec(specifier)?.[0];
  const rest = name === undefined ? "" : specifier.slice(name.length);
  if (name === undefined || (rest !== "" && !rest.startsWith("/")) || builtinModules.includes(name)) return undefined;
  return `npm install ${name}`;
}
