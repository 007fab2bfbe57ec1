// The inbox: what waits for a person in all threads, and the answers from there.

import type { Locator, Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";

import { deferred } from "#lib/deferred.ts";

import { goInside } from "../support/browser.ts";
import { look } from "../support/look.ts";
import type { PlaygroundUse } from "./playground-use.ts";

/** The calls that the page shows. */
const calls = (page: Page, name: RegExp | string = /./): Locator =>
  page.getByRole("main").getByRole("article", { name });

/** The link to the inbox, whose label has the number of threads. */
const link = (page: Page): Locator =>
  page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: /^Inbox/ });

const approval = /^place_order waits for approval/;

export function inbox({ api, open, visit }: PlaygroundUse): void {
  const order = async (title: string, more: object = {}): Promise<string> => {
    const { id } = await api().createThread("purchaser", { title, ...more });
    await api().say(id, "An espresso machine for 900");
    return id;
  };
  /** Resolves when the last run of the thread has ended. */
  const ended = (id: string): Promise<void> =>
    expect.poll(async () => (await api().runs(id)).at(-1)?.status).toBe("completed");
  const text = async (id: string): Promise<string> => JSON.stringify(await api().messages(id));
  const empty = async (page: Page): Promise<void> => {
    await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
    expect(await link(page).textContent()).toBe("Inbox");
  };

  describe("the inbox", () => {
    // Every call that waits is in the inbox of the next test too.
    afterEach(async () => {
      const { body } = await api().call("GET", "/api/threads?limit=100");
      for (const { id } of (body as { threads: { id: string }[] }).threads) {
        expect((await api().call("DELETE", `/api/threads/${id}`)).status).toBe(204);
      }
    });

    it("The inbox lists the calls of all threads, the longest wait first, and a person approves and declines them there", async () => {
      const screen = await visit("/inbox");
      const { page } = screen;
      await empty(page);
      await look(screen, "inbox-empty");
      const first = await order("The first order");
      const second = await order("The second order");
      await calls(page).nth(1).waitFor();
      const names = await page.getByRole("main").getByRole("heading", { level: 2 }).allInnerTexts();
      expect(names).toEqual(["The first order", "The second order"]);
      await expect.poll(() => link(page).textContent()).toBe("Inbox 2 threads wait");
      expect(await page.title()).toBe("(2) Inbox · Threadhold");
      await page.getByText("2 calls wait in 2 threads").waitFor();
      expect(await calls(page).getByText("Last message: I order it.").count()).toBe(2);
      await calls(page)
        .nth(0)
        .getByLabel(/^Price/)
        .fill("450");
      await look(screen, "inbox");
      await calls(page).nth(0).getByRole("button", { name: "Approve" }).click();
      await ended(first);
      expect(await text(first)).toContain("for at most 450 euros");
      await page
        .getByRole("status", { name: "Last answer" })
        .getByText("place_order in The first order is answered.")
        .waitFor();
      await look(screen, "inbox-answered");
      // The keyboard continues with the call that takes the position of the answered one.
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.closest("[data-waiting]") !== null))
        .toBe(true);
      await calls(page).nth(1).waitFor({ state: "detached" });
      await calls(page).getByRole("button", { name: "Decline" }).click();
      await calls(page).getByLabel("Why not").fill("Too dear");
      await page.keyboard.press("Enter");
      await ended(second);
      expect(await text(second)).toContain("Too dear");
      await empty(page);
      expect(await page.title()).toBe("Inbox · Threadhold");
    });

    it("A call in the inbox links to its message in the thread, and the key I returns to the inbox", async () => {
      const id = await order("A place");
      const { page } = await visit("/inbox");
      await calls(page, approval).getByRole("link", { name: "Show in the thread" }).click();
      await page.getByRole("heading", { level: 1, name: "A place" }).waitFor();
      const { searchParams, pathname } = new URL(page.url());
      expect(pathname).toBe(`/threads/${id}`);
      expect((await api().messages(id)).map((message) => message.id)).toContain(searchParams.get("message"));
      await page.getByRole("region", { name: "Waits for you" }).waitFor();
      await page.getByRole("main").press("i");
      await calls(page, approval).getByRole("button", { name: "Approve" }).click();
      await empty(page);
    });

    it("If another tab answers a call, the call disappears from the inbox, with a note for the person who has begun to answer it", async () => {
      const id = await order("In two tabs");
      const [here, there] = [await visit("/inbox"), await open("/inbox")];
      await calls(there.page)
        .getByLabel(/^Price/)
        .fill("300");
      await calls(here.page).getByRole("button", { name: "Approve" }).click();
      await ended(id);
      for (const { page } of [here, there]) await empty(page);
      await there.page
        .getByRole("status", { name: "Last answer" })
        .getByText(/^The call was answered elsewhere/)
        .waitFor();
      expect(await there.page.evaluate(() => document.activeElement?.textContent)).toBe("Inbox");
      await look(there, "inbox-gone");
      expect(await text(id)).toContain("for at most 900 euros");
    });

    it("If the server refuses an answer because the call was answered meanwhile, the inbox explains this with a link to the thread", async () => {
      const id = await order("Too late");
      const screen = await visit("/inbox");
      const { page } = screen;
      const release = deferred<void>();
      await page.route("**/api/**/tool-results", async (route) => {
        await release.promise;
        await route.continue();
      });
      const [sent] = await Promise.all([
        page.waitForRequest("**/api/**/tool-results"),
        calls(page).getByRole("button", { name: "Approve" }).click(),
      ]);
      const [{ tool_call_id: call }] = (sent.postDataJSON() as { results: [{ tool_call_id: string }] }).results;
      const declined = { results: [{ tool_call_id: call, approved: false, error: "No." }] };
      expect((await api().call("POST", `/api/threads/${id}/tool-results`, { json: declined })).status).toBe(202);
      release.resolve();
      const note = page.getByRole("status", { name: "Last answer" });
      await note.getByText(/was settled before your answer arrived/).waitFor();
      await note.getByRole("link", { name: "Too late" }).waitFor();
      await look(screen, "inbox-elsewhere");
      await empty(page);
    });

    it("A child's call is answered in the inbox, and its large arguments are loaded only on request", async () => {
      const { id } = await api().createThread("moody", { title: "Two who order" });
      const screen = await visit("/inbox");
      const { page } = screen;
      const requested: string[] = [];
      page.on("request", (request) => requested.push(request.url()));
      await api().post(id, "let two order");
      const call = calls(page, approval);
      await call.getByRole("button", { name: "Show the arguments" }).waitFor();
      await look(screen, "inbox-large");
      expect(requested.filter((url) => url.includes("/messages"))).toEqual([]);
      expect(await call.getByRole("button", { name: "Approve" }).count()).toBe(0);
      await call.getByRole("button", { name: "Show the arguments" }).click();
      await call.getByLabel(/^Item/).fill("A kettle");
      await call.getByRole("button", { name: "Approve" }).click();
      await ended(id);
      await empty(page);
    });

    it("A person answers a question and raises a limit in the inbox, which filters calls by kind and by agent", async () => {
      const { id: asker } = await api().createThread("asker", { title: "A question" });
      const { id: moody } = await api().createThread("moody", { title: "A limit" });
      for (const file of ["1", "2"]) await api().call("PUT", `/api/threads/${moody}/files/go/${file}`, { body: "go" });
      await api().say(moody, "count", { limits: { steps: 1, on_limit: "rest" } });
      await api().post(asker, "Go to the desk");
      const screen = await visit("/inbox");
      const { page } = screen;
      const limit = calls(page, "The run reached a limit");
      const question = calls(page, "desk__ask asks you a question");
      await Promise.all([limit.waitFor(), question.getByLabel(/^Your name/).waitFor()]);
      await look(screen, "inbox-kinds");
      await page.getByLabel("Kind of call").selectOption("question");
      await limit.waitFor({ state: "detached" });
      expect(new URL(page.url()).search).toBe("?kind=question");
      await page.getByLabel("Agent of the calls").selectOption("moody");
      await page.getByRole("heading", { name: "Nothing of this kind waits" }).waitFor();
      await look(screen, "inbox-filtered");
      await page.getByRole("button", { name: "Show everything" }).click();
      await question.getByLabel(/^Your name/).fill("Ada");
      await question.getByLabel(/^Nights/).fill("2");
      await question.getByRole("button", { name: "Answer", exact: true }).click();
      await ended(asker);
      expect(await text(asker)).toContain('{\\"action\\":\\"accept\\"');
      await limit.getByLabel("Raise steps to").fill("5");
      await limit.getByRole("button", { name: "Continue" }).click();
      await ended(moody);
      await empty(page);
    });

    it("A call in the inbox shows its remaining time, and disappears when its deadline has passed", async () => {
      const screen = await visit("/inbox");
      const { page } = screen;
      const { id } = await api().createThread("courier", { title: "In a hurry" });
      await api().post(id, "Call the courier");
      const call = calls(page, /^call_courier waits for its result/);
      await call.getByText(/^(?:\d s left|time is up)$/).waitFor();
      await call.getByRole("button", { name: /^Show all \d+ characters$/ }).waitFor();
      await call.waitFor({ state: "detached" });
      await ended(id);
      await empty(page);
    });

    it("The inbox shows twenty threads at first, and more on request", async () => {
      const screen = await visit("/inbox");
      const { page } = screen;
      await Promise.all(Array.from({ length: 22 }, (_, at) => order(`Order ${at + 1}`)));
      await expect.poll(() => link(page).textContent()).toBe("Inbox 22 threads wait");
      await page.getByRole("button", { name: "Show 2 more" }).waitFor();
      expect(await calls(page).count()).toBe(20);
      await page.getByRole("button", { name: "Show 2 more" }).click();
      await calls(page).nth(21).waitFor();
    });

    it("The inbox keeps its calls when a request fails, and says that they may be out of date", async () => {
      await order("Kept");
      const screen = await open("/inbox");
      const { page } = screen;
      await calls(page, approval).getByRole("button", { name: "Approve" }).waitFor();
      const error = { code: "internal", message: "The catalog cannot be read.", request_id: "r" };
      await page.route(/\/api\/(?:~\/)?threads\?.*order=oldest/, (route) =>
        route.fulfill({ status: 500, json: { error } }),
      );
      await page.getByRole("alert").getByText("The catalog cannot be read.").waitFor();
      await calls(page, approval).getByRole("button", { name: "Approve" }).waitFor();
      await look(screen, "inbox-error");
      await page.unrouteAll();
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("alert").waitFor({ state: "detached" });
    });

    it("The number of waiting threads is updated by the feed without a request, and for threads of other users by the thread list", async () => {
      await order("The first one");
      const { page } = await open("/");
      await expect.poll(() => page.title()).toBe("(1) Start · Threadhold");
      // The page loads the list again when its feed has begun. The feed has begun when this thread is counted.
      await order("The second one");
      await expect.poll(() => page.title()).toBe("(2) Start · Threadhold");
      const requested: string[] = [];
      page.on("request", (request) => {
        if (request.url().includes("waiting=true")) requested.push(request.url());
      });
      const id = await order("One more");
      await expect.poll(() => page.title()).toBe("(3) Start · Threadhold");
      await api().call("DELETE", `/api/threads/${id}`);
      await expect.poll(() => page.title()).toBe("(2) Start · Threadhold");
      expect(requested).toEqual([]);
      await order("Of another user", { user_id: "ada" });
      await expect.poll(() => link(page).textContent()).toBe("Inbox 3 threads wait");
      expect(requested).toHaveLength(1);
      await goInside(page, "/inbox");
      await page.getByText("Thread of ada").waitFor();
    });
  });
}
