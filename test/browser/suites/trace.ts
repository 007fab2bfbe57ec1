// The trace of a run, as a developer of agents uses it.

import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";

import type { Log } from "#contract/log-entry.ts";
import type { Run } from "#contract/run.ts";
import { duration } from "#playground/kit/duration.ts";
import { count, money } from "#playground/kit/figures.ts";

import { tracedFailure } from "../../e2e/support/traced-agent.ts";
import { goInside } from "../support/browser.ts";
import { longThreadFile } from "../support/long-thread-file.mjs";
import { drawn } from "../support/look.ts";
import { pacedPlan, pacedReasoning } from "../support/paced-model.ts";
import { idle } from "./playground-use.ts";
import type { PlaygroundUse } from "./playground-use.ts";

const tree = (page: Page): Locator => page.getByRole("tree", { name: "Trace" });
const bar = (page: Page, name: RegExp): Locator => page.getByRole("treeitem", { name });
const detail = (page: Page): Locator => page.getByRole("region", { name: /^Detail of/ });
/** The reasoning in a step's detail. The events below it have the same text, and are no paragraphs. */
const reasoning = (page: Page, text: string): Locator => detail(page).locator("p").filter({ hasText: text });
/** The labels of a trace's steps, without their durations. */
const stepsShown = async (page: Page): Promise<string[]> => {
  const labels = await bar(page, /^Step/).evaluateAll((bars) => bars.map((one) => one.ariaLabel ?? ""));
  return labels.map((label) => label.split(", ").toSpliced(2, 1).join(", "));
};
/** Resolves when the trace of `tracedThread` is complete. Only events report its waits, which arrive after the log and move the other bars. */
const waitsShown = (page: Page): Promise<void> =>
  bar(page, /^Wait: Back-off/)
    .nth(1)
    .waitFor();

