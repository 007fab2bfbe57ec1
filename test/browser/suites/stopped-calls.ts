// "Stop waiting" on a tool's page, at each stage of a call: after the click the page shows that it stopped waiting, and it sends no
// further request.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";

import { deferred } from "#lib/deferred.ts";

import type { PlaygroundUse } from "./playground-use.ts";

const threads = "**/api/~/threads";
const calls = "**/api/~/threads/*/tools/remember";

export function stoppedCalls({ open }: PlaygroundUse): void {
  /** Opens the tool's page with a running call in a new thread; `called` collects the requests that call the tool. */
  async function begin(prepare: (page: Page) => Promise<unknown>): Promise<{ page: Page; called: string[] }> {
    const { page } = await open("/tools/remember");
    const called: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/tools/remember")) called.push(request.url());
    });
    await page.getByLabel(/^Note/).fill("Slowly");
    await page.route(calls, () => undefined);
    await prepare(page);
    await page.getByRole("button", { name: "Run remember" }).click();
    await page.getByRole("status").filter({ hasText: "Running" }).waitFor();
    return { page, called };
  }

  /** Waits until the page shows that it stopped waiting and is ready for another call. */
  async function stopped(page: Page): Promise<void> {
    await page.getByRole("alert").filter({ hasText: "This page no longer waits for the call." }).waitFor();
    await page.getByRole("button", { name: "Stop waiting" }).waitFor({ state: "detached" });
  }

  /** Makes another call and checks that it is the first request to the tool since `called`. */
  async function nextCallOnly(page: Page, called: readonly string[]): Promise<void> {
    const next = page.waitForRequest(/\/tools\/remember$/);
    await page.getByRole("button", { name: "Run remember" }).click();
    expect(called).toEqual([(await next).url()]);
  }

  describe("a tool call that the user stops", () => {
    it("A tool's page shows that a slow call runs, and the user can stop waiting for it", async () => {
      const { page, called } = await begin(async () => undefined);
      await expect.poll(() => called.length).toBe(1);
      await page.getByRole("button", { name: "Stop waiting" }).click();
      await stopped(page);
    });

    it("If a call from a tool's page is stopped while its thread is created, the call does not run later", async () => {
      const release = deferred<void>();
      const over = deferred<void>();
      const { page, called } = await begin((opened) =>
        opened.route(
          threads,
          async (route) => {
            if (route.request().method() !== "POST") return route.fallback();
            const response = await route.fetch();
            await release.promise;
            // The page has abandoned this request.
            await route.fulfill({ response }).catch(() => undefined);
            return over.resolve();
          },
          { times: 1 },
        ),
      );
      await page.getByRole("button", { name: "Stop waiting" }).click();
      await stopped(page);
      release.resolve();
      await over.promise;
      await nextCallOnly(page, called);
    });

    it("If a call from a tool's page is stopped while the page receives the response with the thread's id, the call does not run later", async () => {
      const begun = deferred<void>();
      const server = createServer((_request, response) => {
        response.writeHead(201, { "content-type": "application/json" });
        response.write('{"id":');
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as AddressInfo;
      try {
        const { page, called } = await begin(async (opened) => {
          void opened.waitForResponse((response) => response.request().method() === "POST").then(() => begun.resolve());
          await opened.route(threads, (route) =>
            route.request().method() === "POST"
              ? route.continue({ url: `http://127.0.0.1:${String(port)}/` })
              : route.fallback(),
          );
        });
        await begun.promise;
        await page.getByRole("button", { name: "Stop waiting" }).click();
        await stopped(page);
        await page.unroute(threads);
        await nextCallOnly(page, called);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });

    it("A click on the button `Stop waiting` stops the call also if its thread is created between the press and the release of the mouse button", async () => {
      const release = deferred<void>();
      const { page, called } = await begin((opened) =>
        opened.route(threads, async (route) => {
          if (route.request().method() === "POST") await release.promise;
          return route.fallback();
        }),
      );
      await page.getByRole("button", { name: "Stop waiting" }).hover();
      await page.mouse.down();
      release.resolve();
      await expect.poll(() => called.length).toBe(1);
      // Waits for the frame in which the page could have changed.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      await page.mouse.up();
      await stopped(page);
    });

    it("If a call from a tool's page is started without a network and stopped, the call does not run when the network is back", async () => {
      const { page, called } = await begin((opened) => opened.context().setOffline(true));
      await page.getByRole("button", { name: "Stop waiting" }).click();
      await stopped(page);
      const checked = page.waitForResponse("**/healthz");
      await page.context().setOffline(false);
      await checked;
      await nextCallOnly(page, called);
    });
  });
}
