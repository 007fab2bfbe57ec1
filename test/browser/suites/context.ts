// What a thread's page shows of its context: the line below the messages that are no longer sent, and the panel of the next request.

import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";

import type { ThreadContext } from "#contract/context-route.ts";
import { count } from "#playground/kit/figures.ts";

import { goInside } from "../support/browser.ts";
import { longQuestion, remembered, smallBudget, smallWindow } from "../support/context-agents.ts";
import { drawn } from "../support/look.ts";
import { idle } from "./playground-use.ts";
import type { PlaygroundUse } from "./playground-use.ts";

const line = (page: Page): Locator => page.getByRole("note", { name: "Messages above are no longer sent" });
const panel = (page: Page): Locator => page.getByRole("complementary", { name: "Context" });
const row = (page: Page, name: string): Locator => panel(page).getByRole("row", { name: new RegExp(`^${name} `) });

export function context({ api, open, visit }: PlaygroundUse): void {
  const contextOf = async (id: string): Promise<ThreadContext> =>
    (await api().call("GET", `/api/threads/${id}/context`)).body as ThreadContext;
  /** Creates a thread whose next request contains all of its messages, and almost as much as its budget permits. */
  const fullThread = (agent = "forgetful"): Promise<{ id: string }> =>
    api().createThread(agent, { initial_messages: remembered });

  describe("the messages that are no longer sent", () => {
    it("The conversation shows a line at the messages that a compaction drops, with the reason and the tokens, without a reload, and the trace shows the compaction", async () => {
      const { id } = await fullThread();
      const { page, picture } = await visit(`/threads/${id}`);
      await page.getByRole("log").getByText("Remark 10.").waitFor();
      expect(await line(page).count()).toBe(0);
      await page.getByLabel("Message", { exact: true }).fill(longQuestion);
      await page.keyboard.press("Enter");
      await line(page).waitFor();
      await idle(page);
      await picture("context-line");
      const feed = await api().events(id, "after=0&until=idle");
      await feed.untilEnd();
      const start = feed.events.find(({ type }) => type === "compaction_start");
      const end = feed.events.find(({ type }) => type === "compaction_end");
      if (start?.type !== "compaction_start" || end?.type !== "compaction_end")
        throw new Error("Nothing was compacted");
      for (const text of [
        `${String(end.dropped)} messages were dropped; 2 above are still sent.`,
        `The request had ${count(start.tokens)} tokens, and its budget is ${count(smallBudget)}.`,
        `Without them it had ${count(end.tokens)} tokens.`,
      ])
        await line(page).getByText(text).waitFor();
      await goInside(page, `/threads/${id}/trace`);
      const change = `from ${count(start.tokens)} to ${count(end.tokens)} tokens; ${String(end.dropped)} messages are no longer sent`;
      await page.getByRole("treeitem", { name: `Request compacted, done, ${change}` }).waitFor();
    });

    it("The conversation labels messages above the compaction line that are not sent, and not those that are sent", async () => {
      const { id } = await fullThread();
      await api().say(id, longQuestion);
      const { dropped, messages } = await contextOf(id);
      const { page } = await visit(`/threads/${id}`);
      await line(page).waitFor();
      const list = page.getByRole("log", { name: "Messages" });
      const unsent = list.getByRole("article", { name: /, no longer sent$/ });
      await page.getByRole("log").evaluate((element) => element.scrollTo(0, 0));
      await list.getByText("Remark 1.").waitFor();
      await unsent.first().waitFor();
      const received = new Set<string>();
      // Only visible rows are rendered.
      for (let at = 0; at < 40 && received.size < dropped; at += 1) {
        for (const one of await unsent.evaluateAll((all) => all.map(({ dataset }) => dataset["message"] ?? "")))
          received.add(one);
        await page.getByRole("log").evaluate((element) => element.scrollBy(0, 200));
        await drawn(page);
      }
      const stored = (await api().messages(id)).map((message) => message.id);
      const sent = new Set(messages.map((message) => message.id));
      expect([...received].toSorted()).toEqual(stored.filter((one) => !sent.has(one)).toSorted());
    });

    it("The compaction line in the conversation states that a summary replaces the dropped messages", async () => {
      const { id } = await fullThread("summarizer");
      await api().say(id, longQuestion);
      const { page } = await visit(`/threads/${id}`);
      await line(page).getByText("With a summary in their place").waitFor();
      const { dropped } = await contextOf(id);
      await line(page)
        .getByText(`A summary of ${count(dropped)} messages is sent in their place.`)
        .waitFor();
      await line(page).getByRole("button", { name: "Show the context" }).click();
      await row(page, `Summary of ${count(dropped)} messages`).waitFor();
    });

    it("A conversation that was never compacted has no compaction line, and its page does not request the thread's context", async () => {
      const { id } = await api().createThread("forgetful");
      await api().say(id, "Is it on?");
      const { page } = await open(`/threads/${id}`);
      const requested: string[] = [];
      page.on("request", (request) => requested.push(new URL(request.url()).pathname));
      await page.reload();
      await page.getByRole("log").getByText("It costs nothing.").waitFor();
      await idle(page);
      expect(await line(page).count()).toBe(0);
      expect(requested.filter((path) => path.endsWith("/context"))).toEqual([]);
    });
  });

  describe("the panel of the context", () => {
    it("The context panel lists the parts of the next request with their tokens, the model's window and the budget", async () => {
      const { id } = await fullThread();
      await api().say(id, "list the prices");
      await api().say(id, "Look", { attachments: [{ name: "lamp.png", mime_type: "image/png", data: png }] });
      const { page, picture } = await visit(`/threads/${id}`);
      await page.getByRole("button", { name: "Show context" }).click();
      await panel(page).getByRole("table").waitFor();
      await picture("context-panel");
      const { tokens, system, tools, messages, window, budget } = await contextOf(id);
      expect([window, budget]).toEqual([smallWindow, smallBudget]);
      const share = Math.round((100 * tokens) / smallWindow);
      const meter = panel(page).getByRole("meter", { name: "Tokens of the next request" });
      expect(await meter.getAttribute("aria-valuetext")).toBe(
        `${count(tokens)} of ${count(smallWindow)} tokens, ${share} %`,
      );
      const rows = await panel(page).getByRole("row").allInnerTexts();
      const cells = new Map(
        rows.map((text) => text.split("\t").map((cell) => cell.trim())).map(([name, ...rest]) => [name, rest]),
      );
      const sum = (list: readonly number[]): string => count(list.reduce((total, one) => total + one, 0));
      const ofRole = (role: string): string[] => {
        const those = messages.filter((message) => message.role === role && message.id !== null);
        return [count(those.length), sum(those.map((message) => message.tokens - message.file_tokens))];
      };
      expect(cells.get("System prompt")).toEqual(["", count(system)]);
      expect(cells.get("Tools")).toEqual(["1", sum(tools.map((tool) => tool.tokens))]);
      expect(cells.get("User messages")).toEqual(ofRole("user"));
      expect(cells.get("Answers")).toEqual(ofRole("assistant"));
      const files = sum(messages.map((message) => message.file_tokens));
      expect(cells.get("Messages' images and files")).toEqual(["1", files]);
      expect(Number(files)).toBeGreaterThan(0);
      await panel(page).getByText("1 234 tokens, counted by the provider".replace(" ", "\u00a0")).waitFor();
    });

    it("The open context panel is updated when a compaction ends, and lists what the next request then contains", async () => {
      const { id } = await fullThread();
      const { page } = await visit(`/threads/${id}?context=open`);
      await row(page, "User messages").waitFor();
      expect(await row(page, "Line in place of").count()).toBe(0);
      await api().say(id, longQuestion);
      await row(page, "Line in place of").waitFor();
      const { dropped, tokens } = await contextOf(id);
      await row(page, `Line in place of ${count(dropped)} messages`).waitFor();
      await panel(page)
        .getByText(`${count(dropped)} messages of the conversation are no longer sent.`)
        .waitFor();
      await panel(page)
        .locator("header")
        .getByText(`${count(tokens)} tokens`)
        .waitFor();
    });

    it("The context panel can be opened and closed by the keyboard, its messages link to the conversation, and one panel is open at a time", async () => {
      const { id } = await fullThread();
      await api().say(id, longQuestion);
      const { page } = await visit(`/threads/${id}`);
      await line(page).getByRole("button", { name: "Show the context" }).focus();
      await page.keyboard.press("Enter");
      const largest = panel(page).getByRole("region", { name: "Largest messages" }).getByRole("button");
      await largest.filter({ hasText: /^User: Remark 1\./ }).focus();
      await page.keyboard.press("Enter");
      await page.locator("[data-shown=true]").getByText("Remark 1.").waitFor();
      await page.getByRole("log").focus();
      await page.keyboard.press("e");
      await page.getByRole("complementary", { name: "Events" }).waitFor();
      expect(await panel(page).count()).toBe(0);
      await page.keyboard.press("x");
      await panel(page).waitFor();
      expect(await page.getByRole("complementary", { name: "Events" }).count()).toBe(0);
      await page.keyboard.press("x");
      await panel(page).waitFor({ state: "detached" });
    });

    it("The context panel shows an error and a retry button if the thread's context cannot be read", async () => {
      const { id } = await api().createThread("forgetful");
      const { page } = await open("/");
      let fails = true;
      await page.route(`**/threads/${id}/context`, (route) =>
        fails
          ? route.fulfill({
              status: 409,
              json: { error: { code: "conflict", message: "The prompt has no model." } },
            })
          : route.continue(),
      );
      await page.goto(`/threads/${id}?context=open`);
      await panel(page).getByText("The prompt has no model.").waitFor();
      fails = false;
      await panel(page).getByRole("button", { name: "Try again" }).click();
      await row(page, "System prompt").waitFor();
    });
  });
}

/** A picture of 2 by 2 pixels. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAAFElEQVR4nGNk+M/wn4GBgYGJAQoAHxcCAr7pD0kAAAAASUVORK5CYII=";
