// The playground's page of the API, built from the deployment's OpenAPI document.

import { describe, expect, it } from "vitest";

import { allRouteNames } from "../../support/all-routes.ts";
import { look } from "../support/look.ts";
import type { PlaygroundUse } from "./playground-use.ts";

export function api({ open, visit }: PlaygroundUse): void {
  describe("the API's page", () => {
    it("The API page lists every route, finds routes by a filter, and opens one with its body and its curl example, at every width and in both colour schemes", async () => {
      const screen = await visit("/docs");
      const { page } = screen;
      await page.getByRole("heading", { level: 1, name: "API", exact: true }).waitFor();
      const routes = page.locator("main details:has(> summary code)");
      await expect.poll(() => routes.count()).toBe(allRouteNames.length);
      await look(screen, "api");

      await page.getByPlaceholder("Filter routes").fill("create thread");
      await expect.poll(() => routes.count()).toBeLessThan(4);
      await page.getByText("/api/threads", { exact: true }).first().click();
      const body = page.getByRole("region", { name: "Body of createThread" });
      await body.getByRole("row", { name: /agent_id required/ }).waitFor();
      await page.getByText('-d \'{"agent_id":"…"}\'').waitFor();
      await look(screen, "api-route");
    });

    it("An address with a route's name opens that route, /api/docs redirects to the page, and its code is loaded only when it is opened", async () => {
      const { page } = await open("/");
      await page.getByRole("heading", { name: "Start a thread" }).waitFor();
      const scripts = (): Promise<string> =>
        page.evaluate(() =>
          performance
            .getEntriesByType("resource")
            .map(({ name }) => name)
            .join(" "),
        );
      expect(await scripts()).not.toContain("api-page");
      await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "API" }).click();
      await page.getByRole("heading", { level: 1, name: "API", exact: true }).waitFor();
      expect(await scripts()).toContain("api-page");

      await page.goto("/api/docs#postMessage");
      await page.getByRole("region", { name: "Body of postMessage" }).waitFor();
      expect(new URL(page.url()).pathname).toBe("/docs");
    });
  });
}
