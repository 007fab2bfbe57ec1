// The console of the dev command: lines for runs and failures. A model's fast answer does not crash the server.

import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ApiClient } from "../support/http-client/api-client.ts";
import { startDevServer } from "./dev-server.ts";
import type { DevServer } from "./dev-server.ts";
import { copyProject } from "./support/project-copy.ts";

const key = "sk-a-key-that-nobody-may-read";
const password = "a-password-of-a-database";
/** Events of an answer that arrives at once. With wrangler's debugger each of them would be a request. */
const pieces = 1000;

/** A tool that computes without a pause. Dates do not change meanwhile, so it counts, for ten to thirty seconds. */
const spinning = (turns: number): string => `
    import { defineTool } from "threadhold";
    export default defineTool("Computes.", async () => {
      let sum = 0;
      for (let turn = 0; turn < ${String(turns)}; turn += 1) sum += Math.sqrt(turn) % 2;
      return { status: "success", result: String(sum) };
    });`;

const files = {
  "agents/models/spinner.ts": `
    import { defineModel } from "threadhold";
    export default defineModel({
      name: "spinner", provider: "test", model: "spinner",
      script: ({ messages }) => messages.at(-1)?.role === "tool" ? { text: "done" } : { toolCalls: [{ name: "spinning", arguments: {} }] },
    });`,
  "agents/tools/spinning.ts": spinning(2e9),
  "agents/prompts/spinning_rules.ts": `
    import { definePrompt } from "threadhold";
    export default definePrompt({ name: "spinning_rules", toolDescription: "Computes", model: "spinner", tools: ["spinning"], prompt: "Compute." });`,
  "agents/agents/spinner_agent.ts": `
    import { defineAgent } from "threadhold";
    export default defineAgent({ name: "spinner_agent", sideA: { prompt: "spinning_rules", maxSteps: 5 } });`,
  "agents/models/thrower.ts": `
    import { defineModel } from "threadhold";
    export default defineModel({
      name: "thrower", provider: "test", model: "thrower", inputPrice: 1, outputPrice: 1,
      script: ({ messages }) => messages.at(-1)?.role === "tool" ? { text: "done" } : { toolCalls: [{ name: "throwing", arguments: {} }] },
    });`,
  "agents/models/remote.ts": `
    import { defineModel } from "threadhold";
    export default defineModel({ name: "remote", provider: "openai", model: "remote-model" });`,
  "agents/tools/throwing.ts": `
    import { defineTool } from "threadhold";
    import { z } from "zod";
    export default defineTool("Throws.", z.object({}), async () => {
      throw new TypeError("no connection with ${password}");
    });`,
  "agents/prompts/throwing_rules.ts": `
    import { definePrompt } from "threadhold";
    export default definePrompt({ name: "throwing_rules", toolDescription: "Throws", model: "thrower", tools: ["throwing"], prompt: "Throw." });`,
  "agents/prompts/remote_rules.ts": `
    import { definePrompt } from "threadhold";
    export default definePrompt({ name: "remote_rules", toolDescription: "Asks", model: "remote", prompt: "Answer." });`,
  "agents/agents/thrower_agent.ts": `
    import { defineAgent } from "threadhold";
    export default defineAgent({ name: "thrower_agent", sideA: { prompt: "throwing_rules", maxSteps: 5 } });`,
  "agents/agents/remote_agent.ts": `
    import { defineAgent } from "threadhold";
    export default defineAgent({ name: "remote_agent", sideA: { prompt: "remote_rules", maxSteps: 5 } });`,
};

