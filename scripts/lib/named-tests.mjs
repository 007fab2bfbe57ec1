// Reads the tests that a document names and compares them with the test files and with a finished run. A document names a
// test as `test/thread/budget.test.ts` › the title of its it(…). The path stands between back-ticks; the title ends at a
// <br>, at the end of the table's cell or at the end of the line.

/**
 * @typedef {{ file: string, title: string, place: string }} NamedTest
 * @typedef {{ testResults?: { name?: string, assertionResults: { title?: string, status: string }[] }[] }} Report
 */

const named = /`(?<file>test\/[^`]+\.tsx?)` › (?<title>.*?)(?= *<br>| *\|? *$)/g;

/**
 * @param {{ path: string, text: string }} document
 * @returns {NamedTest[]}
 */
export function namedTests({ path, text }) {
  return text.split("\n").flatMap((line, index) =>
    [...line.matchAll(named)].map(({ groups }) => ({
      file: groups?.file ?? "",
      title: (groups?.title ?? "").replaceAll("\\|", "|"),
      place: `${path}:${index + 1}`,
    })),
  );
}

/**
 * Named tests whose file does not exist, or whose title is in no source file of its folder. A title with values of a table is
 * compared with the titles that have placeholders for them.
 *
 * @param {NamedTest[]} tests
 * @param {(file: string) => string | undefined} read the text of a test file; undefined if there is none
 * @param {(folder: string) => string} readFolder the text of all test files of a folder
 * @returns {string[]} a line for each problem
 */
export function missingTests(tests, read, readFolder) {
  return tests.flatMap(({ file, title, place }) => {
    const text = read(file);
    if (text === undefined) return [`${place}  there is no file ${file}`];
    const texts = () => [text, readFolder(file.slice(0, file.lastIndexOf("/")))];
    const isKnown = title !== "" && texts().some((each) => hasTitle(title, each));
    return isKnown ? [] : [`${place}  ${file} has no test "${title}"`];
  });
}

const literal = /\(\s*(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`)/g;

/** Whether the text has the title, or one with placeholders that fits. Placeholders alone fit every title, so they do not count. */
function hasTitle(/** @type {string} */ title, /** @type {string} */ text) {
  if (plain(text).includes(plain(title))) return true;
  return [...text.matchAll(literal)].some(([, ...quoted]) => {
    const source = plain(quoted.find((each) => each !== undefined) ?? "");
    const words = source.split(placeholder);
    return words.length > 1 && /\w{4}/.test(words.join(" ")) && titlePattern(source).test(title);
  });
}

/**
 * Named tests that no finished run reports as passed. A suite that other files run (its name does not end with .test.ts) is
 * reported under their names, so its titles count wherever they passed.
 *
 * @param {NamedTest[]} tests
 * @param {(Report | undefined)[]} reports vitest's JSON reports of one run
 * @returns {string[]} a line for each problem
 */
export function testsNotPassed(tests, reports) {
  /** @type {Map<string, string[]>} */
  const passed = new Map();
  for (const { name = "", assertionResults } of reports.flatMap((report) => report?.testResults ?? [])) {
    const file = name.replace(/^.*\/(?=test\/)/, "");
    const titles = assertionResults.filter(({ status }) => status === "passed").map(({ title = "" }) => title);
    passed.set(file, [...(passed.get(file) ?? []), ...titles]);
  }
  return tests.flatMap(({ file, title, place }) => {
    const wanted = titlePattern(title);
    const candidates = /\.test\.tsx?$/.test(file) ? (passed.get(file) ?? []) : [...passed.values()].flat();
    return candidates.some((candidate) => wanted.test(candidate))
      ? []
      : [`${place}  did not run and pass: ${file} › ${title}`];
  });
}

/** The title without escaped quotes: a source file may escape them, a document does not. */
function plain(/** @type {string} */ text) {
  return text.replaceAll(/\\(?=["'`])/g, "");
}

/** What a title of it.each has in place of a value. */
export const placeholder = /%[sdifjop]|\$\{[^}]*\}|\$[a-zA-Z][\w.]*/;

/** A pattern for titles of it.each, whose placeholders (%s, $name, ${expression}) match any text. */
export function titlePattern(/** @type {string} */ title) {
  const parts = title.split(placeholder);
  return new RegExp(`^${parts.map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&")).join(".*")}$`, "s");
}