export function trace({ api, pacedAnswer, visit }: PlaygroundUse): void {
  /** Creates a thread with one run that has everything a trace can show. */
  const tracedThread = async (): Promise<{ id: string; run: Run; logs: Log[] }> => {
    const { id } = await api().createThread("tracer");
    await api().say(id, "Measure the table");
    const [run] = await api().runs(id);
    if (run === undefined) throw new Error("Nothing ran");
    return { id, run, logs: await api().logs(id) };
  };
  const figure = (page: Page, name: string): Promise<string> =>
    page.getByLabel("Summary").locator("div").filter({ hasText: name }).locator("dd").innerText();

  describe("a trace", () => {
    it("Each bar of a trace shows the durations, tokens and cost of the log, and the whole trace those of the run", async () => {
      const { id, run, logs } = await tracedThread();
      const { page } = await visit(`/threads/${id}/trace`);
      const answered = logs.filter(({ type, data }) => type === "llm_request" && data["error"] === null);
      expect(answered).toHaveLength(2);
      await bar(page, /^Step 2, done/).waitFor();
      await waitsShown(page);
      const shown = await bar(page, /^Model traced_steady/).evaluateAll((bars) =>
        bars.map((one) => one.ariaLabel ?? ""),
      );
      const said = answered.map(({ data }) => {
        const took = duration(Number(data["latency_ms"]));
        return `Model traced_steady, done, ${took}, 100 tokens in, 20 out, ${money(Number(data["cost"]))}`;
      });
      expect(shown).toEqual(said);
      const calls = logs.filter(({ type }) => type === "tool_call");
      const calledBars = await bar(page, /^Tool measure/).evaluateAll((bars) => bars.map((one) => one.ariaLabel ?? ""));
      // Two calls that start in the same moment may be in either order.
      expect(calledBars.toSorted()).toEqual(
        calls
          .map(({ data }) => {
            const took = duration(Number(data["duration_ms"]));
            return `Tool measure, ${data["is_error"] === true ? `failed, ${took}, The tape was too short.` : `done, ${took}`}`;
          })
          .toSorted(),
      );
      const { input, cache_read, cache_write, output } = run.usage;
      expect(await figure(page, "Input tokens")).toBe(count(input + cache_read + cache_write));
      expect(await figure(page, "Output tokens")).toBe(count(output));
      expect(await figure(page, "From cache")).toBe(
        `${Math.round((100 * cache_read) / (input + cache_read + cache_write))} %`,
      );
      expect(await figure(page, "Cost")).toBe(money(run.cost));
      // Side by side: the second call starts before the first one ends.
      const boxes = await bar(page, /^Tool measure/).evaluateAll((bars) =>
        bars
          .map((one) => one.parentElement?.querySelector("[class*=bar]")?.getBoundingClientRect())
          .map((box) => [box?.left ?? 0, box?.right ?? 0]),
      );
      expect(boxes[1]?.[0]).toBeLessThan(boxes[0]?.[1] ?? 0);
    });

    it("A trace shows failed attempts and the waits between them as bars with labels", async () => {
      const { id } = await tracedThread();
      const { page } = await visit(`/threads/${id}/trace`);
      await bar(page, /^Model traced_flaky, failed/)
        .first()
        .waitFor();
      await expect.poll(() => bar(page, /^Model traced_flaky, failed/).count()).toBe(4);
      await waitsShown(page);
      expect(await bar(page, /^Wait: Back-off/).count()).toBe(2);
      await bar(page, /^Model traced_flaky, failed/)
        .first()
        .click();
      await detail(page).getByText(tracedFailure).waitFor();
      await detail(page)
        .getByText(/^traced_flaky was called again after .*: attempt 2\.$/)
        .waitFor();
      await bar(page, /^Model traced_flaky, failed/)
        .nth(1)
        .click();
      await detail(page).getByText("The next attempt used the fallback traced_steady.").waitFor();
    });

    it("A step in a trace shows its phase, its reasoning, and the plan with the status of each step", async () => {
      const { id } = await api().createThread("planner");
      await api().say(id, "What is the weather?");
      const { page } = await visit(`/threads/${id}/trace`);
      await bar(page, /^Step 1, done, .*plan, 0 of 2 done$/).click();
      await detail(page).getByLabel("Plan").getByText("Look at the sky. in progress").waitFor();
      await bar(page, /^Step 3, done, .*execute, 2 of 2 done$/).click();
      const reasoner = await api().createThread("reasoner");
      await api().say(reasoner.id, "What is the weather?");
      const other = await visit(`/threads/${reasoner.id}/trace`);
      await bar(other.page, /^Step 1, done, .*reason$/).click();
      await reasoning(other.page, "The user wants the weather").waitFor();
    });

    it("A trace that is opened or reloaded during a run shows the same phases, plan and reasoning as one that was open from the beginning", async () => {
      const { id } = await api().createThread("paced_planner");
      const answer = pacedAnswer();
      const early = await visit(`/threads/${id}`);
      await idle(early.page);
      await goInside(early.page, `/threads/${id}/trace`);
      await api().post(id, answer.question);
      answer.write("It ");
      const during = [
        "Step 1, done, plan, 0 of 2 done",
        "Step 2, done, execute, 1 of 2 done",
        "Step 3, running, execute",
      ];
      await expect.poll(() => stepsShown(early.page)).toEqual(during);
      const late = await visit(`/threads/${id}/trace`);
      await expect.poll(() => stepsShown(late.page)).toEqual(during);
      await early.page.reload();
      await expect.poll(() => stepsShown(early.page)).toEqual(during);
      const statuses = ["completed", "in progress"];
      for (const { page } of [early, late]) {
        await bar(page, /^Step 2, done/).click();
        const plan = detail(page).getByRole("list", { name: "Plan" }).getByRole("listitem");
        expect(await plan.allInnerTexts()).toEqual(pacedPlan.map((step, at) => `${step} ${statuses[at] ?? ""}`));
      }
      answer.write("rains.");
      answer.end();
      const ended = [...during.slice(0, 2), "Step 3, done, execute, 2 of 2 done"];
      for (const { page } of [early, late]) await expect.poll(() => stepsShown(page)).toEqual(ended);

      const reasoner = await api().createThread("paced_reasoner");
      const action = pacedAnswer();
      await api().post(reasoner.id, action.question);
      action.write("It ");
      const other = await visit(`/threads/${reasoner.id}/trace`);
      for (const reads of [1, 2]) {
        await expect.poll(() => stepsShown(other.page)).toEqual(["Step 1, done, reason", "Step 2, running, act"]);
        await bar(other.page, /^Step 1, done/).click();
        await reasoning(other.page, pacedReasoning).waitFor();
        if (reads === 1) await other.page.reload();
      }
      action.end();
      await bar(other.page, /^Run of paced_reasoner, done/).waitFor();
    });

    it("A trace shows the request, answer and events of an attempt, and the arguments and result of a call", async () => {
      const { id } = await tracedThread();
      const { page, picture } = await visit(`/threads/${id}/trace`);
      await waitsShown(page);
      await bar(page, /^Model traced_steady/)
        .first()
        .click();
      const shown = detail(page);
      await shown.getByText("Measure what you are told.").waitFor();
      await shown.getByRole("article").filter({ hasText: "Measure the table" }).waitFor();
      await shown.getByRole("article").filter({ hasText: "I measure both." }).waitFor();
      await shown.getByText("test / steady-1").waitFor();
      for (const [name, value] of [
        ["Cache read", "300"],
        ["Cache write", "50"],
        ["Stop reason", "tool calls"],
      ]) {
        expect([
          name,
          await shown
            .locator("dl div")
            .filter({ hasText: name ?? "" })
            .locator("dd")
            .innerText(),
        ]).toEqual([name, value]);
      }
      await picture("trace-attempt");
      await shown.getByText(/^Events \(/).click();
      await shown.locator("summary").filter({ hasText: "step_start" }).click();
      await shown.getByText('"model": "traced_flaky"').waitFor();
      await bar(page, /^Tool measure, done/)
        .first()
        .click();
      await shown.getByLabel("Arguments").getByText("height").waitFor();
      await shown.getByLabel("Result").getByText("12 m").waitFor();
    });

    it("A request in a trace shows each tool result once, as the model read it", async () => {
      const { id } = await tracedThread();
      const { page } = await visit(`/threads/${id}/trace`);
      await waitsShown(page);
      await bar(page, /^Model traced_steady/)
        .nth(1)
        .click();
      const results = detail(page)
        .getByRole("list", { name: "Messages" })
        .getByRole("article")
        .filter({ hasText: /^tool/ });
      await results.nth(1).waitFor();
      const shown = await results.locator("p").allInnerTexts();
      expect(shown.toSorted()).toEqual(["12 m", "The tape was too short."]);
    });

    it("The bars of a trace grow while its run is active, and have the durations and tokens of the log at the end", async () => {
      const answer = pacedAnswer();
      const { id } = await api().createThread("paced");
      await api().say(id, "Hello");
      // The page is opened before the run starts, because the run could end while the page loads.
      const { page } = await visit(`/threads/${id}/trace`);
      await bar(page, /^Model paced, done/).waitFor();
      await api().post(id, answer.question);
      answer.writeText(0, 9);
      const working = bar(page, /^Model paced, running/);
      await working.waitFor();
      const width = (): Promise<number> =>
        working
          .locator("..")
          .locator("[class*=bar]")
          .evaluate((one) => one.getBoundingClientRect().width);
      const took = await working.getAttribute("aria-label");
      await page.locator(`[aria-label="${took ?? ""}"]`).waitFor({ state: "detached" });
      expect(await width()).toBeGreaterThan(2);
      answer.end();
      await bar(page, /^Model paced, done/).waitFor();
      const log = (await api().logs(id)).findLast(({ type }) => type === "llm_request");
      const latency = duration(Number(log?.data["latency_ms"]));
      await bar(page, new RegExp(`^Model paced, done, ${latency}, `)).waitFor();
      await bar(page, /^Run of paced, done/).waitFor();
      const ended = (await api().runs(id)).at(-1);
      await expect.poll(() => figure(page, "Output tokens")).toBe(count(ended?.usage.output ?? -1));
    });

    it("In a trace, arrow keys select, open and fold bars, Enter shows a bar's contents, and Escape closes them", async () => {
      const { id } = await tracedThread();
      const { page } = await visit(`/threads/${id}/trace`);
      await waitsShown(page);
      await tree(page).focus();
      const active = async (): Promise<string> => {
        const at = await tree(page).getAttribute("aria-activedescendant");
        return (await page.locator(`[id="${at ?? ""}"]`).getAttribute("aria-label")) ?? "";
      };
      expect(await active()).toMatch(/^Run of tracer/);
      await page.keyboard.press("ArrowDown");
      expect(await active()).toMatch(/^Step 1, done/);
      const all = await page.getByRole("treeitem").count();
      await page.keyboard.press("ArrowLeft");
      await bar(page, /^Step 1/)
        .and(page.locator("[aria-expanded=false]"))
        .waitFor();
      expect(await page.getByRole("treeitem").count()).toBeLessThan(all);
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowRight");
      expect(await active()).toMatch(/^Model traced_flaky, failed/);
      await page.keyboard.press("Enter");
      await page.getByRole("region", { name: "Detail of traced_flaky" }).waitFor();
      await page.keyboard.press("ArrowDown");
      await page.getByRole("region", { name: "Detail of Back-off" }).waitFor();
      await page.keyboard.press("Escape");
      await detail(page).waitFor({ state: "detached" });
      await page.keyboard.press("End");
      expect(await active()).toMatch(/^Model traced_steady, done/);
      await page.keyboard.press("ArrowLeft");
      expect(await active()).toMatch(/^Step 2/);
      expect(await bar(page, /^Step 2/).getAttribute("aria-level")).toBe("2");
    });

    it("A trace shows the bars of nested prompts under their calls, the bars of child threads when a call is opened, and a bar for each wait", async () => {
      const reporter = await api().createThread("reporter");
      await api().say(reporter.id, "Write about threads and tools");
      const { page } = await visit(`/threads/${reporter.id}/trace`);
      await bar(page, /^Prompt researcher/)
        .first()
        .waitFor();
      // Only events name the call that a nested call belongs to, and they arrive after the log.
      await expect
        .poll(() =>
          bar(page, /^Tool search_handbook/)
            .first()
            .getAttribute("aria-level"),
        )
        .toBe("5");
      const author = await api().createThread("author");
      await api().say(author.id, "A text about lamps");
      await goInside(page, `/threads/${author.id}/trace`);
      await bar(page, /^Agent review_room/).waitFor();
      expect(await bar(page, /^Model demo_critic/).count()).toBe(0);
      await tree(page).focus();
      await bar(page, /^Agent review_room/).click();
      await page.keyboard.press("ArrowRight");
      await bar(page, /^Model demo_critic/)
        .first()
        .waitFor();
      await detail(page).getByRole("link", { name: "its trace" }).click();
      await bar(page, /^Run of review_room/).waitFor();
      const purchaser = await api().createThread("purchaser");
      await api().post(purchaser.id, "An espresso machine for 900");
      await goInside(page, `/threads/${purchaser.id}/trace`);
      await bar(page, /^Wait: place_order, waiting/).waitFor();
      await bar(page, /^Run of purchaser, waiting/).waitFor();
    });

    it("Labels of the time axis do not overlap, with any rows open and at any page width", async () => {
      const { id } = await api().createThread("purchaser");
      await api().post(id, "An espresso machine for 900");
      const { page } = await visit(`/threads/${id}/trace`);
      await bar(page, /^Wait: place_order, waiting/).click();
      await detail(page).waitFor();
      const labels = page.locator("[class*=axis] [class*=tick]:visible, [class*=axis] [class*=folded]:visible");
      for (const width of [1500, 1280, 1000, 700, 390]) {
        await page.setViewportSize({ width, height: 860 });
        // The labels are placed after the chart was measured in its new width.
        await drawn(page);
        await labels.filter({ hasText: /s$/ }).first().waitFor();
        const boxes = await labels.evaluateAll((all) =>
          all
            .map((one) => {
              const range = document.createRange();
              range.selectNodeContents(one);
              const { left, right } = range.getBoundingClientRect();
              return { left, right, text: one.textContent };
            })
            .toSorted((one, other) => one.left - other.left),
        );
        const overlaps = boxes.filter(({ left }, at) => left < (boxes[at - 1]?.right ?? Number.NEGATIVE_INFINITY));
        expect({ width, overlaps }).toEqual({ width, overlaps: [] });
      }
    });

    it("A trace can be opened from the thread's header, an answer and the command palette, and going back restores the reader's position", async () => {
      const { id, lines } = longThreadFile("assistant", 400);
      const headers = { "content-type": "application/x-ndjson" };
      await api().call("POST", "/api/threads/import", { body: lines, headers });
      const said = await api().say(id, "Hello");
      const { page } = await visit(`/threads/${id}`);
      await idle(page);
      const answer = page.getByRole("article", { name: /^Agent/ }).last();
      await answer.getByRole("button", { name: /^More about/ }).click();
      await page.getByRole("menuitem", { name: "Trace of its run" }).click();
      await bar(page, /^Run of assistant/).waitFor();
      expect(new URL(page.url()).searchParams.get("run")).toBe(said.run.id);
      await bar(page, /^Model demo/).click();
      await detail(page).waitFor();
      await page.reload();
      await page.getByRole("region", { name: "Detail of demo" }).waitFor();
      await page.goBack();
      const list = page.getByRole("log");
      await list.getByText("Message 399.").waitFor();
      await list.focus();
      await list.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
      const words = page.getByLabel("Message", { exact: true });
      await words.fill("Half a thought");
      // Rows are measured when they are drawn, which moves the others.
      const place = await list.evaluate(async (element) => {
        for (let still = 0, last = -1; still < 5; still = element.scrollTop === last ? still + 1 : 0) {
          last = element.scrollTop;
          await new Promise((resolve) => requestAnimationFrame(resolve));
        }
        return element.scrollTop;
      });
      await page.getByRole("link", { name: "Trace", exact: true }).click();
      await bar(page, /^Run of assistant/).waitFor();
      await page.getByRole("link", { name: "Back to the conversation" }).click();
      await tree(page).waitFor({ state: "detached" });
      expect(await words.inputValue()).toBe("Half a thought");
      await expect.poll(() => list.evaluate((element) => element.scrollTop)).toBe(place);
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Commands" }).fill("trace of this");
      await page.keyboard.press("Enter");
      await bar(page, /^Run of assistant/).waitFor();
    });
  });
}
