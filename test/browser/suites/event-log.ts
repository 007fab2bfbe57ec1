// The log of a thread's events, as a developer of agents uses it.

import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";

import { longThreadFile } from "../support/long-thread-file.mjs";
import { drawn } from "../support/look.ts";
import { idle } from "./playground-use.ts";
import type { PlaygroundUse } from "./playground-use.ts";

const panel = (page: Page): Locator => page.getByRole("complementary", { name: "Events" });
const line = (page: Page, name: RegExp): Locator => panel(page).getByRole("listitem").getByRole("button", { name });

export function eventLog({ api, open, visit }: PlaygroundUse): void {
  /** Creates a thread with one run that has events of many types. */
  const tracedThread = async (): Promise<string> => {
    const { id } = await api().createThread("tracer");
    await api().say(id, "Measure the table");
    return id;
  };

  describe("the log of events", () => {
    it("The event log shows a thread's events from the first one, and later events as they arrive", async () => {
      const id = await tracedThread();
      const feed = await api().events(id, "after=0&until=idle&include_silent=true");
      await feed.untilEnd();
      const { page } = await visit(`/threads/${id}`);
      await page.getByRole("button", { name: "Show events" }).click();
      await line(page, /run_end/).waitFor();
      await panel(page).locator("header").getByText(String(feed.events.length), { exact: true }).waitFor();
      await page.reload();
      await line(page, /run_end/).waitFor();
      const list = panel(page).locator("ol").locator("..");
      await list.evaluate((element) => element.scrollTo(0, 0));
      await line(page, /^1 ?run_start/).waitFor();
      await page.getByLabel("Message", { exact: true }).fill("Measure the chair");
      await page.keyboard.press("Enter");
      const run = panel(page).getByLabel("Run of events");
      // The first event is chosen while the log already has more lines than fit on the screen; then the last lines come
      // into view.
      await run.locator("option").nth(2).waitFor({ state: "attached" });
      await idle(page);
      await run.selectOption({ index: 2 });
      await line(page, /run_end/).waitFor();
    });

    it("The event log can be filtered and paused, shows each event's JSON, and has a link for each event", async () => {
      const id = await tracedThread();
      const { page } = await visit(`/threads/${id}?log=open`);
      await line(page, /run_end/).waitFor();
      await panel(page).getByLabel("Type of events").selectOption("model_fallback");
      await expect.poll(() => line(page, /./).count()).toBe(2);
      await line(page, /model_fallback/)
        .first()
        .click();
      const chosen = panel(page).getByLabel(/as JSON$/);
      const sent = JSON.parse(await chosen.innerText()) as { seq: number };
      expect(sent).toMatchObject({ type: "model_fallback", from: "traced_flaky", to: "traced_steady", thread_id: id });
      expect(new URL(page.url()).searchParams.get("event")).toBe(String(sent.seq));
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await panel(page).getByRole("button", { name: "Copy link" }).click();
      await panel(page).getByRole("button", { name: "Link copied" }).waitFor();
      const link = await page.evaluate(() => navigator.clipboard.readText());
      const other = await open(new URL(link).pathname + new URL(link).search);
      await panel(other.page)
        .getByRole("region", { name: `Event ${sent.seq}` })
        .waitFor();
      await line(other.page, new RegExp(`^${sent.seq} ?model_fallback`)).waitFor();
      await panel(page).getByLabel("Type of events").selectOption("");
      await panel(page).getByRole("button", { name: "Hold the list" }).click();
      const lines = (): Promise<string[]> => line(page, /./).allInnerTexts();
      await line(page, /text_start/)
        .first()
        .waitFor();
      await drawn(page);
      const before = await lines();
      await api().say(id, "Measure it again");
      await panel(page)
        .getByText(/ \+ \d+$/)
        .waitFor();
      await drawn(page);
      expect(await lines()).toEqual(before);
      await panel(page).getByRole("button", { name: "Follow again" }).click();
      await panel(page)
        .getByText(/ \+ \d+$/)
        .waitFor({ state: "detached" });
    });

    it("The event log loads ten thousand events and renders only the visible lines", async () => {
      const { id, lines } = longThreadFile("assistant", 5000);
      const headers = { "content-type": "application/x-ndjson" };
      expect((await api().call("POST", "/api/threads/import", { body: lines, headers })).status).toBe(201);
      const { page } = await visit(`/threads/${id}?log=open`);
      await panel(page).locator("header").getByText("10000", { exact: true }).waitFor();
      expect(await line(page, /./).count()).toBeLessThan(80);
      await panel(page)
        .locator("ol")
        .locator("..")
        .evaluate((element) => element.scrollTo(0, 0));
      await line(page, /^1 ?message_start/).waitFor();
      expect(await line(page, /./).count()).toBeLessThan(80);
    });
  });
}
