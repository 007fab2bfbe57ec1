// Cuts a migration file into its statements. A statement ends with a `;` at the end of a line, so no line inside one may
// end that way; each is run alone, because a cursor over several counts the rows of the last one only.

/** The statements of a migration, without the lines that are comments. */
export function sqlStatements(text: string): string[] {
  return text
    .replace(/^\s*--.*$/gm, "")
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}
