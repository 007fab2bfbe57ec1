// A page of the guide as a test reads it: its fences, what they are for, and whether text is as a page says. In a page `…`
// stands for anything on its line, and a line of a page may be a part of the real one.

import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { within } from "../../support/http-client/deadline.ts";

const folder = fileURLToPath(new URL("../../../docs/guide/", import.meta.url));
const runDeadline = 45_000;

/** A fenced block. `info` is what stands behind its three backticks. */
export interface Fence {
  info: string;
  text: string;
}

/** Commands that are run, and what they have to print. */
export interface TestedBlock {
  commands: string;
  /** Null where the page shows no output for them. */
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

/** The fences of a page, in their order. */
export function fences(page: string): Fence[] {
  return [...page.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, info = "", text = ""]) => ({ info, text }));
}

/** Blocks marked `sh test`, each with the `output` fence right behind it. Throws for an output that follows no commands. */
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

/** Quotations of files: fences whose first line is a comment that names one under `agents/`. */
export function quotedFiles(page: string): { file: string; text: string }[] {
  return fences(page).flatMap(({ info, text }) => {
    const file = info === "ts" ? /^\/\/ (agents\/\S+\.ts)\n/.exec(text)?.[1] : undefined;
    return file === undefined ? [] : [{ file, text: text.slice(text.indexOf("\n") + 1) }];
  });
}

/** The first line of `shown` that `real` lacks, or has only before the ones above it; null when all are there. */
export function missingLine(shown: string, real: string): string | null {
  const lines = real.split("\n");
  let from = 0;
  for (const line of shown.split("\n").filter((text) => text.trim() !== "")) {
    const at = lines.findIndex((text, index) => index >= from && holds(text, line));
    if (at === -1) return line;
    from = at + 1;
  }
  return null;
}

/** Whether the parts around each `…` stand in the text, in their order. */
function holds(text: string, shown: string): boolean {
  let from = 0;
  return shown.split("…").every((part) => {
    const at = text.indexOf(part, from);
    from = at + part.length;
    return at !== -1;
  });
}

/** Runs blocks one after the other in one shell, as a reader would, against this server; gives what each printed. */
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
    const code = await within(runDeadline, () => `the end of the commands, which printed:\n${printed}`, ended);
    if (code !== 0) throw new Error(`The commands ended with ${String(code)} and printed:\n${printed}`);
  } finally {
    shell.kill("SIGKILL");
  }
  return printed.split(`\n${mark}\n`);
}
