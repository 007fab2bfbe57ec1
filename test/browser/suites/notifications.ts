// Notifications of calls that begin to wait. The browser and its permission are real.

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";

import { look } from "../support/look.ts";
import { clickNotification, recordNotifications, seenNotifications } from "../support/seen-notifications.ts";
import type { PlaygroundUse } from "./playground-use.ts";

export function notifications({ api, openWithNotifications }: PlaygroundUse): void {
  const order = async (title: string): Promise<string> => {
    const { id } = await api().createThread("purchaser", { title });
    await api().say(id, "An espresso machine for 900");
    return id;
  };
  /** Resolves when the page has this title, which contains the number of waiting threads. */
  const counts = (page: Page, title: string): Promise<void> => expect.poll(() => page.title()).toBe(title);
  const turnOn = async (page: Page): Promise<void> => {
    await page.context().grantPermissions(["notifications"], { origin: api().url });
    await page.getByRole("button", { name: "Turn on notifications" }).click();
    await page.getByText(/^This browser notifies you/).waitFor();
  };

  describe("notifications", () => {
    it("The page asks for the permission only after a click, and explains what to do if it is denied", async () => {
      const screen = await openWithNotifications("/inbox");
      const { page } = screen;
      await page.getByRole("button", { name: "Turn on notifications" }).waitFor();
      expect(await page.evaluate(() => Notification.permission)).toBe("default");
      // The browser of the tests denies each permission that was not granted before.
      await page.getByRole("button", { name: "Turn on notifications" }).click();
      await page.getByText(/^This browser blocks notifications of this page/).waitFor();
      await look(screen, "notifications-denied");
      expect(await page.evaluate(() => localStorage.getItem("threadhold.notifications"))).toBe(null);
      await turnOn(page);
      await look(screen, "notifications-on");
      await page.reload();
      await page.getByRole("button", { name: "Turn off notifications" }).click();
      await page.getByRole("button", { name: "Turn on notifications" }).waitFor();
    });

    it("Of two tabs only one shows a notification of a new waiting call, with the tool and the thread's title, and a click opens the call", async () => {
      const before = await order("Waited before");
      const { page } = await openWithNotifications("/healthz");
      await recordNotifications(page);
      await page.goto("/inbox");
      await turnOn(page);
      const other = await page.context().newPage();
      await recordNotifications(other);
      await Promise.all([page.goto("/"), other.goto("/usage")]);
      const both = [page, other];
      const received = async () => (await Promise.all(both.map(seenNotifications))).flat();
      await counts(page, "(1) Start · Threadhold");
      await counts(other, "(1) Usage · Threadhold");
      // The tab that notifies is selected before the call begins to wait.
      const holders = () => page.evaluate(async () => (await navigator.locks.query()).held?.map(({ name }) => name));
      await expect.poll(holders).toContainEqual(expect.stringMatching(/^threadhold\.notifies/));
      await expect.poll(holders).toContain("threadhold.shows /usage");
      const id = await order("An order to approve");
      const expected = { title: "place_order waits for approval", body: "An order to approve" };
      await expect.poll(received).toEqual([{ ...expected, closed: false }]);
      for (const one of both) await expect.poll(() => one.title()).toMatch(/^\(2\)/);
      expect(await received()).toHaveLength(1);
      const at = (await seenNotifications(page)).length === 1 ? page : other;
      await clickNotification(at, 0);
      await at.getByRole("heading", { level: 1, name: "An order to approve" }).waitFor();
      expect(new URL(at.url()).pathname).toBe(`/threads/${id}`);
      expect(new URL(at.url()).searchParams.get("message")).not.toBe(null);
      await expect.poll(received).toEqual([{ ...expected, closed: true }]);

      // A call of a thread that a visible tab shows has no notification, and neither has one on the inbox page.
      await at.getByRole("button", { name: "Approve", exact: true }).click();
      await counts(at, "(1) An order to approve · Threadhold");
      await api().say(id, "Another espresso machine for 900");
      await counts(at, "(2) An order to approve · Threadhold");
      // When the next notification is shown, the one of the call before would have been shown too.
      const third = await order("A third one");
      await expect
        .poll(async () => (await received()).map(({ body }) => body))
        .toEqual(["An order to approve", "A third one"]);

      // The notification of a call that is answered is closed.
      await at.close();
      const rest = at === page ? other : page;
      await expect.poll(() => rest.evaluate(async () => (await navigator.locks.query()).pending?.length)).toBe(0);
      const fourth = await order("A fourth one");
      await expect
        .poll(() => seenNotifications(rest))
        .toContainEqual({ title: "place_order waits for approval", body: "A fourth one", closed: false });
      const { pending_tool_calls: pending } = await api().thread(fourth);
      const results = [{ tool_call_id: pending[0]?.id, approved: true }];
      expect((await api().call("POST", `/api/threads/${fourth}/tool-results`, { json: { results } })).status).toBe(202);
      await expect
        .poll(() => seenNotifications(rest))
        .toContainEqual({ title: "place_order waits for approval", body: "A fourth one", closed: true });
      await rest.close();
      for (const one of [before, id, third, fourth]) await api().call("DELETE", `/api/threads/${one}`);
    });
  });
}
