// What the parts of the playground's tests share.

import type { BrowserContextOptions, Page } from "playwright-core";

import type { ApiClient } from "../../support/http-client/api-client.ts";
import type { TestPage } from "../support/browser.ts";

/** The server and the browser. */
export interface PlaygroundUse {
  api: () => ApiClient;
  /** Opens a page of a new visitor; it is closed after the test, which fails if anything went wrong in it. */
  open: (path: string, options?: BrowserContextOptions) => Promise<TestPage>;
}

/** Resolves when the open thread is at rest, as its head says. */
export async function idle(page: Page): Promise<void> {
  await page.getByRole("region", { name: "Conversation" }).locator("[data-status=idle]").waitFor();
}
