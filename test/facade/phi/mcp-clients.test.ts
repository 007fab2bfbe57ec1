// MCP servers over stdio and HTTP as tools of loops, of llm() and of agent(): a public server, and servers that misbehave.

import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import { BasicAgent, ModelConfig } from "#facade/phi/index.ts";
import { MockProvider } from "#facade/phi/provider/index.ts";
import { McpClient, McpError, McpToolAdapter } from "#facade/phi/tools/node/index.ts";
import type { McpHttpOptions } from "#facade/phi/tools/node/index.ts";
import { agent } from "#facade/uap/index.ts";
import { createProvider } from "#facade/upp/create-provider.ts";
import { openHttpServer } from "#tools/mcp/index.ts";

import { isRunning } from "../../tools/node/host-place.ts";
import { instance, outline } from "../support/scripted-llm.ts";
import { play, textsOf } from "./support/play.ts";
import { everything, misbehaving, startMcpServers } from "./support/tool-servers.ts";

let servers: Awaited<ReturnType<typeof startMcpServers>>;
beforeAll(async () => {
  servers = await startMcpServers();
});
afterAll(() => servers.stop());

const call = (name: string, args: JsonObject = {}) => ({ name, arguments: args });

const scopeOf = () => crypto.randomUUID();

/** Connects over HTTP to a server of the tests. The client is closed after the test. */
async function connect(name: string, options: McpHttpOptions = {}): Promise<McpClient> {
  const client = await McpClient.connectHttp(`${servers.url}/${name}`, { allowedHosts: [servers.host], ...options });
  onTestFinished(() => client.close());
  return client;
}

/** Starts a program. The client is closed after the test. */
async function start(args: readonly string[], options: Parameters<typeof McpClient.connectStdio>[2] = {}) {
  const client = await McpClient.connectStdio(process.execPath, args, options);
  onTestFinished(() => client.close());
  return client;
}

const transports = [
  ["stdio", () => start([everything, "stdio"])],
  ["HTTP", () => connect("everything")],
  ["HTTP with SSE", () => connect("old")],
] as const;

