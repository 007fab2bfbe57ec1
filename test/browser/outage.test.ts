// How an open page shows an outage: the server is killed while a run is active, and starts again.

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { cutPower, startDevServer } from "../e2e/dev-server.ts";
import type { DevServer } from "../e2e/dev-server.ts";
import { copyProject } from "../e2e/support/project-copy.ts";
import { longQuestion, slowQuestion } from "../e2e/support/slow-answer.ts";
import { ApiClient } from "../support/http-client/api-client.ts";
import { idle } from "./suites/playground-use.ts";
import { openBrowser } from "./support/browser.ts";
import type { TestBrowser } from "./support/browser.ts";
import { look } from "./support/look.ts";

describe("an outage", () => {
  const project = copyProject();
  const state = project.state("outage");
  let server: DevServer | undefined;
  let browser: TestBrowser | undefined;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startDevServer(state, [], project.root), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    project.remove();
  });

  it("An outage is shown by a single note with a retry button and without server addresses, and the note disappears after the outage", async () => {
    if (server === undefined || browser === undefined) throw new Error("Nothing was started");
    const api = new ApiClient(server.url);
    const { id } = await api.createThread("assistant", {
      initial_messages: [{ role: "user", content: longQuestion(600) }],
    });
    const screen = await browser.open(server.url);
    const { page } = screen;
    await page.goto(`/threads/${id}`);
    await page.getByLabel("Message", { exact: true }).fill(slowQuestion);
    await page.keyboard.press("Enter");
    await page.locator("[data-streaming=true]").getByText("word3").waitFor();

    await cutPower(server);
    await page.getByText("The server cannot be reached.").waitFor();
    const other = page.getByText(/connection .*(failed|lost)|network error/i);
    const boxes = async (): Promise<string[]> => [
      ...(await page.getByRole("alert").allInnerTexts()),
      ...(await other.allInnerTexts()),
    ];
    await expect.poll(boxes).toEqual([]);
    expect(await page.getByText(/https?:\/\/|\/api\//).count()).toBe(0);
    await look(screen, "outage");

    const tried = page.waitForRequest("**/healthz");
    await page.getByRole("button", { name: "Try now" }).click();
    await tried;

    const { port } = new URL(server.url);
    server = await startDevServer(state, ["--port", port], project.root);
    await page.getByText("The server cannot be reached.").waitFor({ state: "detached" });
    await idle(page);
    await expect.poll(boxes).toEqual([]);
    await page.getByRole("log").getByText("word599").last().waitFor();
    await screen.close();
  });
});
