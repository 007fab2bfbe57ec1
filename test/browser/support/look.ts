// Checks a page at every width and in both themes: axe finds nothing, no text is smaller than 12 pixels, and nothing is wider than the window.
// With PICTURES=true each form is saved as a screenshot.

import type { Page } from "playwright-core";
import { expect } from "vitest";

import type { CheckedRules, TestPage } from "./browser.ts";

/** Each width with both themes, in an order with few changes between one and the next. */
const forms = [
  [1280, "light"],
  [1280, "dark"],
  [768, "dark"],
  [768, "light"],
  [390, "light"],
  [390, "dark"],
] as const;

/**
 * Contrast does not depend on the width, and the structure does not depend on the theme, so axe checks the structure in
 * the widest and the narrowest form, and the colours in both themes.
 */
const checks = new Map<string, CheckedRules>([
  ["1280 light", "all"],
  ["768 dark", "colours"],
  ["390 light", "all"],
]);

/** Resolves once the page has drawn its latest changes. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** Texts of less than 12 pixels, each with its element. Superscripts, and the parts of formulas, are smaller than the text around them. */
function smallTexts(): string[] {
  const found = new Set<string>();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    const text = node.textContent?.trim() ?? "";
    if (element === null || text === "" || element.closest("script, style, sup, sub, .katex, .visually-hidden"))
      continue;
    const size = parseFloat(getComputedStyle(element).fontSize);
    if (size >= 11.99 || !element.checkVisibility({ visibilityProperty: true })) continue;
    found.add(`${size} px: <${element.localName} class="${element.getAttribute("class") ?? ""}"> ${text.slice(0, 40)}`);
  }
  return [...found];
}

/** Checks the page in its current state, and restores its width. */
export async function look({ page, findings, picture }: TestPage, name: string): Promise<void> {
  const before = page.viewportSize();
  for (const [width, theme] of forms) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    // In another width a page may draw other parts. Another theme only changes styles, which are applied before a width is read.
    if (page.viewportSize()?.width !== width) {
      await page.setViewportSize({ width, height: width < 500 ? 844 : 860 });
      await drawn(page);
    }
    await picture(`${name}-${width}-${theme}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    const checked = checks.get(`${width} ${theme}`);
    const found = checked === undefined ? [] : await findings(checked);
    const small = checked === undefined ? [] : await page.evaluate(smallTexts);
    expect([name, width, theme, wide, found, small]).toEqual([name, width, theme, 0, [], []]);
  }
  if (before !== null) await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: "light" });
}