describe("a client of an MCP server", () => {
  it.each(transports)(
    "A client over %s knows its server, lists the tools, and receives texts, images, structured content and errors of calls",
    async (_name, open) => {
      const client = await open();
      expect(client.serverInfo).toEqual({ name: expect.stringContaining("everything"), version: expect.any(String) });
      const tools = await client.listTools();
      expect(tools.find(({ name }) => name === "echo")).toMatchObject({
        description: expect.stringMatching(/.+/),
        inputSchema: { type: "object", properties: { message: { type: "string" } } },
      });
      expect(await client.callTool("echo", { message: "hello" })).toEqual({
        content: [{ type: "text", text: "Echo: hello" }],
        isError: false,
      });
      const { content } = await client.callTool("get-tiny-image");
      expect(content).toContainEqual({ type: "image", mimeType: "image/png", data: expect.any(String) });
      const weather = await client.callTool("get-structured-content", { location: "Chicago" });
      expect(weather.structuredContent).toMatchObject({ temperature: expect.any(Number) });
      expect(await client.callTool("echo", {})).toMatchObject({ isError: true });
    },
  );

  it("sendRequest returns the result of any method, and an error of the server has its code", async () => {
    const client = await connect("everything");
    expect(await client.sendRequest("resources/list")).toMatchObject({ resources: expect.any(Array) });
    expect(await client.sendRequest("ping", {})).toEqual({});
    const refused = client.sendRequest("no/such-method");
    await expect(refused).rejects.toMatchObject({ kind: "JsonRpc", code: -32_601 });
    await expect(refused).rejects.toBeInstanceOf(McpError);
  });

  it("sendRequest rejects a method of a later version of the protocol with an error of the kind Protocol", async () => {
    const client = await connect("everything");
    const error = { kind: "Protocol", code: null, message: expect.stringContaining("without the method") as string };
    await expect(client.sendRequest("server/discover")).rejects.toMatchObject(error);
  });

  it("A response without a result is an error of the kind Protocol", async () => {
    const client = await connect(`bad/resultless?scope=${scopeOf()}`);
    await expect(client.callTool("ping")).rejects.toMatchObject({ kind: "Protocol" });
  });

  it("A call whose tool has to run as a task is sent as one, also before the first list", async () => {
    const client = await connect("everything");
    const { content, isError } = await client.callTool("simulate-research-query", { topic: "tides" });
    expect([isError, JSON.stringify(content)]).toEqual([false, expect.stringContaining("tides")]);
  });

  it("A client over HTTP opens another session after a restart of its server, and repeats the call that did not run", async () => {
    const scope = scopeOf();
    const client = await connect(`everything?scope=${scope}`);
    expect(await client.callTool("echo", { message: "1" })).toMatchObject({ isError: false });
    await fetch(`${servers.url}/forget?scope=${scope}`, { method: "POST" });
    expect(await client.callTool("echo", { message: "2" })).toEqual({
      content: [{ type: "text", text: "Echo: 2" }],
      isError: false,
    });
    const requests = await (await fetch(`${servers.url}/requests?scope=${scope}`)).text();
    expect([...requests.matchAll(/POST initialize/g)]).toHaveLength(2);
  });

  it("A request is rejected with the reason of its signal", async () => {
    const client = await connect("everything");
    const reason = new Error("enough");
    await expect(client.callTool("echo", {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it("After close, the program of a client has ended, and requests over each transport are errors of the kind ConnectionClosed", async () => {
    const client = await start([misbehaving]);
    const { content } = await client.callTool("environment");
    const [text] = content;
    const { pid } = JSON.parse(text?.type === "text" ? text.text : "{}") as { pid: number };
    expect(isRunning(pid)).toBe(true);
    await client.close();
    await vi.waitUntil(() => !isRunning(pid), { timeout: 60_000 });
    await expect(client.listTools()).rejects.toMatchObject({ kind: "ConnectionClosed" });
    const other = await connect("everything");
    await other.close();
    await expect(other.listTools()).rejects.toMatchObject({ kind: "ConnectionClosed" });
  });
});

const privateHost = /inside|private/;

describe("the guard of requests", () => {
  it("OUT26 A client of a program refuses a private address unless its options allow the host", async () => {
    const addresses = [`${servers.url}/everything`, "https://localhost/mcp", "https://169.254.169.254/mcp"];
    for (const url of addresses) {
      const refused = McpClient.connectHttp(url);
      await expect(refused).rejects.toMatchObject({ kind: "Transport", message: expect.stringMatching(privateHost) });
    }
    expect((await connect("everything")).serverInfo.name).not.toBe("");
  });

  it("OUT26 A redirect of an MCP server to a host that the options of the program do not allow is refused", async () => {
    const client = connect(`bad/redirecting?scope=${scopeOf()}`);
    await expect(client).rejects.toMatchObject({ kind: "Transport" });
  });

  it("A text that is no address is refused", async () => {
    await expect(McpClient.connectHttp("docs")).rejects.toThrow("needs an address with https");
  });
});

/** Plays a loop that calls one tool of a client, and returns the text of the result. */
async function resultOf(client: Pick<McpClient, "tools">, name: string): Promise<string | undefined> {
  const { returned } = await play({
    answers: [{ tool_calls: [call(name)] }, { text: "Done." }],
    tools: await McpToolAdapter.fromClient(client),
  });
  return textsOf(returned).find((text) => text.startsWith("toolResult"));
}

describe("errors in a loop", () => {
  it.each([
    ["Transport", "dying", "could not be reached"],
    ["Protocol", "page", "sent a response that is neither JSON nor an event stream"],
    ["JsonRpc -32603", "failing", "reported an error: MCP error -32603: the disk is full"],
    ["Serialization", "garbled", "sent a response that is no JSON"],
    ["Protocol", "resultless", "has no result"],
  ])(
    "An error of the kind %s of the server %s is a failed result that names the kind and the server",
    async (kind, mode, text) => {
      const client = await connect(`bad/${mode}?scope=${scopeOf()}`, { name: "docs" });
      const result = await resultOf(client, "ping");
      expect(result).toContain(`toolResult error: ${kind}: The MCP server "docs" `);
      expect(result).toContain(text);
    },
  );

  it("An error of the kind ConnectionClosed is a failed result that names the kind and the server", async () => {
    const client = await start([misbehaving, "ends in a call"], { name: "local" });
    expect(await resultOf(client, "environment")).toContain('error: ConnectionClosed: The MCP server "local" closed');
  });

  it("A program that does not exist is an error of the kind Io, and one that ends at its start has its last lines", async () => {
    const missing = McpClient.connectStdio("threadhold-no-such-program");
    await expect(missing).rejects.toMatchObject({ kind: "Io", message: expect.stringContaining("is not found") });
    const ended = McpClient.connectStdio(process.execPath, [misbehaving, "ends at the start"]);
    await expect(ended).rejects.toMatchObject({
      kind: "ConnectionClosed",
      message: expect.stringContaining("The setting KEY is missing."),
    });
    const broken = new McpError('The MCP server "local" broke.', { kind: "Io" });
    const client = { tools: async () => [{ ...plainTool, run: () => Promise.reject(broken) }] };
    expect(await resultOf(client, "ping")).toBe('toolResult error: Io: The MCP server "local" broke.');
  });
});

const plainTool = { name: "ping", description: "Pings.", parameters: { type: "object" as const } };

describe("tools of MCP servers", () => {
  it("An agent calls the tools of a server over stdio and over HTTP, whose names have the prefix if there is one", async () => {
    const [local, remote] = await Promise.all([start([everything, "stdio"]), connect("everything")]);
    const requested = new BasicAgent(ModelConfig.anthropic("mock-model", "Mock", "key"))
      .withTools(await McpToolAdapter.fromClient(local, { tools: ["echo", "get-tiny-image"] }))
      .addTools(await McpToolAdapter.fromClient(remote, { prefix: "docs", tools: ["get-sum"] }))
      .withProviderOverride(
        new MockProvider([
          {
            tool_calls: [
              call("echo", { message: "hello" }),
              call("get-tiny-image"),
              call("docs__get-sum", { a: 1, b: 2 }),
            ],
          },
          "Done.",
        ]),
      );
    expect(requested.tools.map((tool) => tool.name())).toEqual(["echo", "get-tiny-image", "docs__get-sum"]);
    const results = (await requested.prompt("Go.").done).filter(({ role }) => role === "toolResult");
    expect(textsOf(results)[0]).toBe("toolResult: Echo: hello");
    expect(results[1]).toMatchObject({ content: expect.arrayContaining([expect.objectContaining({ type: "image" })]) });
    expect(textsOf(results)[2]).toContain("3");
  });

  it("llm() and agent() call the tools of a server over HTTP", async () => {
    const server = await openHttpServer({
      url: `${servers.url}/everything`,
      allowedHosts: [servers.host],
      prefix: "docs",
      tools: ["echo"],
    });
    onTestFinished(() => server.close());
    const { tools } = server;
    expect(tools.map(({ name }) => name)).toEqual(["docs__echo"]);
    const script = [{ toolCalls: [call("docs__echo", { message: "hello" })] }, { text: "Done." }];
    const turn = await instance(script, { tools: [...tools] }).generate("Say hello.");
    expect(outline(turn.messages)).toContain('results: "Echo: hello"');
    const scripted = createProvider({ protocol: "test", name: "scripted" });
    const helper = agent({ model: scripted("scripted", { script }), tools: [...tools] });
    const answered = await helper.query("Say hello.");
    expect(outline(answered.messages)).toContain('results: "Echo: hello"');
  });
});
