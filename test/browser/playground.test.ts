// The playground in a real browser, against a real server: what a developer sees in the first minute and in daily use.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { startDevServer } from "../e2e/dev-server.ts";
import type { DevServer } from "../e2e/dev-server.ts";
import { copyProject } from "../e2e/support/project-copy.ts";
import { addStrategyAgents, addTracedAgent } from "../e2e/support/traced-agent.ts";
import { ApiClient } from "../support/http-client/api-client.ts";
import { answers } from "./suites/answers.ts";
import { api } from "./suites/api.ts";
import { connections } from "./suites/connections.ts";
import { context } from "./suites/context.ts";
import { conversation } from "./suites/conversation.ts";
import { definitions } from "./suites/definitions.ts";
import { eventLog } from "./suites/event-log.ts";
import { examplePages } from "./suites/example-pages.ts";
import { executions } from "./suites/executions.ts";
import { files } from "./suites/files.ts";
import { hostile } from "./suites/hostile.ts";
import { hotReload } from "./suites/hot-reload.ts";
import { inbox } from "./suites/inbox.ts";
import { keyboard } from "./suites/keyboard.ts";
import { models } from "./suites/models.ts";
import { notifications } from "./suites/notifications.ts";
import type { PlaygroundUse } from "./suites/playground-use.ts";
import { rebuilt } from "./suites/rebuilt.ts";
import { richText } from "./suites/rich-text.ts";
import { runs } from "./suites/runs.ts";
import { screens } from "./suites/screens.ts";
import { search } from "./suites/search.ts";
import { sources } from "./suites/sources.ts";
import { states } from "./suites/states.ts";
import { stoppedCalls } from "./suites/stopped-calls.ts";
import { talk } from "./suites/talk.ts";
import { threads } from "./suites/threads.ts";
import { trace } from "./suites/trace.ts";
import { usage } from "./suites/usage.ts";
import { waiting } from "./suites/waiting.ts";
import { addAnswerAgents } from "./support/answer-agents.ts";
import { addAskingAgent } from "./support/asking-agent.ts";
import { newContext, openBrowser, openWholeBrowser } from "./support/browser.ts";
import type { TestBrowser, TestPage } from "./support/browser.ts";
import { addContextAgents } from "./support/context-agents.ts";
import { addCourierAgent } from "./support/courier-agent.ts";
import { addPacedAgent } from "./support/paced-model.ts";
import type { PacedModel } from "./support/paced-model.ts";
import { addProtectedAgent, protectedVariables } from "./support/protected-agent.ts";
import { addSourceAgents } from "./support/source-agents.ts";
import type { SourceServers } from "./support/source-agents.ts";
import { addTalkAgents } from "./support/talk-agents.ts";
import { addUsageAgents } from "./support/usage-agents.ts";

