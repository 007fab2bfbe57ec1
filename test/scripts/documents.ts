// The documents of the repository as tests read them: their fenced blocks, and the invisible code around a block. CONTRIBUTING.md explains
// the comments `<!-- code … -->` and `<!-- file … -->`.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { diagnosticsSource, environmentSource, registrySource } from "#compiler/generated-source.ts";
import { emptyProject } from "#compiler/project.ts";
import { readWorkerEnvironment, type WorkerEnvironment } from "#compiler/worker-environment.ts";

import { missingLine } from "../e2e/support/guide-page.ts";

export const root = fileURLToPath(new URL("../../", import.meta.url));

const listed = [
  "README.md",
  "AGENTS.md",
  "playground/AGENTS.md",
  "src/cli/AGENTS.md",
  "src/core/AGENTS.md",
  "src/facade/AGENTS.md",
  "test/AGENTS.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "packages/create-threadhold/README.md",
];
const folders = ["docs", "examples"];

function markdownIn(folder: string): string[] {
  const names = readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" });
  const isDocument = (name: string): boolean => name.endsWith(".md") && !name.includes("node_modules");
  return names.filter(isDocument).map((name) => `${folder}/${name}`);
}

/** Documents of the templates, whose links lead to files of a created project. */
export const templateDocuments: readonly string[] = markdownIn("packages/create-threadhold/templates");

/** Paths of all other documents. */
export const documents: readonly string[] = [...listed, ...folders.flatMap(markdownIn)].toSorted();

export const read = (file: string): string => readFileSync(path.join(root, file), "utf8");

/** A fenced block of a document. */
export interface Block {
  document: string;
  /** The line of its first backticks. */
  line: number;
  /** The text after its first backticks, such as `ts example`. */
  info: string;
  text: string;
  /** The code of the comment directly before it. */
  around: string | undefined;
}

/** All fenced blocks of a document, also those in lists. */
export function blocksOf(document: string): Block[] {
  const text = read(document);
  const pattern =
    /(?:^<!-- code\n(?<around>[\s\S]*?)^-->\n+)?^(?<indent> *)```(?<info>.*)\n(?<body>[\s\S]*?)^\k<indent>```$/gm;
  return [...text.matchAll(pattern)].map(({ index, 0: whole, groups = {} }) => {
    const { around, indent = "", info = "", body = "" } = groups;
    const start = index + whole.indexOf("```");
    const line = text.slice(0, start).split("\n").length;
    return { document, line, info, text: body.replaceAll(new RegExp(`^${indent}`, "gm"), ""), around };
  });
}

/** Files of a document that its reader does not see, by their path. */
function invisibleFiles(document: string): [file: string, text: string][] {
  return [...read(document).matchAll(/^<!-- file (\S+)\n([\s\S]*?)^-->$/gm)].map(([, file = "", text = ""]) => [
    file,
    text,
  ]);
}

/** Pages whose blocks are declarations that `npm run docs` copied from the sources. */
const isGenerated = (document: string): boolean => document.startsWith("docs/reference/api/");

/** The blocks of TypeScript and JavaScript that a person wrote. */
export const codeBlocks: readonly Block[] = documents
  .filter((document) => !isGenerated(document))
  .flatMap(blocksOf)
  .filter(({ info }) => /^(?:tsx?|js)(?: |$)/.test(info));

const named = /^\/\/ (?<file>\S+\.(?:tsx?|mjs))\n/;

/** Whether a block quotes a file of this repository, which is checked there. A test of the guide compares the lines. */
function isQuotation({ text }: Block): boolean {
  const file = path.join(root, named.exec(text)?.groups?.["file"] ?? "?");
  return existsSync(file) && missingLine(text.slice(text.indexOf("\n") + 1), readFileSync(file, "utf8")) === null;
}

/** The module of a block: its text, in place of the line `…` of the code around it, or after this code. */
function moduleOf({ text, around = "…\n" }: Block): string {
  const whole = /^…$/m.test(around) ? around.replace(/^…$/m, () => text) : `${around}${text}`;
  return named.exec(text)?.groups?.["file"]?.endsWith(".d.ts") === true ? whole : `${whole}\nexport {};\n`;
}

/** The folder of a document in a project with the code of all documents. */
const folderOf = (document: string): string => document.replace(/\.md$/, "").replaceAll("/", "-");

/**
 * The code of the documents as files of one project, each document in a folder of its own. A block whose first line is a comment with a path
 * is this file there. If a page shows a file several times, each further block has a folder of its own.
 */
export function documentedFiles(): Record<string, string> {
  const files: Record<string, string> = { ".threadhold/env.d.ts": environmentSource(documentedEnvironment()) };
  for (const document of new Set(codeBlocks.map((block) => block.document))) {
    for (const [file, text] of invisibleFiles(document)) files[`${folderOf(document)}/${file}`] = text;
  }
  for (const block of codeBlocks) {
    if (isQuotation(block)) continue;
    const [language = ""] = block.info.split(" ");
    const extension = language === "js" ? "mjs" : language;
    const at = `line-${String(block.line)}`;
    const file = named.exec(block.text)?.groups?.["file"] ?? `${at}.${extension}`;
    const first = `${folderOf(block.document)}/${file}`;
    files[first in files ? `${folderOf(block.document)}/${at}/${file}` : first] = moduleOf(block);
    if (!block.text.includes("../.threadhold/")) continue;
    files[`${folderOf(block.document)}/.threadhold/registry.ts`] = registrySource(emptyProject(), "hash", "..");
    files[`${folderOf(block.document)}/.threadhold/diagnostics.ts`] = diagnosticsSource([]);
  }
  return files;
}

/** The files that a document shows, by their paths in its reader's project. */
export function shownFiles(document: string): Record<string, string> {
  const shown = codeBlocks.filter((block) => block.document === document);
  return Object.fromEntries(
    shown.flatMap(({ text }) => {
      const file = named.exec(text)?.groups?.["file"];
      return file === undefined ? [] : [[file, text]];
    }),
  );
}

/**
 * The names of bindings, variables and secrets that the documents show, as the compiler types them for a project: of blocks with TOML, and
 * of lines `NAME=…` of shell blocks.
 */
function documentedEnvironment(): WorkerEnvironment {
  const names = new Map<string, WorkerEnvironment["names"][number]>();
  const folder = mkdtempSync(path.join(tmpdir(), "threadhold-documents-"));
  try {
    for (const { info, text } of documents.flatMap(blocksOf)) {
      if (info.startsWith("toml")) writeFileSync(path.join(folder, "wrangler.toml"), text);
      else if (info.startsWith("sh")) {
        const lines = [...text.matchAll(/^(?:echo ')?([A-Z][A-Z0-9_]+)=/gm)].map(([, name = ""]) => `${name}=x\n`);
        writeFileSync(path.join(folder, ".dev.vars"), lines.join(""));
      } else continue;
      for (const each of readWorkerEnvironment(folder).names) if (!names.has(each.name)) names.set(each.name, each);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { names: [...names.values()], secrets: [] };
}
