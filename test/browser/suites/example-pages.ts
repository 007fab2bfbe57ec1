// The example pages in a browser: `useThreadholdChat`, `useChat` alone, and assistant-ui, each against the same server.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { TestPage } from "../support/browser.ts";
import { startExampleSite } from "../support/example-site.ts";
import type { ExampleSite } from "../support/example-site.ts";
import { reloadDuring } from "../support/paced-model.ts";
import type { PlaygroundUse } from "./playground-use.ts";

export function examplePages({ api, open, pacedAnswer }: PlaygroundUse): void {
  let site: ExampleSite | undefined;
  const openThread = async (path: string, id: string): Promise<TestPage> => {
    const opened = await open("/healthz");
    await opened.page.goto(`${site?.url ?? ""}${path}#${id}`);
    return opened;
  };
  /** Goes back to the server's own address, from which another test may use the page. The example pages store nothing. */
  const leave = async (page: Page): Promise<void> => void (await page.goto("/healthz"));
  const send = async (page: Page, text: string): Promise<void> => {
    await page.getByLabel("Message", { exact: true }).fill(text);
    await page.getByRole("button", { name: "Send" }).click();
  };
  const answer = (page: Page) => page.locator("article[data-role=assistant]").last();
  const textOf = async (page: Page): Promise<string> => (await answer(page).locator("p").allInnerTexts()).join("");
  const isReady = (page: Page): Promise<void> => page.getByRole("button", { name: "Send" }).waitFor();

  /** Loads a page on which an answer streams, which has the words 0 to 9. `used` is a page that is there already. */
  const openStreaming = async (path: string, used?: Page) => {
    const streamed = pacedAnswer();
    const { id } = await api().createThread("paced");
    const page = used ?? (await openThread(path, id)).page;
    // Another query, because an address that differs in its hash alone loads nothing.
    if (used !== undefined) await page.goto(`${site?.url ?? ""}${path}?another#${id}`);
    await send(page, streamed.question);
    streamed.writeText(0, 9);
    await page.locator("article").nth(1).getByText("word9").waitFor();
    return { id, page, streamed };
  };

  describe("an example page", () => {
    beforeAll(async () => {
      site = await startExampleSite(api().url);
    });
    afterAll(() => site?.close());

    const streams = async (path: string): Promise<void> => {
      const { id, page, streamed } = await openStreaming(path);
      const next = await reloadDuring(streamed, answer(page));
      streamed.writeText(next, next);
      await answer(page).getByText(`word${next}`).waitFor();
      streamed.end();
      await isReady(page);
      expect(await page.locator("article").count()).toBe(2);
      await expect.poll(() => textOf(page)).toBe((await api().messages(id)).at(-1)?.content);

      const { id: stopped } = await openStreaming(path, page);
      await page.getByRole("button", { name: "Stop" }).click();
      await isReady(page);
      const last = async () => (await api().messages(stopped)).at(-1);
      await expect.poll(async () => (await last())?.stop_reason).toBe("aborted");
      const kept = await last();
      await page.reload();
      await answer(page).getByText("word9").waitFor();
      await expect.poll(() => textOf(page)).toBe(kept?.content);
      await leave(page);
    };

    const asks = async (path: string): Promise<void> => {
      const { id } = await api().createThread("purchaser");
      const { page, picture } = await openThread(path, id);
      await send(page, "An espresso machine for 900");
      await page.getByRole("button", { name: "Approve" }).waitFor();
      await page.reload();
      await page.getByRole("button", { name: "Approve" }).click();
      await answer(page).locator("p").getByText("Ordered: an espresso machine for at most 900 euros.").waitFor();
      await isReady(page);
      expect((await api().messages(id)).map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
      expect(await page.locator("article").count()).toBe(2);

      const file = { name: "list.txt", mimeType: "text/plain", buffer: Buffer.from("A kettle") };
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByLabel("File").click()]);
      await chooser.setFiles(file);
      // The chats of AI SDK UI do not show a chosen file before it is sent.
      if (path === "assistant-ui/") await page.getByText("list.txt").waitFor();
      await send(page, "What is on the list?");
      await page.locator("article").nth(3).waitFor();
      await isReady(page);
      await page.reload();
      await page.locator("article").nth(2).getByText("list.txt").waitFor();
      await picture(`example-${path.replaceAll(/\W+/g, "-")}`);
      const sent = (await api().messages(id)).findLast(({ role }) => role === "user");
      expect(sent?.attachments).toMatchObject([{ name: "list.txt", size: 8 }]);
      await leave(page);
    };

    it("AISDK14 A chat of useThreadholdChat shows an answer once after a reload in the middle of it, and its stop ends the run", () =>
      streams("ai-sdk-chat/"));
    it("AISDK14 In a chat of useThreadholdChat the user can approve a call that waited when the page was loaded, and send a file", () =>
      asks("ai-sdk-chat/"));
    it("AISDK13 A chat of useChat alone shows an answer once after a reload in the middle of it, and a stop by its route ends the run", () =>
      streams("ai-sdk-chat/use-chat.html"));
    it("AISDK13 In a chat of useChat alone the user can approve a call that waited when the page was loaded, and send a file", () =>
      asks("ai-sdk-chat/use-chat.html"));
    it("AUI1 A thread in assistant-ui shows an answer once after a reload in the middle of it, and cancel ends the run", () =>
      streams("assistant-ui/"));
    it("AUI2 In a thread of assistant-ui the user can approve a call that waited when the page was loaded, and send a file", () =>
      asks("assistant-ui/"));
  });
}