describe("the playground", () => {
  const project = copyProject();
  addTalkAgents(project);
  addTracedAgent(project);
  addStrategyAgents(project);
  addAnswerAgents(project);
  addContextAgents(project);
  addCourierAgent(project);
  const pages: TestPage[] = [];
  let model: PacedModel | undefined;
  let servers: SourceServers | undefined;
  let vault: { close: () => Promise<void> } | undefined;
  let desk: { close: () => Promise<void> } | undefined;
  let server: DevServer | undefined;
  let browser: TestBrowser | undefined;
  let whole: TestBrowser | undefined;

  const use: PlaygroundUse = {
    api: () => new ApiClient(server?.url ?? ""),
    async open(path, options) {
      if (server === undefined || browser === undefined) throw new Error("Nothing was started");
      const opened = await browser.open(server.url, options);
      pages.push(opened);
      await opened.page.goto(path);
      return opened;
    },
    async openWithNotifications(path) {
      if (server === undefined) throw new Error("Nothing was started");
      whole ??= await openWholeBrowser();
      const opened = await whole.open(server.url, newContext);
      pages.push(opened);
      await opened.page.goto(path);
      return opened;
    },
    async visit(path) {
      if (server === undefined || browser === undefined) throw new Error("Nothing was started");
      const visited = await browser.visit(server.url, path);
      pages.push(visited);
      return visited;
    },
    pacedAnswer() {
      if (model === undefined) throw new Error("Nothing was started");
      return model.answer();
    },
  };

  beforeAll(async () => {
    addUsageAgents(project);
    model = await addPacedAgent(project);
    servers = await addSourceAgents(project);
    desk = await addAskingAgent(project);
    vault = await addProtectedAgent(project);
    [server, browser] = await Promise.all([
      startDevServer(project.state("playground"), [...model.variables, ...protectedVariables], project.root),
      openBrowser(),
    ]);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") {
      for (const [at, page] of pages.entries()) await page.evidence(`failed-${fileName(task.name)}-${at}`);
      // No other test uses the page of a failed one.
      for (const { page } of pages) await page.close();
    }
    const wrongs = pages.flatMap((page) => page.wrongs);
    await Promise.all(pages.splice(0).map((page) => page.close()));
    expect(wrongs).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await whole?.close();
    await server?.stop();
    await model?.close();
    await servers?.close();
    await desk?.close();
    await vault?.close();
    project.remove();
  });

  it("The playground has a content security policy that forbids inline scripts, and its files may be cached forever", async () => {
    const { url } = use.api();
    const answer = await fetch(url, { headers: { accept: "text/html" } });
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*/);
    const html = await answer.text();
    const script = /<script type="module"[^>]* src="([^"]+)"/.exec(html)?.[1] ?? "";
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style| on\w+=| style=/);
    const asset = await fetch(new URL(script, url));
    expect(asset.headers.get("cache-control")).toContain("immutable");
    expect(asset.headers.get("x-content-type-options")).toBe("nosniff");
    await asset.body?.cancel();
  });

  it("The Worker answers a browser's request for a page with the page, and requests for the API with the API", async () => {
    const { url } = use.api();
    const page = { accept: "text/html" };
    const statusOf = async (path: string, headers: Record<string, string> = {}): Promise<[number, string]> => {
      const answer = await fetch(`${url}${path}`, { headers });
      await answer.body?.cancel();
      return [answer.status, (answer.headers.get("content-type") ?? "").split(";")[0] ?? ""];
    };
    expect(await statusOf("/threads/some", page)).toEqual([200, "text/html"]);
    expect(await statusOf("/threads/some")).toEqual([404, "application/json"]);
    expect(await statusOf("/api/nothing", page)).toEqual([404, "application/json"]);
    expect(await statusOf("/api/greeting", page)).toEqual([200, "application/json"]);
    expect(await statusOf("/manifest.json", { accept: "*/*" })).toEqual([404, "application/json"]);
    expect((await statusOf("/assets/none.js", page))[0]).toBe(404);
  });

  const suites = [
    threads,
    conversation,
    context,
    answers,
    search,
    talk,
    richText,
    runs,
    waiting,
    inbox,
    notifications,
    eventLog,
    trace,
    executions,
    files,
    usage,
    api,
    definitions,
    models,
    sources,
    connections,
    stoppedCalls,
    hostile,
    screens,
    states,
    keyboard,
    examplePages,
    hotReload,
  ];
  for (const suite of suites) {
    describe(suite.name, () => {
      suite(use);
      afterAll(() => deleteThreads(use.api()));
    });
  }
  rebuilt(use, project);
});

/** Deletes all threads. Every page lists the threads, so each test with a page costs more the more there are. */
async function deleteThreads(client: ApiClient): Promise<void> {
  const { body } = await client.call("GET", "/api/threads?limit=100");
  for (const { id } of (body as { threads: { id: string }[] }).threads) {
    expect((await client.call("DELETE", `/api/threads/${id}`)).status).toBe(204);
  }
}

/** Converts a test's title to a part of a file's name. */
function fileName(title: string): string {
  return title.replaceAll(/[^A-Za-z0-9]+/g, "-").slice(0, 80);
}
