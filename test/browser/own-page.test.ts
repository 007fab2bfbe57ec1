// The playground next to a page of the project's own, in a real browser: a Worker with a single-page application, and a Worker made with Hono
// that mounts the API under a prefix. Both are served by the dev command, which copies the playground into the site's files.

import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";

import type { Page, Response } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

import { startDevServer } from "../e2e/dev-server.ts";
import type { DevServer } from "../e2e/dev-server.ts";
import { copyProject, type ProjectCopy } from "../e2e/support/project-copy.ts";
import { timeoutMs } from "../support/http-client/deadline.ts";
import { newContext, openBrowser } from "./support/browser.ts";
import type { TestBrowser, TestPage } from "./support/browser.ts";

/** A site whose page answers every address, as single-page applications do. */
const sitePage = '<!doctype html><title>My shop</title><script src="/own.js"></script><h1>My shop</h1>\n';

/** A copy of the project whose Worker has this site and these settings of its assets. The playground is built before it is copied. */
function projectWithSite(variables: string, assets: string): ProjectCopy {
  const project = copyProject(variables);
  project.write("site/index.html", sitePage);
  project.write("site/own.js", "document.documentElement.dataset.own = location.pathname;\n");
  const before = readFileSync(path.join(project.root, "wrangler.toml"), "utf8");
  const toml = before
    .replace('directory = "dist/ui"', 'directory = "site"')
    .replace('run_worker_first = ["/*", "!/assets/*"]\n', assets)
    .replace(
      /command = ".*"/,
      'command = "node scripts/build-ui.mjs --auto && node scripts/threadhold.mjs build --auto"',
    );
  project.write("wrangler.toml", toml);
  return project;
}

/** Records the paths of all responses of a page, with their status. */
function recordResponses(page: Page): { path: string; status: number }[] {
  const received: { path: string; status: number }[] = [];
  page.on("response", (response: Response) => {
    received.push({ path: new URL(response.url()).pathname, status: response.status() });
  });
  return received;
}

/** Opens every page of the playground by its links, and loads each address again. */
async function visitEveryPage(page: Page, { pages, url }: { pages: string; url: string }): Promise<string> {
  const at = async (rest: string | RegExp): Promise<void> => {
    const isThere = (address: URL): boolean => {
      const own = address.pathname.slice(pages.length);
      return address.pathname.startsWith(pages) && (typeof rest === "string" ? own === rest : rest.test(own));
    };
    await page.waitForURL(isThere).catch(async (cause: unknown) => {
      const shown = await page.locator("main").innerText();
      throw new Error(`The page is at ${page.url()}, not at ${String(rest)}, and shows: ${shown.slice(0, 300)}`, {
        cause,
      });
    });
  };
  const heading = (name: string | RegExp): Promise<void> => page.getByRole("heading", { level: 1, name }).waitFor();
  await heading("Start a thread");
  await page.getByRole("button", { name: "Start assistant with: What is a thread?" }).click();
  await at(/^\/threads\/[0-9a-f-]{36}$/);
  const thread = page.url().slice(`${url}${pages}`.length);
  const answer = page.getByRole("log").getByText("Here is what the handbook says.");
  await answer.waitFor();
  await page.reload();
  await answer.waitFor();

  await page.getByRole("link", { name: "Trace", exact: true }).click();
  await at(`${thread}/trace`);
  await page.getByRole("tree").waitFor();
  await page.reload();
  await page.getByRole("tree").waitFor();

  await page.goto(`${pages}${thread}/files`);
  await page.getByRole("link", { name: "Back to the conversation" }).click();
  await at(thread);

  const bar = page.getByRole("navigation", { name: "Pages" });
  for (const [link, to, title] of [
    [/^Inbox/, "/inbox", "Inbox"],
    ["Definitions", "/definitions", "Definitions"],
    ["Usage", "/usage", "Usage"],
    ["API", "/docs", "API"],
  ] as const) {
    await bar.getByRole("link", { name: link }).click();
    await at(to);
    await heading(title);
    await page.reload();
    await heading(title);
  }
  await page.getByRole("link", { name: "Threadhold, start" }).click();
  await heading("Start a thread");
  await at(/^\/?$/);
  return thread;
}

