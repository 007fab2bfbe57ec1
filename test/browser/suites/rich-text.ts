// Formulas and code in messages: their code is loaded when it is needed, and no text can do more than draw a formula or
// code.

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";

import { goInside, newContext } from "../support/browser.ts";
import { look } from "../support/look.ts";
import type { PlaygroundUse } from "./playground-use.ts";

const explained = [
  "The roots of \\(ax^2 + bx + c\\) are",
  "$$x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}$$",
  "| case | roots |\n|---|---|\n| $b^2 > 4ac$ | two |\n| $\\left|x\\right| = 0$ | one |",
  "\\[\n\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix} \\sum_{k=0}^{\\infty} \\frac{1}{k!} = e\n\\]",
  "It costs $5 or $10, and `$x$` is code.",
].join("\n\n");

const hostile = [
  "\\(\\href{javascript:globalThis.hurt=1}{run}\\)",
  "\\(\\includegraphics{https://tracker.example/pixel.png}\\)",
  "\\(\\htmlStyle{position:fixed;inset:0}{x}\\)",
  "\\(\\def\\a{xxxxxxxxxx}\\def\\b{\\a\\a\\a\\a}\\b\\b\\)",
  "\\(\\frac{1}{\\)",
  "\\(\\kern-500em\\rule{9999em}{9999em}\\)",
].join("\n\n");

const code = "```ts\nconst answer: number = 42;\n```";

export function richText({ api, open, pacedAnswer }: PlaygroundUse): void {
  const threadWith = async (content: string): Promise<string> => {
    const initial_messages = [{ role: "assistant", content }];
    return `/threads/${(await api().createThread("assistant", { initial_messages })).id}`;
  };

  /** The addresses of the files that a page has requested. */
  const filesOf = (page: Page): string[] => {
    const files: string[] = [];
    page.on("request", (request) => files.push(new URL(request.url()).pathname));
    return files;
  };

  describe("formulas and code", () => {
    it("Formulas are rendered with the page's own fonts, which are loaded with the first formula; amounts of money and code stay text", async () => {
      const [plain, formulas] = [await threadWith(code), await threadWith(explained)];
      const screen = await open(plain);
      const { page } = screen;
      await page.getByRole("log").locator(".hljs-keyword").first().waitFor();
      const files = filesOf(page);
      await page.goto(formulas);
      const log = page.getByRole("log");
      await log.locator("table .katex").nth(1).waitFor();
      await expect.poll(() => log.locator(".katex").count()).toBe(5);
      expect(await log.locator(".katex-display").count()).toBe(2);
      await log.getByText("It costs $5 or $10, and").waitFor();
      expect(await log.locator("p code").innerText()).toBe("$x$");
      await page.evaluate(() => document.fonts.ready.then(() => undefined));
      expect(await page.evaluate(() => document.fonts.check("16px KaTeX_Main"))).toBe(true);
      expect(files.filter((file) => file.includes("KaTeX_Main-Regular"))).toHaveLength(1);
      await look(screen, "formulas");
    });

    it("A page without formulas does not load the code that renders formulas", async () => {
      const path = await threadWith("It costs $5 or $10.");
      const { page } = await open("/");
      const files = filesOf(page);
      await page.goto(path);
      await page.getByRole("log").getByText("It costs $5 or $10.").waitFor();
      // Waits for the frame after the text was drawn.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      expect(files.filter((file) => /formula|KaTeX/i.test(file))).toEqual([]);
    });

    it("A hostile formula makes no link and no request, runs no script and covers nothing outside of its message; an invalid one is shown as its source", async () => {
      const path = await threadWith(hostile);
      const { page } = await open("about:blank");
      const requested: string[] = [];
      page.on("request", (request) => requested.push(new URL(request.url()).host));
      await page.goto(`${api().url}${path}`);
      const log = page.getByRole("log");
      await log.locator(".katex").first().waitFor();
      await log.getByText("\\(\\frac{1}{\\)", { exact: true }).waitFor();
      await log.getByText("\\(\\def\\a{xxxxxxxxxx}\\def\\b{\\a\\a\\a\\a}\\b\\b\\)", { exact: true }).waitFor();
      expect(await log.locator("article a, article img, article [style*=fixed]").count()).toBe(0);
      expect(await page.evaluate(() => "hurt" in globalThis)).toBe(false);
      expect(new Set(requested)).toEqual(new Set([new URL(api().url).host]));
      // The formula's rule is as large as allowed; a link next to the message can still be clicked.
      await page.getByRole("link", { name: "Definitions", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "Definitions", exact: true }).waitFor();
    });

    it("The highlighter is loaded once, and from then on code has its colours when it is first rendered", async () => {
      const [first, second] = [await threadWith(code), await threadWith(`Again\n\n${code}`)];
      const { page } = await open("/");
      await page.goto(first);
      await page.getByRole("log").locator(".hljs-keyword").first().waitFor();
      // Records whether the code was ever drawn without colours.
      await page.evaluate(() => {
        const received = globalThis as unknown as { plain: number };
        received.plain = 0;
        new MutationObserver(() => {
          const blocks = document.querySelectorAll("[role=log] pre");
          received.plain += [...blocks].filter((block) => block.querySelector(".hljs-keyword") === null).length;
        }).observe(document.body, { childList: true, subtree: true });
      });
      const files = filesOf(page);
      await goInside(page, second);
      await page.getByRole("log").getByText("Again").waitFor();
      await page.getByRole("log").locator(".hljs-keyword").first().waitFor();
      expect(await page.evaluate(() => (globalThis as unknown as { plain: number }).plain)).toBe(0);
      expect(files.filter((file) => file.includes("highlight"))).toEqual([]);
    });

    it("The highlighter is loaded when an answer begins a block of code, not when the block is complete", async () => {
      const answer = pacedAnswer();
      const { id } = await api().createThread("paced");
      // A page that was used before may have the highlighter in its cache, and then requests nothing.
      const { page } = await open(`/threads/${id}`, newContext);
      await page.getByLabel("Message", { exact: true }).waitFor();
      const written: number[] = [];
      await page.route("**/assets/highlight*.js", async (route) => {
        written.push(await page.locator("[data-streaming=true] pre").count());
        await route.continue();
      });
      await page.getByLabel("Message", { exact: true }).fill(answer.question);
      await page.keyboard.press("Enter");
      answer.write("Look:\n\n");
      await page.locator("[data-streaming=true]").getByText("Look:").waitFor();
      expect(written).toEqual([]);
      answer.write("```ts\nconst value = 1;\n");
      await expect.poll(() => written).toEqual([1]);
      await page.locator("[data-streaming=true] .hljs-keyword").first().waitFor();
    });
  });
}
