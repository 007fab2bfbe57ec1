// The hash under which results of builds are stored: a result must not be used after one of its sources has changed.

import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { sourcesHash } from "../../scripts/lib/sources-hash.mjs";

function writeSources(): string {
  const root = mkdtempSync(path.join(tmpdir(), "threadhold-sources-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(path.join(root, "src/deep"), { recursive: true });
  for (const file of ["src/a.ts", "src/deep/b.ts", "package.json", "other.ts"])
    writeFileSync(path.join(root, file), file);
  return root;
}
const sources = ["src", "package.json"];

it.each<[change: string, make: (root: string) => void]>([
  ["the content of a file in a folder", (root) => writeFileSync(path.join(root, "src/deep/b.ts"), "changed")],
  ["the content of a single file", (root) => writeFileSync(path.join(root, "package.json"), "changed")],
  ["a new file that is empty", (root) => writeFileSync(path.join(root, "src/new.ts"), "")],
  ["a removed file", (root) => rmSync(path.join(root, "src/a.ts"))],
  ["another name of a file", (root) => renameSync(path.join(root, "src/a.ts"), path.join(root, "src/c.ts"))],
  [
    "content that moves from the end of a file to the next one",
    (root) => {
      writeFileSync(path.join(root, "src/a.ts"), "src/a.");
      writeFileSync(path.join(root, "src/deep/b.ts"), "tssrc/deep/b.ts");
    },
  ],
])("The hash of sources changes with %s", (_, make) => {
  const root = writeSources();
  const before = sourcesHash(root, sources);
  make(root);
  expect(sourcesHash(root, sources)).not.toBe(before);
});

it("The hash of sources is the same for a copy in another folder and after a change of other files", () => {
  const root = writeSources();
  const before = sourcesHash(root, sources);
  writeFileSync(path.join(root, "other.ts"), "changed");
  expect(sourcesHash(root, sources)).toBe(before);
  expect(sourcesHash(writeSources(), sources)).toBe(before);
});

it("The hash of sources changes with the other values that it includes, and a missing source is an error", () => {
  const root = writeSources();
  expect(sourcesHash(root, sources, ["test"])).not.toBe(sourcesHash(root, sources, ["production"]));
  expect(() => sourcesHash(root, [...sources, "missing"])).toThrow("ENOENT");
});
