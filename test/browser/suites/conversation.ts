// A conversation on the page: while an answer streams, after a stop, after leaving the page and coming back, and when
// it is very long.

import { describe, expect, it } from "vitest";

import { newContext } from "../support/browser.ts";
import { longThreadFile } from "../support/long-thread-file.mjs";
import { reloadDuring } from "../support/paced-model.ts";
import { countRowWork, rowWorkDuring } from "../support/row-work.ts";
import { acknowledged, idle } from "./playground-use.ts";
import type { PlaygroundUse } from "./playground-use.ts";

/**
 * The most messages that a window of 860 pixels draws, those outside of its edges included; and twice as many for a
 * jump between the two ends.
 */
const mostAtOnce = 60;

export function conversation({ api, open, pacedAnswer, visit }: PlaygroundUse): void {
  describe("a conversation", () => {
    it("An answer is rendered while it streams, with its thinking folded and its call next to its result", async () => {
      const { id } = await api().createThread();
      const { page } = await visit(`/threads/${id}`);
      await page.getByText("No messages yet.").waitFor();
      await page.getByLabel("Message", { exact: true }).fill("What is a thread?");
      await page.keyboard.press("Enter");
      const log = page.getByRole("log");
      await log.getByText("Here is what the handbook says.").waitFor();
      await idle(page);
      await page.getByRole("heading", { level: 1, name: "What is a thread?" }).waitFor();
      expect(await page.getByLabel("Message", { exact: true }).inputValue()).toBe("");
      const thought = log.locator("details").filter({ hasText: "Thought" });
      expect(await thought.getAttribute("open")).toBeNull();
      const call = log.locator("details[data-call]");
      await call.getByText("done").waitFor();
      await call.locator("summary").click();
      await call.getByText("Arguments").waitFor();
    });

    it("A stopped answer keeps the text so far and is shown as stopped", async () => {
      const answer = pacedAnswer();
      const { id } = await api().createThread("paced");
      const { page } = await visit(`/threads/${id}`);
      await page.getByLabel("Message", { exact: true }).fill(answer.question);
      await page.getByRole("button", { name: "Send" }).click();
      answer.writeText(0, 3);
      await page.locator("[data-streaming=true]").getByText("word3").waitFor();
      await acknowledged(page);
      await page.getByRole("button", { name: "Stop" }).click();
      await page.getByText("Stopped here. The text so far is kept.").waitFor();
      await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
      expect((await api().messages(id)).at(-1)?.content).toBe("word0 word1 word2 word3");
    });

    it("A reload in the middle of an answer loses and repeats nothing, and two pages show the same", async () => {
      const answer = pacedAnswer();
      const { id } = await api().createThread("paced");
      const [first, second] = await Promise.all([open(`/threads/${id}`), open(`/threads/${id}`)]);
      await first.page.getByLabel("Message", { exact: true }).fill(answer.question);
      await first.page.keyboard.press("Enter");
      answer.writeText(0, 9);
      const streamed = [first, second].map(({ page }) => page.locator("[data-streaming=true]"));
      for (const text of streamed) await text.getByText("word9").waitFor();
      const next = await reloadDuring(answer, first.page.locator("[data-streaming=true]"));
      answer.write(`\n\nword${next} is in a second paragraph.`);
      for (const text of streamed) await text.getByText(`word${next} is in a second paragraph.`).waitFor();
      answer.end();
      await idle(second.page);
      await idle(first.page);
      const stored = (await api().messages(id)).at(-1);
      for (const { page } of [first, second]) {
        const shown = page.locator(`[data-message="${stored?.id ?? ""}"]`);
        expect(await shown.count()).toBe(1);
        expect((await shown.locator("p").allInnerTexts()).join("\n\n")).toBe(stored?.content);
      }
    });

    it("A user's message during a run waits in the queue, can be changed and removed, or interrupts the run", async () => {
      const answer = pacedAnswer();
      const { id } = await api().createThread("paced");
      const { page } = await visit(`/threads/${id}`);
      const field = page.getByLabel("Message", { exact: true });
      await field.fill(answer.question);
      await page.keyboard.press("Enter");
      answer.writeText(0, 1);
      await page.locator("[data-streaming=true]").getByText("word1").first().waitFor();
      const queue = page.getByRole("region", { name: "Waiting messages" });
      for (const words of ["Say one", "Say two"]) {
        await field.fill(words);
        await page.keyboard.press("Enter");
        await queue.getByText(words).waitFor();
        await acknowledged(page);
      }
      const item = queue.getByRole("listitem");
      await item.filter({ hasText: "Say two" }).getByRole("button", { name: "Move up" }).click();
      await item.first().getByText("Say two").waitFor();
      await item.first().getByRole("button", { name: "Edit" }).click();
      await queue.getByLabel("Text of the waiting message").fill("Say three");
      await page.keyboard.press("Shift+Enter");
      await page.keyboard.type("and four");
      await page.keyboard.press("Enter");
      await queue.getByText("Say three and four").waitFor();
      await item.filter({ hasText: "Say one" }).getByRole("button", { name: "Take out" }).click();
      await queue.getByText("Say one").waitFor({ state: "detached" });
      await page.getByText("Interrupt", { exact: true }).click();
      await field.fill("Never mind");
      await page.keyboard.press("Enter");
      await page.getByRole("log").getByText("Never mind").first().waitFor();
      await page.getByRole("log").getByText("Say three").first().waitFor();
      await queue.waitFor({ state: "detached" });
    });

    it("A page scrolls through ten thousand messages from either end, renders at most 200 and opens at the end, and each message is rendered once", async () => {
      const { id, lines } = longThreadFile("assistant", 10_000);
      const headers = { "content-type": "application/x-ndjson" };
      expect((await api().call("POST", "/api/threads/import", { body: lines, headers })).status).toBe(201);
      const { page } = await open("/", newContext);
      await countRowWork(page);
      await page.goto(`/threads/${id}`);
      const [first, last] = ["Message 0.", "Message 9999."].map((words) =>
        page.getByText(words, { exact: false }).first(),
      );
      await last?.waitFor();
      const most: number[] = [];
      const list = page.getByRole("log");
      /** Counts in the next frame, which draws what the test asked for. Returns the first visible message. */
      const drawn = async (): Promise<string | undefined> => {
        const { count, first: top } = await list.evaluate(async (element) => {
          await new Promise((resolve) => requestAnimationFrame(resolve));
          const edge = element.getBoundingClientRect().top;
          const all = [...element.querySelectorAll<HTMLElement>("[data-message]")];
          const visible = all.find((message) => message.getBoundingClientRect().bottom > edge);
          return { count: all.length, first: visible?.dataset["message"] };
        });
        most.push(count);
        return top;
      };
      const wheel = async (by: number): Promise<void> => {
        let top = await drawn();
        for (let turn = 0; turn < 40; turn += 1) {
          const before = top;
          // At the edge of what is loaded, the wheel has no effect until more messages are there.
          do {
            await page.mouse.wheel(0, by);
            top = await drawn();
          } while (top === before);
        }
      };
      await list.hover();
      const up = await rowWorkDuring(page, () => wheel(-1200));
      await list.focus();
      const keys = await rowWorkDuring(page, async () => {
        for (let press = 0; press < 20; press += 1) {
          await page.keyboard.press("PageUp");
          await drawn();
        }
        await page.keyboard.press("Home");
        await first?.waitFor();
        await drawn();
        await page.keyboard.press("End");
        await last?.waitFor();
        await drawn();
        await page.keyboard.press("Home");
        await first?.waitFor();
      });
      const down = await rowWorkDuring(page, () => wheel(1200));
      await page.getByRole("button", { name: "To the end" }).click();
      await last?.waitFor();
      await drawn();
      expect(Math.max(...most)).toBeLessThanOrEqual(200);
      for (const work of [up, keys, down]) {
        expect(work.again).toBe(0);
        expect(work.most).toBeLessThanOrEqual(mostAtOnce);
        expect(work.drawn).toBeLessThanOrEqual(1.5 * work.different);
      }
      // Proves that scrolling drew messages, so that the counts above are of something.
      expect(Math.min(up.different, down.different)).toBeGreaterThan(200);
    });

    it("A page without a network keeps its content, and shows later messages when the network is back", async () => {
      const { id } = await api().createThread();
      const { page } = await visit(`/threads/${id}`);
      await page.getByText("No messages yet.").waitFor();
      await page.context().setOffline(true);
      await page.getByText(/^Offline\./).waitFor();
      await api().call("POST", `/api/threads/${id}/messages?wait=true`, {
        json: { content: "Said while you were away" },
      });
      await page.context().setOffline(false);
      await page.getByRole("log").getByText("Said while you were away").first().waitFor();
      await page.getByText(/^Offline\./).waitFor({ state: "detached" });
    });

    it("A user can attach files by drop, by paste and in a file dialog, and send them, and images are shown in the conversation", async () => {
      const { id } = await api().createThread("picture_desk");
      const { page } = await visit(`/threads/${id}`);
      const field = page.getByLabel("Message", { exact: true });
      await field.waitFor();
      for (const type of ["drop", "paste"] as const) {
        await field.evaluate((element, kind) => {
          const data = new DataTransfer();
          const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><script>fetch("/stolen")</script></svg>`;
          data.items.add(new File([svg], `${kind}.svg`, { type: "image/svg+xml" }));
          const event =
            kind === "drop"
              ? new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })
              : new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
          element.dispatchEvent(event);
        }, type);
        await page.getByText(`${type}.svg`).waitFor();
      }
      const large = { name: "large.txt", mimeType: "text/plain", buffer: Buffer.alloc(700_000, "a line of text\n") };
      await page.locator("input[type=file]").setInputFiles(large);
      await page.getByText("large.txt").waitFor();
      await page.getByRole("progressbar").waitFor({ state: "detached" });
      await field.fill("Look at these");
      await page.keyboard.press("Enter");
      const message = page.getByRole("article", { name: /^You/ });
      await message.getByRole("img", { name: "drop.svg" }).waitFor();
      await message.getByRole("img", { name: "paste.svg" }).waitFor();
      await message.getByRole("button", { name: "Save large.txt" }).waitFor();
      await page.getByRole("list", { name: "Files to send" }).waitFor({ state: "detached" });
      const [requested] = await api().messages(id);
      expect(requested?.attachments.map(({ name }) => name)).toEqual(["drop.svg", "paste.svg", "large.txt"]);
    });

    it("The editor of a message states what happens to the answers below, the message shows afterwards that it was edited, and a user can delete it", async () => {
      const messages = [
        { role: "user", content: "First words" },
        { role: "assistant", content: "An answer" },
      ];
      const { id } = await api().createThread("assistant", { initial_messages: messages });
      const { page } = await visit(`/threads/${id}`);
      const edit = async (of: string): Promise<void> => {
        await page.getByRole("button", { name: `More about the message of ${of}` }).click();
        await page.getByRole("menuitem", { name: "Edit" }).click();
      };
      await edit("You");
      const field = page.getByLabel("Text of the message");
      await page.getByText("The answers below stay as they are, and later runs read the new text.").waitFor();
      const described = await field.evaluate(
        (one) => document.getElementById(one.getAttribute("aria-describedby") ?? "")?.textContent,
      );
      expect(described).toContain("Saving starts no run.");
      await field.fill("Other words");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("log").getByText("Other words").waitFor();
      const question = page.getByRole("article", { name: /^You, .*, edited$/ });
      await question
        .getByText(/^Edited .*, after the answer below, which was written for the earlier text\.$/)
        .waitFor();
      // The focus returns to the edited message.
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label")))
        .toBe("More about the message of You");
      await edit("Agent");
      await page.getByText("Later runs read this text in place of the model's answer.").waitFor();
      await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "More about the message of Agent" }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      await page.getByRole("log").getByText("An answer").waitFor({ state: "detached" });
      expect((await api().messages(id)).map(({ content }) => content)).toEqual(["Other words"]);
    });

    it("The event log shows each event as it arrives, and the selected event as the server sent it", async () => {
      // A thread without a title gets one after its first message, and an event of that would move the lines.
      const { id } = await api().createThread("assistant", { title: "With events" });
      const { page } = await visit(`/threads/${id}`);
      await page.getByRole("button", { name: "Show events" }).click();
      const log = page.getByRole("complementary", { name: "Events" });
      await page.getByLabel("Message", { exact: true }).fill("Hello");
      await page.keyboard.press("Enter");
      await log.getByRole("button", { name: /run_end/ }).waitFor();
      await log.getByRole("button", { name: /run_start/ }).click();
      await log.getByText('"type": "run_start"').waitFor();
    });
  });
}