/** Creates a thread in which a call waits, with the credentials of these headers, and approves the call in the inbox. */
async function approveInInbox(
  page: Page,
  { pages, api, headers }: { pages: string; api: string; headers: Record<string, string> },
): Promise<void> {
  const post = async (address: string, body: object): Promise<{ id: string }> => {
    const init = {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    return (await (await fetch(`${api}${address}`, init)).json()) as { id: string };
  };
  const { id } = await post("/api/threads", { agent_id: "purchaser", title: "An order" });
  await post(`/api/threads/${id}/messages?wait=true`, { content: "An espresso machine for 900" });
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Inbox 1 thread waits" }).click();
  await page.getByRole("main").getByRole("link", { name: "An order" }).waitFor();
  await page.getByRole("main").getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByRole("main").getByRole("link", { name: "An order" }).click();
  await page.waitForURL((address) => address.pathname === `${pages}/threads/${id}`);
  await page
    .getByRole("log")
    .getByText("Ordered: an espresso machine for at most 900 euros.")
    .filter({ visible: true })
    .first()
    .waitFor();
}

describe("the playground next to a page of the project's own", () => {
  let browser: TestBrowser | undefined;
  let server: DevServer | undefined;
  const opened: TestPage[] = [];

  const open = async (address: string): Promise<TestPage> => {
    if (server === undefined || browser === undefined) throw new Error("Nothing was started");
    const page = await browser.open(server.url, newContext);
    opened.push(page);
    await page.page.goto(address);
    return page;
  };
  const textAt = async (address: string): Promise<string> =>
    (await fetch(`${server?.url ?? ""}${address}`, { headers: { accept: "text/html" } })).text();

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterEach(async () => {
    const wrongs = opened.flatMap((page) => page.wrongs);
    await Promise.all(opened.splice(0).map((page) => page.close()));
    expect(wrongs).toEqual([]);
  });
  afterAll(() => browser?.close());

  describe("in a Worker with a single-page application", () => {
    const routed =
      'not_found_handling = "single-page-application"\nrun_worker_first = ["/api/*", "/healthz", "/studio", "/studio/*"]\n';
    const project = projectWithSite(
      "API_TOKENS=root-secret,anna-secret=anna\nTICKET_SECRET=a-secret-for-tickets-of-this-test\n",
      routed,
    );
    beforeAll(async () => {
      server = await startDevServer(project.state("spa"), [], { root: project.root });
    });
    afterAll(async () => {
      await server?.stop();
      project.remove();
    });

    it("PLAY1 The dev command serves the playground at /studio next to the site, and prints both addresses", async () => {
      const { url, output } = server as DevServer;
      expect(output()).toContain(`  page        ${url}\n  playground  ${url}/studio\n`);
      for (const address of ["/", "/inbox", "/threads/some", "/studio-2", "/studios", "/docs"]) {
        expect([address, await textAt(address)]).toEqual([address, sitePage]);
      }
      const { page, wrongs } = await open("/inbox");
      await page.getByRole("heading", { name: "My shop" }).waitFor();
      expect(await page.evaluate(() => document.documentElement.dataset["own"])).toBe("/inbox");
      expect(wrongs).toEqual([]);
    });

    it("PLAY1 Every page, deep link and reload works below the path after sign-in with a token, with the policy and with cached files", async () => {
      const { url } = server as DevServer;
      const { page, findings } = await open("/studio/usage?days=7");
      await page.getByLabel("Token or JWT").fill("root-secret");
      await page.getByLabel("Remember it in this tab").check();
      expect(await findings()).toEqual([]);
      const responses = recordResponses(page);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
      await page.goto("/studio");
      const thread = await visitEveryPage(page, { pages: "/studio", url });
      await approveInInbox(page, { pages: "/studio", api: url, headers: { authorization: "Bearer root-secret" } });
      await page.goto(`/studio${thread}/trace`);
      await page.getByRole("tree").waitFor();
      expect(
        responses.filter(
          ({ path: received }) => !/^\/(?:studio|api)(?:\/|$)/.test(received) && received !== "/healthz",
        ),
      ).toEqual([]);
      expect(responses.filter(({ status }) => status >= 400)).toEqual([]);
      await page.goto("/studio/docs");
      await page.getByRole("link", { name: "openapi.json" }).waitFor();
      expect(await page.getByRole("link", { name: "openapi.json" }).getAttribute("href")).toBe("/api/~/openapi.json");
    });

    it("PLAY4 A copy that a build of the site deleted is served again after the next build", async () => {
      const copy = path.join(project.root, "site/_threadhold");
      expect(readFileSync(path.join(copy, ".gitignore"), "utf8")).toContain("*");
      rmSync(copy, { recursive: true });
      const agent = "agents/agents/assistant.ts";
      project.write(agent, `${readFileSync(path.join(project.root, agent), "utf8")}// Changed.\n`);
      await vi.waitUntil(() => existsSync(path.join(copy, "page.txt")), { timeout: timeoutMs, interval: 50 });
      await vi.waitUntil(async () => (await textAt("/studio/inbox")).includes('<meta name="threadhold"'), {
        timeout: timeoutMs,
        interval: 100,
      });
    });
  });

  describe("in a Worker made with Hono that mounts the API under a prefix", () => {
    const project = projectWithSite("", "");
    project.write(
      "src/index.ts",
      `import { Hono } from "hono";

import { diagnostics } from "#generated/diagnostics.ts";
import { registry } from "#generated/registry.ts";
import { createThreadhold } from "#worker/index.ts";
import type { ThreadholdBindings } from "#worker/index.ts";

const threadhold = createThreadhold(registry, {
  diagnostics,
  prefix: "/agents",
  authenticate(request) {
    const user = /\\bsession=(\\w+)/.exec(request.headers.get("cookie") ?? "")?.[1];
    return user === undefined ? null : { user, role: user === "root" ? "admin" : "user" };
  },
});

const app = new Hono<{ Bindings: ThreadholdBindings }>();
app.get("/hello", (context) => context.text("Hello"));
app.get("/agents-2/inbox", (context) => context.text("Our agents"));
app.all("/agents/*", ({ req, env, executionCtx }) => threadhold.fetch(req.raw, env, executionCtx));

export const { ThreadObject, ThreadFeed } = threadhold;
export default app;
`,
    );
    beforeAll(async () => {
      server = await startDevServer(
        project.state("hono"),
        ["--var", "TICKET_SECRET:a-secret-for-tickets-of-this-test"],
        { root: project.root },
      );
    });
    afterAll(async () => {
      await server?.stop();
      project.remove();
    });

    it("PLAY1 The dev command serves the playground below the prefix, next to the routes and files of the Worker, and prints its address", async () => {
      const { url, output } = server as DevServer;
      expect(output()).toContain(
        `  playground  ${url}/agents/studio\n  API         ${url}/agents/api; its description: ${url}/agents/studio/docs\n`,
      );
      expect([await textAt("/"), await textAt("/hello"), await textAt("/agents-2/inbox")]).toEqual([
        sitePage,
        "Hello",
        "Our agents",
      ]);
      expect(await textAt("/agents/inbox")).toContain("The playground is at /agents/studio/.");
      expect(await textAt("/agents/studio-2")).toContain("There is nothing at /agents/studio-2.");
    });

    it("PLAY1 Every page, deep link and reload works below the prefix with the sign-in of the Worker", async () => {
      const { url } = server as DevServer;
      const { page, findings } = await open("/agents/studio/inbox");
      await page.getByText("sign in there, and load this page again").waitFor();
      expect(await findings()).toEqual([]);
      await page.context().addCookies([{ name: "session", value: "root", url }]);
      const responses = recordResponses(page);
      await page.goto("/agents/studio/");
      await visitEveryPage(page, { pages: "/agents/studio", url });
      await approveInInbox(page, {
        pages: "/agents/studio",
        api: `${url}/agents`,
        headers: { cookie: "session=root" },
      });
      expect(
        responses.filter(({ path: received }) => !/^\/agents\/(?:studio|api|healthz)(?:\/|$)/.test(received)),
      ).toEqual([]);
      expect(responses.filter(({ status }) => status >= 400)).toEqual([]);
      await page.goto("/agents/api/docs");
      await page.waitForURL(`${url}/agents/studio/docs`);
      await page.locator("main details").first().click();
      await page.getByText(`${url}/agents/api/`).first().waitFor();
      expect(await page.getByRole("link", { name: "openapi.json" }).getAttribute("href")).toBe(
        "/agents/api/~/openapi.json",
      );
    });
  });
});
