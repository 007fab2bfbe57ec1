// Writes `llms.txt` (https://llmstxt.org): a list of the documents in the package, for coding agents.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** @type {[title: string, ...below: string[]][]} folders, and documents outside of them */
const sections = [
  ["Reference", "docs/reference", "docs/upgrading.md", "CHANGELOG.md"],
  ["API reference", "docs/reference/api"],
  ["Design", "docs/design"],
];

/**
 * @param {string} folder the package
 * @returns {string}
 */
export function llmsText(folder) {
  const guide = [...guideSections(readFileSync(path.join(folder, "docs/guide/README.md"), "utf8"))].map(
    ([title, lines]) => `## Guide: ${title}\n\n${lines.join("\n")}\n`,
  );
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

${[...guide, ...lists].join("\n")}`;
}

/** The groups of the guide's index, each with a line for each page: its link, and what a reader gets. */
function guideSections(index) {
  const sections = index.split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => {
      const rows = section.matchAll(/^\| \[([\w-]+\.md)\]\(\1\) \| (.+) \|$/gm);
      const lines = [...rows].map(([, file, gets]) => `- [${file}](docs/guide/${file}): ${gets.replaceAll("**", "")}`);
      return [section.slice(0, section.indexOf("\n")), lines];
    }),
  );
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
