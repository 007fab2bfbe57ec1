// Finds words that plain text avoids: personification, and private terms that readers from elsewhere do not know. Checks comments,
// Markdown and titles of tests. Code in back-ticks is left out, so that names can be quoted.

import { parseSync } from "oxc-parser";

/** @typedef {{ path: string, text: string }} SourceFile */
/** @typedef {{ line: number, word: string, instead: string }} Hit */

/**
 * Each pattern with what to write instead. Words with a plain meaning of their own (`left`, `line`, `own`, `place`, `rest`, `word`,
 * `held`) are not here: a pattern cannot see the meaning.
 *
 * @type {readonly { pattern: RegExp, instead: string }[]}
 */
const avoided = [
  // "cannot tell" and "tell two things apart" are plain English.
  {
    pattern:
      /(?<!\b(?:can|can't|cannot|could|not) )\b(tell|tells|telling|told|untold|retold)\b(?! (?:\S+ ){0,5}apart\b)/gi,
    instead: "emit, send, notify, show, distinguish",
  },
  { pattern: /\b(hear|hears|heard|unheard|overheard)\b/gi, instead: "receive, notice" },
  { pattern: /\b(rests|rested|resting)\b/gi, instead: "is suspended, suspended, waits" },
  { pattern: /\b(nobody|whoever|whomever)\b/gi, instead: "no one, the caller, the reader, a user who" },
  { pattern: /\banew\b/gi, instead: "again, new" },
  { pattern: /\bbeside\b/gi, instead: "next to, in addition to, compared with" },
  // What is left behind, and what stands behind a proxy, is plain English.
  {
    pattern:
      /(?<!\b(?:leaves?|left|leaving|falls?|fell)\b[^.;:]{0,60})\bbehind\b(?! an? (?:proxy|gateway|firewall|flag)\b)/gi,
    instead: "after",
  },
  { pattern: /\b(wish|wishes|wished)\b/gi, instead: "filter, options, request" },
  { pattern: /\b(says|said|say) so\b/gi, instead: "states it, reports it" },
  { pattern: /\bhow manieth\b/gi, instead: "the n-th time" },
];

const title =
  /(?:\b(?:it|test|describe)(?:\.\w+)*|\))\s*\(\s*(?<quote>["'`])(?<title>(?:\\.|(?!\k<quote>)[^\\])*)\k<quote>\s*,/g;

/**
 * The avoided words of a file, line by line.
 *
 * @param {SourceFile} file
 * @returns {Hit[]}
 */
export function avoidedWords({ path, text }) {
  const found = proseOf({ path, text }).flatMap(({ start, prose }) =>
    avoided.flatMap(({ pattern, instead }) =>
      [...prose.matchAll(pattern)].map((match) => ({ at: start + match.index, word: match[0], instead })),
    ),
  );
  return found
    .toSorted((left, right) => left.at - right.at)
    .map(({ at, ...hit }) => ({ line: text.slice(0, at).split("\n").length, ...hit }));
}

/**
 * The parts of a file that people read, with code in back-ticks blanked out.
 *
 * @param {SourceFile} file
 * @returns {{ start: number, prose: string }[]}
 */
function proseOf({ path, text }) {
  if (path.endsWith(".md")) return [{ start: 0, prose: withoutCode(text.replaceAll(/^(```+)[\s\S]*?^\1/gm, blank)) }];
  if (path.endsWith(".css"))
    return [...text.matchAll(/\/\*[\s\S]*?\*\//g)].map((match) => ({
      start: match.index,
      prose: withoutCode(match[0]),
    }));
  const { comments } = parseSync(path, text);
  const titles = /\.test\.tsx?$|\/suites\//.test(path) ? [...text.matchAll(title)] : [];
  return [
    ...comments.map(({ start, end }) => ({ start, prose: withoutCode(text.slice(start, end)) })),
    ...titles.map((match) => ({ start: match.index, prose: match.groups?.["title"] ?? "" })),
  ];
}

const blank = (/** @type {string} */ code) => code.replaceAll(/[^\n]/g, " ");
const withoutCode = (/** @type {string} */ prose) => prose.replaceAll(/`[^`\n]*`/g, blank);
