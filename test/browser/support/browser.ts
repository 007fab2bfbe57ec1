// Starts a Chromium for the tests of the playground. Its pages record every error: of their scripts, and requests that
// their content security policy refused.

import { mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import axe from "axe-core";
import { chromium } from "playwright-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

import { chromiumArguments, findChromium } from "../../../scripts/lib/find-chromium.mjs";

/** Screenshots of every page, for people who want to look at them. No test depends on them. */
const drawsAll = process.env["PICTURES"] === "true";

const artefacts = fileURLToPath(new URL("../../../artifacts/screens/", import.meta.url));

/** Milliseconds within which an expectation about a page has to become true. */
export const patience = 20_000;

/** A running browser. */
export interface TestBrowser {
  /** Opens a page as a new visitor. `url` is the origin of its addresses. */
  open: (url: string, options?: BrowserContextOptions) => Promise<TestPage>;
  close: () => Promise<void>;
}

/** A page, and the errors in it so far. */
export interface TestPage {
  page: Page;
  /** Errors of scripts, and refusals of the content security policy. */
  wrongs: string[];
  /** Findings of axe that are serious or critical, as `rule: where`. */
  findings: () => Promise<string[]>;
  /** Saves a screenshot as an artefact if PICTURES=true. */
  picture: (name: string) => Promise<void>;
  /** Saves a screenshot in any case; used for failed tests. */
  evidence: (name: string) => Promise<void>;
  close: () => Promise<void>;
}

async function nudge(page: Page): Promise<void> {
  const size = page.viewportSize();
  if (size === null) return;
  await page.setViewportSize({ width: size.width - 1, height: size.height });
  await page.setViewportSize(size);
}

/** Starts a browser, with `more` arguments in addition to the default ones. */
export async function openBrowser(more: readonly string[] = []): Promise<TestBrowser> {
  const args = [...chromiumArguments, ...more];
  const browser: Browser = await chromium.launch({ executablePath: await findChromium(), args });
  return {
    async open(url, options = {}) {
      const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 860 }, ...options });
      context.setDefaultTimeout(patience);
      const page = await context.newPage();
      const wrongs: string[] = [];
      page.on("pageerror", (error) => wrongs.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error" && /Content Security Policy|TrustedType|Trusted Type/i.test(message.text())) {
          wrongs.push(message.text());
        }
      });
      const evidence = async (name: string): Promise<void> => {
        mkdirSync(artefacts, { recursive: true });
        const file = path.join(artefacts, `${name}.png`);
        // Very rarely Chromium draws no frame for a screenshot, nor for the next one. Another window size makes it draw
        // a frame.
        await page
          .screenshot({ path: file, animations: "disabled", timeout: patience / 2 })
          .catch(async (error: Error) => {
            console.warn(`${name}: ${error.message}`);
            await nudge(page);
            await page.screenshot({ path: file, animations: "disabled" });
          });
      };
      return {
        page,
        wrongs,
        async findings() {
          // Evaluated from outside of the page, because the page's policy refuses other scripts.
          if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
          const found = await page.evaluate(async () => {
            const { axe: runner } = globalThis as unknown as { axe: typeof axe };
            const { violations } = await runner.run(document, { resultTypes: ["violations"] });
            return violations.map(({ id, impact, nodes }) => ({ id, impact, where: nodes.map(({ html }) => html) }));
          });
          const grave = found.filter(({ impact }) => impact === "serious" || impact === "critical");
          return grave.flatMap(({ id, where }) => where.map((html) => `${id}: ${html}`));
        },
        picture: async (name) => {
          if (drawsAll) await evidence(name);
        },
        evidence,
        close: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}
