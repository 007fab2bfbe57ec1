// Checks the titles of commits: `area: imperative`, at most 72 characters.

const areas = /^[a-z0-9./-]+(?:, [a-z0-9./-]+)*: (?=\S)/;
const longest = 72;

/**
 * @param {string} title
 * @returns {string | undefined} what is wrong with it
 */
export function titleProblem(title) {
  if (!areas.test(title)) return "does not begin with `area: `";
  if (title.length > longest) return `has ${title.length} characters, at most ${longest} are shown`;
  if (/[.!]$/.test(title)) return "ends like a sentence";
  return undefined;
}
