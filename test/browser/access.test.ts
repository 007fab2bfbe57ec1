// Sign-in: a deployment with tokens, and one that refuses every caller.

import type { Request } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { startDevServer } from "../e2e/dev-server.ts";
import type { DevServer } from "../e2e/dev-server.ts";
import { copyProject } from "../e2e/support/project-copy.ts";
import { openBrowser } from "./support/browser.ts";
import type { TestBrowser, TestPage } from "./support/browser.ts";
import { drawn, look } from "./support/look.ts";

describe("signing in", () => {
  const project = copyProject("");
  const pages: TestPage[] = [];
  let server: DevServer | undefined;
  let browser: TestBrowser | undefined;

  const open = async (path = "/"): Promise<TestPage> => {
    if (server === undefined || browser === undefined) throw new Error("Nothing was started");
    const opened = await browser.open(server.url);
    pages.push(opened);
    await opened.page.goto(path);
    return opened;
  };
  const start = async (state: string, variables: string[]): Promise<void> => {
    await server?.stop();
    server = await startDevServer(project.state(state), variables, { root: project.root, storedBundle: true });
  };

  beforeAll(async () => {
    browser = await openBrowser();
    await start("tokens", ["--var", "API_TOKENS:root-secret,anna-secret=anna"]);
  });
  afterEach(async () => {
    const wrongs = pages.flatMap((page) => page.wrongs);
    await Promise.all(pages.splice(0).map((page) => page.close()));
    expect(wrongs).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    project.remove();
  });

  it("The page requests a token, sends it in headers alone, and forgets it on a reload unless the tab is to remember it", async () => {
    const screen = await open();
    const { page } = screen;
    const requested: { url: string; authorization: string | undefined }[] = [];
    page.on("request", (request) => {
      requested.push({ url: request.url(), authorization: request.headers()["authorization"] });
    });
    await page.getByRole("heading", { name: "Sign in to this deployment" }).waitFor();
    expect(await screen.findings()).toEqual([]);
    await screen.picture("sign-in-1280-light");

    const field = page.getByLabel("Token or JWT");
    await field.fill("wrong");
    await page.keyboard.press("Enter");
    await page.getByText("This token is not accepted.").waitFor();
    await field.fill("anna-secret");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "What is a thread?" }).click();
    await page.getByRole("log").getByText("Here is what the handbook says.").waitFor();

    expect(requested.some(({ authorization }) => authorization === "Bearer anna-secret")).toBe(true);
    expect(requested.filter(({ url }) => url.includes("anna-secret"))).toEqual([]);
    const kept = (): Promise<string> =>
      page.evaluate(() =>
        JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie]),
      );
    expect(await kept()).not.toContain("anna-secret");
    await page.reload();
    await field.fill("anna-secret");
    await page.getByLabel("Remember it in this tab").check();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "What is a thread?" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "What is a thread?" }).waitFor();
    await page.getByRole("button", { name: "Signed in as anna" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to this deployment" }).waitFor();
    expect(await kept()).not.toContain("anna-secret");
  });

  const ask = async (token: string, path: string, body: object): Promise<{ id: string }> => {
    const answer = await fetch(`${server?.url ?? ""}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as { id: string };
  };

  it("The API page fits the width of a phone when a user is signed in for whom a call waits", async () => {
    const { id } = await ask("anna-secret", "/api/threads", { agent_id: "purchaser" });
    await ask("anna-secret", `/api/threads/${id}/messages?wait=true`, { content: "An espresso machine for 900" });
    const { page, findings, picture } = await open("/docs");
    await page.getByLabel("Token or JWT").fill("anna-secret");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "API" }).waitFor();
    await page.locator("main details").first().waitFor();
    await page.getByRole("link", { name: "Inbox 1 thread waits" }).waitFor();
    for (const width of [390, 360, 320]) {
      await page.setViewportSize({ width, height: 844 });
      await drawn(page);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([width, over]).toEqual([width, 0]);
    }
    expect(await findings()).toEqual([]);
    await picture("signed-in-320-light");
  });

  it("The page requests a new token when its token is no longer valid, and no text is lost", async () => {
    const { page } = await open();
    const signIn = async (): Promise<void> => {
      await page.getByLabel("Token or JWT").fill("anna-secret");
      await page.keyboard.press("Enter");
    };
    await signIn();
    await page.getByRole("button", { name: "Empty thread with Assistant" }).click();
    const field = page.getByLabel("Message", { exact: true });
    await field.fill("Words that stay");
    const error = { code: "unauthorized", message: "The token is over.", request_id: "r" };
    // Requests are refused from the message on. If an earlier request were refused, such as that for the ticket of the thread's socket, the
    // page would ask for a token, and the message would never be sent.
    const isMessage = (request: Request) => request.method() === "POST" && request.url().endsWith("/messages");
    let isOver = false;
    await page.route("**/api/**", (route) => {
      isOver ||= isMessage(route.request());
      return isOver ? route.fulfill({ status: 401, json: { error } }) : route.continue();
    });
    const refused = page.waitForResponse((response) => response.status() === 401 && isMessage(response.request()));
    await field.press("Enter");
    await refused;
    await page.getByText("The token is not accepted any more.").waitFor();
    await page.unroute("**/api/**");
    await signIn();
    await expect.poll(() => field.inputValue()).toBe("Words that stay");
  });

  it("An administrator sees each thread's owner and each message's author, and every user sees as whom they are signed in", async () => {
    const { id } = await ask("anna-secret", "/api/threads", { agent_id: "assistant", title: "First of hers" });
    await ask("root-secret", "/api/threads", { agent_id: "assistant", title: "One of nobody" });
    await ask("anna-secret", `/api/threads/${id}/messages`, { content: "Written by Anna", run: false });
    await ask("root-secret", `/api/threads/${id}/messages`, { content: "Written by another", run: false });
    const signedIn = async (token: string): Promise<TestPage> => {
      const screen = await open(`/threads/${id}`);
      await screen.page.getByLabel("Token or JWT").fill(token);
      await screen.page.keyboard.press("Enter");
      await screen.page.getByRole("log").getByText("Written by Anna").waitFor();
      return screen;
    };
    const speakers = async ({ page }: TestPage): Promise<string[]> => {
      const names = await page
        .getByRole("log")
        .getByRole("article")
        .evaluateAll((all) => all.map((one) => one.ariaLabel));
      return names.map((name) => name?.split(",")[0] ?? "");
    };

    const root = await signedIn("root-secret");
    const { page } = root;
    await expect.poll(() => speakers(root)).toEqual(["anna", "Administrator"]);
    await page.getByText("Thread of anna", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Signed in as Administrator" }).waitFor();
    const rows = page.getByRole("navigation", { name: "Threads" }).getByRole("listitem");
    const row = rows.filter({ hasText: "First of hers" });
    await row.getByText("anna", { exact: true }).waitFor();
    await row.getByText("Written by another").waitFor();
    await page.getByLabel("User").fill("anna");
    await rows.filter({ hasText: "One of nobody" }).waitFor({ state: "detached" });
    await row.waitFor();
    expect(new URL(page.url()).searchParams.get("user")).toBe("anna");
    await look(root, "owner");

    const anna = await signedIn("anna-secret");
    await expect.poll(() => speakers(anna)).toEqual(["You", "Administrator"]);
    await anna.page.getByRole("button", { name: "Signed in as anna" }).waitFor();
    expect(await anna.page.getByText("Thread of anna", { exact: true }).count()).toBe(0);
    expect(await anna.page.getByLabel("User", { exact: true }).count()).toBe(0);
  });

  it("The page shows what to do if the deployment accepts no callers or cannot be reached", async () => {
    await start("closed", []);
    const screen = await open();
    const { page } = screen;
    await page.getByRole("heading", { name: "Access is not set up yet" }).waitFor();
    expect(await screen.findings()).toEqual([]);
    await screen.picture("closed-1280-light");
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "The deployment does not answer" }).waitFor();
  });
});
