// Writes `llms.txt` (https://llmstxt.org): a list of the documents in the package, for coding agents.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** @type {[title: string, folder: string][]} */
const sections = [
  ["Guide", "docs/guide"],
  ["Reference", "docs/reference"],
  ["API reference", "docs/reference/api"],
];

/**
 * @param {string} folder the package
 * @returns {string}
 */
export function llmsText(folder) {
  const lists = sections.map(([title, below]) => {
    const names = readdirSync(path.join(folder, below)).filter((name) => name.endsWith(".md"));
    const lines = names.toSorted().map((name) => `- [${titleOf(path.join(folder, below, name))}](${below}/${name})`);
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

/** The first heading of a Markdown file. */
function titleOf(file) {
  const title = /^# (.+)$/m.exec(readFileSync(file, "utf8"))?.[1];
  if (title === undefined) throw new Error(`${file} has no title.`);
  return title;
}
