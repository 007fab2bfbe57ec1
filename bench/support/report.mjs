// The rows that every bench reports, for the table of `npm run bench` and for its JSON.

/**
 * @typedef {object} Row
 * @property {string} what
 * @property {number} measured
 * @property {string} unit
 * @property {number | null} [limit] the highest allowed value of `measured`; none for a figure without a limit
 * @property {string} [comparison] the compared figures with their spread
 * @property {number} [runs]
 */

/** @param {Row} row */
function isOver({ measured, limit }) {
  return typeof limit === "number" && !(measured <= limit);
}

/** Prints the table. @param {readonly (Row & { bench: string })[]} rows */
export function printTable(rows) {
  console.table(
    rows.map((row) => ({
      bench: row.bench,
      what: row.what,
      measured: `${row.measured} ${row.unit}`,
      limit: row.limit ?? "",
      "": row.limit == null ? "" : isOver(row) ? "OVER" : "ok",
      runs: row.runs ?? "",
      comparison: row.comparison ?? "",
    })),
  );
}

/**
 * Ends a bench: prints one line of JSON if `npm run bench` collects it, else the table. Exits with 1 if a limit is exceeded.
 * @param {string} bench @param {readonly Row[]} rows @param {object} [details]
 */
export function report(bench, rows, details = {}) {
  if (process.env["THREADHOLD_BENCH"] === "collected") console.log(JSON.stringify({ bench, rows, ...details }));
  else printTable(rows.map((row) => ({ bench, ...row })));
  return rows.some(isOver) ? 1 : 0;
}
