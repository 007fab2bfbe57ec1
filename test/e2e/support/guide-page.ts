// A page of the guide for tests: its fenced blocks, their purpose, and whether a text matches the page. On a page `…`
// matches any text on its line, and a line of a page may be a part of the real line.

import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { timeoutMs, within } from "../../support/http-client/deadline.ts";

const folder = fileURLToPath(new URL("../../../docs/guide/", import.meta.url));

/** A fenced block. `info` is the text after its three backticks. */
export interface Fence {
  info: string;
  text: string;
}

/** Commands to run, and their expected output. */
export interface TestedBlock {
  commands: string;
  /** Null if the page shows no output for them. */
  output: string | null;
}

/** The guide's pages by file name. */
export function guidePages(): string[] {
  return readdirSync(folder).filter((name) => name.endsWith(".md"));
}

/** A page's text. */
export function readPage(name: string): string {
  return readFileSync(path.join(folder, name), "utf8");
}

/** The fenced blocks of a page, in order. */
export function fences(page: string): Fence[] {
  return [...page.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, info = "", text = ""]) => ({ info, text }));
}

/** Blocks marked `sh test`, each with the `output` block directly after it. Throws for an output without commands. */
export function testedBlocks(page: string): TestedBlock[] {
  const blocks: TestedBlock[] = [];
  let open: TestedBlock | null = null;
  for (const { info, text } of fences(page)) {
    if (info === "sh test") {
      open = { commands: text, output: null };
      blocks.push(open);
    } else if (info.endsWith(" output")) {
      if (open === null) throw new Error(`This output follows no tested commands:\n${text}`);
      open.output = text;
      open = null;
    } else open = null;
  }
  return blocks;
}

/**
 * Quotations of files: fenced blocks whose first line is a comment that names a file under `agents/`. The info `ts example` marks a file
 * that the project does not have; a test of the compiler builds it.
 */
export function quotedFiles(page: string): { file: string; text: string }[] {
  return fences(page).flatMap(({ info, text }) => {
    const file = info === "ts" ? /^\/\/ (agents\/\S+\.ts)\n/.exec(text)?.[1] : undefined;
    return file === undefined ? [] : [{ file, text: text.slice(text.indexOf("\n") + 1) }];
  });
}

/** The first line of `shown` that `real` does not contain in the same order; null if it contains all lines. */
export function missingLine(shown: string, real: string): string | null {
  const lines = real.split("\n");
  let from = 0;
  for (const line of shown.split("\n").filter((text) => text.trim() !== "")) {
    const at = lines.findIndex((text, index) => index >= from && waitFor(text, line));
    if (at === -1) return line;
    from = at + 1;
  }
  return null;
}

/** Whether the parts around each `…` are in the text, in order. */
function waitFor(text: string, shown: string): boolean {
  let from = 0;
  return shown.split("…").every((part) => {
    const at = text.indexOf(part, from);
    from = at + part.length;
    return at !== -1;
  });
}

/** Runs blocks one after the other in one shell, as a reader would, against this server. Returns the output of each. */
export async function runBlocks(blocks: readonly TestedBlock[], url: string, cwd: string): Promise<string[]> {
  const mark = "@@ the next block @@";
  const script = blocks.map(({ commands }) => commands).join(`\nprintf '\\n${mark}\\n'\n`);
  const shell = spawn("bash", ["-euo", "pipefail", "-c", script.replaceAll("localhost:8787", new URL(url).host)], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  shell.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  shell.stderr.setEncoding("utf8").on("data", (text: string) => (printed += text));
  const ended = new Promise<number | null>((resolve, reject) => {
    shell.on("close", resolve);
    shell.on("error", reject);
  });
  try {
    const code = await within(timeoutMs, () => `the end of the commands, which printed:\n${printed}`, ended);
    if (code !== 0) throw new Error(`The commands ended with ${String(code)} and printed:\n${printed}`);
  } finally {
    shell.kill("SIGKILL");
  }
  return printed.split(`\n${mark}\n`);
}
