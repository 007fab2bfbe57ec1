// Compares the numbered rules in docs/ with the tests that prove them. A rule is a list item, `- RUN4: sentence`, or a row of a table
// whose first cell is its id. The title of its test begins with its id, `it("RUN4 …")`, or with several, `it("RUN4, RUN5 …")`.

/**
 * @typedef {{ path: string, text: string }} SourceFile
 * @typedef {{ id: string, place: string }} Mention
 */

const ruleLine = /^\s*[-*] (?<id>[A-Z]{2,}\d+)\b(?<rest>.*)$/;
const tableRow = /^\| *(?<id>[A-Z]{2,}\d+) *\|(?<rest>.*)$/;
const ids = /[A-Z]{2,}\d+/g;
// `it("RUN4`, `it.skip("RUN4`, `test.for(cases)("RUN4`: the title follows an opening bracket of it or test, or of the function that
// it.each(…) and similar functions return.
const testName =
  /(?:\b(?:it|test)(?:\.\w+)*|\))\s*\(\s*["'`](?<ids>[A-Z]{2,}\d+(?:[ ,]+[A-Z]{2,}\d+)*)(?![A-Za-z0-9_-])/g;

/** @param {SourceFile[]} documents */
function readRules(documents) {
  /** @type {Mention[]} */
  const rules = [];
  const problems = [];
  for (const { path, text } of documents) {
    text.split("\n").forEach((line, index) => {
      const place = `${path}:${index + 1}`;
      const item = ruleLine.exec(line)?.groups;
      const row = tableRow.exec(line)?.groups;
      if (item && !/^: \S/.test(item.rest ?? ""))
        problems.push(`${place}  ${item.id} is not written "- ${item.id}: sentence"`);
      if (row && !/^(\s*[^|\s][^|]*\|)+$/.test(row.rest ?? "")) problems.push(`${place}  ${row.id} has an empty cell`);
      const id = (item ?? row)?.id;
      if (id !== undefined) rules.push({ id, place });
    });
  }
  return { rules, problems };
}

/** @param {SourceFile[]} tests */
function readProofs(tests) {
  /** @type {Mention[]} */
  const proofs = [];
  for (const { path, text } of tests) {
    for (const match of text.matchAll(testName)) {
      const place = `${path}:${text.slice(0, match.index).split("\n").length}`;
      for (const [id] of (match.groups?.ids ?? "").matchAll(ids)) proofs.push({ id, place });
    }
  }
  return proofs;
}

/** Pairs of id prefixes of which one begins with the other, because they are easily confused. */
function collisions(/** @type {string[]} */ all) {
  const prefixes = [...new Set(all.map((id) => id.replace(/\d+$/, "")))].sort();
  return prefixes.flatMap((prefix, at) =>
    prefixes
      .slice(at + 1)
      .flatMap((other) => (other.startsWith(prefix) ? [`${other} begins with the prefix ${prefix}`] : [])),
  );
}

/** The pages of rules that docs/rules.md does not list. */
function unlisted(/** @type {SourceFile[]} */ documents) {
  const overview = documents.find(({ path }) => path === "docs/rules.md")?.text ?? "";
  return documents
    .map(({ path }) => path)
    .filter((path) => path.startsWith("docs/rules/") && !overview.includes(`(${path.slice("docs/".length)})`))
    .map((path) => `${path}  docs/rules.md does not list this page`);
}

/**
 * @param {SourceFile[]} documents
 * @param {SourceFile[]} tests
 * @returns {{ problems: string[], rules: number, proofs: number }} no problems when every rule has a test and every id a rule
 */
export function checkCoverage(documents, tests) {
  const { rules, problems } = readRules(documents);
  const proofs = readProofs(tests);
  const firstPlace = new Map();
  for (const { id, place } of rules) {
    const first = firstPlace.get(id);
    if (first === undefined) firstPlace.set(id, place);
    else problems.push(`${place}  ${id} is already a rule at ${first}`);
  }
  problems.push(...collisions([...firstPlace.keys()]), ...unlisted(documents));
  const proven = new Set(proofs.map(({ id }) => id));
  for (const [id, place] of firstPlace) if (!proven.has(id)) problems.push(`${place}  ${id} has no test`);
  for (const { id, place } of proofs) if (!firstPlace.has(id)) problems.push(`${place}  ${id} is not a rule`);
  return { problems, rules: firstPlace.size, proofs: proofs.length };
}
