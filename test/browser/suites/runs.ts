// How the page shows an active run, and the actions for a run that did not complete.

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";

import { look } from "../support/look.ts";
import { acknowledged, idle } from "./playground-use.ts";
import type { PlaygroundUse } from "./playground-use.ts";

export function runs({ api, open, pacedAnswer, visit }: PlaygroundUse): void {
  const say = async (page: Page, text: string): Promise<void> => {
    await page.getByLabel("Message", { exact: true }).fill(text);
    await page.keyboard.press("Enter");
  };
  const go = async (id: string): Promise<void> => {
    for (const file of ["1", "2"]) await api().call("PUT", `/api/threads/${id}/files/go/${file}`, { body: "go" });
  };

  describe("runs", () => {
    it("The button `Try again` starts a failed run and a stopped run again without a second copy of the message", async () => {
      const { id } = await api().createThread("moody");
      const screen = await visit(`/threads/${id}`);
      const { page } = screen;
      const log = page.getByRole("log");
      const again = log.getByRole("button", { name: "Try again" });
      await say(page, `trip ${id}`);
      await log.getByText(/^The run failed/).waitFor();
      await look(screen, "try-again");
      await page.reload();
      await again.click();
      await log.getByText("Back on its feet.").waitFor();
      await idle(page);
      expect(await again.count()).toBe(0);
      expect((await api().messages(id)).map(({ role }) => role)).toEqual(["user", "assistant"]);

      await say(page, "count");
      await page.locator("details[data-call]").getByText("counted 1").waitFor();
      await acknowledged(page);
      await page.getByRole("button", { name: "Stop" }).click();
      await again.click();
      await log.getByText("Counted.").waitFor();
      await idle(page);
      expect((await api().messages(id)).filter(({ content }) => content === "count")).toHaveLength(1);
    });

    it("After a stop a button starts the runs of the messages that wait in the queue", async () => {
      const { id } = await api().createThread("moody");
      const screen = await visit(`/threads/${id}`);
      const { page } = screen;
      await say(page, "count");
      await page.locator("details[data-call]").getByText("counted 1").waitFor();
      for (const text of ["first of two", "second of two"]) await say(page, text);
      const queue = page.getByRole("region", { name: "Waiting messages" });
      await queue.getByText("2 messages are waiting").waitFor();
      await acknowledged(page);
      expect(await queue.getByRole("button", { name: "Continue" }).count()).toBe(0);
      await page.getByRole("button", { name: "Stop" }).click();
      await queue.getByRole("button", { name: "Continue" }).waitFor();
      expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
      await look(screen, "queue-held");
      await queue.getByRole("button", { name: "Continue" }).click();
      await queue.waitFor({ state: "detached" });
      await idle(page);
      const answers = (await api().messages(id)).filter(({ content }) => content === "It went well.");
      expect(answers).toHaveLength(2);
    });

    it("While a thread waits for the model, the page shows the duration of the wait and the number of the attempt", async () => {
      const [answer, second] = [pacedAnswer(), pacedAnswer()];
      const screen = await visit(`/threads/${(await api().createThread("paced")).id}`);
      const { page } = screen;
      const log = page.getByRole("log");
      await say(page, answer.question);
      await log.getByText(/^Waiting for the model, \d+ s$/).waitFor();
      await screen.picture("waiting-for-model");
      answer.write("Late.");
      answer.end();
      await log.getByText("Late.").waitFor();
      await log.getByText(/^Waiting for the model/).waitFor({ state: "detached" });
      second.refuse();
      await say(page, second.question);
      await log.getByText(/^Waiting for the model, attempt 2 of 3/).waitFor();
      second.write("Slow.");
      second.end();
      await log.getByText("Slow.").waitFor();
    });

    it("Files that a run wrote are shown at their position in the conversation and linked in messages, and the thread's header counts the thread's files", async () => {
      const { id } = await api().createThread("moody");
      await api().call("PUT", `/api/threads/${id}/files/uploaded.txt`, { body: "by hand" });
      const screen = await visit(`/threads/${id}`);
      const { page } = screen;
      const log = page.getByRole("log");
      await say(page, "write a plan");
      const answer = log.getByRole("article").last();
      for (const name of ["/plan/day-1.md", "/plan/day-2.md"]) await answer.getByRole("link", { name }).waitFor();
      const cards = async (): Promise<string[]> => (await log.locator("figure a").allInnerTexts()).toSorted();
      const received = ["plan/day-1.md", "plan/day-2.md"];
      await expect.poll(cards).toEqual(received);
      await expect.poll(() => answer.getByRole("link").count()).toBe(2);
      await page.getByRole("link", { name: /^Files 3$/ }).waitFor();
      await look(screen, "written-files");
      await page.reload();
      await log.locator("figure a").nth(1).waitFor();
      await expect.poll(cards).toEqual(received);
      await api().call("DELETE", `/api/threads/${id}/files/plan/day-2.md`);
      await expect.poll(cards).toEqual(["plan/day-1.md"]);
      await expect.poll(() => answer.getByRole("link").count()).toBe(1);
      const saved = page.waitForEvent("download");
      await log.getByRole("button", { name: "Save plan/day-1.md" }).click();
      await saved;
      await answer.getByRole("link", { name: "/plan/day-1.md" }).click();
      await page.getByRole("heading", { name: "Day 1" }).waitFor();
    });

    it("The composer folds a long pasted text and shows an image before it is sent, and a sent image can be enlarged", async () => {
      const long = `begin ${"word ".repeat(4000)}end`;
      const { id } = await api().createThread("moody", { initial_messages: [{ role: "user", content: long }] });
      const { page } = await visit(`/threads/${id}`);
      const message = page.getByRole("log").getByRole("article").first();
      await message.getByText(/^begin word/).waitFor();
      expect(await message.getByText(/end$/).count()).toBe(0);
      await message.getByRole("button", { name: /^Show all 20.009 characters$/ }).click();
      await message.getByText(/word end$/).waitFor();
      await message.getByRole("button", { name: "Show less" }).click();
      await page.getByLabel("Message", { exact: true }).evaluate((field) => {
        const data = new DataTransfer();
        const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"/>`;
        data.items.add(new File([svg], "drawn.svg", { type: "image/svg+xml" }));
        field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
      });
      await page.getByRole("list", { name: "Files to send" }).locator("img").waitFor();
      await page.getByRole("button", { name: "Send" }).click();
      // An answer that streams moves the image.
      await page.getByRole("log").getByText("It went well.").waitFor();
      await idle(page);
      await page.getByRole("log").getByRole("button", { name: "Enlarge drawn.svg" }).click();
      await page.getByRole("dialog", { name: "drawn.svg" }).getByRole("img").waitFor();
    });

    it("The buttons at the top of a file's page are in one row on a phone", async () => {
      const { id } = await api().createThread();
      await api().call("PUT", `/api/threads/${id}/files/plan.md`, { body: "# Plan" });
      const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
      const { page } = await open(`/threads/${id}/files/plan.md`, phone);
      const middle = async (name: string): Promise<number> => {
        const box = await page.getByRole("button", { name, exact: true }).boundingBox();
        return Math.round((box?.y ?? 0) + (box?.height ?? 0) / 2);
      };
      await page.getByRole("heading", { name: "Plan", exact: true }).waitFor();
      await expect
        .poll(async () => Math.abs((await middle("More about this file")) - (await middle("Edit"))))
        .toBeLessThan(3);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    });

    it("A tool's JSON result is shown indented, with a label and a copy button", async () => {
      const { id } = await api().createThread("moody");
      const { page } = await visit(`/threads/${id}`);
      await say(page, "write a plan");
      const call = page.locator("details[data-call]").first();
      await call.getByText("done").waitFor();
      // The answer and the written files move the call.
      await page.getByRole("log").locator("figure a").nth(1).waitFor();
      await idle(page);
      await call.locator("summary").click();
      await call.getByLabel("Result").waitFor();
      expect(await call.getByLabel("Result").innerText()).toBe(JSON.stringify({ days: ["one", "two"] }, null, 2));
      expect(await call.getByRole("button", { name: "Copy" }).count()).toBe(2);
    });

    it("The page shows more tokens and a higher cost after each step of an active run", async () => {
      const { id } = await api().createThread("moody");
      const { page } = await visit(`/threads/${id}`);
      const tokens = async (): Promise<number> => {
        const text = await page.getByText(/^[\d\s]+ tokens$/).innerText();
        return Number(text.replaceAll(/\D/g, ""));
      };
      await say(page, "count");
      await page.locator("details[data-call]").getByText("counted 1").waitFor();
      await expect.poll(tokens).toBeGreaterThan(0);
      const early = await tokens();
      await go(id);
      await idle(page);
      await expect.poll(tokens).toBeGreaterThan(early);
      const { usage } = await api().thread(id);
      await expect.poll(tokens).toBe(usage.input + usage.output);
    });
  });
}