/** A provider that refuses its key, and answers a message that contains "burst" with all pieces at once. */
async function provider(): Promise<Server> {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      if (!body.includes("burst")) {
        response.writeHead(401, { "content-type": "application/json" });
        response.end(
          JSON.stringify({ error: { message: `Incorrect API key provided: ${key}`, code: "invalid_api_key" } }),
        );
        return;
      }
      request.socket.setNoDelay(true);
      response.writeHead(200, { "content-type": "text/event-stream" });
      const chunk = (delta: object, finish_reason: string | null = null): string =>
        `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
      for (let at = 0; at < pieces; at += 1) response.write(chunk({ content: "word " }));
      response.end(`${chunk({}, "stop")}data: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

describe("the dev command's console", () => {
  const project = copyProject(`OPEN_LOOPBACK=true\nDATABASE_PASSWORD=${password}\n`);
  const started: DevServer[] = [];
  let model: Server | undefined;
  let modelPort = 0;
  const start = async (name: string, ...args: string[]): Promise<{ server: DevServer; api: ApiClient }> => {
    const address = `http://127.0.0.1:${String(modelPort)}/v1`;
    const variables = ["--var", `OPENAI_API_KEY:${key}`, "--var", `OPENAI_BASE_URL:${address}`];
    // The limit of open files on many systems. With the debugger on, a thousand pieces at once are enough to end such a
    // server.
    const served = { root: project.root, openFiles: 1024 };
    const server = await startDevServer(project.state(name), [...variables, ...args], served);
    started.push(server);
    return { server, api: new ApiClient(server.url) };
  };
  const printed = (server: DevServer, text: string | RegExp): Promise<void> =>
    expect.poll(() => server.output()).toMatch(text);

  let open: Awaited<ReturnType<typeof start>> | undefined;
  const plain = (): Awaited<ReturnType<typeof start>> => {
    if (open === undefined) throw new Error("Nothing was started");
    return open;
  };

  beforeAll(async () => {
    for (const [file, text] of Object.entries(files)) project.write(file, text);
    model = await provider();
    modelPort = (model.address() as AddressInfo).port;
    open = await start("plain");
  });
  afterAll(async () => {
    await Promise.all(started.map((server) => server.stop()));
    model?.close();
    project.remove();
  });

  it("The dev console shows a plain line for each run, the cause of a failure and a tool that threw, without secrets", async () => {
    const { server, api } = plain();
    const { id } = await api.createThread("thrower_agent");
    await api.say(id, "Throw");
    await printed(server, new RegExp(`^thrower_agent completed · 2 steps · .* · thread ${id}$`, "m"));
    await printed(
      server,
      new RegExp(
        `^tool throwing threw TypeError: no connection with \\[redacted\\] .*agents/tools/throwing\\.ts:5:13\\)? \\(thread ${id}\\)$`,
        "m",
      ),
    );

    const other = await api.createThread("remote_agent");
    await api.say(other.id, "Hello");
    const cause = String.raw`HTTP 401 Incorrect API key provided: \[redacted\]`;
    await printed(server, new RegExp(`^remote_agent failed \\(auth\\): ${cause}.* · thread ${other.id}$`, "m"));
    expect(server.output()).not.toMatch(/^\{/m);
    expect(server.output()).not.toContain(key);
    expect(server.output()).not.toContain(password);
    // A first start prints only what matters: one line of the compiler, no empty lines of the build, no warning of its
    // tools.
    expect(server.output().match(/compiled \d+ definitions/g)).toHaveLength(1);
    expect(server.output()).not.toMatch(/custom build|PostCSS|update available/);
  });

  it("The dev console continues after an answer of a thousand chunks that arrive at once", async () => {
    const { api } = plain();
    const { id } = await api.createThread("remote_agent");
    for (let turn = 0; turn < 3; turn += 1) {
      const { run } = await api.say(id, "burst");
      expect(run).toMatchObject({ status: "completed", text: "word ".repeat(pieces) });
    }
    expect((await api.call("GET", "/healthz")).status).toBe(200);
  });

  it("The dev console names a tool that computes without a pause, and prints when the server answers again", async () => {
    const { server, api } = await start("spinning");
    const { id } = await api.createThread("spinner_agent");
    const message = { method: "POST", headers: { "content-type": "application/json" } };
    await fetch(`${server.url}/api/threads/${id}/messages`, {
      ...message,
      body: JSON.stringify({ content: "Compute" }),
    });
    const named = String.raw`tool spinning \(agents/tools/spinning\.ts\) of thread ${id}\.`;
    await printed(server, new RegExp(`^The Worker has not answered for 5 s\\. This tool call .*: ${named}`, "m"));
    await printed(server, /^The Worker answers again\.$/m);
    expect((await api.call("GET", "/healthz")).status).toBe(200);
    expect(server.output()).not.toContain("tool_runs");
  });

  it("The dev console prints the log lines as JSON if the option --json is set, and nothing else on standard output", async () => {
    const { server, api } = await start("json", "--json");
    const { id } = await api.createThread("thrower_agent");
    const { run } = await api.say(id, "Throw");
    await printed(
      server,
      new RegExp(
        `^\\{"level":"info","event":"run_end","thread_id":"${id}","run_id":"${run.id}",.*"rows_written":\\d+\\}$`,
        "m",
      ),
    );
    expect(server.output()).not.toContain("thrower_agent completed");
    expect(server.output()).toContain("Threadhold is ready on");
    const lines = server.printed().split("\n").slice(0, -1);
    expect(lines.filter((line) => !line.startsWith("{"))).toEqual([]);
  });
});
