// The list of threads, and the actions on a thread as a whole.

import type { Page, Request } from "playwright-core";
import { describe, expect, it } from "vitest";

import { holdMs } from "#playground/threads/held-deletions.ts";

import { stopTimers } from "../support/browser.ts";
import { longThreadFile } from "../support/long-thread-file.mjs";
import { look } from "../support/look.ts";
import type { PlaygroundUse } from "./playground-use.ts";

export function threads({ api, open, pacedAnswer, visit }: PlaygroundUse): void {
  describe("threads", () => {
    const marked = (): string => `mark ${crypto.randomUUID().slice(0, 8)}`;

    it("A click on a conversation starter creates a thread with the starter's text as its message and title", async () => {
      const { page } = await visit("/");
      await page.getByRole("button", { name: "What is a thread?" }).click();
      await page.getByRole("article", { name: /^You/ }).getByText("What is a thread?").waitFor();
      await page.getByRole("log").getByText("Here is what the handbook says.").waitFor();
      await page.getByRole("heading", { level: 1, name: "What is a thread?" }).waitFor();
      expect(new URL(page.url()).pathname).toMatch(/^\/threads\/[0-9a-f-]{36}$/);
    });

    it("The start page shows an agent of the project with its description, its tools and its conversation starters", async () => {
      const { page } = await visit("/");
      const entry = page
        .getByRole("listitem")
        .filter({ has: page.getByRole("heading", { name: "moody", exact: true }) });
      await entry.getByText("Does what it is told").waitFor();
      // The page does not mention a demo, because a project may have none.
      expect(
        await page.locator("header", { has: page.getByRole("heading", { name: "Start a thread" }) }).innerText(),
      ).not.toMatch(/demo/i);
      await entry.getByRole("link", { name: "patient_count" }).waitFor();
      expect(await entry.getByRole("button", { name: /^Start moody with: / }).allTextContents()).toEqual([
        "Start moody with: It is fine",
        "Start moody with: count to two",
      ]);
      await entry.getByRole("button", { name: "Start moody with: It is fine" }).click();
      await page.getByRole("article", { name: /^You/ }).getByText("It is fine").waitFor();
    });

    it("The page header, the thread list and the command palette show as a thread's title its first message as changed by hooks, and a search does not find the original text", async () => {
      const card = "4111111111111111";
      const { id } = await api().createThread("assistant");
      const { page } = await visit(`/threads/${id}`);
      await page.getByLabel("Message", { exact: true }).fill(`Charge ${card} for this`);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Charge [card] for this" }).waitFor();
      const row = page.locator(`[data-thread="${id}"]`);
      await row.getByText("Charge [card] for this").first().waitFor();
      await page.getByRole("log").getByText("Charge [card] for this").waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("option", { name: /^Charge \[card\] for this/ }).waitFor();
      expect(await page.content()).not.toContain(card);
      const { body } = await api().call("GET", `/api/threads?q=${card}`);
      expect(body).toMatchObject({ threads: [] });
    });

    it("The title of a thread changes when a hook changes the thread's first message after it is stored", async () => {
      const { id } = await api().createThread("moody");
      const { page } = await visit(`/threads/${id}`);
      await page.getByLabel("Message", { exact: true }).fill(`whisper ${id}`);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "[withheld]" }).waitFor();
      await expect.poll(async () => (await api().thread(id)).title).toBe("[withheld]");
      await page.getByRole("log").getByText("It went well.").first().waitFor();
      const { body } = await api().call("GET", `/api/threads?q=${encodeURIComponent(`whisper ${id}`)}`);
      expect(body).toMatchObject({ threads: [] });
    });

    it("A thread without a title is shown by its agent's title and the beginning of its id, and the list shows its last message", async () => {
      const { id } = await api().createThread("committee", {
        initial_messages: [{ role: "assistant", content: "Where is my order?" }],
      });
      const { page } = await visit(`/threads/${id}`);
      const name = `The committee ${id.slice(0, 4)}`;
      await page.getByRole("heading", { level: 1, name }).waitFor();
      const row = page.locator(`[data-thread="${id}"]`);
      await row.getByText(name).waitFor();
      await row.getByText("Where is my order?").waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("option", { name: new RegExp(`^${name}`) }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: "Trace" }).click();
      await page
        .getByRole("heading", { name: new RegExp(name) })
        .first()
        .waitFor();
    });

    it("A thread without messages shows its agent's description and conversation starters", async () => {
      const { id } = await api().createThread("moody");
      const screen = await visit(`/threads/${id}`);
      const { page } = screen;
      const log = page.getByRole("log");
      await log.getByRole("heading", { name: "moody" }).waitFor();
      await log.getByRole("link", { name: "patient_count" }).waitFor();
      await look(screen, "empty-conversation");
      await log.getByRole("button", { name: "It is fine" }).click();
      await log.getByText("It went well.").waitFor();
      await page.getByRole("heading", { level: 1, name: "It is fine" }).waitFor();
    });

    it("The key ? lists the keyboard shortcuts, and the palette begins with commands", async () => {
      const screen = await visit("/");
      const { page } = screen;
      await page.getByRole("heading", { name: "Start a thread" }).waitFor();
      await page.keyboard.press("?");
      const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
      await keys.getByText("Stop the run").waitFor();
      const inbox = keys.locator("dl > div").filter({ hasText: "Inbox: what waits for you in all threads" });
      expect(await inbox.locator("kbd").allTextContents()).toEqual(["I"]);
      await look(screen, "keys");
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+k");
      await page.getByRole("option").first().getByText("Write a message").waitFor();
      expect(await page.getByRole("group", { name: "This page" }).getByRole("option").allTextContents()).toEqual([
        "Write a messageC",
        "Search threads/",
        "Keyboard shortcuts?",
        "Go to the start",
        "InboxI",
        "Usage",
        "API",
        "Light theme",
        "Dark theme",
        "System theme",
      ]);
      await page.getByRole("option", { name: /^Keyboard shortcuts/ }).click();
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    });

    it("A thread can be created for any agent, with a title, tags and messages, by the keyboard alone", async () => {
      const title = marked();
      const { page } = await visit("/");
      await page.getByRole("heading", { name: "Start a thread" }).waitFor();
      await page.keyboard.press("n");
      const dialog = page.getByRole("dialog", { name: "New thread" });
      // The first field has the focus.
      await dialog.locator("select:focus").waitFor();
      await dialog.getByLabel("Agent").selectOption("concierge");
      await dialog.getByLabel("Title").fill(title);
      await dialog.getByLabel("Tags").fill("one, two, one");
      await dialog.getByRole("button", { name: "Add a message" }).press("Enter");
      await dialog.getByLabel("Text of message 1").fill("We spoke before");
      await dialog.getByRole("button", { name: "Create thread" }).press("Enter");
      await page.getByRole("log").getByText("We spoke before").waitFor();
      const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
      expect(await api().thread(id)).toMatchObject({ agent_id: "concierge", title, tags: ["one", "two"] });
    });

    it("The thread list can be searched and filtered, and the page's address keeps the search and the filters", async () => {
      const [title, other] = [marked(), marked()];
      await api().createThread("assistant", { title, tags: ["blue"] });
      await api().createThread("concierge", { title: other });
      const { page } = await visit("/");
      const rows = page.getByRole("navigation", { name: "Threads" }).getByRole("listitem");
      await rows.filter({ hasText: title }).waitFor();
      await rows.filter({ hasText: other }).waitFor();
      await page.getByLabel("Search threads").fill(title);
      await rows.filter({ hasText: other }).waitFor({ state: "detached" });
      await rows.filter({ hasText: title }).waitFor();
      await expect.poll(() => rows.count()).toBe(1);
      await page.reload();
      await rows.filter({ hasText: title }).waitFor();
      expect(await page.getByLabel("Search threads").inputValue()).toBe(title);
      await rows.getByRole("button", { name: "Show threads tagged blue" }).click();
      await page.getByText("Tagged “blue”").waitFor();
      await page.getByLabel("Status", { exact: true }).selectOption("error");
      await page.getByText("Nothing matches").waitFor();
    });

    it("The page shows changes of threads that other clients make without a reload", async () => {
      const title = marked();
      const { page } = await visit("/");
      await page.getByRole("heading", { name: "Start a thread" }).waitFor();
      const { id } = await api().createThread("forecaster", { title });
      const row = page.getByRole("listitem").filter({ hasText: title });
      await row.getByText("Idle").waitFor({ state: "attached" });
      await api().post(id, "What is the weather?");
      await row.getByText("Waiting for an answer").waitFor({ state: "attached" });
    });

    it("A thread that another client runs is shown as active and then as idle, and the page makes no request meanwhile", async () => {
      const title = marked();
      const { id } = await api().createThread("paced", { title });
      const { page } = await open("/");
      const row = page.getByRole("listitem").filter({ hasText: title });
      const listed = listedLive(page);
      const loading = openRequests(page);
      await page.reload();
      await listed;
      await row.getByText("Idle").waitFor({ state: "attached" });
      await page.getByRole("button", { name: "Start moody with: It is fine" }).waitFor();
      await expect.poll(() => [...loading].map((request) => request.url())).toEqual([]);
      const requested: string[] = [];
      page.on("request", (request) => requested.push(new URL(request.url()).pathname));
      await api().post(id, pacedAnswer().question);
      await row.getByText("Running").waitFor({ state: "attached" });
      await api().call("POST", `/api/threads/${id}/stop`);
      await row.getByText("Idle").waitFor({ state: "attached" });
      await api().call("PATCH", `/api/threads/${id}`, { json: { tags: ["elsewhere"] } });
      await row.getByRole("button", { name: "Show threads tagged elsewhere" }).waitFor();
      await api().call("DELETE", `/api/threads/${id}`);
      await row.waitFor({ state: "detached" });
      expect(requested.filter((path) => path.startsWith("/api"))).toEqual([]);
    });

    it("A user can rename and tag a thread", async () => {
      const [before, after] = [marked(), marked()];
      const { id } = await api().createThread("assistant", { title: before });
      const { page } = await visit(`/threads/${id}`);
      await page.getByRole("button", { name: "More about this thread" }).click();
      await page.getByRole("menuitem", { name: "Rename and tag" }).click();
      await page.getByLabel("Title").fill(after);
      await page.getByLabel("Tags").fill("kept");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { level: 1, name: after }).waitFor();
      expect(await api().thread(id)).toMatchObject({ title: after, tags: ["kept"] });
    });

    it("A deletion of a thread can be undone for some seconds before it is sent, and is sent at once if the user leaves the page", async () => {
      const title = marked();
      const { id } = await api().createThread("assistant", { title });
      const { page } = await open(`/?q=${encodeURIComponent(title)}`);
      await stopTimers(page, holdMs);
      const row = page.getByRole("navigation", { name: "Threads" }).getByRole("listitem").filter({ hasText: title });
      const remove = async (): Promise<void> => {
        await row.getByRole("button", { name: `More about ${title}` }).click();
        await page.getByRole("menuitem", { name: "Delete" }).click();
        await row.waitFor({ state: "detached" });
      };
      await remove();
      expect((await api().thread(id)).title).toBe(title);
      await page.getByRole("button", { name: "Undo" }).click();
      await row.waitFor();
      await remove();
      await page.goto("/healthz");
      await expect.poll(async () => (await api().call("GET", `/api/threads/${id}`)).status).toBe(404);
    });

    it("The menu of a thread saves its export as a file, up to the last line", async () => {
      const { id } = await api().createThread("assistant", {
        initial_messages: [{ role: "user", content: "Keep me" }],
      });
      const { page } = await visit(`/threads/${id}`);
      await page.getByRole("button", { name: "More about this thread" }).click();
      const saved = page.waitForEvent("download");
      await page.getByRole("menuitem", { name: "Export" }).click();
      const file = await saved;
      const chunks: Buffer[] = [];
      for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
      const lines = Buffer.concat(chunks).toString("utf8").trimEnd().split("\n");
      expect(file.suggestedFilename()).toBe(`thread-${id}.ndjson`);
      expect(lines.some((line) => line.includes("Keep me"))).toBe(true);
      expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ type: "end" });
    });

    it("The command palette finds threads and commands", async () => {
      const title = marked();
      const { id } = await api().createThread("assistant", { title });
      const { page } = await open("/");
      await page.getByRole("navigation", { name: "Threads" }).getByText(title).waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Commands" }).fill(title);
      await page.getByRole("option", { name: title, selected: true }).waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      expect(new URL(page.url()).pathname).toBe(`/threads/${id}`);
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Commands" }).fill("dark");
      await page.getByRole("option", { name: "Dark theme", selected: true }).waitFor();
      await page.keyboard.press("Enter");
      await page.locator("html[data-theme=dark]").waitFor();
      await page.reload();
      await page.locator("html[data-theme=dark]").waitFor();
    });

    it("An exported thread is imported from a chosen or dropped file and opened, an existing thread is linked, and a file that is no complete export is refused", async () => {
      const lines = (title: string): { name: string; mimeType: string; buffer: Buffer; id: string } => {
        const made = longThreadFile("assistant", 40);
        return { id: made.id, name: `${title}.ndjson`, mimeType: "", buffer: Buffer.from(made.lines) };
      };
      const { page } = await visit("/");
      const nav = page.getByRole("navigation", { name: "Threads" });
      await nav.getByRole("button", { name: "Import a thread" }).click();
      const dialog = page.getByRole("dialog", { name: "Import a thread" });
      const field = dialog.locator("input[type=file]");
      await field.setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("a few notes\n") });
      await dialog
        .getByRole("alert")
        .getByText(/“notes\.txt” is not an exported thread/)
        .waitFor();
      const chosen = lines("chosen");
      const torn = chosen.buffer.subarray(0, chosen.buffer.length - 200);
      await field.setInputFiles({ ...chosen, buffer: torn });
      await dialog.getByRole("alert").getByText("Line 43 is not JSON in UTF-8.").waitFor();
      let go = (): void => undefined;
      const paused = new Promise<void>((resolve) => (go = resolve));
      await page.route("**/api/**/import", async (route) => {
        await paused;
        await route.continue();
      });
      await field.setInputFiles(chosen);
      await dialog.getByRole("progressbar", { name: "Import of chosen.ndjson" }).waitFor();
      go();
      await page.waitForURL(`**/threads/${chosen.id}`);
      await page.getByRole("log").getByText("Message 39.").waitFor();
      await dialog.waitFor({ state: "detached" });

      const dropped = lines("dropped");
      await nav.evaluate((element, text) => {
        const data = new DataTransfer();
        data.items.add(new File([text], "dropped.ndjson"));
        const target = element.querySelector("ol") ?? element;
        for (const type of ["dragover", "drop"])
          target.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
      }, dropped.buffer.toString());
      await page.waitForURL(`**/threads/${dropped.id}`);
      expect(await page.getByRole("list", { name: "Files to send" }).count()).toBe(0);

      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Commands" }).fill("import");
      await page.getByRole("option", { name: "Import a thread…", selected: true }).waitFor();
      await page.keyboard.press("Enter");
      await field.setInputFiles(chosen);
      await dialog.getByRole("alert").waitFor();
      await dialog.getByRole("link", { name: "Open the thread that is there" }).click();
      await page.waitForURL(`**/threads/${chosen.id}`);
    });

    it("An import whose dialog is closed without a network is not sent when the network is back", async () => {
      const { page } = await open("/");
      const nav = page.getByRole("navigation", { name: "Threads" });
      await nav.getByRole("button", { name: "Import a thread" }).click();
      const dialog = page.getByRole("dialog", { name: "Import a thread" });
      await dialog.getByRole("button", { name: "Choose a file" }).waitFor();
      await page.context().setOffline(true);
      const { id, lines } = longThreadFile("assistant", 40);
      const file = { name: "late.ndjson", mimeType: "", buffer: Buffer.from(lines) };
      await dialog.locator("input[type=file]").setInputFiles(file);
      await dialog.getByRole("progressbar", { name: "Import of late.ndjson" }).waitFor();
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await dialog.waitFor({ state: "detached" });
      const sent: string[] = [];
      page.on("request", (request) => sent.push(new URL(request.url()).pathname));
      const checked = page.waitForResponse("**/healthz");
      await page.context().setOffline(false);
      await checked;
      expect(sent.filter((path) => path.endsWith("/import"))).toEqual([]);
      expect((await api().call("GET", `/api/threads/${id}`)).status).toBe(404);
    });
  });
}

/** The page's requests that are not complete. Call it before the page is loaded. */
function openRequests(page: Page): ReadonlySet<Request> {
  const open = new Set<Request>();
  page.on("request", (request) => open.add(request));
  page.on("requestfinished", (request) => open.delete(request));
  page.on("requestfailed", (request) => open.delete(request));
  return open;
}

/**
 * Resolves when the page is subscribed to changes of threads and has loaded the list after that. Call it before the
 * page is loaded.
 */
function listedLive(page: Page): Promise<unknown> {
  return new Promise((resolve) => {
    let begun = false;
    page.on("websocket", (socket) => {
      if (!new URL(socket.url()).pathname.endsWith("/threads/events")) return;
      socket.on("framereceived", ({ payload }) => (begun ||= String(payload).includes("feed_start")));
    });
    // The first request is sent before the page has received anything.
    let requests = 0;
    page.on("request", (request) => {
      if (!new URL(request.url()).pathname.endsWith("/threads")) return;
      requests += 1;
      if (begun && requests > 1) resolve(request.response());
    });
  });
}
