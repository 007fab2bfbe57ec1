// How an open page shows an outage: the server is killed while a run is active, and starts again.

import { PassThrough } from "node:stream";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { cutPower, startDevServer } from "../e2e/dev-server.ts";
import type { DevServer } from "../e2e/dev-server.ts";
import { copyProject } from "../e2e/support/project-copy.ts";
import { openScriptedProvider } from "../e2e/support/scripted-provider.ts";
import type { ScriptedProvider } from "../e2e/support/scripted-provider.ts";
import { ApiClient } from "../support/http-client/api-client.ts";
import { idle } from "./suites/playground-use.ts";
import { openBrowser } from "./support/browser.ts";
import type { TestBrowser } from "./support/browser.ts";
import { look } from "./support/look.ts";

describe("an outage", () => {
  const project = copyProject();
  const state = project.state("outage");
  /** The model's first answer, which ends with the server. */
  const cut = new PassThrough({ encoding: "utf8", objectMode: true });
  let provider: ScriptedProvider | undefined;
  let server: DevServer | undefined;
  let browser: TestBrowser | undefined;
  const start = (...args: string[]): Promise<DevServer> => {
    const model = ["--var", "OPENAI_API_KEY:none", "--var", `OPENAI_BASE_URL:${provider?.url ?? ""}/v1`];
    return startDevServer(state, [...model, ...args], { root: project.root, storedBundle: true });
  };

  beforeAll(async () => {
    let requests = 0;
    provider = await openScriptedProvider(() => ({ text: (requests += 1) === 1 ? cut : "word0 to word9" }));
    [server, browser] = await Promise.all([start(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await provider?.close();
    project.remove();
  });

  it("An outage is shown by a single note with a retry button and without server addresses, and the note disappears after the outage", async () => {
    if (server === undefined || browser === undefined) throw new Error("Nothing was started");
    const api = new ApiClient(server.url);
    const { id } = await api.createThread("openai_assistant");
    const screen = await browser.open(server.url);
    const { page } = screen;
    await page.goto(`/threads/${id}`);
    await page.getByLabel("Message", { exact: true }).fill("Count");
    await page.keyboard.press("Enter");
    cut.write("word0 word1 word2 word3");
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
    server = await start("--port", port);
    await page.getByText("The server cannot be reached.").waitFor({ state: "detached" });
    await idle(page);
    await expect.poll(boxes).toEqual([]);
    await page.getByRole("log").getByText("word0 to word9").waitFor();
    await screen.close();
  });
});
