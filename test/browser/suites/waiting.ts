// Runs that wait for a person: approvals, and results of remote tools.

import { describe, expect, it } from "vitest";

import { deferred } from "#lib/deferred.ts";

import { look } from "../support/look.ts";
import { acknowledged, idle } from "./playground-use.ts";
import type { PlaygroundUse } from "./playground-use.ts";

/** The requests that answer waiting calls. */
const decisions = "**/api/**/tool-results";

export function waiting({ api, open, visit }: PlaygroundUse): void {
  describe("a run that waits", () => {
    it("A user can approve a call with changed arguments, in a form with the text before the call and the titles of the tool's schema", async () => {
      const { id } = await api().createThread("purchaser");
      await api().post(id, "An espresso machine for 900");
      const { page } = await visit(`/threads/${id}`);
      const call = page.getByRole("article", { name: /^place_order waits for approval/ });
      await call.getByText("The agent wrote: I order it.").waitFor();
      // The form's code is loaded with the first form.
      await expect.poll(() => call.locator("label").allInnerTexts()).toEqual(["Item required", "Price required"]);
      await call.getByLabel(/^Price/).fill("-5");
      await call.getByRole("button", { name: "Approve" }).click();
      await call.getByText("Must be greater than 0.").waitFor();
      await call.getByLabel(/^Price/).fill("450");
      await call.getByRole("button", { name: "Approve" }).click();
      await call.waitFor({ state: "detached" });
      await idle(page);
      const { body } = await api().call("GET", `/api/threads/${id}/messages`);
      expect(JSON.stringify(body)).toContain("for at most 450 euros");
      // The collapsed call shows the arguments that ran, not those that the model wrote.
      await page
        .locator("details[data-call] summary")
        .getByText(/price: 450/)
        .waitFor();
    });

    it("A call of a child thread with arguments too long for its event is shown and approved in the parent thread", async () => {
      const { id } = await api().createThread("moody");
      await api().post(id, "let two order");
      const { page } = await visit(`/threads/${id}`);
      const call = page.getByRole("article", { name: /^place_order waits for approval/ });
      expect(await call.getByLabel(/^Item/).inputValue()).toMatch(/^a kettle (and a cup ){900}$/);
      await call.getByLabel(/^Item/).fill("A kettle");
      await call.getByRole("button", { name: "Approve" }).click();
      await call.waitFor({ state: "detached" });
      await idle(page);
      const children = await api().call("GET", `/api/threads?parent_id=${id}`);
      const [child] = (children.body as { threads: { id: string }[] }).threads;
      const messages = await api().call("GET", `/api/threads/${child?.id}/messages`);
      expect(JSON.stringify(messages.body)).toContain("A kettle");
    });

    it("A user can decline a call with a reason, which the model reads", async () => {
      const { id } = await api().createThread("purchaser");
      await api().post(id, "An espresso machine for 900");
      const { page } = await visit(`/threads/${id}`);
      const call = page.getByRole("article", { name: /^place_order waits for approval/ });
      await call.getByRole("button", { name: "Decline" }).click();
      await call.getByLabel("Why not").press("Escape");
      expect(
        await call.getByRole("button", { name: "Decline" }).evaluate((one) => one === document.activeElement),
      ).toBe(true);
      await call.getByRole("button", { name: "Decline" }).click();
      await call.getByLabel("Why not").fill("Too dear");
      await call.getByRole("button", { name: "Decline the call" }).click();
      await call.waitFor({ state: "detached" });
      await idle(page);
      const { body } = await api().call("GET", `/api/threads/${id}/messages`);
      expect(JSON.stringify(body)).toContain("Too dear");
    });

    it("A call without a result is not marked as a result that was sent shortened", async () => {
      const { id } = await api().createThread("purchaser");
      await api().post(id, "An espresso machine for 900");
      const { page } = await visit(`/threads/${id}`);
      await page.getByRole("article", { name: /^place_order waits for approval/ }).waitFor();
      const summary = page.locator("details[data-call] summary");
      expect(await summary.innerText()).toContain("place_order");
      expect(await summary.innerText()).not.toContain("shortened");
    });

    it("Two pages on which one call is approved and declined at once show the same decision, and the call runs at most once", async () => {
      const { id } = await api().createThread("purchaser");
      await api().post(id, "An espresso machine for 900");
      const [here, there] = [await visit(`/threads/${id}`), await open(`/threads/${id}`)];
      const callOn = ({ page }: typeof here) => page.getByRole("article", { name: /^place_order waits for approval/ });
      await callOn(there).getByRole("button", { name: "Decline" }).click();
      await callOn(there).getByLabel("Why not").fill("Too dear");
      await callOn(here)
        .getByLabel(/^Price/)
        .fill("450");
      // The first decision removes the buttons of the other page, so both requests are held until both buttons are clicked.
      const release = deferred<void>();
      for (const { page } of [here, there]) {
        await page.route(decisions, async (route) => {
          await release.promise;
          await route.continue();
        });
      }
      const requested = [here, there].map(({ page }) => page.waitForRequest(decisions));
      await callOn(here).getByRole("button", { name: "Approve" }).click();
      await callOn(there).getByRole("button", { name: "Decline the call" }).click();
      await Promise.all(requested);
      release.resolve();
      for (const one of [here, there]) {
        await callOn(one).waitFor({ state: "detached" });
        await idle(one.page);
      }
      const { body } = await api().call("GET", `/api/threads/${id}/messages`);
      const said = JSON.stringify(body);
      expect([said.includes("for at most 450 euros"), said.includes("Too dear")]).toSatisfy(
        ([approved, declined]: boolean[]) => approved !== declined,
      );
      const shown = () => Promise.all([here, there].map(({ page }) => page.getByRole("log").innerText()));
      await expect.poll(async () => new Set(await shown()).size).toBe(1);
    });

    it("The arguments of a call that waits for approval can be written as JSON, and the page names an invalid field", async () => {
      const { id } = await api().createThread("purchaser");
      await api().post(id, "An espresso machine for 900");
      const { page } = await visit(`/threads/${id}`);
      const call = page.getByRole("article", { name: /^place_order waits for approval/ });
      await call.getByRole("button", { name: "Write as JSON" }).click();
      const field = call.getByLabel(/as JSON$/);
      await field.fill('{"item": "A kettle", "price": "cheap"}');
      await call.getByRole("button", { name: "Approve" }).click();
      await call.getByRole("alert").filter({ hasText: "price" }).waitFor();
      await field.fill('{"item": "A kettle", "price": 30}');
      await call.getByRole("button", { name: "Back to the form" }).click();
      expect(await call.getByLabel(/^Price/).inputValue()).toBe("30");
      await call.getByRole("button", { name: "Approve" }).click();
      await page.getByRole("log").getByText("Ordered: A kettle").first().waitFor({ state: "attached" });
    });

    it("A user can answer a call of a remote tool that has a result schema in a form, or with a failure", async () => {
      const { id } = await api().createThread("moody");
      await api().post(id, "ask the guest");
      const screen = await visit(`/threads/${id}`);
      const { page } = screen;
      const call = page.getByRole("article", { name: /^ask_guest waits for its result/ });
      await call.getByLabel(/^Nights/).fill("0");
      await call.getByRole("button", { name: "Answer", exact: true }).click();
      await call.getByText("Must be at least 1.").waitFor();
      await look(screen, "remote-form");
      await call.getByLabel(/^Room/).selectOption({ label: "double" });
      await call.getByLabel(/^Nights/).fill("3");
      await call.getByRole("button", { name: "Answer", exact: true }).click();
      await call.waitFor({ state: "detached" });
      await idle(page);
      await api().post(id, "ask the guest again");
      await call.getByLabel(/^Nights/).fill("7");
      await call.getByRole("button", { name: "Report a failure" }).click();
      await call.getByLabel("Why it failed").fill("The guest is out.");
      await call.getByRole("button", { name: "Back" }).click();
      expect(await call.getByLabel(/^Nights/).inputValue()).toBe("7");
      await page.keyboard.press("Enter");
      expect(await call.getByLabel("Why it failed").inputValue()).toBe("The guest is out.");
      await call.getByLabel("Why it failed").fill("The guest is out.");
      await call.getByRole("button", { name: "Send the failure" }).click();
      await call.waitFor({ state: "detached" });
      await idle(page);
      const results = (await api().messages(id)).flatMap(({ role, content }) => (role === "tool" ? [content] : []));
      expect(results.map((content) => content?.replace(/\s/g, ""))).toEqual([
        '{"room":"double","nights":3}',
        "Theguestisout.",
      ]);
    });

    it("A user can answer the question of a running call in a form, decline it, or dismiss it", async () => {
      const { id } = await api().createThread("asker");
      await api().post(id, "Go to the desk");
      const screen = await visit(`/threads/${id}`);
      const { page } = screen;
      const call = page.getByRole("article", { name: "desk__ask asks you a question" });
      // The server's text is shown as text.
      await call.getByText("Whom may I <b>announce</b>?").waitFor();
      await page.getByRole("region", { name: "Conversation" }).locator("[data-status=running]").waitFor();
      await call.getByLabel(/^Nights/).fill("0");
      await call.getByRole("button", { name: "Answer", exact: true }).click();
      await call.getByText("Must be at least 1.").waitFor();
      await look(screen, "question-form");
      await call.getByLabel(/^Your name/).fill("Ada");
      await call.getByLabel(/^Room/).selectOption({ label: "Double" });
      await call.getByLabel(/^Nights/).fill("2");
      await call.getByRole("button", { name: "Answer", exact: true }).click();
      await call.waitFor({ state: "detached" });
      await idle(page);
      for (const button of ["Decline", "Dismiss"]) {
        await api().post(id, "Go to the desk again");
        await call.getByRole("button", { name: button }).click();
        await call.waitFor({ state: "detached" });
        await idle(page);
      }
      const results = (await api().messages(id)).flatMap(({ role, content }) => (role === "tool" ? [content] : []));
      expect(results).toEqual([
        '[{"action":"accept","content":{"name":"Ada","room":"d","nights":2}}]',
        '[{"action":"decline"}]',
        '[{"action":"cancel"}]',
      ]);
    });

    it("A user can enter the result of a remote tool that has no schema of results", async () => {
      const { id } = await api().createThread("forecaster");
      const { page } = await visit(`/threads/${id}`);
      await page.getByLabel("Message", { exact: true }).fill("What is the weather?");
      await page.keyboard.press("Enter");
      const call = page.getByRole("article", { name: /^get_location waits for its result/ });
      await call.waitFor();
      await acknowledged(page);
      await call.getByLabel("Result").fill("Lisbon");
      await call.getByRole("button", { name: "Answer", exact: true }).click();
      await page.getByRole("log").getByText("Sunny in Lisbon, as in every demo.").waitFor();
      await call.waitFor({ state: "detached" });
    });
  });
}
