// Checks docs/reference/uap.md and docs/reference/phi-core.md: each requirement of UAP-1.0 and of phi-core's roadmap has one row, and each row
// names a test. The files of code in rows of phi-core.md exist.

import { namedTests } from "./named-tests.mjs";

/**
 * The sections of the document with the number of requirements that have rows of their own; 0 for a section with one row.
 * @type {[section: string, count: number][]}
 */
const sections = [
  ["1.3", 2],
  ["1.7", 0],
  ["2.1", 0],
  ["2.2", 0],
  ["2.3", 0],
  ["2.4", 0],
  ["2.6", 0],
  ["3.2", 0],
  ["3.3", 0],
  ["3.4", 4],
  ["4.2", 0],
  ["4.3", 0],
  ["4.4", 0],
  ["4.5", 0],
  ["4.6", 2],
  ["4.7", 0],
  ["5.1", 0],
  ["5.2", 0],
  ["5.3", 4],
  ["5.4", 5],
  ["5.5", 0],
  ["6.1", 0],
  ["6.2", 2],
  ["6.3", 0],
  ["6.4", 0],
  ["6.5", 5],
  ["7.1", 0],
  ["7.2", 0],
  ["7.3", 0],
  ["8.1", 0],
  ["8.2", 0],
  ["8.4", 4],
  ["8.5", 2],
  ["8.6", 2],
  ["8.7", 6],
  ["8.8", 4],
  ["9.1", 4],
  ["9.2", 0],
  ["9.3", 4],
  ["9.4", 0],
  ["10.1", 0],
  ["10.2", 0],
  ["10.3", 0],
  ["10.4", 0],
  ["11.1", 0],
  ["11.2", 0],
  ["11.3", 0],
  ["11.4", 0],
  ["12.1", 0],
  ["12.2", 0],
  ["12.3", 5],
  ["12.4.1", 0],
  ["12.4.2", 0],
  ["12.4.3", 0],
  ["12.4.4", 0],
  ["12.4.5", 3],
  ["12.4.6", 0],
  ["12.4.7", 5],
  ["12.4.8", 3],
  ["13.3", 0],
  ["14.1", 4],
  ["14.2", 8],
  ["14.3", 4],
  ["15.2", 0],
  ["15.3", 2],
];

/** The ids of all rows. */
export const requirements = sections.flatMap(([section, count]) =>
  count === 0 ? [section] : Array.from({ length: count }, (_, index) => `${section}-${index + 1}`),
);

/** The ids of all rows of docs/reference/phi-core.md: the requirements of phi-core's roadmap. */
export const loopRequirements = Array.from({ length: 221 }, (_, index) => String(index + 1).padStart(3, "0"));

const row = /^\| (?<id>\d[\d.-]*) +\|/;

/**
 * @param {{ path: string, text: string }} document
 * @param {string[]} [expected] the requirements that need a row
 * @returns {string[]} a line for each problem
 */
export function conformanceProblems(document, expected = requirements) {
  const problems = [];
  const seen = new Set();
  document.text.split("\n").forEach((line, index) => {
    const id = rowId(line);
    if (id === undefined) return;
    const place = `${document.path}:${index + 1}`;
    if (seen.has(id)) problems.push(`${place}  ${id} has a second row`);
    seen.add(id);
    if (!expected.includes(id)) problems.push(`${place}  ${id} is not a requirement`);
    if (namedTests({ path: "", text: line }).length === 0) problems.push(`${place}  ${id} names no test`);
  });
  for (const id of expected) if (!seen.has(id)) problems.push(`${document.path}  ${id} has no row`);
  return problems;
}

const link = /\[[^\]]*\]\([^)]*\)/g;

/**
 * Rows whose third cell names no code, or a file that does not exist. A path in back-ticks is below `folder` unless it begins with `src/`. The
 * targets of links are checked with those of all documents.
 *
 * @param {{ path: string, text: string }} document
 * @param {string} folder
 * @param {(file: string) => boolean} exists
 * @returns {string[]} a line for each problem
 */
export function missingCode(document, folder, exists) {
  return document.text.split("\n").flatMap((line, index) => {
    const id = rowId(line);
    if (id === undefined) return [];
    const place = `${document.path}:${index + 1}`;
    const files = namedCode(line, folder);
    if (files.length === 0 && codeCell(line).match(link) === null) return [`${place}  ${id} names no code`];
    return files.filter((file) => !exists(file)).map((file) => `${place}  ${id}: there is no file ${file}`);
  });
}

/**
 * The requirement of a row; undefined for another line.
 *
 * @param {string} line
 */
export const rowId = (line) => row.exec(line)?.groups?.["id"];

const codeCell = (line) => line.split(/(?<!\\)\|/)[3] ?? "";

/**
 * The files of code that a row names.
 *
 * @param {string} line
 * @param {string} folder
 * @returns {string[]}
 */
export function namedCode(line, folder) {
  const paths = [
    ...codeCell(line)
      .replaceAll(link, "")
      .matchAll(/`([^`]+)`/g),
  ].map(([, file = ""]) => file);
  return paths.map((file) => (file.startsWith("src/") ? file : `${folder}/${file}`));
}
