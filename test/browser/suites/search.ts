// Search for messages: in a conversation that is longer than the part that is drawn and loaded, and over all threads.

import { describe, expect, it } from "vitest";

import { longThreadFile } from "../support/long-thread-file.mjs";
import { look } from "../support/look.ts";
import type { PlaygroundUse } from "./playground-use.ts";

export function search({ api, visit }: PlaygroundUse): void {
  describe("searching messages", () => {
    it("A search in a conversation moves from match to match and highlights each, also in messages that were not loaded before", async () => {
      const { id, lines } = longThreadFile("assistant", 3000);
      const headers = { "content-type": "application/x-ndjson" };
      expect((await api().call("POST", "/api/threads/import", { body: lines, headers })).status).toBe(201);
      const screen = await visit(`/threads/${id}`);
      const { page } = screen;
      await page.getByRole("log").getByText("Message 2999.").first().waitFor();
      await page.keyboard.press("Control+f");
      const field = page.getByLabel("Search this conversation", { exact: true }).and(page.locator("input"));
      const shown = page.locator("[data-shown=true]");
      await field.fill("MESSAGE 29");
      await page.keyboard.press("Enter");
      await shown.getByText("Message 2999.").waitFor();
      await page.getByText("1 of 20+").waitFor();
      await page.keyboard.press("Enter");
      await shown.getByText("Message 2998.").waitFor();
      await page.keyboard.press("Shift+Enter");
      await shown.getByText("Message 2999.").waitFor();
      // Moves from the last hit of a page to the next page of hits.
      for (let hit = 2998; hit >= 2979; hit -= 1) {
        await page.keyboard.press("Enter");
        await shown.getByText(`Message ${hit}.`).waitFor();
      }
      await field.fill("message 12.");
      await page.keyboard.press("Enter");
      await shown.getByText("Message 12.").waitFor();
      expect(await shown.evaluate((element) => element.checkVisibility())).toBe(true);
      await page.getByText("1 of 1", { exact: true }).waitFor();
      await look(screen, "conversation-search");
      await page.reload();
      await shown.getByText("Message 12.").waitFor();
      await field.fill("never said");
      await page.keyboard.press("Enter");
      await page.getByText("Nothing found").waitFor();
      await page.keyboard.press("Escape");
      await field.waitFor({ state: "detached" });
      expect(new URL(page.url()).search).toBe("");
    });

    it("A search in the thread list finds a message, and the link to it opens the thread at the message", async () => {
      const word = `heron${String(Date.now())}`;
      const initial_messages = Array.from({ length: 300 }, (_, index) => ({
        role: "user",
        content: index === 3 ? `We saw a ${word} there` : `Line ${index}`,
      }));
      const { id } = await api().createThread("assistant", { initial_messages });
      const screen = await visit("/");
      const { page } = screen;
      await page.getByLabel("Search threads").fill(word);
      await page.getByText("Nothing matches").waitFor();
      await page.getByRole("button", { name: "Search in messages" }).click();
      const found = page.getByRole("region", { name: "Found in messages" });
      const link = found.getByRole("link", { name: `We saw a ${word} there` });
      await link.waitFor();
      await look(screen, "message-results");
      await link.click();
      await page.waitForURL((url) => url.pathname === `/threads/${id}`);
      await page.locator("[data-shown=true]").getByText(word).waitFor();
    });
  });
}
