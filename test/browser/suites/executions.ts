// What the pages show of the call of a tool: an agent that its function executes, and the changes of a file.

import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";

import { count, money } from "#playground/kit/figures.ts";

import { goInside } from "../support/browser.ts";
import { putFile } from "./files.ts";
import { idle } from "./playground-use.ts";
import type { PlaygroundUse } from "./playground-use.ts";

const question = "Should we buy or rent a coffee machine?";

/** Opens the ended call of the tool, and returns the list of what the tool ran. */
async function openedCall(page: Page): Promise<Locator> {
  // The call is open while it runs, and closes by itself when it has ended.
  const call = page.locator("details[data-call][data-state=success]:not([open])");
  await call.locator("summary").first().click();
  const list = page.getByRole("list", { name: "What ask_specialist runs" });
  await list.waitFor();
  return list;
}

export function executions({ api, open, visit }: PlaygroundUse): void {
  describe("agents in tools", () => {
    it("The call of a tool shows the agent that the tool executed with its plan, events, tokens and cost, and after a reload its totals", async () => {
      const { id } = await api().createThread("adviser");
      const { page } = await open(`/threads/${id}`);
      // The events of the agent are not stored, so the page has to be subscribed before the message is sent.
      await idle(page);
      const feed = await api().events(id);
      await page.getByLabel("Message", { exact: true }).fill(question);
      await page.keyboard.press("Enter");
      await feed.until("run_end");
      feed.close();
      const [run] = await api().runs(id);
      const end = feed.events.find((event) => event.type === "subagent_end");
      if (run === undefined || end === undefined) throw new Error("The tool executed no agent");
      const totals = `${count(end.usage.total_tokens)} tokens, ${money(end.cost)}`;
      expect(run.cost).toBe(end.cost);
      await idle(page);

      const list = await openedCall(page);
      await list.getByText(totals, { exact: true }).waitFor();
      const lines = list.getByRole("list", { name: "Events of specialist" }).getByRole("listitem");
      expect(await lines.allInnerTexts()).toEqual([
        "Requests demo_specialist (plan)",
        "Requests demo_specialist (execute)",
        "Calls look_up_prices",
        "look_up_prices is done",
        "Requests demo_specialist (execute)",
        "Requests demo_specialist (execute)",
        "Calls divide",
        "divide is done",
        "Requests demo_specialist (execute)",
      ]);
      const plan = list.getByRole("list", { name: "Plan of specialist" }).getByRole("listitem");
      expect(await plan.allInnerTexts()).toEqual([
        "Look up the prices. completed",
        "Compare purchase and rent. completed",
      ]);

      await page.reload();
      const stored = await openedCall(page);
      await stored.getByText(totals, { exact: true }).waitFor();
      expect(await stored.getByRole("list", { name: "Events of specialist" }).count()).toBe(0);
    });

    it("The trace of a run shows, under the call of a tool, the requests of the agent that the tool executed", async () => {
      const { id } = await api().createThread("adviser");
      await api().say(id, question);
      const { page } = await open(`/threads/${id}/trace`);
      await page.getByRole("treeitem", { name: /^Tool ask_specialist/ }).waitFor();
      expect(await page.getByRole("treeitem", { name: /demo_specialist/ }).count()).toBe(5);
    });
  });
  describe("tools that change files", () => {
    it("The changes of a file by a tool are shown as a diff in the conversation and in the trace", async () => {
      const { id } = await api().createThread("coder");
      await putFile(api(), id, "/prices.txt", "tea 2\ncoffee 3\n");
      await api().call("POST", `/api/threads/${id}/messages?wait=true`, { json: { content: "Raise the price." } });
      const { page } = await visit(`/threads/${id}`);
      const call = page.locator("details[data-call][data-state=success]").filter({ hasText: "edit_file" });
      await call.locator("summary").first().click();
      const changes = page.getByLabel("Changes of prices.txt");
      await changes.waitFor();
      expect(await changes.locator("del").allInnerTexts()).toEqual(["- coffee 3\n"]);
      expect(await changes.locator("ins").allInnerTexts()).toEqual(["+ coffee 4\n"]);
      await goInside(page, `/threads/${id}/trace`);
      await page
        .getByRole("treeitem", { name: /^Tool edit_file/ })
        .first()
        .click();
      const traced = page.getByRole("region", { name: "Detail of edit_file" }).getByLabel("Changes of prices.txt");
      await traced.waitFor();
      expect(await traced.innerText()).toContain("- coffee 3");
      expect(await traced.innerText()).toContain("+ coffee 4");
    });
  });
}
