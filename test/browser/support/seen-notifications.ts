// Records the notifications that a page shows. They are the browser's own, with its real permission: the page's constructor is extended
// by a class that only listens.

import type { Page } from "playwright-core";

/** A notification that the browser showed. */
export interface SeenNotification {
  title: string;
  body: string;
  closed: boolean;
}

interface Recording {
  seenNotifications: Notification[];
  closedNotifications: Notification[];
}

/** Records the notifications of the documents that the page loads from now on. */
export async function recordNotifications(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const received: Notification[] = [];
    const closed: Notification[] = [];
    class Recorded extends Notification {
      constructor(title: string, options?: NotificationOptions) {
        super(title, options);
        this.addEventListener("show", () => received.push(this));
        this.addEventListener("close", () => closed.push(this));
      }
    }
    Object.assign(globalThis, { Notification: Recorded, seenNotifications: received, closedNotifications: closed });
  });
}

/** The notifications so far. */
export async function seenNotifications(page: Page): Promise<SeenNotification[]> {
  return page.evaluate(() => {
    const { seenNotifications: received, closedNotifications: closed } = globalThis as unknown as Recording;
    return received.map((one) => ({ title: one.title, body: one.body, closed: closed.includes(one) }));
  });
}

/** Clicks a notification. */
export async function clickNotification(page: Page, at: number): Promise<void> {
  await page.evaluate((index) => {
    const { seenNotifications: received } = globalThis as unknown as Recording;
    received[index]?.dispatchEvent(new Event("click"));
  }, at);
}
