// The MCP server of a real local server, with the official client over the network; and a thread that uses its own deployment by MCP.

import { createServer, connect as connectSocket } from "node:net";
import type { AddressInfo } from "node:net";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { deferred } from "#lib/deferred.ts";

import { ApiClient } from "../support/http-client/api-client.ts";
import { closedAfter, connectMcp, sentText } from "../support/mcp-client.ts";
import type { McpClient, McpClientOptions } from "../support/mcp-client.ts";
import { startDevServer } from "./dev-server.ts";
import type { DevServer } from "./dev-server.ts";
import { copyProject } from "./support/project-copy.ts";
import { addServerAgents } from "./support/server-agents.ts";

const anna = { authorization: "Bearer anna-secret" };

/** Forwards connections to a server that starts later. The definition of the server's own address is written before it has a port. */
function openForwarder() {
  let target = 0;
  const server = createServer((client) => {
    const upstream = connectSocket(target, "127.0.0.1");
    client.pipe(upstream).pipe(client);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  return {
    listen: () =>
      new Promise<string>((resolve) => {
        server.listen(0, "127.0.0.1", () => resolve(`127.0.0.1:${(server.address() as AddressInfo).port}`));
      }),
    forwardTo: (url: string) => (target = Number(new URL(url).port)),
    close: () => server.close(),
  };
}

describe("the MCP server", () => {
  const project = copyProject("");
  const forwarder = openForwarder();
  let server: DevServer | undefined;

  const use = (): DevServer => {
    if (server === undefined) throw new Error("The server did not start");
    return server;
  };
  const connect = (options: Partial<McpClientOptions> = {}): Promise<McpClient> =>
    connectMcp(use().url, { fetch, headers: anna, ...options });

  beforeAll(async () => {
    addServerAgents(project);
    const host = await forwarder.listen();
    const given = {
      API_TOKENS: "anna-secret=anna,ben-secret=ben",
      ALLOWED_OUTBOUND_HOSTS: host,
      SELF_MCP_URL: `http://${host}/mcp`,
    };
    const variables = Object.entries(given).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
    server = await startDevServer(project.state("mcp"), variables, { root: project.root, storedBundle: true });
    forwarder.forwardTo(server.url);
  });
  afterAll(async () => {
    await server?.stop();
    forwarder.close();
    project.remove();
  });

  it("MCPS4 The official client lists tools, receives the progress of a call, checks its result and continues the thread", async () => {
    const { client, call } = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "assistant",
      "purchaser",
      "thread_message",
      "thread_result",
      "thread_answer",
      "thread_stop",
    ]);
    const messages: (string | undefined)[] = [];
    const progress = ({ message }: { message?: string | undefined }): void => void messages.push(message);
    const first = await call("assistant", { task: "What is a thread?" }, { progress });
    expect(first.texts[0]).toContain("Here is what the handbook says.");
    expect(messages).toContain("Running the tool search_handbook");
    const { thread_id } = first.data;
    const second = await call("thread_message", { thread_id, message: "What did I say before?" });
    expect(second.texts[0]).toContain('Before this you said: "What is a thread?"');
    const ben = await connect({ headers: { authorization: "Bearer ben-secret" } });
    expect((await ben.call("thread_result", { thread_id })).isError).toBe(true);
    await expect(connect({ headers: {} })).rejects.toThrow(/401|unauthorized/);
    await client.close();
  });

  it("MCPS6 The official client is asked for an approval during a call, and its decision continues the call", async () => {
    const questions: string[] = [];
    const { call, client } = await connect({
      elicit: ({ message }) => {
        questions.push(message);
        return { action: "accept", content: { approve: true } };
      },
    });
    const { data } = await call("purchaser", { task: "An espresso machine for 900" });
    expect(data.status).toBe("completed");
    expect(questions).toEqual([expect.stringContaining('"price":900')]);
    await client.close();
  });

  it("MCPS9 The official client continues the stream of a call whose connection was closed", async () => {
    const resumed = deferred<void>();
    const { call, client } = await connect({
      elicit: async () => {
        // The question arrived in the first stream, which is closed now. The answer is given when the second one is open.
        await resumed.promise;
        return { action: "accept", content: { approve: true } };
      },
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        if (new Headers(init?.headers).has("last-event-id")) resumed.resolve();
        return sentText(init).includes("A desk for 700") ? closedAfter("elicitation/create", response) : response;
      },
    });
    const { data } = await call("purchaser", { task: "A desk for 700" });
    expect(data.status).toBe("completed");
    await client.close();
  });

  it("MCPS12 The official client reads a file of a thread as a resource", async () => {
    const { call, client } = await connect();
    const { thread_id } = (await call("assistant", { task: "Hello" })).data;
    const api = new ApiClient(use().url, anna);
    await api.call("PUT", `/api/threads/${thread_id}/files/notes.md`, {
      headers: { "content-type": "text/markdown" },
      body: "# Notes",
    });
    const uri = `threadhold://threads/${thread_id}/files/notes.md`;
    expect((await client.readResource({ uri })).contents).toEqual([
      { uri, mimeType: "text/markdown", text: "# Notes" },
    ]);
    await client.close();
  });

  it("MCPS19 A thread calls an agent of its own deployment by MCP, and the agent's thread belongs to the user of the token", async () => {
    const api = new ApiClient(use().url, anna);
    const { id } = await api.createThread("mcp_delegate");
    const { run } = await api.say(id, "What is a run?");
    expect(run.text).toContain("It says: Here is what the handbook says.");
    const called = /thread_id[^\da-f]+([\da-f-]{36})/.exec(JSON.stringify(await api.messages(id)))?.[1] ?? "";
    expect(await api.thread(called)).toMatchObject({ agent_id: "assistant", user_id: "anna", tags: ["mcp"] });
  });
});
