// Pages and a server in the open loopback mode, in a real Chromium and under plain `wrangler dev`: a page on a rebound name (DNS
// rebinding) does not reach the server, a page of this machine does.

import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";

import { createServer as createViteServer } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startPlainServer } from "../e2e/support/plain-wrangler.ts";
import type { Wrangler } from "../e2e/support/plain-wrangler.ts";
import { copyProject } from "../e2e/support/project-copy.ts";
import { ApiClient } from "../support/http-client/api-client.ts";
import { newContext, openBrowser } from "./support/browser.ts";
import type { TestBrowser } from "./support/browser.ts";
import { attack } from "./support/rebound-page.ts";

const secret = "the title that no foreign page may read";

/** A server of pages on a free port of this machine, like the dev server of an application. */
async function pageServer(): Promise<{ port: number; close: () => void }> {
  const server = createHttpServer((_request, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>Another app</title><body></body>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

/** Uses the API at `base` like an application's page. Runs inside the page. */
async function useFrom(base: string): Promise<object> {
  const json = { "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
  const post = async (path: string, body: object): Promise<{ id: string; run: { status: string } }> =>
    (await fetch(`${base}${path}`, { method: "POST", headers: json, body: JSON.stringify(body) })).json();
  const { id } = await post("/api/threads", { agent_id: "assistant", title: "From another port" });
  json["idempotency-key"] = crypto.randomUUID();
  const { run } = await post(`/api/threads/${id}/messages?wait=true`, { content: "Hello" });
  const listed = await (await fetch(`${base}/api/threads`)).text();
  const opened = (target: EventSource | WebSocket): Promise<boolean> =>
    new Promise((resolve) => {
      target.addEventListener("open", () => (target.close(), resolve(true)));
      target.addEventListener("error", () => (target.close(), resolve(false)));
    });
  const socket = new URL(`${base}/api/threads/${id}/stream`, location.href).href.replace("http", "ws");
  return {
    run: run.status,
    listed: listed.includes("From another port"),
    events: await opened(new EventSource(`${base}/api/threads/${id}/events`)),
    socket: await opened(new WebSocket(socket)),
    deleted: (await fetch(`${base}/api/threads/${id}`, { method: "DELETE" })).status,
  };
}

const worked = { run: "completed", listed: true, events: true, socket: true, deleted: 204 };

describe("pages of other origins and the open mode", () => {
  const project = copyProject();
  let server: (Wrangler & { url: string }) | undefined;
  let browser: TestBrowser | undefined;
  const started = () => {
    if (server === undefined || browser === undefined) throw new Error("Nothing was started");
    return { url: server.url, port: new URL(server.url).port, browser, api: new ApiClient(server.url) };
  };

  beforeAll(async () => {
    server = await startPlainServer(project);
    // Chromium asks the user before a page of the internet may reach this machine. Other browsers do not, so the test turns that off.
    const asOthers = "--disable-features=LocalNetworkAccessChecks";
    browser = await openBrowser(["--host-resolver-rules=MAP evil.example 127.0.0.1", asOthers]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    project.remove();
  });

  it("A page on a rebound name (DNS rebinding) reads nothing, writes nothing and opens nothing, whatever it sends", async () => {
    const { url, port, browser: chromium, api } = started();
    const { id } = await api.createThread("assistant", { title: secret });
    const rebound = `http://evil.example:${port}`;
    const { page, close } = await chromium.open(rebound, newContext);
    // The page itself comes from the attacker's server; all its other requests go to the address that its name has now.
    await page.route(`${rebound}/attack.html`, (route) =>
      route.fulfill({ contentType: "text/html", body: "<!doctype html><title>A page</title><body></body>" }),
    );
    await page.goto(`${rebound}/attack.html`);
    const received = await page.evaluate(attack, { server: url, thread: id });
    // The attempts reached the server, because the page sees its refusals. A redirect that is not followed shows nothing.
    expect(received.find(({ what }) => what === "fetch follow /api/threads 0")?.status).toBe(503);
    expect(received.find(({ what }) => what === "fetch manual /api/threads 4")).toMatchObject({ status: 0, text: "" });
    const answers = received.filter(({ what }) => !what.startsWith("frame"));
    expect(answers.filter(({ status }) => status >= 200 && status < 300)).toEqual([]);
    expect(received.filter(({ text }) => text.includes(secret) || text.includes("loopback_proof="))).toEqual([]);

    await page.goto(`${rebound}/api/threads`);
    expect(await page.content()).toContain("auth_not_configured");
    await close();
    expect(await api.messages(id)).toEqual([]);
    expect((await api.thread(id)).title).toBe(secret);
  });

  it.each(["localhost", "127.0.0.1"])(
    "AUTH20 A page of %s on another port may read, write, follow a thread and open a socket",
    async (name) => {
      const { url, browser: chromium } = started();
      const pages = await pageServer();
      const { page, close } = await chromium.open(`http://${name}:${String(pages.port)}`, newContext);
      await page.goto("/");
      expect(await page.evaluate(useFrom, url)).toEqual(worked);
      await close();
      pages.close();
    },
  );

  it("AUTH20 A page that Vite serves reaches the server through Vite's proxy", async () => {
    const { url, browser: chromium } = started();
    const proxy = { "/api": { target: url, changeOrigin: true, ws: true } };
    project.write("app/app.html", "<!doctype html><title>An app</title><body></body>");
    const vite = await createViteServer({
      configFile: false,
      root: path.join(project.root, "app"),
      logLevel: "silent",
      server: { port: 0, host: "localhost", proxy },
    });
    await vite.listen();
    const { page, close } = await chromium.open(vite.resolvedUrls?.local[0] ?? "", newContext);
    await page.goto("/app.html");
    expect(await page.evaluate(useFrom, "")).toEqual(worked);
    await close();
    await vite.close();
  });
});
