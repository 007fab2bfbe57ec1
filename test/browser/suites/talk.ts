// What a conversation shows in addition to its messages: retries, fallbacks, retracted answers, running tools, and
// messages that join a run.

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";

import { acknowledged, idle } from "./playground-use.ts";
import type { PlaygroundUse } from "./playground-use.ts";

export function talk({ api, open, visit }: PlaygroundUse): void {
  const say = async (page: Page, words: string): Promise<void> => {
    await page.getByLabel("Message", { exact: true }).fill(words);
    await page.keyboard.press("Enter");
  };

  describe("notes of a run", () => {
    it("The conversation shows a retry, a fallback, a retracted answer and a failure at once, and also after a reload", async () => {
      const { id } = await api().createThread("moody");
      const { page } = await visit(`/threads/${id}`);
      const log = page.getByRole("log");
      await say(page, `retry ${id}`);
      await log.getByText("A partial answer was discarded; the model is asked again.").waitFor();
      await log.getByText(/^Attempt 2 of 3 in [\d.]+ m?s: The provider is overloaded\./).waitFor();
      await log.getByText("It went well.").waitFor();
      await idle(page);
      expect(await log.getByText("Half of an answer").count()).toBe(0);
      await say(page, "hand on");
      await log.getByText(/^Switched from moody to moody_spare: The key is not accepted\./).waitFor();
      await log.getByText("The spare one answers.").waitFor();
      await idle(page);
      await say(page, "fail");
      await log.getByText(/^The run failed: No key fits\./).waitFor();
      const words = async (): Promise<string[]> => (await log.locator("p").allInnerTexts()).filter((one) => one !== "");
      await expect
        .poll(words)
        .toEqual([
          `retry ${id}`,
          expect.stringMatching(/^A partial answer was discarded/),
          expect.stringMatching(/^Attempt 2 of 3/),
          "It went well.",
          "hand on",
          "A partial answer was discarded; another model is asked.",
          expect.stringMatching(/^Switched from moody/),
          "The spare one answers.",
          "fail",
          "A partial answer was discarded; another model is asked.",
          expect.stringMatching(/^Switched from moody/),
          expect.stringMatching(/^The run failed/),
        ]);
      const received = await words();
      await page.reload();
      await log.getByText(/^The run failed/).waitFor();
      await expect.poll(words).toEqual(received);
    });
  });

  describe("a message that an input filter rejects", () => {
    it("The composer shows why an input filter refused a message and keeps the text, and the message can be sent after a change", async () => {
      const { id } = await api().createThread("moody");
      const { page } = await visit(`/threads/${id}`);
      const field = page.getByLabel("Message", { exact: true });
      await say(page, "my pin is 1234");
      const alert = page.getByRole("alert");
      await alert.getByText("The message was not sent").waitFor();
      await alert.getByText("The input was refused: Please send no PIN.").waitFor();
      await expect.poll(() => field.inputValue()).toBe("my pin is 1234");
      expect(await page.getByRole("log").getByRole("article").count()).toBe(0);
      await say(page, "I have no pin");
      await page.getByRole("log").getByText("It went well.").waitFor();
      await idle(page);
      expect(await alert.count()).toBe(0);
      expect(await field.inputValue()).toBe("");
    });
  });

  describe("calls of prompts and agents", () => {
    it("If a prompt answers a call, its text is shown in the call as it streams, and folded when the call is over", async () => {
      const { id } = await api().createThread("moody");
      const { page } = await visit(`/threads/${id}`);
      await say(page, "let one help");
      const call = page.locator("details[data-call]").filter({ has: page.locator("summary", { hasText: "clerk" }) });
      const inside = call.getByRole("group", { name: "What clerk says" });
      await inside.getByText("count for me", { exact: true }).waitFor();
      const tool = inside.locator("details[data-call]");
      await tool.getByText("running").waitFor();
      await tool.getByText('"counted": 1').waitFor();
      await tool.getByText("counted 1").waitFor();
      await api().call("PUT", `/api/threads/${id}/files/go/1`, { body: "go" });
      await tool.getByText('"counted": 2').waitFor();
      await api().call("PUT", `/api/threads/${id}/files/go/2`, { body: "go" });
      await idle(page);
      await inside.waitFor({ state: "detached" });
      await page.reload();
      await call.getByText("done").waitFor();
      // The files that the test wrote during the run are shown after the messages, and move them.
      await page.getByRole("log").locator("figure a").nth(1).waitFor();
      await call.locator("summary").first().click();
      await inside.getByText("Counted.").waitFor();
      await expect.poll(() => inside.getByRole("article").count()).toBe(3);
    });

    it("The child thread of a call is shown in the call while it runs, and has its own page", async () => {
      const { id } = await api().createThread("moody");
      const { page } = await visit(`/threads/${id}`);
      await say(page, "let two help");
      const call = page
        .locator("details[data-call]")
        .filter({ has: page.locator("summary", { hasText: "committee" }) });
      const inside = call.getByRole("region", { name: "Thread of committee" });
      await inside
        .getByRole("article", { name: /^Asked/ })
        .getByText("count for us")
        .waitFor();
      const chair = inside.getByRole("article", { name: /^Chair, side A/ });
      await chair.first().getByText("running").waitFor();
      const path = await inside.getByRole("link", { name: "Open its thread" }).getAttribute("href");
      const child = path?.split("/").at(-1) ?? "";
      for (const file of ["1", "2"]) await api().call("PUT", `/api/threads/${child}/files/go/${file}`, { body: "go" });
      await inside.waitFor({ state: "detached" });
      await idle(page);
      await page.reload();
      await call.getByText("a thread").waitFor();
      await call.locator("summary").first().click();
      await inside
        .getByRole("article", { name: /^Scribe, side B/ })
        .getByText("It went well.")
        .waitFor();
      await inside.getByRole("link", { name: "Open its thread" }).press("Enter");
      await page.waitForURL(`**/threads/${child}`);
      await page.getByRole("article", { name: /^Scribe, side B/ }).waitFor();
      await page.getByRole("link", { name: "Back to the thread that called it" }).click();
      await page.waitForURL(`**/threads/${id}`);
    });

    it("The messages of an agent's two sides are shown on two sides, under their names", async () => {
      const { id } = await api().createThread("debate");
      const { page } = await visit(`/threads/${id}`);
      await say(page, "Every town should have a tram");
      await page.locator("details[data-call]").getByText("close_debate").first().waitFor();
      await idle(page);
      const placeOf = async (name: RegExp): Promise<number> => {
        const box = await page.getByRole("article", { name }).first().locator("p, details").first().boundingBox();
        return box?.x ?? 0;
      };
      expect(await placeOf(/^Against, side B/)).toBeGreaterThan(await placeOf(/^For, side A/));
      await page.getByRole("article", { name: /^You/ }).getByText("Every town should have a tram").waitFor();
    });
  });

  describe("active runs", () => {
    const go = async (id: string): Promise<void> => {
      for (const file of ["1", "2"]) await api().call("PUT", `/api/threads/${id}/files/go/${file}`, { body: "go" });
    };

    it("A steering message joins the active run", async () => {
      const { id } = await api().createThread("moody");
      const { page } = await visit(`/threads/${id}`);
      await page.getByRole("button", { name: "Show events" }).click();
      const events = page.getByRole("complementary", { name: "Events" });
      await say(page, "count");
      await page.locator("details[data-call]").getByText("counted 1").waitFor();
      await acknowledged(page);
      // What a tool emits is an event like any other.
      await events.getByText("custom", { exact: true }).click();
      await events.getByText('"name": "counting"').waitFor();
      await page.getByText("Steer", { exact: true }).click();
      await say(page, "And be quick");
      const queue = page.getByRole("region", { name: "Waiting messages" });
      await queue.getByText("joins the run").waitFor();
      await go(id);
      await queue.waitFor({ state: "detached" });
      await page.getByRole("log").getByText("It went well.").waitFor();
      await idle(page);
      const messages = await api().messages(id);
      expect(new Set(messages.map(({ run_id: run }) => run)).size).toBe(1);
      await expect
        .poll(() => page.getByRole("article", { name: /^You/ }).allInnerTexts())
        .toEqual([expect.stringContaining("count"), expect.stringContaining("And be quick")]);
    });

    it("A run at a limit continues after the user raises the limit", async () => {
      const { id } = await api().createThread("moody");
      await go(id);
      await api().post(id, "count", { limits: { steps: 1, on_limit: "rest" } });
      const { page } = await visit(`/threads/${id}`);
      const limit = page.getByRole("article", { name: /^The run reached a limit/ });
      await limit.getByText("1 used of 1 allowed.").waitFor();
      await limit.getByLabel("Raise steps to").fill("1");
      expect(await limit.getByRole("button", { name: "Continue" }).isDisabled()).toBe(true);
      await limit.getByLabel("Raise steps to").fill("4");
      await page.keyboard.press("Enter");
      await page.getByRole("log").getByText("Counted.").waitFor();
      await limit.waitFor({ state: "detached" });
    });

    it("An image that a tool made is shown with its call, and can be saved", async () => {
      const { id } = await api().createThread("picture_desk");
      const { page } = await visit(`/threads/${id}`);
      await say(page, 'Draw a badge with "Well done"');
      const picture = page.getByRole("log").getByRole("img", { name: "badge.svg" });
      await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalHeight)).toBe(32);
      await idle(page);
      const saved = page.waitForEvent("download");
      await page.getByRole("button", { name: "Save badge.svg" }).click();
      expect((await saved).suggestedFilename()).toBe("badge.svg");
    });
  });

  describe("keyboard shortcuts and drafts", () => {
    it("Keyboard shortcuts switch threads, scroll to either end of the messages, open the events and focus the draft, and Escape leaves the draft", async () => {
      const mark = crypto.randomUUID().slice(0, 8);
      const said = Array.from({ length: 60 }, (_, at) => ({
        role: at % 2 === 0 ? "user" : "assistant",
        content: `Words ${at}`,
      }));
      await api().createThread("assistant", { title: `older ${mark}` });
      await api().createThread("assistant", { title: `newer ${mark}`, initial_messages: said });
      const { page } = await visit(`/?q=${mark}`);
      const list = page.getByRole("navigation", { name: "Threads" });
      for (const name of ["newer", "older"]) await list.getByText(`${name} ${mark}`).waitFor();
      const title = (name: string) => page.getByRole("heading", { level: 1, name: `${name} ${mark}` });
      await page.keyboard.press("j");
      await title("newer").waitFor();
      await page.keyboard.press("j");
      await title("older").waitFor();
      await page.keyboard.press("k");
      await title("newer").waitFor();
      const last = page.getByRole("log").getByText("Words 59");
      await last.waitFor();
      await page.keyboard.press("Home");
      await page.getByRole("log").getByText("Words 0", { exact: true }).waitFor();
      await last.waitFor({ state: "detached" });
      await page.keyboard.press("End");
      await last.waitFor();
      await page.keyboard.press("e");
      await page.getByRole("complementary", { name: "Events" }).waitFor();
      await page.keyboard.press("c");
      const field = page.getByLabel("Message", { exact: true });
      await page.keyboard.type("e j");
      expect(await field.inputValue()).toBe("e j");
      while ((await last.count()) > 0) await page.keyboard.press("PageUp");
      expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
      await page.keyboard.press("Escape");
      await page.keyboard.press("End");
      await last.waitFor();
    });

    it("If a user sends a message before the previous one is acknowledged, both are stored in the order in which they were sent", async () => {
      const { id } = await api().createThread("moody");
      const { page } = await visit(`/threads/${id}`);
      const paused: (() => void)[] = [];
      await page.route("**/api/**/messages", async (route) => {
        if (route.request().method() === "POST") await new Promise<void>((resolve) => paused.push(resolve));
        await route.continue();
      });
      await say(page, "one");
      await expect.poll(() => paused.length).toBe(1);
      await say(page, "two");
      expect(await page.getByLabel("Message", { exact: true }).inputValue()).toBe("");
      paused.shift()?.();
      await expect.poll(() => paused.length).toBe(1);
      paused.shift()?.();
      await expect
        .poll(async () =>
          (await api().messages(id)).filter(({ role }) => role === "user").map(({ content }) => content),
        )
        .toEqual(["one", "two"]);
    });

    it("An edited text is kept while the page scrolls, a chosen file is kept during a visit of another thread, and a message that could not be sent returns to the draft", async () => {
      const mark = crypto.randomUUID().slice(0, 8);
      const said = Array.from({ length: 60 }, (_, at) => ({ role: "user", content: `Words ${at}` }));
      await api().createThread("assistant", { title: `other ${mark}` });
      const { id } = await api().createThread("assistant", { title: `this ${mark}`, initial_messages: said });
      const { page } = await open(`/threads/${id}?q=${mark}`);
      const field = page.getByLabel("Message", { exact: true });
      const go = async (name: string): Promise<void> => {
        const list = page.getByRole("navigation", { name: "Threads" });
        await list.getByRole("link").filter({ hasText: name }).click();
        await page.getByRole("heading", { level: 1, name }).waitFor();
      };
      await page.getByRole("article").filter({ hasText: "Words 59" }).hover();
      await page.getByRole("article").filter({ hasText: "Words 59" }).getByRole("button").click();
      await page.getByRole("menuitem", { name: "Edit" }).click();
      const edited = page.getByLabel("Text of the message");
      await edited.fill("Changed");
      await page.locator("#messages").focus();
      await page.keyboard.press("Home");
      await edited.waitFor({ state: "detached" });
      await page.keyboard.press("End");
      await expect.poll(() => edited.inputValue()).toBe("Changed");
      await page.keyboard.press("c");
      await page.locator("form input[type=file]").setInputFiles({
        name: "kept.txt",
        mimeType: "text/plain",
        buffer: Buffer.from("kept"),
      });
      await go(`other ${mark}`);
      await go(`this ${mark}`);
      await page.getByRole("button", { name: "Remove kept.txt" }).click();
      await page.context().setOffline(true);
      await page.getByText(/^Offline\./).waitFor();
      await field.fill("one");
      await page.keyboard.press("Enter");
      await page.getByText("Not sent yet: one").waitFor();
      await page.route("**/api/**/messages", (route) => route.fulfill({ status: 400, json: {} }));
      await go(`other ${mark}`);
      await page.context().setOffline(false);
      await go(`this ${mark}`);
      await page.getByText("The message was not sent").waitFor();
      expect(await field.inputValue()).toBe("one");
      await page.unroute("**/api/**/messages");
      let requested = false;
      await page.route("**/api/**/messages", () => {
        requested = true;
      });
      await field.press("Enter");
      await expect.poll(() => requested).toBe(true);
      expect(await field.inputValue()).toBe("");
      await page.reload();
      await expect.poll(() => field.inputValue()).toBe("one");
    });
  });
}
