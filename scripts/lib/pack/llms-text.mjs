// Writes `llms.txt` (https://llmstxt.org): a list of the documents in the package, for coding agents.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** @type {[title: string, ...below: string[]][]} folders, and documents outside of them */
const sections = [
  ["Guide", "docs/guide", "docs/upgrading.md", "CHANGELOG.md"],
  ["Reference", "docs/reference"],
  ["API reference", "docs/reference/api"],
  ["Design", "docs/design"],
];

/**
 * @param {string} folder the package
 * @returns {string}
 */
export function llmsText(folder) {
  const lists = sections.map(([title, ...below]) => {
    const lines = below
      .flatMap((place) => documentsAt(folder, place))
      .map((file) => `- [${titleOf(path.join(folder, file))}](${file})`);
    return `## ${title}\n\n${lines.join("\n")}\n`;
  });
  return `# Threadhold

> Durable AI-agent threads on Cloudflare Workers. Models, prompts, agents, tools and hooks are files in \`agents/\`. Each conversation is a
> thread: one Durable Object that stores its messages, runs, logs and files in SQLite and runs the agent loop itself.

Import definitions from \`threadhold\`, the client from \`threadhold/client\`, the hooks from \`threadhold/react\`. After a change of
\`agents/\` run \`npx threadhold check\`: it prints each error with its file, line and a suggestion. \`npx threadhold new <kind> <name>\`
creates a definition. The types of all entries lie in \`dist/types\`.

${lists.join("\n")}`;
}

/** A document, or the documents of a folder. */
function documentsAt(folder, place) {
  if (place.endsWith(".md")) return [place];
  const names = readdirSync(path.join(folder, place)).filter((name) => name.endsWith(".md"));
  return names.toSorted().map((name) => `${place}/${name}`);
}

/** The first heading of a Markdown file. */
function titleOf(file) {
  const title = /^# (.+)$/m.exec(readFileSync(file, "utf8"))?.[1];
  if (title === undefined) throw new Error(`${file} has no title.`);
  return title;
}
