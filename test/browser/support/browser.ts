// Starts a Chromium for the tests of the playground. Its pages record every error: of their scripts, and requests that
// their content security policy refused. A new browser context and a first page load cost more than most tests, so a
// closed page is emptied and serves the next test.

import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

import type axe from "axe-core";
import { chromium } from "playwright-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

import { chromiumArguments, findChromium } from "../../../scripts/lib/find-chromium.mjs";

/** Screenshots of every page, for people who want to look at them. No test depends on them. */
const drawsAll = process.env["PICTURES"] === "true";

const artefacts = fileURLToPath(new URL("../../../artifacts/screens/", import.meta.url));

/** The script of axe, which is evaluated in each document that is checked. */
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Milliseconds within which an expectation about a page has to become true. */
export const patience = 20_000;

/**
 * The options of a page that needs a new browser context: it loads each file from the server, or the test adds a script
 * to its documents or routes its sockets, which cannot be undone.
 */
export const newContext: BrowserContextOptions = {};

/** A running browser. */
export interface TestBrowser {
  /**
   * Opens a page as a new visitor. `url` is the origin of its addresses. Without options the page may be one that was
   * closed before and is now empty.
   */
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

/** The window of a page that is opened without options. */
const viewport = { width: 1280, height: 860 };

/** The events of a page that tests listen to. */
const events = ["console", "pageerror", "request", "response", "websocket"] as const;

/**
 * Makes a page that a test used the page of a new visitor, who has nothing but the cached files of the server. Returns
 * false if the page is closed or shows something else than a page of the server at `url`.
 */
async function empty(page: Page, url: string): Promise<boolean> {
  if (page.isClosed() || new URL(page.url()).origin !== new URL(url).origin) return false;
  for (const event of events) page.removeAllListeners(event);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.context().setOffline(false);
  await page.context().clearPermissions();
  await page.context().clearCookies();
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  await page.setViewportSize(viewport);
  // A page stores drafts when it is left, so the storage is emptied after that, from a document without a script.
  await page.goto("/healthz");
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  return true;
}

/** Findings of axe that are serious or critical. */
async function findings(page: Page): Promise<string[]> {
  // Evaluated from outside of the page, because the page's policy refuses other scripts.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axeSource);
  const found = await page.evaluate(async () => {
    const { axe: runner } = globalThis as unknown as { axe: typeof axe };
    // The pages have no frames, and no rule of these impacts reads stylesheets or media.
    const { violations } = await runner.run(document, { resultTypes: ["violations"], iframes: false, preload: false });
    return violations.map(({ id, impact, nodes }) => ({ id, impact, where: nodes.map(({ html }) => html) }));
  });
  const grave = found.filter(({ impact }) => impact === "serious" || impact === "critical");
  return grave.flatMap(({ id, where }) => where.map((html) => `${id}: ${html}`));
}

/** Starts a browser, with `more` arguments in addition to the default ones. */
export async function openBrowser(more: readonly string[] = []): Promise<TestBrowser> {
  const args = [...chromiumArguments, ...more];
  const browser: Browser = await chromium.launch({ executablePath: await findChromium(), args });
  /** Emptied pages, by the origin of their addresses. */
  const unused = new Map<string, Page[]>();

  const newPage = async (url: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({ baseURL: url, viewport, ...options });
    context.setDefaultTimeout(patience);
    return context.newPage();
  };
  return {
    async open(url, options) {
      const page = (options === undefined ? unused.get(url)?.pop() : undefined) ?? (await newPage(url, options));
      return {
        ...testPage(page),
        async close() {
          if (options === undefined && (await empty(page, url))) unused.set(url, [...(unused.get(url) ?? []), page]);
          else await page.context().close();
        },
      };
    },
    close: () => browser.close(),
  };
}

/** Records the errors of a page from now on. */
function testPage(page: Page): Omit<TestPage, "close"> {
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
    // Very rarely Chromium draws no frame for a screenshot, nor for the next one. Another window size makes it draw a
    // frame.
    await page.screenshot({ path: file, animations: "disabled", timeout: patience / 2 }).catch(async (error: Error) => {
      console.warn(`${name}: ${error.message}`);
      await nudge(page);
      await page.screenshot({ path: file, animations: "disabled" });
    });
  };
  return {
    page,
    wrongs,
    findings: () => findings(page),
    picture: async (name) => {
      if (drawsAll) await evidence(name);
    },
    evidence,
  };
}
