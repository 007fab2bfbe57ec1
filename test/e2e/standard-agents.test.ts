// A project that was written for the Standard Agents document, unmodified, served by a real `wrangler dev`. A script on
// this machine replaces the models' providers.

import { execFile } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { quickTypescript } from "../../scripts/lib/tools.mjs";
import { ApiClient } from "../support/http-client/api-client.ts";
import { startDevServer, type DevServer } from "./dev-server.ts";
import { bicycleShop } from "./support/bicycle-shop.ts";
import { copyProject, type ProjectCopy } from "./support/project-copy.ts";
import { providerVariables } from "./support/provider-variables.ts";
import { openScriptedProvider, type ScriptedProvider } from "./support/scripted-provider.ts";

const fixture = fileURLToPath(new URL("fixtures/standard-agents/agents", import.meta.url));
const busy = " (The shop is busy.)";

describe("a project written for Standard Agents", () => {
  let parts: { project: ProjectCopy; provider: ScriptedProvider; server: DevServer } | undefined;
  const use = () => {
    if (parts === undefined) throw new Error("The server did not start");
    return { ...parts, api: new ApiClient(parts.server.url) };
  };

  beforeAll(async () => {
    const project = copyProject();
    rmSync(path.join(project.root, "agents"), { recursive: true });
    cpSync(fixture, path.join(project.root, "agents"), { recursive: true });
    const provider = await openScriptedProvider(bicycleShop);
    const server = await startDevServer(project.state("shop"), providerVariables(provider.url), project.root);
    parts = { project, provider, server };
  });
  afterAll(async () => {
    await parts?.server.stop();
    await parts?.provider.close();
    parts?.project.remove();
  });

  /** Posts a message in a new thread of the shop. */
  async function say(words: string) {
    const { api, provider } = use();
    const thread = await api.createThread("support_agent", { user_id: "ada" });
    const before = provider.requests.length;
    const { run } = await api.say(thread.id, words);
    return { api, id: thread.id, run, requests: provider.requests.slice(before) };
  }

  it("A project written for Standard Agents compiles without a finding and type-checks with its generated files", async () => {
    const { api, project } = use();
    expect((await api.call("GET", "/healthz")).body).toEqual({ status: "ok", version: expect.any(String) });
    const tsc = path.join(project.root, "node_modules/typescript/bin/tsc");
    const worker = path.join(project.root, "tsconfig.worker.json");
    const run = promisify(execFile)(process.execPath, [tsc, "-p", worker, ...quickTypescript]);
    await expect(run).resolves.toMatchObject({ stdout: "" });
  });

  it("The definitions of a project for Standard Agents are listed, and its controllers answer", async () => {
    const { api, server } = use();
    const names = z.object({ agents: z.array(z.object({ name: z.string(), icon: z.string().nullable() })) });
    const { agents } = await api.ask(names, "GET", "/api/agents");
    expect(agents).toEqual([
      { name: "argue_agent", icon: null },
      { name: "billing_agent", icon: null },
      { name: "support_agent", icon: `${server.url}/icons/bicycle.svg` },
    ]);
    expect((await api.call("GET", "/api/ping")).body).toEqual({ status: "ok" });
    expect((await api.call("GET", "/api/catalogue")).body).toMatchObject({
      models: ["main-model", "routed-model", "spare-model"],
      hooks: 9,
      path: "/api/catalogue",
    });
    expect((await api.call("GET", "/api/catalogue/spare-model")).body).toMatchObject({ model: "gpt-4o-mini" });
    expect((await api.call("GET", "/api/catalogue/none")).status).toBe(404);
  });

  it("The prompt, tools and hooks of a project for Standard Agents decide the model's request and the stored messages", async () => {
    const { api, id, run, requests } = await say("Which bicycle?");
    expect(requests[0]?.body.messages).toEqual([
      {
        role: "system",
        content:
          "You stand at the front desk of a bicycle shop.\nBe polite. Never promise a refund.\nAnswer in one sentence.",
      },
      { role: "user", content: `Which bicycle?${busy}` },
    ]);
    expect(requests[0]?.body.tools?.map((tool) => tool.function.name)).toEqual([
      "find_bicycle",
      "opening_hours",
      "draw_label",
      "write_receipt",
      "plan_visit",
      "close_ticket",
      "mechanic",
      "billing_agent",
      "argue_agent",
    ]);
    const found = "A race bicycle of size any, look-up 1";
    expect(run).toMatchObject({ status: "completed", steps: 2 });
    expect(run.text).toContain(found);
    expect(run.text).toContain("find_bicycle: No cargo bicycles are left.");
    expect(run.cost).toBeCloseTo((2 * (100 * 2.5 + 10 * 10)) / 1_000_000, 10);
    const messages = await api.messages(id);
    expect(messages.map(({ metadata }) => metadata)).toEqual(messages.map(() => ({ seen_by: "hook" })));
    expect((await say("When do you open?")).run.text).toBe("From nine to six. Closed on Sundays.");
  });

  it("The events of a project for Standard Agents reach followers, and a history filter hides text from the model alone", async () => {
    const { api, provider } = use();
    const { id } = await api.createThread("support_agent", { user_id: "ada" });
    const json = { content: "(aside) He looks rich.", run: false };
    expect((await api.call("POST", `/api/threads/${id}/messages`, { json })).status).toBe(202);
    const feed = await api.sayForEvents(id, "When do you open?");
    await feed.untilEnd();
    expect(feed.ofType("custom").map(({ name, data }) => [name, data])).toEqual(
      expect.arrayContaining([["hours_asked", { by: "ada", side: "a" }]]),
    );
    expect(JSON.stringify(provider.requests.slice(-2))).not.toContain("rich");
    expect((await api.messages(id))[0]?.content).toBe("(aside) He looks rich.");
  });

  it("In a project for Standard Agents, a prompt that is called as a tool has its messages under the call, and uses its own provider", async () => {
    const { api, id, run, requests } = await say("Squeak!");
    const [, first, second] = requests;
    expect(first).toMatchObject({
      path: "/api/v1/chat/completions",
      body: { model: "anthropic/claude-3-opus", provider: { order: ["anthropic", "google"] } },
    });
    // The text for Claude is sent as a part, since only a part can carry a cache mark.
    const text = `It squeaks${busy}`;
    expect(first?.body.messages.at(-1)).toEqual({ role: "user", content: [{ type: "text", text }] });
    expect(JSON.stringify(second?.body.messages.at(-1)?.content)).toContain("A city bicycle of size 54");
    expect(run.text).toBe("Oil the chain.");
    const inside = (await api.messages(id)).filter(({ depth }) => depth === 1);
    expect(inside.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  });

  it("Files and attachments of a project for Standard Agents are files of the thread", async () => {
    const { api, id, run } = await say("Label it, please");
    expect(run.text).toContain("/receipts/today.txt, line 1, 1 file");
    const whole = z.object({ paths: z.array(z.string()), logs: z.array(z.object({ type: z.string() })) });
    const { paths, logs } = await api.ask(whole, "GET", `/api/threads/${id}/whole`);
    expect(paths).toEqual(["/attachments/label.txt", "/receipts/today.txt"]);
    expect(new Set(logs.map(({ type }) => type))).toEqual(new Set(["llm_request", "tool_call"]));
    const attached = (await api.messages(id)).flatMap(({ attachments }) => attachments);
    expect(attached).toMatchObject([
      { path: "/attachments/label.txt", size: 7 },
      { id: "receipt", path: "/receipts/today.txt" },
    ]);
  });

  it("Tools and endpoints of a project for Standard Agents can call and queue tools, in a run and in an idle thread", async () => {
    const { api, id } = await say("Plan a visit");
    const shown = await api.messages(id);
    expect(shown.map(({ role, content }) => [role, content])).toEqual([
      ["user", "Plan a visit"],
      ["assistant", null],
      ["tool", "Planned. From nine to six. Closed on Sundays."],
      ["assistant", null],
      ["tool", "A race bicycle of size any, look-up 1"],
      ["assistant", expect.stringContaining("A race bicycle")],
    ]);
    const all = await api.messages(id, "&include_silent=true");
    expect(all.filter(({ silent }) => silent).map(({ content }) => content)).toEqual(["A visit is planned."]);
    const feed = await api.events(id, `after=${String((await api.thread(id)).last_seq)}&until=idle`);
    const json = { tool: "opening_hours", args: {} };
    expect((await api.call("POST", `/api/threads/${id}/call`, { json })).body).toEqual({ queued: true });
    await expect
      .poll(async () => (await api.runs(id)).map(({ kind, status }) => `${kind} ${status}`))
      .toEqual(["message completed", "tool completed"]);
    feed.close();
    expect((await api.messages(id)).at(-1)?.content).toContain("From nine to six.");
  });

  it("An endpoint of a project for Standard Agents can edit a message, and the project's hooks change the edit", async () => {
    const { api, id } = await say("Hello");
    const edited = await api.call("POST", `/api/threads/${id}/first`, { body: "Good day" });
    expect(edited.body).toMatchObject({ content: "Good day", metadata: { seen_by: "hook", edited: true } });
    expect((await api.call("GET", `/api/threads/${id}/status`)).body).toEqual({
      threadId: id,
      agent: "support_agent",
      user: "ada",
      messageCount: 2,
      running: false,
    });
  });

  it("An agent of a project for Standard Agents hands over to another one, which continues", async () => {
    const { api, id, run } = await say("Bill, please");
    expect(run).toMatchObject({ status: "completed", text: "You owe nothing." });
    expect((await api.call("GET", `/api/threads/${id}/status`)).body).toMatchObject({ agent: "billing_agent" });
  });

  it("In a project for Standard Agents two models argue in a child thread, and their verdict is the run's answer", async () => {
    const { api, id, run } = await say("Argue about it");
    expect(run).toMatchObject({ status: "completed", text: "Buy it" });
    const children = z.object({ threads: z.array(z.object({ agent_id: z.string() })) });
    expect(await api.ask(children, "GET", `/api/threads?parent_id=${id}`)).toMatchObject({
      threads: [{ agent_id: "argue_agent" }],
    });
  });

  it("A run of a project for Standard Agents ends by an end session tool, and another run completes with a fallback model", async () => {
    expect((await say("Close it")).run).toMatchObject({ status: "completed", reason: "end_session_tool", steps: 1 });
    const { run, requests } = await say("Spare me");
    expect(run).toMatchObject({ status: "completed", models: ["main-model", "spare-model"] });
    expect(requests.map(({ body }) => body.model)).toEqual(["gpt-4o", "gpt-4o-mini"]);
  });
});
