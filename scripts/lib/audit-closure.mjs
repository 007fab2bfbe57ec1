// Checks docs/design/audit-closure.md: every finding has one row, and each closed one names a test.

import { namedTests } from "./named-tests.mjs";

const range = (/** @type {string} */ prefix, /** @type {number} */ last) =>
  Array.from({ length: last }, (_, index) => `${prefix}${index + 1}`);

/** Every finding of the five audits, in the order of the document. */
export const findings = [
  "attack C1",
  ...range("attack H", 4),
  ...range("attack M", 8),
  ...range("attack L", 7),
  ...range("models A", 5),
  ...range("models B", 11),
  "models C",
  "models D",
  ...range("seeds A1-", 18),
  ...[
    "SALOG5",
    "SAHOOK2",
    "SAHOOK12",
    "SAEND16",
    "SESSION2",
    "SAEND26",
    "SARUN10",
    "SACALL13",
    "SAFILE26",
    "SAFILE43",
  ].map((row) => `seeds A2 ${row}`),
  ...["SAATT16", "SAFILE33", "CONF1", "SATYPE29"].map((row) => `seeds A2 ${row}`),
  "seeds A4",
  ...range("product 1.", 9),
  ...range("product 2.", 9),
  ...["2", "4", "6", "7", "8"].map((number) => `product mistake ${number}`),
  ...range("product 3.", 4),
  ...range("product 4.", 26),
  "product wording",
];

const row =
  /^\| (?<id>(?:attack|models|seeds|product) [^|]+?) +\| (?<what>[^|]+?) +\| (?<state>[^|]*?) +\| (?<proof>.*) \|$/;
const states = ["closed", "stays", "later"];

/**
 * @param {{ path: string, text: string }} document
 * @param {string[]} [expected] the findings that need a row
 * @returns {string[]} a line for each problem
 */
export function closureProblems(document, expected = findings) {
  const problems = [];
  const seen = new Set();
  document.text.split("\n").forEach((line, index) => {
    const found = row.exec(line)?.groups;
    if (found === undefined) return;
    const { id = "", state = "", proof = "" } = found;
    const place = `${document.path}:${index + 1}`;
    if (seen.has(id)) problems.push(`${place}  ${id} has a second row`);
    seen.add(id);
    if (!expected.includes(id)) problems.push(`${place}  ${id} is not a finding`);
    if (!states.includes(state)) problems.push(`${place}  ${id} is "${state}", not one of ${states.join(", ")}`);
    if (state === "closed" && namedTests({ path: "", text: line }).length === 0)
      problems.push(`${place}  ${id} is closed and names no test`);
    if (state !== "closed" && proof.trim().length < 15) problems.push(`${place}  ${id} does not say why`);
  });
  for (const id of expected) if (!seen.has(id)) problems.push(`${document.path}  ${id} has no row`);
  return problems;
}
