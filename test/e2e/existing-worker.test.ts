// Workers that exist get threads by `threadhold init` and are served by stock wrangler: the example of a shop made with Hono, and a Worker
// that has files alone. The package is used from its sources, by links.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { nextFreePort } from "#cli/dev/free-port.ts";
import { waitUntilHealthy } from "#cli/dev/wait-until-healthy.ts";
import { ThreadholdClient } from "#client/index.ts";

import { fromRoot } from "../../scripts/lib/paths.mjs";
import { tools, wranglerEnvironment } from "../../scripts/lib/tools.mjs";
import { timeoutMs, within } from "../support/http-client/deadline.ts";
import { runWrangler, type Wrangler } from "./support/plain-wrangler.ts";

const threadhold = fromRoot("scripts/threadhold.mjs");

/** A user's Worker, in a folder outside of the repository. */
class Project {
  readonly root = mkdtempSync(path.join(tmpdir(), "threadhold-existing-"));
  #server: Wrangler | undefined;

  constructor() {
    for (const name of ["wrangler", "workerd", "hono", "zod"]) this.#link(name, fromRoot(`node_modules/${name}`));
    this.#link("threadhold", fromRoot(""));
    this.write("node_modules/.bin/threadhold", `#!/bin/sh\nexec "${process.execPath}" "${threadhold}" "$@"\n`);
    chmodSync(path.join(this.root, "node_modules/.bin/threadhold"), 0o755);
  }

