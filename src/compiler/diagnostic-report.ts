// Formats findings for a terminal: position, severity, message, the source line with a mark under the error, and a suggestion.

import type { Diagnostic } from "#spec/diagnostic.ts";

type Paint = (text: string) => string;

interface Palette {
  red: Paint;
  yellow: Paint;
  cyan: Paint;
  dim: Paint;
  bold: Paint;
}

function paletteFor(colours: boolean): Palette {
  const paint =
    (code: number, end: number): Paint =>
    (text) =>
      colours ? `\u001B[${code}m${text}\u001B[${end}m` : text;
  return { red: paint(31, 39), yellow: paint(33, 39), cyan: paint(36, 39), dim: paint(2, 22), bold: paint(1, 22) };
}

/** All findings and a count at the end; an empty text if there are none. */
export function formatDiagnostics(diagnostics: readonly Diagnostic[], colours: boolean): string {
  if (diagnostics.length === 0) return "";
  const palette = paletteFor(colours);
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const counts = [counted(errors, "error"), counted(diagnostics.length - errors, "warning")].filter(Boolean);
  return [...diagnostics.map((diagnostic) => formatOne(diagnostic, palette)), counts.join(", ")].join("\n\n");
}

function counted(count: number, word: string): string {
  if (count === 0) return "";
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

function formatOne(diagnostic: Diagnostic, palette: Palette): string {
  const { file, line, column, severity, message, source, suggestion, notes = [] } = diagnostic;
  const position = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  const paint = severity === "error" ? palette.red : palette.yellow;
  const lines = [`${palette.cyan(position)}  ${paint(severity)}  ${palette.bold(message)}`];
  if (line !== undefined && source !== undefined)
    lines.push(...codeFrame({ line, column: column ?? 1, source }, palette));
  if (suggestion !== undefined) lines.push(`  ${suggestionText(suggestion)}`);
  return [...lines, ...notes.map((note) => `  ${palette.dim(note)}`)].join("\n");
}

/** A suggestion as a sentence: a command to run, the probable name, or code to write. */
function suggestionText(suggestion: string): string {
  if (suggestion.startsWith("npm ")) return `Run: ${suggestion}`;
  return /^[\w.\-/[\]~]+$/.test(suggestion) ? `Did you mean "${suggestion}"?` : `Write: ${suggestion}`;
}

const frameWidth = 100;

function codeFrame(
  { line, column, source }: { line: number; column: number; source: string },
  palette: Palette,
): string[] {
  const from = Math.max(0, column - 1 - frameWidth + 20);
  const excerpt = source.slice(from, from + frameWidth).replaceAll("\t", " ");
  const number = `  ${line} │ `;
  const mark = " ".repeat(column - 1 - from) + "^";
  return [
    `${palette.dim(number)}${excerpt}`,
    `${palette.dim(`${" ".repeat(number.length - 2)}│ `)}${palette.red(mark)}`,
  ];
}
