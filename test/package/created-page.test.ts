// The project of the template `web`, and its page in Chromium.

import { chromium, type Browser, type Page } from "playwright-core";
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

  it("The page of a created project asks for a token, streams an answer with its tool call, and shows both again after a reload", async () => {
    const page = await browser.newPage({ baseURL: server.url });
    const errors: Error[] = [];
    page.on("pageerror", (error) => errors.push(error));
    const message = page.getByLabel("Message");
    const send = async (text: string): Promise<void> => {
      await message.fill(text);
      await page.getByRole("button", { name: "Send" }).click();
    };
    const held = await holdAfterFirstDelta(page);
    await page.goto("/");
    await send("What time is it?");
    await page.getByLabel("Token").fill("page-secret");
    await page.getByRole("button", { name: "Sign in" }).click();

    await message.waitFor();
    await send("Remember that the door code is 4711");
    // The page shows the first piece of the answer while what follows is held. The server decides how long the piece is.
    await page.getByText(await held.firstPiece, { exact: true }).waitFor();
    held.release();
    const answer = page.getByText('I keep the note "the door code is 4711".', { exact: true });
    await answer.waitFor();
    const call = page.getByText(/^remember .*→ I keep the note/);
    await call.waitFor();
    await page.getByRole("button", { name: "Send" }).waitFor();

    await page.reload();
    await answer.waitFor();
    await call.waitFor();
    expect(await page.locator("article").count()).toBe(3);
    await page.getByRole("button", { name: "New conversation" }).click();
    await answer.waitFor({ state: "detached" });
    expect(errors).toEqual([]);
    await page.close();
  });
});

/** Holds the frames of the page's socket that follow the first piece of the answer's text, until they are released. */
async function holdAfterFirstDelta(page: Page): Promise<{ firstPiece: Promise<string>; release: () => void }> {
  const firstPiece = deferred<string>();
  let hasText = false;
  let isReleased = false;
  const held: (() => void)[] = [];
  await page.routeWebSocket(/\/stream\b/, (socket) => {
    socket.connectToServer().onMessage((frame) => {
      if (hasText && !isReleased) held.push(() => socket.send(frame));
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
      for (const send of held.splice(0)) send();
    },
  };
}
