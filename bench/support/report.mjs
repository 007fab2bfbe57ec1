// What every bench hands over: rows of one form, for the one table of `npm run bench` and for its JSON.

/**
 * @typedef {object} Row
 * @property {string} what
 * @property {number} measured
 * @property {string} unit
 * @property {number | null} [limit] the most that `measured` may be; none for what is told beside
 * @property {string} [beside] what it was compared with, and how far the measurements lie apart
 * @property {number} [runs]
 */

/** @param {Row} row */
function isOver({ measured, limit }) {
  return typeof limit === "number" && !(measured <= limit);
}

/** The table as people read it. @param {readonly (Row & { bench: string })[]} rows */
export function printTable(rows) {
  console.table(
    rows.map((row) => ({
      bench: row.bench,
      what: row.what,
      measured: `${row.measured} ${row.unit}`,
      limit: row.limit ?? "",
      "": row.limit == null ? "" : isOver(row) ? "OVER" : "ok",
      runs: row.runs ?? "",
      beside: row.beside ?? "",
    })),
  );
}

/**
 * Ends a bench: one line of JSON where `npm run bench` collects it, the table otherwise. 1 where a limit is passed.
 * @param {string} bench @param {readonly Row[]} rows @param {object} [details]
 */
export function report(bench, rows, details = {}) {
  if (process.env["THREADHOLD_BENCH"] === "collected") console.log(JSON.stringify({ bench, rows, ...details }));
  else printTable(rows.map((row) => ({ bench, ...row })));
  return rows.some(isOver) ? 1 : 0;
}
