// Finds the doc comment of a declaration, and its text.

/**
 * The comment that ends right before a declaration, as it is written.
 *
 * @param {{ start: number }} node
 * @param {import("./module-exports.mjs").Source} source
 * @returns {string | undefined}
 */
export function docCommentOf(node, { text, comments }) {
  const before = comments.findLast((comment) => comment.end <= node.start);
  if (before === undefined || before.type !== "Block" || !before.value.startsWith("*")) return undefined;
  return text.slice(before.end, node.start).trim() === "" ? text.slice(before.start, before.end) : undefined;
}

/**
 * The text of a comment without slashes and asterisks.
 *
 * @param {string} comment
 */
export function withoutMarks(comment) {
  return comment
    .replace(/^\/\*\*/, "")
    .replace(/\*\/$/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trimEnd())
    .join("\n")
    .trim();
}

/** @param {string} comment */
export function firstSentence(comment) {
  const text = withoutMarks(comment).replaceAll(/\s+/g, " ");
  return /^.*?[.!?](?= |$)/.exec(text)?.[0] ?? text;
}
