// Copies the documents into the package. A link to a file that is not in the package becomes plain text.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { fromRoot } from "../paths.mjs";

/** Documents by their place in the package. */
const sources = {
  "README.md": "docs/package.md",
  "CHANGELOG.md": "CHANGELOG.md",
  "SECURITY.md": "SECURITY.md",
  "docs/upgrading.md": "docs/upgrading.md",
  "docs/design": "docs/design",
  "docs/guide": "docs/guide",
  "docs/reference": "docs/reference",
  "docs/rules": "docs/rules",
  "docs/rules.md": "docs/rules.md",
};

const link = /(?<!!)\[(?<text>[^\][]+)\]\((?<target>[^()\s#]+)(?:#[^()\s]*)?\)/g;

/** @param {string} folder the package */
export function copyDocuments(folder) {
  mkdirSync(path.join(folder, "docs"), { recursive: true });
  for (const [place, source] of Object.entries(sources)) {
    cpSync(fromRoot(source), path.join(folder, place), { recursive: true });
  }
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".md")) continue;
    const file = path.join(folder, name);
    const text = readFileSync(file, "utf8");
    writeFileSync(
      file,
      text.replace(link, (whole, label, target) => {
        const stays = /^[a-z]+:/.test(target) || existsSync(path.join(path.dirname(file), target));
        return stays ? whole : label;
      }),
    );
  }
}
