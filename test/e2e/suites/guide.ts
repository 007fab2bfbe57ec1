// The guide's pages against the running server: the commands of a page are run, and their output is compared with the
// page.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

import { describe, expect, it } from "vitest";

import { guidePages, missingLine, quotedFiles, readPage, runBlocks, testedBlocks } from "../support/guide-page.ts";
import type { SuiteServer } from "./suite-server.ts";

const demoPages = guidePages().filter((name) => name.startsWith("demo-"));

export function guide(use: () => SuiteServer): void {
  describe("the guide", () => {
    it.each(guidePages().filter((name) => testedBlocks(readPage(name)).length > 0))(
      "The commands of the guide page %s run as they are written there, and print what the page shows",
      async (name) => {
        const { server, project } = use();
        const blocks = testedBlocks(readPage(name));
        const printed = await runBlocks(blocks, server.url, project.root);
        for (const [index, { commands, output }] of blocks.entries()) {
          const real = printed[index] ?? "";
          const missing = output === null ? null : missingLine(output, real);
          expect(missing, `A line that is shown behind\n${commands}\nis not in\n${real}`).toBeNull();
        }
      },
    );

    it.each(guidePages())("The files that the guide page %s quotes contain the quoted lines", (name) => {
      const { project } = use();
      const page = readPage(name);
      for (const { file, text } of quotedFiles(page)) {
        const real = readFileSync(path.join(project.root, file), "utf8");
        expect(missingLine(text, real), `a line of ${file}`).toBeNull();
      }
      if (!demoPages.includes(name)) return;
      const named = page.match(/agents\/[\w/[\].]+\.ts\b/g) ?? [];
      expect(named.filter((file) => !existsSync(path.join(project.root, file)))).toEqual([]);
    });

    it("The index of the guide lists every page once, and the page of every demo has tested commands", () => {
      const index = readPage("README.md");
      const listed = [...index.matchAll(/^\| \[([\w-]+\.md)\]\(\1\) \|/gm)].map(([, name]) => name);
      expect(listed.toSorted((one, other) => (String(one) < String(other) ? -1 : 1))).toEqual(
        guidePages().filter((name) => name !== "README.md"),
      );
      expect(demoPages.filter((name) => testedBlocks(readPage(name)).length < 2)).toEqual([]);
    });
  });
}
