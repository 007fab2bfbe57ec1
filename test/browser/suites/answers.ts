// What the pages show of structured answers, of a project's own strategy, and of the token limits of models.

import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";

import type { RouteAnswer } from "#client/index.ts";
import { copiedMs } from "#playground/kit/copy-text.ts";
import { count } from "#playground/kit/figures.ts";

import { goInside, stopTimers } from "../support/browser.ts";
import type { PlaygroundUse } from "./playground-use.ts";

const bar = (page: Page, name: RegExp): Locator => page.getByRole("treeitem", { name });
const detail = (page: Page): Locator => page.getByRole("region", { name: /^Detail of/ });

export function answers({ api, open, visit }: PlaygroundUse): void {
  describe("structured answers", () => {
    it("A structured answer is shown as data under the title of its schema, and can be copied", async () => {
      const { id } = await api().createThread("order_desk");
      await api().say(id, "A lamp, please");
      const { page } = await open(`/threads/${id}`);
      const data = page.getByRole("log").getByLabel("Order of a customer");
      await data.waitFor();
      expect(JSON.parse(await data.innerText())).toEqual({ item: "lamp", express: true });
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await stopTimers(page, copiedMs);
      await page.getByRole("log").getByRole("button", { name: "Copy", exact: true }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(JSON.parse(copied)).toEqual({ item: "lamp", express: true });
    });

    it("A structured answer with a schema other than the prompt's is shown as data without the title of the prompt's schema", async () => {
      const { id } = await api().createThread("order_desk");
      const structure = {
        type: "object",
        properties: { customer: { type: "string" } },
        required: ["customer"],
        additionalProperties: false,
      };
      const { run } = await api().say(id, "Who ordered?", { structure });
      expect(run.data).toEqual({ customer: "Ada" });
      const { page } = await visit(`/threads/${id}`);
      const data = page.getByRole("log").getByLabel("Data", { exact: true });
      await data.waitFor();
      expect(JSON.parse(await data.innerText())).toEqual({ customer: "Ada" });
      expect(await page.getByLabel("Order of a customer").count()).toBe(0);
    });

    it("The trace of a run shows the run's data with its defaults", async () => {
      const { id } = await api().createThread("order_desk");
      const { run } = await api().say(id, "A lamp, please");
      expect(run.data).toEqual({ item: "lamp", count: 1, express: true });
      const { page } = await visit(`/threads/${id}/trace`);
      await bar(page, /^Run of order_desk/).click();
      expect(JSON.parse(await detail(page).getByLabel("Order of a customer").innerText())).toEqual(run.data);
    });

    it("A prompt's page shows the schema of its structured answer", async () => {
      const { page } = await visit("/prompts/order_desk");
      const table = page.getByRole("region", { name: "Structured answer of order_desk" });
      await table.getByRole("row", { name: /^item .*The name of the article/ }).waitFor();
      await page.getByRole("heading", { name: "Structured answer: Order of a customer" }).waitFor();
    });
  });

  describe("a strategy of a project", () => {
    it("A trace shows the phases of a project's own strategy, and the conversation shows only its last answer", async () => {
      const { id } = await api().createThread("drafter");
      await api().say(id, "Draft a report");
      const { page } = await visit(`/threads/${id}/trace`);
      await bar(page, /^Step 1, done, .*draft$/).waitFor();
      await bar(page, /^Step 2, done, .*improve$/).waitFor();
      await goInside(page, `/threads/${id}`);
      await page.getByRole("log").getByText("Two lamps were ordered today.").waitFor();
      expect(await page.getByRole("log").getByText("Lamps.", { exact: true }).count()).toBe(0);
      await goInside(page, "/agents/drafter");
      await page.getByText("draft_first").first().waitFor();
    });
  });

  describe("the page of a model", () => {
    const fact = (page: Page, name: string): Locator =>
      page
        .locator("dl div")
        .filter({ has: page.locator("dt", { hasText: new RegExp(`^${name}$`) }) })
        .locator("dd");

    it("The page of a known model shows the model's token limits, with a link to their source and its date", async () => {
      const { body } = await api().call("GET", "/api/models/listed_model");
      const { context_window, output_limit, limits_source, inputPrice, prices_source } =
        body as RouteAnswer<"GET /api/models/:name">;
      if (limits_source === null) throw new Error("The model is not in the tables");
      const { page } = await visit("/models/listed_model");
      await fact(page, "Context window")
        .getByText(`${count(context_window ?? 0)} tokens`)
        .waitFor();
      await fact(page, "Output limit")
        .getByText(`${count(output_limit ?? 0)} tokens`)
        .waitFor();
      const source = fact(page, "Source of limits").getByRole("link");
      expect(await source.innerText()).toBe(`${new URL(limits_source.url).host}, ${limits_source.date}`);
      expect(await source.getAttribute("href")).toBe(limits_source.url);
      if (prices_source === null) throw new Error("The model has no prices in the tables");
      expect(await fact(page, "Input price").innerText()).toContain(`$${(inputPrice ?? 0).toFixed(2)}`);
      const prices = fact(page, "Source of prices").getByRole("link");
      expect(await prices.innerText()).toBe(`${new URL(prices_source.url).host}, ${prices_source.date}`);
    });

    it("The page of a model shows limits from the definition without a link to a source, and leaves out unknown limits", async () => {
      const { page } = await visit("/models/order_model");
      await fact(page, "Context window")
        .getByText(`${count(32_000)} tokens`)
        .waitFor();
      await fact(page, "Output limit")
        .getByText(`${count(4000)} tokens`)
        .waitFor();
      expect(await fact(page, "Input limit").count()).toBe(0);
      expect(await fact(page, "Source of limits").count()).toBe(0);
      await fact(page, "Can").getByText("answer by a schema").waitFor();
    });
  });
}
