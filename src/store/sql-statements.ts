// Splits a migration file into its statements. A statement ends with `;` at the end of a line, so no other line may end with `;`. Each
// statement is executed separately, because a cursor over several counts only the rows of the last one.

/** Returns the statements of a migration without comment lines. */
export function sqlStatements(text: string): string[] {
  return text
    .replace(/^[ \t]*--.*$/gm, "")
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}
