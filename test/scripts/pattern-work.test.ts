// No regular expression of the sources takes time that grows with the square of a text's length: a page of 1 MiB, a model's event or a
// line of a log may be any text, and such an expression would stop the isolate for minutes. test/support/pattern-work/main.mjs counts backtracks.

import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

interface Found {
  file: string;
  pattern: string;
  text: [beginning: string, piece: string];
}

/** The expressions of files that exceed the bound. */
async function findExcess(files: readonly string[], cwd = root): Promise<Found[]> {
  const script = join(root, "test/support/pattern-work/main.mjs");
  const flags = ["--allow-natives-syntax", "--no-regexp-optimization"];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, script, ...files], { cwd, maxBuffer: 1e7 });
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Found);
}

/** Expressions whose texts are short, with the bound. A part of the expression is its name. */
const shortTexts: Readonly<Record<string, string>> = {
  "src/cli/dev/pass-lines.ts › disconnected: ": "a line of at most 8,192 characters",
  "src/cli/dev/source-stack.ts › wrangler":
    "a line of at most 65,536 characters, with a folder name for each repetition",
  "src/client/files.ts › \\/+$": "the name of a folder that the page's program writes",
  "src/client/settings.ts › \\/+$": "the address that the page's program writes",
  "src/core/schema/unfolded-pattern.ts › \\[\\^?\\]?": "a pattern of at most 1,000 characters",
  "src/models/call-ids.ts › [0-9a-z-]{14,}": "an id of at most 160 characters",
  "src/models/repaired-fetch.ts › <[^>]*>": "the first 8,192 characters of a page",
  "src/models/repaired-fetch.ts › (script|style)": "the first 8,192 characters of a page",
  "src/models/retry-after.ts › (\\d+(?:\\.\\d+)?)": "the first 100 characters of a duration",
  "src/models/stream-repair.ts › heart[-_ ]?beat": "the data of an event with at most 40 characters",
};

/** Files of the developer, and output of processes that the developer started, are no texts from outside; lines of the log are. */
const ofDeveloper = /^src\/(?:cli\/(?!dev\/)|compiler\/|testing\/)/;

describe("regular expressions", () => {
  it("OUT24 A regular expression over a text from outside takes time in proportion to the text's length, or the text has a bound", async () => {
    const names = await readdir(join(root, "src"), { recursive: true });
    const files = names.map((name) => `src/${name.replaceAll("\\", "/")}`).filter((name) => /\.tsx?$/.test(name));
    const found = await findExcess(files.filter((file) => !ofDeveloper.test(file)).sort());
    const isNamed = ({ file, pattern }: Found, name: string) => {
      const [listed, part = ""] = name.split(" › ");
      return file === listed && pattern.includes(part);
    };
    const unnamed = found.filter((each) => !Object.keys(shortTexts).some((name) => isNamed(each, name)));
    expect(unnamed).toEqual([]);
    expect(Object.keys(shortTexts).filter((name) => !found.some((each) => isNamed(each, name)))).toEqual([]);
  });

  it("The count finds expressions that search from each position, that divide a text in several ways, and that continue after matches", async () => {
    const folder = await mkdtemp(join(tmpdir(), "patterns-"));
    try {
      const slow = [
        String.raw`/\/+$/`,
        String.raw`/^\s*(?:null)?\s*$/i`,
        String.raw`/<(\s*\/?\s*)(mark)/gi`,
        String.raw`/<[^>]*>/g`,
        String.raw`/^(?:a|ab|b)*(?:a|b)*$/`,
        String.raw`/<script[^]*?<\/script>/`,
        String.raw`/\[[^\]]*\]|[^]/gu`,
        String.raw`/^(?:\w+@\d+\s*)+$/m`,
      ];
      const fast = [
        String.raw`/(?<!\/)\/+$/`,
        String.raw`/^(?:null)?$/i`,
        String.raw`/<(\s*(?:\/\s*)?)(mark)/gi`,
        String.raw`/<[^<>]*>/g`,
        String.raw`/[\p{L}\d]{1,20}/gu`,
        String.raw`/\s*"[^"]*"/y`,
      ];
      await writeFile(join(folder, "slow.ts"), slow.map((text, at) => `export const slow${at} = ${text};`).join("\n"));
      await writeFile(join(folder, "fast.ts"), fast.map((text, at) => `export const fast${at} = ${text};`).join("\n"));
      const found = await findExcess([join(folder, "slow.ts"), join(folder, "fast.ts")], root);
      expect(found.map(({ pattern }) => pattern)).toEqual(slow.map((text) => text.slice(1, text.lastIndexOf("/"))));
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
