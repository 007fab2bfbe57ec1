// What the test suites of the playground share.

import type { BrowserContextOptions, Page } from "playwright-core";

import type { ApiClient } from "../../support/http-client/api-client.ts";
import type { TestPage } from "../support/browser.ts";
import type { PacedAnswer } from "../support/paced-model.ts";

/** The server and the browser of the suites. */
export interface PlaygroundUse {
  api: () => ApiClient;
  /** Opens a page as a new visitor. The page is closed after the test, which fails if an error occurred in the page. */
  open: (path: string, options?: BrowserContextOptions) => Promise<TestPage>;
  /** Opens a page like `open` in a whole Chromium, which shows notifications. */
  openWithNotifications: (path: string) => Promise<TestPage>;
  /**
   * Shows a page without loading it again if another test has loaded it (support/browser.ts). A test about loading, and one
   * that changes an answer of the server or writes to the browser's storage, opens its page instead.
   */
  visit: (path: string) => Promise<TestPage>;
  /** Prepares an answer of the agent `paced` that the test streams piece by piece. */
  pacedAnswer: () => PacedAnswer;
}

/** Resolves when the head of the open thread shows that the thread is idle. */
export async function idle(page: Page): Promise<void> {
  await page.getByRole("region", { name: "Conversation" }).locator("[data-status=idle]").waitFor();
}

/**
 * Resolves when the server has acknowledged a message that the page shows. Until then a line and the width of a button change, which move
 * the buttons near the message field.
 */
export async function acknowledged(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Send", exact: true }).waitFor();
}
