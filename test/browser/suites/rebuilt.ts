// Open pages while the playground is built again, and parts of a page that fail to load.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";

import type { ProjectCopy } from "../../e2e/support/project-copy.ts";
import { newContext } from "../support/browser.ts";
import type { PlaygroundUse } from "./playground-use.ts";

const startPage = "playground/app/start-page.tsx";

export function rebuilt({ api, open }: PlaygroundUse, project: ProjectCopy): void {
  describe("a playground that was built again", () => {
    it("If a part of the page's code cannot be loaded, the page shows this, and after a reload the unsent text is still there", async () => {
      const { id } = await api().createThread();
      // A page that was used before may have the part in its cache of modules, and then requests nothing.
      const screen = await open(`/threads/${id}`, newContext);
      const { page } = screen;
      const field = page.getByLabel("Message", { exact: true });
      await field.fill("Half a thought");
      await page.route("**/assets/palette-*.js", (route) => route.fulfill({ status: 404 }));
      await page.keyboard.press("Control+k");
      const failed = page.getByRole("dialog", { name: "This could not be shown" });
      await failed.getByText("A part of this page could not be loaded").waitFor();
      expect(await screen.findings()).toEqual([]);
      await page.unroute("**/assets/palette-*.js");
      await failed.getByRole("button", { name: "Load the page again" }).click();
      await expect.poll(() => field.inputValue()).toBe("Half a thought");
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Commands" }).waitFor();
    });

    it("A running server serves the newest build to a new page, and to an open page the parts of the build that it was loaded from", async () => {
      const { page } = await open("/", newContext);
      await page.getByRole("heading", { name: "Start a thread" }).waitFor();
      const source = readFileSync(path.join(project.root, startPage), "utf8");
      project.write(startPage, source.replace("Start a thread", "Begin a thread"));
      await promisify(execFile)(process.execPath, ["scripts/build-ui.mjs"], { cwd: project.root });
      // `node_modules` of the copy is a link. All copies share the build, so it must not contain the path that the link leads to.
      const manifest = readFileSync(path.join(project.root, "dist/ui/manifest.json"), "utf8");
      const folders = [...manifest.matchAll(/"([^"]*)node_modules\//g)].map(([, before]) => before);
      expect(new Set(folders)).toEqual(new Set(["../"]));
      const scriptOf = async (): Promise<number> => {
        const html = await (await fetch(api().url, { headers: { accept: "text/html" } })).text();
        const script = /<script type="module"[^>]* src="([^"]+)"/.exec(html)?.[1] ?? "";
        const answer = await fetch(new URL(script, api().url));
        return (await answer.text()).includes("Begin a thread") ? answer.status : 0;
      };
      await expect.poll(scriptOf).toBe(200);
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Commands" }).waitFor();
      await page.reload();
      await page.getByRole("heading", { name: "Begin a thread" }).waitFor();
    });
  });
}
