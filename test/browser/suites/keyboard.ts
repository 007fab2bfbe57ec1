// Work without a pointer: the position of the keyboard after an action that removes the focused part of the page, and the menus, editors and
// forms that a button opens.

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";

import { goInside } from "../support/browser.ts";
import { tabProblems } from "../support/keyboard.ts";
import { look } from "../support/look.ts";
import { putFile } from "./files.ts";
import { acknowledged } from "./playground-use.ts";
import type { PlaygroundUse } from "./playground-use.ts";

const said = [
  { role: "user", content: "First words" },
  { role: "assistant", content: "An answer" },
];

/** The focused element, as its label or else its text. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return "nothing";
    return element.getAttribute("aria-label") ?? element.id ?? element.textContent ?? "";
  });
}

/** Presses a button with the keyboard. */
async function press(page: Page, name: string | RegExp): Promise<void> {
  const button = page.getByRole("button", { name, exact: true }).first();
  await button.focus();
  await page.keyboard.press("Enter");
}

/** Chooses an entry of a menu with the keyboard. */
async function choose(page: Page, menu: string, entry: string): Promise<void> {
  await press(page, menu);
  await page.getByRole("menuitem", { name: entry, exact: true }).focus();
  await page.keyboard.press("Enter");
}

export function keyboard({ api, open, pacedAnswer }: PlaygroundUse): void {
  describe("the keyboard", () => {
    it("The focus stays in the conversation when a message is edited or deleted, and when a panel, the search or an event is closed", async () => {
      const { id } = await api().createThread("assistant", { initial_messages: said });
      await api().say(id, "Hello");
      const { page } = await open(`/threads/${id}`);
      await page.getByRole("log").getByText("An answer").waitFor();
      const message = "More about the message of You";
      for (const end of ["Save", "Cancel"]) {
        await choose(page, message, "Edit");
        await expect.poll(() => focused(page)).toBe("Text of the message");
        await press(page, end);
        await expect.poll(() => focused(page)).toBe(message);
      }
      await choose(page, message, "Delete");
      await page.getByRole("log").getByText("First words").waitFor({ state: "detached" });
      await expect.poll(() => focused(page)).toBe("Messages");
      for (const [show, hide] of [
        ["Show context", "Hide context"],
        ["Show events", "Hide events"],
        ["Search this conversation", "End the search"],
      ] as const) {
        await press(page, show);
        const close = page.getByRole("button", { name: hide, exact: true }).last();
        await expect.poll(() => page.getByRole("button", { name: hide, exact: true }).count()).toBe(2);
        await close.focus();
        await page.keyboard.press("Enter");
        await expect.poll(() => focused(page)).toBe(show);
      }
      await press(page, "Show events");
      await press(page, /run_start/);
      await press(page, "Close the event");
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain("run_start");
    });

    it("The focus stays near a queued message that is moved, edited or removed, and goes to the messages after the last call was answered", async () => {
      const { id } = await api().createThread("paced");
      const { page } = await open(`/threads/${id}`);
      const answer = pacedAnswer();
      const field = page.getByLabel("Message", { exact: true });
      for (const words of [answer.question, "one", "two", "three"]) {
        await field.fill(words);
        await page.keyboard.press("Enter");
        await page.getByText(words, { exact: true }).first().waitFor();
        await acknowledged(page);
        if (words !== answer.question) continue;
        answer.writeText(0, 1);
        await page.locator("[data-streaming=true]").getByText("word1").first().waitFor();
      }
      const queue = page.getByRole("region", { name: "Waiting messages" });
      const item = (words: string) => queue.getByRole("listitem").filter({ hasText: words });
      const move = item("three").getByRole("button", { name: "Move up" });
      await move.focus();
      await page.keyboard.press("Enter");
      await expect.poll(() => queue.getByRole("listitem").nth(1).innerText()).toContain("three");
      await expect.poll(() => focused(page)).toBe("Move up");
      await item("three").getByRole("button", { name: "Edit" }).focus();
      await page.keyboard.press("Enter");
      await queue.getByLabel("Text of the waiting message").fill("four");
      await page.keyboard.press("Enter");
      await item("four").waitFor();
      await expect.poll(() => focused(page)).toBe("Edit");
      for (const [words, left] of [
        ["four", "Take out"],
        ["two", "Take out"],
        ["one", "Message"],
      ] as const) {
        await item(words).getByRole("button", { name: "Take out" }).focus();
        await page.keyboard.press("Enter");
        await item(words).waitFor({ state: "detached" });
        await expect.poll(() => focused(page)).toBe(left);
      }
      answer.end();

      const approval = await api().createThread("purchaser");
      await api().post(approval.id, "An espresso machine for 900");
      await goInside(page, `/threads/${approval.id}`);
      await page.getByRole("article", { name: /^place_order waits for approval/ }).waitFor();
      await press(page, "Approve");
      await page.getByRole("article", { name: /^place_order waits for approval/ }).waitFor({ state: "detached" });
      await expect.poll(() => focused(page)).toBe("Messages");
    });

    it("After a thread was deleted in the list, the focus is on the thread that takes its place", async () => {
      const mark = crypto.randomUUID().slice(0, 8);
      for (const name of ["one", "two"]) await api().createThread("assistant", { title: `${name} ${mark}` });
      const { page } = await open(`/?q=${mark}`);
      await page.getByRole("button", { name: `More about one ${mark}` }).waitFor();
      await choose(page, `More about two ${mark}`, "Delete");
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.closest("[data-thread]")?.textContent))
        .toContain(`one ${mark}`);
      await choose(page, `More about one ${mark}`, "Delete");
      await expect.poll(() => focused(page)).toBe("Search threads");
    });

    it("Menus, the editor of a message, chosen files, forms of refusals and dialogs have no accessibility finding and no small text, and Tab reaches each of their parts", async () => {
      const { id } = await api().createThread("assistant", { title: "Words", initial_messages: said });
      const screen = await open(`/threads/${id}`);
      const { page } = screen;
      await page.getByRole("log").getByText("An answer").waitFor();
      await choose(page, "More about the message of You", "Edit");
      await page.getByLabel("Text of the message").waitFor();
      await look(screen, "message-editor");
      expect(await tabProblems(page)).toEqual([]);
      await page.getByLabel("Text of the message").fill("Other words");
      await press(page, "Save");
      await page.getByText(/^Edited/).waitFor();
      await look(screen, "message-edited");
      await page.locator("form input[type=file]").setInputFiles([
        { name: "a note with a rather long name for a file.txt", mimeType: "text/plain", buffer: Buffer.from("note") },
        { name: "second.json", mimeType: "application/json", buffer: Buffer.from("{}") },
      ]);
      await page.getByRole("button", { name: "Remove second.json" }).waitFor();
      await look(screen, "chosen-files");
      expect(await tabProblems(page)).toEqual([]);
      for (const [button, name] of [
        ["More about the message of You", "message-menu"],
        ["More about this thread", "thread-menu"],
        ["Theme", "theme-menu"],
      ] as const) {
        await press(page, button);
        await page.getByRole("menu").waitFor();
        await look(screen, name);
        await page.keyboard.press("Escape");
        await page.getByRole("menu").waitFor({ state: "detached" });
        await expect.poll(() => focused(page)).toBe(button);
      }
      await choose(page, "More about this thread", "Rename and tag");
      await page.getByRole("dialog").waitFor();
      await look(screen, "edit-thread");
      await page.keyboard.press("Escape");
      const approval = await api().createThread("purchaser");
      await api().post(approval.id, "An espresso machine for 900");
      await goInside(page, `/threads/${approval.id}`);
      await press(page, "Decline");
      await page.getByLabel("Why not").waitFor();
      await look(screen, "decline");
      await putFile(api(), id, "/notes/plan.md", "# Plan");
      await goInside(page, `/threads/${id}/files/notes/`);
      await choose(page, "New, and more", "New file");
      await page.getByRole("dialog").waitFor();
      await look(screen, "new-file");
      await page.keyboard.press("Escape");
    });
  });
}
