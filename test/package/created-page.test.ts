// The project of the template `web`, and its page in Chromium.

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

import type axe from "axe-core";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { deferred } from "#lib/deferred.ts";

import { chromiumArguments, findHeadlessShell } from "../../scripts/lib/find-chromium.mjs";
import { describeCreatedProject } from "./created-project.ts";
import { serve, type RunningServer } from "./run.ts";

const { projects } = inject("packed");

describeCreatedProject("web", {
  folder: projects.web,
  packageManager: "npm",
  agent: "assistant",
  message: "Remember that the door code is 4711",
  events: ["I keep the note"],
});

describe("the page of the template web", () => {
  let server: RunningServer;
  let browser: Browser;

  beforeAll(async () => {
    const executablePath = await findHeadlessShell();
    browser = await chromium.launch({ executablePath, args: chromiumArguments });
    // With a token the open mode of the local server is off, as in a deployment. With a secret for tickets the page opens a WebSocket.
    const variables = [
      "--var",
      "API_TOKENS:page-secret=anna",
      "--var",
      "TICKET_SECRET:a-secret-of-the-page-that-is-long",
    ];
    const dev = ["npm", "run", "dev", "--", ...variables, "--port"] as const;
    server = await serve(dev, { cwd: projects.web });
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  /** Opens the page of a visitor who is signed in, in a window of this size. */
  async function openPage(options: BrowserContextOptions = {}): Promise<{ page: Page; errors: string[] }> {
    const context = await browser.newContext({ baseURL: server.url, ...options });
    await context.addInitScript({ content: 'localStorage.setItem("token", "page-secret")' });
    const page = await context.newPage();
    return { page, errors: recordErrors(page) };
  }

  const send = async (page: Page, text: string): Promise<void> => {
    await page.getByLabel("Message", { exact: true }).fill(text);
    await page.keyboard.press("Enter");
  };
  const isIdle = (page: Page): Promise<void> => page.getByRole("button", { name: "Send", exact: true }).waitFor();
  const rows = (page: Page) => page.getByRole("navigation", { name: "Conversations" }).getByRole("listitem");
  const call = (page: Page, name: string) => page.getByRole("region", { name });

  it("The page of a created project asks for a token, streams an answer with its tool call, and shows both again after a reload", async () => {
    const page = await browser.newPage({ baseURL: server.url });
    const errors = recordErrors(page);
    const paused = await holdAfterFirstDelta(page);
    await page.goto("/");
    await page.getByLabel("Token").fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("This token is not accepted.").waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByLabel("Token").fill("page-secret");
    await page.getByRole("button", { name: "Sign in" }).click();

    await page.getByRole("button", { name: "Remember that the door code is 4711" }).click();
    // The page shows the first piece of the answer while what follows is held. The server decides how long the piece is.
    await page.getByText(await paused.firstPiece, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    paused.release();
    const answer = page.getByRole("paragraph").filter({ hasText: 'I keep the note "the door code is 4711".' });
    await answer.waitFor();
    await call(page, "remember: done").getByText("remember").click();
    await call(page, "remember: done").locator("pre").getByText("I keep the note").waitFor();
    await call(page, "remember: done").getByText("the door code is 4711", { exact: true }).waitFor();
    await isIdle(page);

    await page.reload();
    await answer.waitFor();
    await call(page, "remember: done").waitFor();
    expect(await page.locator("article").count()).toBe(3);
    await page.getByRole("button", { name: "New conversation" }).click();
    await answer.waitFor({ state: "detached" });
    await page.goBack();
    await answer.waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Token").waitFor();
    expect(await page.evaluate("localStorage.getItem('token')")).toBeNull();
    expect(errors).toEqual([]);
    await page.close();
  });

  it("The page of a created project lists conversations by title, opens, renames and deletes them, also those of another tab", async () => {
    const { page, errors } = await openPage();
    const other = await openPage();
    await other.page.goto("/");
    await page.goto("/");
    await page.getByRole("heading", { name: "How can I help?" }).waitFor();
    for (const text of ["What time is it?", "What do your notes say?"]) {
      await page.getByRole("button", { name: "New conversation" }).click();
      await send(page, text);
      await page.locator("article[data-role=assistant] p").last().waitFor();
      await isIdle(page);
      await rows(page).first().getByText(text).waitFor();
    }
    await rows(other.page).first().getByText("What do your notes say?").waitFor();
    await rows(page).nth(1).getByText("What time is it?").click();
    await page.getByRole("heading", { level: 1, name: "What time is it?" }).waitFor();
    await page.getByRole("button", { name: "Rename What time is it?" }).click();
    await page.getByLabel("New title").fill("The time");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "The time" }).waitFor();
    await rows(other.page).filter({ hasText: "The time" }).waitFor();
    page.once("dialog", (dialog) => void dialog.accept());
    await page.getByRole("button", { name: "Delete The time" }).click();
    await page.getByRole("heading", { name: "How can I help?" }).waitFor();
    await rows(other.page).filter({ hasText: "The time" }).waitFor({ state: "detached" });
    expect([...errors, ...other.errors]).toEqual([]);
    await page.context().close();
    await other.page.context().close();
  });

  it("A call that needs an approval is a card in which a person approves it, or declines it with a reason that the model reads", async () => {
    const { page, errors } = await openPage();
    await page.goto("/");
    await send(page, "Send the team: the door is open");
    const waiting = call(page, "send_note: waits for you");
    await waiting.getByText("the door is open", { exact: true }).waitFor();
    await rows(page).first().getByText("waits for you").waitFor();
    expect(await findings(page)).toEqual([]);
    await page.reload();
    await waiting.getByRole("button", { name: "Decline" }).click();
    await waiting.getByLabel("Reason").fill("The door is shut");
    await page.keyboard.press("Enter");
    await page.locator("article[data-role=assistant]").last().getByText("They said: The door is shut").waitFor();
    await call(page, "send_note: failed").waitFor();
    await isIdle(page);
    await send(page, "Send the team: the door is open");
    await waiting.getByRole("button", { name: "Approve" }).click();
    await page
      .locator("article[data-role=assistant]")
      .last()
      .getByText("The secret NOTES_WEBHOOK is not set")
      .waitFor();
    await isIdle(page);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it("The page follows the system's theme until a person chooses one, and has no finding of accessibility in both themes, on a screen and on a phone", async () => {
    const { page, errors } = await openPage({ colorScheme: "dark" });
    await page.goto("/");
    await send(page, "What time is it?");
    await page.locator("article[data-role=assistant] p").last().waitFor();
    await isIdle(page);
    const background = (): Promise<string> =>
      page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
    const dark = await background();
    await page.emulateMedia({ colorScheme: "light" });
    const light = await background();
    expect(light).not.toBe(dark);
    const menu = page.getByRole("button", { name: "Show the conversations" });
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect([width, colorScheme, await findings(page)]).toEqual([width, colorScheme, []]);
      }
      const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect([width, over]).toEqual([width, 0]);
    }
    await menu.click();
    await page.getByRole("button", { name: "New conversation" }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole("button", { name: "Theme: system. Change to light" }).click();
    await page.getByRole("button", { name: "Theme: light. Change to dark" }).click();
    await page.emulateMedia({ colorScheme: "light" });
    expect(await background()).toBe(dark);
    await page.keyboard.press("Escape");
    await menu.waitFor();
    await page.reload();
    expect(await background()).toBe(dark);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it("PLAY1 The playground is at /studio next to the page, with deep links and the same access, and the page itself is at every other address", async () => {
    const context = await browser.newContext({ baseURL: server.url });
    const page = await context.newPage();
    const errors = recordErrors(page);
    await page.goto("/studio/agents/assistant");
    await page.getByLabel("Token or JWT").fill("page-secret");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "assistant" }).waitFor();
    await page.getByRole("link", { name: "Threadhold, start" }).click();
    await page.waitForURL(`${server.url}/studio/`);
    await page.goto("/elsewhere");
    await page.getByLabel("Token").waitFor();
    expect(await page.title()).toBe(path.basename(projects.web));
    expect(existsSync(path.join(projects.web, "dist/_threadhold/page.txt"))).toBe(true);
    expect(errors).toEqual([]);
    await context.close();
  });
});

/** Records errors of scripts, and what the content security policy refused. */
function recordErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && message.text().includes("Content Security Policy")) errors.push(message.text());
  });
  return errors;
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** All findings of axe. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  });
}

/** Holds the frames of the page's socket that follow the first piece of the answer's text, until they are released. */
async function holdAfterFirstDelta(page: Page): Promise<{ firstPiece: Promise<string>; release: () => void }> {
  const firstPiece = deferred<string>();
  let hasText = false;
  let isReleased = false;
  const paused: (() => void)[] = [];
  await page.routeWebSocket(/\/stream\b/, (socket) => {
    socket.connectToServer().onMessage((frame) => {
      if (hasText && !isReleased) paused.push(() => socket.send(frame));
      else socket.send(frame);
      const text = String(frame);
      if (hasText || !text.includes('"type":"text_delta"')) return;
      hasText = true;
      firstPiece.resolve((JSON.parse(text) as { delta: string }).delta);
    });
  });
  return {
    firstPiece: firstPiece.promise,
    release: () => {
      isReleased = true;
      for (const send of paused.splice(0)) send();
    },
  };
}
