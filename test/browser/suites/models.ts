// The pages of models: their test, and the search of the catalogue.

import { describe, expect, it } from "vitest";

import { goInside } from "../support/browser.ts";
import { tabProblems } from "../support/keyboard.ts";
import { drawn, look } from "../support/look.ts";
import type { PlaygroundUse } from "./playground-use.ts";

export function models({ open, visit }: PlaygroundUse): void {
  describe("models", () => {
    it("TRIAL4 The page of a model tests the model by keyboard and shows for each trial what worked, its time, tokens, cost and fix", async () => {
      const screen = await visit("/models/tried");
      const { page } = screen;
      const button = page.getByRole("button", { name: "Test the model" });
      await button.focus();
      await page.keyboard.press("Enter");
      await page.getByText("Not everything worked.").waitFor();
      const results = page.getByRole("region", { name: "Results of the test" });
      const rows = await results.locator("tbody tr").allInnerTexts();
      expect(rows.map((row) => row.replaceAll(/\s+/g, " "))).toEqual([
        expect.stringMatching(/^Text Worked\. It answered\. \S+ m?s \d+ \+ \d+ \$0$/),
        expect.stringMatching(/^Tool Worked\. It called the tool\. \S+ m?s \d+ \+ \d+ \$0$/),
        expect.stringMatching(
          /^Picture Failed\. It did not name the colour .* answered "Blue\."\. To do: .*vision: false.* in agents\/models\/tried\.ts\./,
        ),
      ]);
      expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
      await look(screen, "model-tested");
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 844 });
        await drawn(page);
        expect([width, await tabProblems(page)]).toEqual([width, []]);
      }
    });

    it("CATALOGUE10 The catalogue is reached from the definitions and searched by keyboard, and a model shows its facts and the file to copy", async () => {
      const screen = await open("/definitions");
      const { page } = screen;
      await page.getByRole("link", { name: "Search the catalogue of models" }).click();
      await page.getByRole("heading", { level: 1, name: "Catalogue of models" }).waitFor();
      const entries = page.getByRole("list", { name: "Models" }).getByRole("listitem");
      await expect.poll(() => entries.count()).toBe(50);
      await page.getByRole("button", { name: "Show more models" }).click();
      await expect.poll(() => entries.count()).toBe(100);
      await page.getByLabel("Search models").fill("cerebras no-such-model");
      await page.getByText("No model of the catalogue has all words of").waitFor();
      await page.getByLabel("Search models").fill("zai glm-4.5-air");
      const entry = entries.filter({ hasText: /^glm-4\.5-air\s*zai/ });
      await entry.waitFor();
      expect((await entry.innerText()).replaceAll(/\s+/g, " ")).toContain(
        "glm-4.5-air zai 131 072 tokens $0.20 in, $1.10 out per million call tools, think before it answers",
      );
      await entry.locator("summary").focus();
      await page.keyboard.press("Enter");
      await entry.getByText("agents/models/glm-4-5-air.ts").waitFor();
      await entry.getByRole("button", { name: "Copy" }).click();
      await entry.getByRole("button", { name: "Copied" }).waitFor();
      expect(await entry.locator("pre").innerText()).toContain('preset: "zai",\n  model: "glm-4.5-air",');
      await page.getByRole("button", { name: "Copy" }).waitFor();
      await look(screen, "catalogue");
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 844 });
        await drawn(page);
        expect([width, await tabProblems(page)]).toEqual([width, []]);
      }
      await page.reload();
      await entry.waitFor();
    });

    it("TRIAL4 A test of a model can be stopped, a refusal is shown, and no test is offered for a model without its key or to a user who is not an administrator", async () => {
      const { page } = await open("/models/slow");
      const button = (name: string) => page.getByRole("button", { name });
      await button("Test the model").focus();
      await page.keyboard.press("Enter");
      await page.getByText("Testing: text.").waitFor();
      const failed = page.waitForEvent("requestfailed");
      await page.keyboard.press("Enter");
      await page.getByText("The test was stopped.").waitFor();
      expect(new URL((await failed).url()).pathname).toBe("/api/~/models/slow/test");
      expect(await button("Test the model").evaluate((element) => element === document.activeElement)).toBe(true);
      const message = "Too many tools invoked, or sources and models tried, in a minute.";
      const refusal = { status: 429, json: { error: { code: "rate_limited", message } } };
      await page.route("**/api/~/models/slow/test", (route) => route.fulfill(refusal));
      await button("Test the model").click();
      await page.getByRole("alert").getByText(message).waitFor();
      await goInside(page, "/models/anthropic");
      await page.getByText("ANTHROPIC_API_KEY is not set.").waitFor();
      expect(await page.getByRole("region", { name: "Test", exact: true }).count()).toBe(0);
      await page.route("**/api/~/caller", (route) => route.fulfill({ json: { user_id: "anna", admin: false } }));
      await page.goto("/models/slow");
      await page.getByText("Only administrators may test a model").waitFor();
      expect(await button("Test the model").count()).toBe(0);
    });
  });
}