  #link(name: string, target: string): void {
    const link = path.join(this.root, "node_modules", name);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(target, link);
  }

  write(file: string, text: string): void {
    mkdirSync(path.dirname(path.join(this.root, file)), { recursive: true });
    writeFileSync(path.join(this.root, file), text);
  }

  read(file: string): string {
    return readFileSync(path.join(this.root, file), "utf8");
  }

  run(program: string, ...args: string[]): string {
    const env = { ...process.env, ...wranglerEnvironment, CI: "true" };
    return execFileSync(process.execPath, [program, ...args], { cwd: this.root, env, encoding: "utf8", stdio: "pipe" });
  }

  /** The package is built from its sources here: SQL is a module, and the specification has another name. */
  useSources(): void {
    const rules =
      '\n[alias]\n"@standardagents/spec" = "SPEC"\n\n[[rules]]\ntype = "Text"\nglobs = ["**/*.sql"]\nfallthrough = true\n';
    this.write("wrangler.toml", this.read("wrangler.toml") + rules.replace("SPEC", fromRoot("src/spec/index.ts")));
  }

  async serve(): Promise<string> {
    const port = await nextFreePort(30_000 + ((process.pid * 7919) % 2_700));
    const url = `http://localhost:${String(port)}`;
    const server = runWrangler({ root: this.root }, "dev", "--port", String(port), "--inspector-port", "0");
    this.#server = server;
    const stopped = new AbortController();
    try {
      const ready = waitUntilHealthy(`${url}/agents/healthz`, stopped.signal);
      const early = server.ended.then((code) => Promise.reject(new Error(`It ended with ${String(code)}.`)));
      await within(timeoutMs, () => `wrangler dev to be healthy:\n${server.output()}`, Promise.race([ready, early]));
    } finally {
      stopped.abort();
    }
    return url;
  }

  async remove(): Promise<void> {
    await this.#server?.stop();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The configuration of the shop before it had threads. */
const before = `name = "shop"
main = "src/index.ts"
compatibility_date = "2026-04-01"

# The files of the shop.
[assets]
directory = "public"
`;

describe("a Worker made with Hono", () => {
  const project = new Project();
  const example = fromRoot("examples/hono-worker");
  const sources = {
    recursive: true,
    filter: (file: string) => !/[\\/](?:agents|\.threadhold|\.cache|\.wrangler)$/.test(file),
  };
  let url = "";

  beforeAll(async () => {
    cpSync(example, project.root, sources);
    rmSync(path.join(project.root, ".gitignore"));
    project.write("wrangler.toml", before);
    project.write(
      "tsconfig.json",
      project.read("tsconfig.json").replaceAll(/,\n? *"(?:allowImporting.*true|agents"|\.threadhold\/\*")/g, ""),
    );
    project.write("package.json", project.read("package.json").replaceAll(/,\n *"(?:check|deploy)": .*"/g, ""));
    project.run(threadhold, "init", "--yes");
  });
  afterAll(() => project.remove());

  const signIn = async (name: string): Promise<string> => {
    const response = await fetch(`${url}/sign-in`, { method: "POST", body: JSON.stringify({ name }) });
    return response.headers.get("set-cookie")?.split(";")[0] ?? "";
  };
  const withCookie =
    (cookie: string) =>
    (input: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      headers.set("cookie", cookie);
      return fetch(new URL(input, url), { ...init, headers });
    };

  it("The command init turns the Worker of a shop into exactly the Worker of the repository's example", () => {
    const files = readdirSync(example, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(example, path.join(entry.parentPath, entry.name)))
      .filter((file) => !/^\.(?:threadhold|cache|wrangler)/.test(file));
    expect(files).toContain(path.join("agents", "agents", "assistant.ts"));
    for (const file of files)
      expect([file, project.read(file)]).toEqual([file, readFileSync(path.join(example, file), "utf8")]);
    expect(before.split("\n").filter((line) => !project.read("wrangler.toml").includes(line))).toEqual([]);
  });

  it("Stock wrangler migrates the catalog of a database without an id and serves the routes and files of the shop next to threads", async () => {
    project.write(".dev.vars", project.read(".dev.vars.example"));
    project.useSources();
    // The link to the sources leads to the migrations.
    project.run(fromRoot(tools.wrangler), "d1", "migrations", "apply", "CATALOG", "--local");
    url = await project.serve();
    expect(await (await fetch(url)).text()).toBe("My shop");
    expect(await (await fetch(`${url}/hours.txt`)).text()).toContain("Opening hours");
    expect((await fetch(`${url}/agents/api/threads`)).status).toBe(401);
    expect((await fetch(`${url}/agents/`, { headers: { accept: "text/html" } })).status).toBe(404);
  });

  it("After init an edit of the Worker's own sources is served without a restart, also one that replaces the file", async () => {
    const main = "src/index.ts";
    const served = (text: string) => async () => (await (await fetch(url)).text()) === text;
    project.write(main, project.read(main).replace("My shop", "My new shop"));
    await vi.waitUntil(served("My new shop"), { timeout: timeoutMs, interval: 50 });
    // Editors write a new file and rename it.
    project.write("next.ts", project.read(main).replace("My new shop", "My shop"));
    renameSync(path.join(project.root, "next.ts"), path.join(project.root, main));
    await vi.waitUntil(served("My shop"), { timeout: timeoutMs, interval: 50 });
  });

  it("A signed-in customer talks to an agent with the client, and the shop's own route reads the same threads", async () => {
    const anna = withCookie(await signIn("anna"));
    const client = new ThreadholdClient({ url: `${url}/agents`, fetch: anna, WebSocket: null });
    const { id } = await client.threads.create({ agent_id: "assistant", title: "A question" });
    const thread = client.thread(id);
    expect((await thread.send("Hello")).status).toBe("completed");
    const { items } = await thread.messages.list();
    expect(items.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(await (await anna("/my-questions")).json()).toEqual({ questions: [{ id, title: "A question" }] });
    expect((await anna(`/agents/api/~/threads/${id}`)).status).toBe(200);
    const tom = withCookie(await signIn("tom"));
    expect((await tom(`/agents/api/threads/${id}`)).status).toBe(404);
    expect(await (await tom("/my-questions")).json()).toEqual({ questions: [] });
    const operator = withCookie(await signIn("operator"));
    expect((await operator(`/agents/api/threads/${id}`)).status).toBe(200);
    const forged = withCookie("session=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm5hIn0.AAAA");
    expect((await forged(`/agents/api/threads/${id}`)).status).toBe(401);
  });

  it("A ticket opens a stream without the customer's cookie, and the OpenAPI document names the prefix", async () => {
    const anna = withCookie(await signIn("anna"));
    const json = (body: object): RequestInit => ({
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    });
    const { id } = (await (await anna("/agents/api/threads", json({ agent_id: "assistant" }))).json()) as {
      id: string;
    };
    const events = `/api/threads/${id}/events`;
    const { ticket } = (await (await anna("/agents/api/tickets", json({ path: events }))).json()) as { ticket: string };
    const stream = await fetch(`${url}/agents${events}?ticket=${ticket}`, { headers: { accept: "text/event-stream" } });
    expect([stream.status, stream.headers.get("set-cookie")]).toEqual([
      200,
      expect.stringContaining(`Path=/agents${events};`),
    ]);
    await stream.body?.cancel();
    expect(await (await anna("/agents/api/openapi.json")).json()).toMatchObject({ servers: [{ url: "/agents" }] });
  });
});

describe("a Worker that has files alone", () => {
  const project = new Project();
  afterAll(() => project.remove());

  it("After init in a project with only static files, its new main module serves threads under the prefix, and the files answer all other requests as before", async () => {
    project.write(
      "wrangler.toml",
      'name = "site"\ncompatibility_date = "2026-04-01"\n\n[assets]\ndirectory = "public"\nnot_found_handling = "404-page"\n',
    );
    project.write("package.json", '{ "name": "site", "type": "module" }\n');
    project.write("public/index.html", "<h1>My site</h1>\n");
    project.write("public/404.html", "<h1>No such page</h1>\n");
    project.run(threadhold, "init", "--yes");
    project.useSources();
    project.write(".dev.vars", "OPEN_LOOPBACK=true\n");
    const url = await project.serve();
    const page = await fetch(url);
    expect([page.status, await page.text()]).toEqual([200, "<h1>My site</h1>\n"]);
    const missing = await fetch(`${url}/nothing`);
    expect([missing.status, await missing.text()]).toEqual([404, "<h1>No such page</h1>\n"]);
    const client = new ThreadholdClient({ url: `${url}/agents`, WebSocket: null });
    const { id } = await client.threads.create({ agent_id: "assistant" });
    expect((await client.thread(id).send("Hello")).status).toBe("completed");
  });
});
