// Tests the lint configuration: every file under fixtures/ is linted as if it were in the source tree, and its first line names exactly the
// rules that must fail.

import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { parsingFiles } from "../../scripts/lib/no-unbounded-parse.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const fixtures = path.join(root, "test/lint/fixtures");
const placements: Record<string, string> = {
  root: "src",
  definitions: "agents",
  playground: "playground",
  create: "packages/create-threadhold/src",
  tests: "test/core",
  objects: "test/thread",
};
const placementOf = (folder: string): string => placements[folder] ?? `src/${folder}`;

/** Folders of the copied tree, with the greatest number of lines that a file there may have. */
const longestFiles: [folder: string, most: number][] = [
  ["src/lib", 600],
  ["src/thread", 600],
  ["src/facade/upp", 600],
  ["test/core", 400],
];

/** The path of a fixture such as `core/calls-fetch.ts` in the copied tree. */
function placedPath(fixture: string): string {
  const [folder = "", ...rest] = fixture.split("/");
  return [placementOf(folder), ...rest].join("/");
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"))
    .sort();
}

/** Reads `// must fail: a, b` or `// must pass`; anything else is a broken fixture. */
function expectedRules(fixture: string): string[] {
  const [head = ""] = readFileSync(path.join(fixtures, fixture), "utf8").split("\n");
  if (head === "// must pass") return [];
  const match = /^\/\/ must fail: (.+)$/.exec(head);
  if (!match?.[1]) throw new Error(`${fixture}: the first line must say "// must pass" or "// must fail: …"`);
  return match[1].split(", ").sort();
}

interface Diagnostic {
  code?: string;
  message: string;
  filename: string;
}

function lint(tree: string): Map<string, string[]> {
  const oxlint = path.join(root, "node_modules/oxlint/bin/oxlint");
  let output: string;
  try {
    const args = [oxlint, "--type-aware", "-f", "json", "src", "playground", "agents", "packages", "test"];
    output = execFileSync(process.execPath, args, { cwd: tree, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    // Findings make the linter exit with 1; its report is on stdout all the same.
    output = (error as { stdout: string }).stdout;
  }
  const report = JSON.parse(output) as { diagnostics: Diagnostic[] };
  const found = new Map<string, string[]>();
  for (const diagnostic of report.diagnostics) {
    const rule =
      diagnostic.code ?? (/^Unused .*directive/.test(diagnostic.message) ? "unused-directive" : diagnostic.message);
    found.set(diagnostic.filename, [...(found.get(diagnostic.filename) ?? []), rule].sort());
  }
  return found;
}

describe("lint fixtures", () => {
  const tree = mkdtempSync(path.join(tmpdir(), "threadhold-lint-"));
  let found = new Map<string, string[]>();

  beforeAll(() => {
    for (const file of [
      ".oxlintrc.json",
      "package.json",
      "tsconfig.json",
      "tsconfig.worker.json",
      "tsconfig.test.json",
      "tsconfig.node.json",
      "playground/tsconfig.json",
    ]) {
      cpSync(path.join(root, file), path.join(tree, file));
    }
    for (const file of [
      "scripts/lib/lint-plugin.mjs",
      "scripts/lib/fault-before-await.mjs",
      "scripts/lib/no-provider-name.mjs",
      "scripts/lib/no-shared-promise.mjs",
      "scripts/lib/no-unbounded-parse.mjs",
    ]) {
      cpSync(path.join(root, file), path.join(tree, file));
    }
    symlinkSync(path.join(root, "node_modules"), path.join(tree, "node_modules"));
    for (const fixture of filesUnder(fixtures)) {
      const target = path.join(tree, placedPath(fixture));
      mkdirSync(path.dirname(target), { recursive: true });
      cpSync(path.join(fixtures, fixture), target);
    }
    // The long files are generated, because stored fixtures of that length would be of no use to readers.
    for (const [folder, most] of longestFiles) {
      writeFileSync(path.join(tree, folder, "too-long.ts"), "export {};\n".repeat(most + 1));
      writeFileSync(path.join(tree, folder, "just-fits.ts"), "export {};\n".repeat(most));
    }
    found = lint(tree);
  }, 60_000);

  afterAll(() => {
    rmSync(tree, { recursive: true, force: true });
  });

  it.each(filesUnder(fixtures))("The fixture %s fails exactly the rules that it names", (fixture) => {
    expect(found.get(placedPath(fixture)) ?? []).toEqual(expectedRules(fixture));
  });

  it.each(longestFiles)("The linter refuses a file in %s with more than %i lines", (folder) => {
    expect(found.get(`${folder}/too-long.ts`)).toContain("eslint(max-lines)");
    expect(found.get(`${folder}/just-fits.ts`) ?? []).not.toContain("eslint(max-lines)");
  });

  it("Every file that may call a parser exists, and has a reason", () => {
    for (const [file, reason] of parsingFiles) {
      expect(existsSync(path.join(root, file)), file).toBe(true);
      expect(reason.length, file).toBeGreaterThan(10);
    }
  });

  it("OUT23 Every file that counts a text from outside is in the table of inputs, or passes the text to one of them", () => {
    const page = readFileSync(path.join(root, "docs/design/untrusted-input.md"), "utf8");
    const passing = [
      "src/compiler/skill-reader.ts",
      "src/contract/json.ts",
      "src/core/archive/parsed-json.ts",
      "src/core/model/answer-data.ts",
      "src/flow/request/filter-hooks.ts",
      "src/flow/strategy/turn-end.ts",
      "src/models/answer-blocks.ts",
      "src/models/bedrock/bedrock-fetch.ts",
      "src/models/provider/plain/plain-delta.ts",
      "src/models/provider/tools/accepted-provider-tools.ts",
      "src/models/provider/tools/provider-tools.ts",
      "src/store/catalog/thread-page.ts",
      "src/thread/method/post-tool-results.ts",
      "src/tools/mcp/plain-events.ts",
      "src/tools/skills/skill-set.ts",
      "src/tools/skills/thread-skills.ts",
    ];
    const named = [...page.matchAll(/`(src\/[\w/-]+\.ts)` \|$/gm)].map(([, file = ""]) => file);
    const files = filesUnder(path.join(root, "src")).map((file) => `src/${file}`);
    const reading = files.filter((file) =>
      /untrusted\/(?:bounded-|skill-)/.test(readFileSync(path.join(root, file), "utf8")),
    );
    expect(reading.filter((file) => ![...named, ...passing].includes(file))).toEqual([]);
    expect([...named, ...passing].filter((file) => !files.includes(file))).toEqual([]);
  });

  it("Every layer of src has fixtures", () => {
    const layers = readdirSync(path.join(root, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const covered = new Set(readdirSync(fixtures));
    expect(layers.map((entry) => entry.name).filter((name) => !covered.has(name))).toEqual([]);
  });
});
