// The page of usage: the API's numbers as totals, as a chart and as tables.

import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";

import { usageReportSchema } from "#contract/usage-route.ts";
import type { UsageLine, UsageReport } from "#contract/usage-route.ts";
import { later } from "#playground/usage/days.ts";

import { goInside } from "../support/browser.ts";
import type { PlaygroundUse } from "./playground-use.ts";

/** The number in a figure that the page shows. */
const numberOf = (text: string): number => Number(text.replaceAll(/[\u00a0$]|at least /g, ""));

const days = (page: Page): Locator => page.locator("svg [role=option]");
const radio = (page: Page, name: string): Locator => page.getByRole("radio", { name, exact: true });

/** The rows of a table as the texts of their cells, by the name at the start of the row. */
async function rowsOf(page: Page, table: string): Promise<Map<string, string[]>> {
  const rows = page.getByRole("table", { name: table }).locator("tbody tr, tfoot tr");
  await rows.first().waitFor();
  const texts = await rows.evaluateAll((found) =>
    found.map((row) => Array.from(row.children, (cell) => cell.querySelector("a")?.textContent ?? cell.textContent)),
  );
  return new Map(texts.map(([name = "", ...cells]) => [name, cells]));
}

export function usage({ api, open }: PlaygroundUse): void {
  const report = (query: string): Promise<UsageReport> => api().ask(usageReportSchema, "GET", `/api/usage?${query}`);

  /** Lets an agent answer in a new thread, and waits until the usage report includes the answer. */
  async function use(agent: string): Promise<void> {
    const user_id = crypto.randomUUID();
    const { id } = await api().createThread(agent, { user_id });
    await api().say(id, "Count this");
    const counted = async (): Promise<number> => (await report(`user_id=${user_id}`)).total.runs;
    await expect.poll(counted).toBe(1);
  }

  /** Opens the page, and returns it with the query and the API's report for the days that it shows. */
  async function opened(
    query: string,
  ): Promise<{ page: Page; loaded: UsageReport; requested: Record<string, string> }> {
    const { page } = await open("/");
    const answer = page.waitForResponse((one) => /\/api\/~\/usage\?.*by=day%2C/.test(one.url()));
    await goInside(page, `/usage?${query}`);
    const { searchParams } = new URL((await answer).url());
    return {
      page,
      loaded: usageReportSchema.parse(await (await answer).json()),
      requested: Object.fromEntries(searchParams),
    };
  }

  describe("usage", () => {
    it("The charts and tables of the usage page show the numbers that the API returns after real runs", async () => {
      await use("priced");
      await use("assistant");
      const { page, loaded, requested } = await opened("days=7&by=agent&measure=tokens");
      expect(requested).toEqual({ from: later(loaded.to, -6), to: loaded.to, by: "day,agent" });
      const rows = await rowsOf(page, "Usage by agent");
      const names = [...new Set(loaded.usage.map(({ agent_id = "" }) => agent_id))];
      expect([...rows.keys()].toSorted()).toEqual([...names, "Total"].toSorted());
      const sumsOf = (lines: readonly Omit<UsageLine, "day">[]): number[] => [
        lines.reduce((sum, line) => sum + line.usage.total_tokens, 0),
        lines.reduce((sum, line) => sum + line.usage.input, 0),
        lines.reduce((sum, line) => sum + line.usage.output, 0),
        lines.reduce((sum, line) => sum + line.usage.cache_read + line.usage.cache_write, 0),
        lines.reduce((sum, line) => sum + line.runs, 0),
      ];
      for (const name of names) {
        const [, ...figures] = rows.get(name) ?? [];
        expect([name, ...figures.map(numberOf)]).toEqual([
          name,
          ...sumsOf(loaded.usage.filter(({ agent_id }) => agent_id === name)),
        ]);
      }
      const [, ...whole] = rows.get("Total") ?? [];
      expect(whole.map(numberOf)).toEqual(sumsOf([loaded.total]));
      const priced = loaded.usage.find(({ agent_id }) => agent_id === "priced");
      expect(priced?.cost).toBeGreaterThan(0.01);
      expect(numberOf(rows.get("priced")?.[0] ?? "")).toBeCloseTo(priced?.cost ?? -1, 2);

      const totals = await page.getByRole("region", { name: "Totals" }).locator("dd:nth-of-type(1)").allTextContents();
      const { usage: used, runs } = loaded.total;
      const front = [runs, used.input, used.output, used.cache_read + used.cache_write];
      expect(totals.slice(1).map(numberOf)).toEqual(front);

      // The parts of today's bar have the same ratio as the tokens.
      const bar = days(page).last();
      const lines = loaded.usage.filter(({ day }) => day === loaded.to);
      expect(await bar.getAttribute("aria-label")).toContain(`priced ${rows.get("priced")?.[1] ?? ""}`);
      const parts = await bar
        .locator("g[data-place] rect")
        .evaluateAll((found) => found.map((part) => part.getBoundingClientRect().height));
      const [tall, all] = [parts.reduce((sum, part) => sum + part, 0), sumsOf(lines)[0] ?? 0];
      expect(parts.length).toBe(Math.min(lines.length, 7));
      const marks = await page
        .getByRole("table", { name: "Usage by agent" })
        .locator("tbody tr")
        .evaluateAll((found) =>
          found.map(
            (row) => [row.querySelector("a")?.textContent, row.querySelector("svg")?.dataset["place"]] as const,
          ),
        );
      const placeOf = new Map(marks);
      for (const [at, place] of [...new Set(placeOf.values())]
        .toSorted((a = "", b = "") => Number(a) - Number(b))
        .entries()) {
        const tokens = sumsOf(lines.filter(({ agent_id }) => placeOf.get(agent_id) === place))[0] ?? 0;
        const share = (parts[at] ?? 0) / tall - tokens / all;
        expect([place, Math.abs(share) < 0.03]).toEqual([place, true]);
      }
    });

    it("The usage page keeps the days and the selected chart in its address, so that they survive a reload", async () => {
      await use("priced");
      const { page } = await opened("");
      expect(await radio(page, "30 days").isChecked()).toBe(true);
      await radio(page, "7 days").check();
      await radio(page, "Tokens").check();
      await radio(page, "By model").check();
      await page.getByRole("table", { name: "Usage by model" }).waitFor();
      await expect.poll(() => days(page).count()).toBe(7);
      await page.reload();
      await page.getByRole("table", { name: "Usage by model" }).waitFor();
      for (const name of ["7 days", "Tokens", "By model"]) expect(await radio(page, name).isChecked()).toBe(true);
      await radio(page, "Dates").check();
      await page.getByLabel("From").fill("2020-02-28");
      await page.getByLabel("To", { exact: true }).fill("2020-02-27");
      await page.getByRole("alert").getByText("The first day is behind the last.").waitFor();
      await page.getByLabel("To", { exact: true }).fill("2020-03-01");
      await page.getByRole("button", { name: "Show", exact: true }).click();
      await page.getByText("28 Feb – 1 Mar 2020").waitFor();
      const { searchParams } = new URL(page.url());
      expect(Object.fromEntries(searchParams)).toEqual({
        by: "model",
        measure: "tokens",
        from: "2020-02-28",
        to: "2020-03-01",
      });
      await goInside(page, "/usage?days=8&by=user&measure=x&from=2026-02-31&to=1&day=never");
      await page.getByRole("table", { name: "Usage by agent" }).waitFor();
      expect(await radio(page, "30 days").isChecked()).toBe(true);
    });

    it("A day of the usage chart can be selected by keyboard and by pointer, and is then shown alone", async () => {
      await use("priced");
      const { page } = await opened("days=7&measure=tokens");
      await days(page).last().waitFor();
      await radio(page, "By agent").focus();
      await page.keyboard.press("Tab");
      const focused = page.locator("[role=option]:focus");
      const today = await focused.getAttribute("data-day");
      expect(today).toBe(await days(page).last().getAttribute("data-day"));
      expect(await focused.getAttribute("aria-label")).toMatch(/, so far: [\d\u00a0]+ tokens; .*priced \d/);
      const tip = page.getByText("so far", { exact: true });
      await tip.waitFor();
      await page.keyboard.press("Escape");
      await tip.waitFor({ state: "detached" });
      await page.keyboard.press("ArrowLeft");
      expect(await focused.getAttribute("data-day")).toBe(await days(page).nth(5).getAttribute("data-day"));
      expect(await focused.getAttribute("aria-label")).toMatch(/: nothing$/);
      await page.getByText("Nothing ran.").waitFor();
      await page.keyboard.press("Home");
      expect(await focused.getAttribute("data-day")).toBe(await days(page).first().getAttribute("data-day"));
      await page.keyboard.press("End");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Show every day" }).waitFor();
      expect(new URL(page.url()).searchParams.get("day")).toBe(today);
      expect(await focused.getAttribute("aria-selected")).toBe("true");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Day by day" }).waitFor();
      await page.keyboard.press("Escape");
      await days(page).first().hover();
      await page.getByText("Nothing ran.").waitFor();
      await days(page).first().click();
      await page.getByText("Nothing ran on this day.").waitFor();
    });

    it("The usage page shows the cost of usage without a price as unknown, and the total cost as at least its known part", async () => {
      await use("priced");
      await use("unpriced");
      const { page, loaded } = await opened("days=7&measure=cost");
      expect(loaded.total.cost).toBeNull();
      const rows = await rowsOf(page, "Usage by agent");
      expect(rows.get("unpriced")?.[0]).toBe("unknown");
      expect(rows.get("priced")?.[0]).toMatch(/^\$0\.\d+$/);
      expect(rows.get("Total")?.[0]).toMatch(/^at least \$0\.\d+$/);
      await page
        .getByRole("region", { name: "Totals" })
        .getByText(/^at least \$0\.\d+$/)
        .waitFor();
      expect(await days(page).last().locator("[data-unknown]").count()).toBe(1);
      expect(await days(page).last().getAttribute("aria-label")).toContain("unpriced unknown");
      await goInside(page, "/usage?days=7&measure=cost&only=unpriced");
      await page.getByRole("region", { name: "Totals" }).getByText("unknown", { exact: true }).first().waitFor();
      expect([...(await rowsOf(page, "Usage by agent")).keys()]).toEqual(["unpriced", "Total"]);
    });

    it("The usage page shows what to do if there are no runs, and if the request fails", async () => {
      await use("priced");
      const { page } = await opened("from=2020-01-01&to=2020-01-07");
      await page.getByRole("heading", { name: "Nothing ran in these days" }).waitFor();
      expect(await page.getByRole("link", { name: "Start a thread" }).getAttribute("href")).toBe("/");
      await page.getByRole("button", { name: "Show 90 days" }).click();
      await page.getByRole("table", { name: "Usage by agent" }).waitFor();
      await goInside(page, "/usage?from=2020-01-01&to=2026-01-01");
      await page
        .getByRole("alert")
        .getByText(/366 days at most/)
        .waitFor();
      const again = page.waitForRequest(/\/api\/~\/usage/);
      await page.getByRole("button", { name: "Try again" }).click();
      await again;
      await page.context().setOffline(true);
      await radio(page, "7 days").check();
      await page.getByText(/^Offline\./).waitFor();
      await page.context().setOffline(false);
      await page.getByRole("table", { name: "Usage by agent" }).waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
    });

    it("A table of the usage page is sorted by a column in both directions, by click and by keyboard", async () => {
      await use("priced");
      await use("assistant");
      const { page } = await opened("days=7");
      const head = page.getByRole("table", { name: "Usage by agent" }).getByRole("columnheader", { name: "Tokens" });
      const tokens = async (): Promise<number[]> =>
        [...(await rowsOf(page, "Usage by agent"))].slice(0, -1).map(([, cells]) => numberOf(cells[1] ?? ""));
      await days(page).last().waitFor();
      await head.getByRole("button").click();
      expect(await head.getAttribute("aria-sort")).toBe("descending");
      const down = await tokens();
      expect(down).toEqual(down.toSorted((a, b) => b - a));
      await head.getByRole("button").press("Enter");
      expect(await head.getAttribute("aria-sort")).toBe("ascending");
      expect(await tokens()).toEqual(down.toReversed());
      expect(new Set(down).size).toBeGreaterThan(1);
    });

    it("The usage page is opened from the navigation bar and the command palette, and its code is loaded only then", async () => {
      const { page } = await open("/");
      await page.getByRole("heading", { name: "Start a thread" }).waitFor();
      const scripts = (): Promise<string[]> =>
        page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
      expect((await scripts()).join(" ")).not.toContain("usage-page");
      await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Usage" }).click();
      await page.getByRole("heading", { level: 1, name: "Usage", exact: true }).waitFor();
      expect((await scripts()).join(" ")).toContain("usage-page");
      await page.getByRole("link", { name: "Threadhold, start" }).click();
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Commands" }).fill("usage");
      await page.getByRole("option", { name: "Usage", exact: true }).waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Usage", exact: true }).waitFor();
    });
  });
}
