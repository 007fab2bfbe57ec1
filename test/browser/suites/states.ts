// A conversation in its states: running, failed, with nested threads, and when the server or the thread is gone. Each
// state is created once and checked at every width and in both themes.

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";

import { goInside, newContext } from "../support/browser.ts";
import { look } from "../support/look.ts";
import type { PlaygroundUse } from "./playground-use.ts";

export function states({ api, open, visit }: PlaygroundUse): void {
  const openCalls = async (page: Page): Promise<void> => {
    await page.locator("details[data-call]").first().waitFor();
    const folded = page.locator("details[data-call]:not([open]) > summary");
    while ((await folded.count()) > 0) await folded.first().click();
  };

  describe("states of a conversation", () => {
    it("Threads with a retried and failed run, with calls and results, and with two sides have no serious accessibility finding", async () => {
      const moody = await api().createThread("moody", { title: "A bad day" });
      for (const words of [`retry ${moody.id}`, "hand on", "fail"]) await api().say(moody.id, words);
      const author = await api().createThread("author", { title: "A line that was reviewed" });
      await api().say(author.id, "A line for our bicycles");
      const reporter = await api().createThread("reporter", { title: "Prompts as tools" });
      await api().say(reporter.id, "Write about tools");
      const debate = await api().createThread("debate", { title: "Two sides" });
      await api().say(debate.id, "Every town should have a tram");

      const screen = await visit(`/threads/${moody.id}`);
      const { page } = screen;
      await page.getByText(/^The run failed/).waitFor();
      await look(screen, "run-failed");
      await goInside(page, `/threads/${author.id}`);
      await openCalls(page);
      await page
        .getByRole("article", { name: /^Writer, side B/ })
        .first()
        .waitFor();
      await look(screen, "child-thread");
      await goInside(page, `/threads/${reporter.id}`);
      await openCalls(page);
      await page.getByRole("group", { name: "What researcher says" }).waitFor();
      await look(screen, "sub-prompt");
      await goInside(page, `/threads/${debate.id}`);
      await page.locator("details[data-call]").getByText("close_debate").first().waitFor();
      await look(screen, "two-sides");
    });

    it("Threads with an active run, with queued messages and at a limit have no serious accessibility finding", async () => {
      const { id } = await api().createThread("moody", { title: "At work" });
      const screen = await visit(`/threads/${id}`);
      const { page } = screen;
      await page.getByLabel("Message", { exact: true }).fill("count");
      await page.keyboard.press("Enter");
      await page.locator("details[data-call]").getByText("counted 1").waitFor();
      for (const when of ["queue", "steer"]) await api().post(id, "Then say when you are done", { when });
      await page.getByText("joins the run").waitFor();
      await look(screen, "at-work");
      await api().call("POST", `/api/threads/${id}/stop`);
      const limited = await api().createThread("moody", { title: "At a limit" });
      for (const file of ["1", "2"])
        await api().call("PUT", `/api/threads/${limited.id}/files/go/${file}`, { body: "go" });
      await api().say(limited.id, "count", { limits: { steps: 1, on_limit: "rest" } });
      await goInside(page, `/threads/${limited.id}`);
      await page.getByText("1 used of 1 allowed.").waitFor();
      await look(screen, "limit");
    });

    it("The pages of a loading thread, of an unreachable server, of a deleted thread, and of an invalid export have no serious accessibility finding", async () => {
      const { id } = await api().createThread("assistant", { title: "Gone" });
      await api().say(id, "Hello");
      const screen = await open("/", newContext);
      const { page } = screen;
      let server: "silent" | "there" | "gone" = "silent";
      let cut = (): void => undefined;
      await page.routeWebSocket(/\/stream/, (socket) => {
        if (server === "gone") void socket.close({ code: 1011 });
        if (server === "there") socket.connectToServer();
        cut = () => void socket.close({ code: 1011 });
      });
      await page.goto(`/threads/${id}`);
      await page.getByText("Loading the thread").waitFor();
      await look(screen, "loading");

      server = "there";
      await page.reload();
      await page.getByRole("log").getByText("Hello").first().waitFor();
      server = "gone";
      await page.route("**/api/**", (route) => route.abort());
      cut();
      await page.getByText(/^The connection to this thread was lost/).waitFor();
      await page.getByLabel("Message", { exact: true }).fill("Is anybody there?");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").getByText("The message was not sent").waitFor();
      expect(await page.getByLabel("Message", { exact: true }).inputValue()).toBe("Is anybody there?");
      await look(screen, "server-gone");

      server = "there";
      await page.unroute("**/api/**");
      await page.reload();
      await page.getByRole("log").getByText("Hello").first().waitFor();
      await api().call("DELETE", `/api/threads/${id}`);
      await page.getByText(/^This thread is not updated any more/).waitFor();
      await look(screen, "thread-gone");

      await page.setViewportSize({ width: 1280, height: 860 });
      await page.getByRole("button", { name: "Import a thread" }).click();
      await page
        .locator("[data-import]")
        .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("notes") });
      await page.getByText(/is not an exported thread/).waitFor();
      await look(screen, "import-refused");
    });
  });
}
