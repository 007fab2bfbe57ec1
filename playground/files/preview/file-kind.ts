// Chooses how a file is shown, by its media type and, if that is unspecific, by its name. The bytes are checked later:
// a file whose bytes are not text is shown as binary.

import type { FileRecord } from "threadhold/client";

/** How a file is shown. `text` covers code, HTML and everything else that is shown as source and never run. */
export type FileKind = "text" | "markdown" | "json" | "picture" | "drawing" | "audio" | "video" | "pdf" | "bytes";

const picture = /^image\/(png|jpeg|gif|webp|avif|bmp|x-icon)$/;
const textual = /^(text\/|application\/(.*\+)?(json|xml|yaml|toml|javascript|x-ndjson|x-sh|sql|xhtml)(\+xml)?$)/;

const languages: Readonly<Record<string, string>> = {
  bash: "bash",
  cjs: "javascript",
  css: "css",
  diff: "diff",
  go: "go",
  htm: "xml",
  html: "xml",
  java: "java",
  js: "javascript",
  json: "json",
  jsonl: "json",
  jsx: "javascript",
  markdown: "markdown",
  md: "markdown",
  mjs: "javascript",
  ndjson: "json",
  patch: "diff",
  py: "python",
  rb: "ruby",
  rs: "rust",
  sh: "bash",
  sql: "sql",
  svg: "xml",
  ts: "typescript",
  tsx: "typescript",
  xhtml: "xml",
  xml: "xml",
  yaml: "yaml",
  yml: "yaml",
};

/** Names of text files whose media type does not show that they are text. */
const readable =
  /\.(c|cc|cfg|conf|cpp|cs|csv|env|h|hpp|ini|kt|lock|log|lua|mts|php|pl|properties|r|swift|tex|toml|tsv|txt)$/i;

/** The kind of a file. */
export function kindOf({ mimeType, name }: Pick<FileRecord, "mimeType" | "name">): FileKind {
  const type = (mimeType.split(";")[0] ?? "").trim().toLowerCase();
  if (picture.test(type)) return "picture";
  if (type === "image/svg+xml") return "drawing";
  if (type.startsWith("audio/")) return "audio";
  // TypeScript has the same extension as a video format, and some systems report that format.
  if (type.startsWith("video/") && languageOf(name) === null) return "video";
  if (type === "application/pdf") return "pdf";
  if (type === "text/markdown" || /\.(md|markdown)$/i.test(name)) return "markdown";
  if (/^application\/(.*\+)?json$/.test(type) || /\.json$/i.test(name)) return "json";
  if (textual.test(type) || languageOf(name) !== null || readable.test(name)) return "text";
  // The type is unknown, so the bytes decide.
  return type === "" || type === "application/octet-stream" ? "text" : "bytes";
}

/** The language for a name's extension; null if the highlighter does not know it. */
export function languageOf(name: string): string | null {
  const extension = /\.([A-Za-z]{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(languages, extension) ? (languages[extension] ?? null) : null;
}
