// Starts a Chromium for the tests of the playground. Its pages record every error: of their scripts, and requests that
// their content security policy refused. A new browser context and a first page load cost more than most tests, so a
// closed page is emptied and serves the next test. A page load costs more than what most tests do on the page, so a test
// that changes nothing on its page visits a page that is loaded already.

import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

import type axe from "axe-core";
import { chromium } from "playwright-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

import { chromiumArguments, findChromium, findHeadlessShell } from "../../../scripts/lib/find-chromium.mjs";
import { timeoutMs } from "../../support/http-client/deadline.ts";

/** Screenshots of every page, for people who want to look at them. No test depends on them. */
const drawsAll = process.env["PICTURES"] === "true";

const artefacts = fileURLToPath(new URL("../../../artifacts/screens/", import.meta.url));

/** The script of axe, which is evaluated in each document that is checked. */
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Milliseconds after which a screenshot is tried again. */
const screenshotMs = 10_000;

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
  /**
   * Shows a page of the playground at `url`, in a document that another visit has loaded if there is one. A test that
   * calls it must not replace responses of the server and must not write to the browser's storage, because the next visit uses both.
   */
  visit: (url: string, path: string) => Promise<TestPage>;
  close: () => Promise<void>;
}

/** A page, and the errors in it so far. */
export interface TestPage {
  page: Page;
  /** Errors of scripts, and refusals of the content security policy. */
  wrongs: string[];
  /** All findings of axe, as `rule: where`. */
  findings: (checked?: CheckedRules) => Promise<string[]>;
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

/**
 * Pages are shown without animations and transitions, each frame of which takes processor time. A test of a transition sets
 * `no-preference`.
 */
const reducedMotion = "reduce";

/** The events of a page that tests listen to. */
const events = [
  "console",
  "pageerror",
  "request",
  "requestfailed",
  "requestfinished",
  "response",
  "websocket",
] as const;

/**
 * Removes what a test added to a page from outside of it. Returns false if the page is closed or shows something else
 * than a page of the server at `url`.
 */
async function restore(page: Page, url: string): Promise<boolean> {
  if (page.isClosed() || new URL(page.url()).origin !== new URL(url).origin) return false;
  for (const event of events) page.removeAllListeners(event);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.context().setOffline(false);
  await page.context().clearPermissions();
  await page.emulateMedia({ colorScheme: null, reducedMotion });
  await page.setViewportSize(viewport);
  return true;
}

/** Makes a page that a test used the page of a new visitor, who has nothing but the cached files of the server. */
async function empty(page: Page, url: string): Promise<boolean> {
  if (!(await restore(page, url))) return false;
  await page.context().clearCookies();
  // A page stores drafts when it is left, so the storage is emptied after that, from a document without a script.
  await page.goto("/healthz");
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  return true;
}

/** An address without a page. A visited page waits there for its next visit, without a socket of a thread. */
const nowhere = "/nowhere";

/** Shows another page of the playground without loading a document, as a link does. No part of the last page is reused. */
export async function goInside(page: Page, path: string): Promise<void> {
  await page.evaluate(
    async ([between, to]) => {
      history.pushState(null, "", between);
      // React draws the page of that address in a microtask of its own, which is queued before this one.
      await Promise.resolve();
      history.pushState(null, "", to);
    },
    [nowhere, path] as const,
  );
}

/**
 * From now on no timer of this many milliseconds elapses in the page's document. A test calls it before it uses a state that the page
 * leaves after that time, because a slow machine may need longer for the test's next step.
 */
export async function stopTimers(page: Page, milliseconds: number): Promise<void> {
  await page.evaluate((stopped) => {
    const start: (run: TimerHandler, after?: number, ...values: unknown[]) => number =
      globalThis.setTimeout.bind(globalThis);
    const replaced = (run: TimerHandler, after?: number, ...values: unknown[]): number =>
      after === stopped ? 0 : start(run, after, ...values);
    Object.assign(globalThis, { setTimeout: replaced });
  }, milliseconds);
}

/** Whether a page shows a dialog or a menu, which would still be there at the next visit. */
async function showsDialog(page: Page): Promise<boolean> {
  return page.evaluate(() => document.querySelector("[role=dialog], [role=menu]") !== null);
}

/** The rules of axe that a check runs: all, or those about colours. */
export type CheckedRules = "all" | "colours";

/** The rules of axe, which its types do not declare. */
interface AxeRules {
  _audit: { rules: { id: string; tags: string[] }[] };
}

/** All findings of axe: violations of guidelines, of best practices, and targets of less than 24 pixels without space around them. */
async function findings(page: Page, checked: CheckedRules = "all"): Promise<string[]> {
  // Evaluated from outside of the page, because the page's policy refuses other scripts.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axeSource);
  const found = await page.evaluate(async (rules) => {
    const { axe: runner } = globalThis as unknown as { axe: typeof axe & AxeRules };
    // During a transition, a colour can have too little contrast for a moment.
    const changing = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(changing.map(({ finished }) => finished));
    const without = runner._audit.rules.filter(({ tags }) => rules === "colours" && !tags.includes("cat.color"));
    // Elements with which the menus of the component library pass the focus on: none of them keeps it.
    const exclude = ["[data-base-ui-focus-guard]"];
    const { violations } = await runner.run(
      { include: [["html"]], exclude: [exclude] },
      {
        resultTypes: ["violations"],
        rules: {
          ...Object.fromEntries(without.map(({ id }) => [id, { enabled: false }])),
          ...(rules === "all" ? { "target-size": { enabled: true } } : {}),
        },
        // The pages have no frames, and no media that plays by itself.
        iframes: false,
        preload: false,
      },
    );
    return violations.map(({ id, nodes }) => ({ id, where: nodes.map(({ html }) => html) }));
  }, checked);
  return found.flatMap(({ id, where }) =>
    where
      // An open menu belongs to its button, and is drawn at the end of the document. The rule has this exception for dialogs only.
      .filter((html) => id !== "region" || !html.includes('role="menu"'))
      .map((html) => `${id}: ${html}`),
  );
}

/** Starts the headless shell of Chromium, with `more` arguments in addition to the default ones. */
export async function openBrowser(more: readonly string[] = []): Promise<TestBrowser> {
  return startBrowser(await findHeadlessShell(), [...chromiumArguments, ...more]);
}

/** Starts a whole Chromium. It shows notifications, which the headless shell does not. */
export async function openWholeBrowser(): Promise<TestBrowser> {
  return startBrowser(await findChromium(), chromiumArguments);
}

/** A page of a test lives for seconds, so V8's optimizing compilers take more time than they save. */
const withoutOptimization = "--js-flags=--no-opt,--no-maglev";

async function startBrowser(executablePath: string, args: string[]): Promise<TestBrowser> {
  const browser: Browser = await chromium.launch({ executablePath, args: [...args, withoutOptimization] });
  /** Emptied pages, by the origin of their addresses. */
  const unused = new Map<string, Page[]>();
  /** For each origin a loaded page that is between two visits. */
  const loaded = new Map<string, Page>();

  const newPage = async (url: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({ baseURL: url, viewport, reducedMotion, ...options });
    context.setDefaultTimeout(timeoutMs);
    return context.newPage();
  };
  const reuse = async (page: Page, url: string): Promise<void> => {
    if (await empty(page, url)) unused.set(url, [...(unused.get(url) ?? []), page]);
    else await page.context().close();
  };
  return {
    async open(url, options) {
      const page = (options === undefined ? unused.get(url)?.pop() : undefined) ?? (await newPage(url, options));
      const close = (): Promise<void> => (options === undefined ? reuse(page, url) : page.context().close());
      return { ...testPage(page), close };
    },
    async visit(url, path) {
      const visited = loaded.get(url);
      loaded.delete(url);
      const page = visited ?? unused.get(url)?.pop() ?? (await newPage(url));
      const opened = testPage(page);
      if (visited === undefined) await page.goto(path);
      else await goInside(page, path);
      return {
        ...opened,
        async close() {
          if (loaded.has(url) || !(await restore(page, url)) || (await showsDialog(page))) return reuse(page, url);
          await goInside(page, nowhere);
          loaded.set(url, page);
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
    await page.screenshot({ path: file, animations: "disabled", timeout: screenshotMs }).catch(async (error: Error) => {
      console.warn(`${name}: ${error.message}`);
      await nudge(page);
      await page.screenshot({ path: file, animations: "disabled" });
    });
  };
  return {
    page,
    wrongs,
    findings: (checked) => findings(page, checked),
    picture: async (name) => {
      if (drawsAll) await evidence(name);
    },
    evidence,
  };
}
