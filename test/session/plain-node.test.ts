// The entry without a Worker: the modules it loads, and that it runs in a plain Node process.

import { afterAll, beforeAll, expect, it, vi } from "vitest";

import { startModelServer } from "../support/model-server/server.mjs";
import type { ModelServer } from "../support/model-server/server.mjs";
import { bundled, printed } from "./support/plain-node.ts";
import type { Program } from "./support/plain-node.ts";

// Each test makes a bundle and a process, on a machine that is also used by other work.
vi.setConfig({ testTimeout: 60_000 });

let server: ModelServer;
const programs: Program[] = [];

beforeAll(async () => {
  server = await startModelServer();
});

afterAll(async () => {
  for (const program of programs) program.remove();
  await server.close();
});

async function program(text: string): Promise<Program> {
  const made = await bundled(text);
  programs.push(made);
  return made;
}

const scripted = `
  import { createSession, createSimpleTool, defineModel, execute } from "threadhold/session";
  const model = defineModel({ name: "m", provider: "test", model: "m", script: [
    { toolCalls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, { text: "3." },
  ] });
  const parameters = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } };
  const add = createSimpleTool<{ a: number; b: number }>({ name: "add", label: "Add", parameters },
    async (_id, { a, b }) => ({ output: String(a + b) }));
  const session = createSession("s", { tools: [add] }, { model });
  const stream = execute(session, { role: "user", content: "What is 1 + 2?" });
  const types: string[] = [];
  for await (const event of stream) types.push(event.type);
  console.log(JSON.stringify({ types, roles: session.messages.map(({ role }) => role), status: session.status }));
`;

/** The provider gives the answer of the case that the model names; the second execution names another case. */
const overHttp = (provider: string, options: string) => `
  import { createSession, defineModel, execute } from "threadhold/session";
  const model = (named: string) => defineModel({ name: named, provider: "${provider}", model: named });
  const weather = { name: "get_weather", label: "Weather", parameters: { type: "object" } };
  const session = createSession("s", { tools: [weather] }, { model: model("case:tool-call"), ...${options} });
  const first = await execute(session, { role: "user", content: "How is the weather?" }).result();
  const results = (first.pendingToolCalls ?? []).map(({ id }) => ({ role: "toolResult" as const, toolCallId: id, content: "Sunny." }));
  const second = await execute(session, results, { model: model("case:text") }).result();
  console.log(JSON.stringify({ first, second, model: session.model }));
`;

it("ENTRY14 An in-process session loads no module of a Worker, of a thread or of HTTP serving", async () => {
  const { inputs, imports } = await program(scripted);
  expect(inputs).toContain("src/core/loop.ts");
  expect(inputs.filter((file) => /^src\/(thread|http|store|index\.ts|compose\.ts)/.test(file))).toEqual([]);
  expect(inputs.filter((file) => /node_modules\/(hono|wrangler|workerd|@cloudflare)\//.test(file))).toEqual([]);
  expect([...inputs, ...imports].filter((name) => name.startsWith("cloudflare:"))).toEqual([]);
});

it("ENTRY14 A session runs in a plain Node process, with the scripted provider", async () => {
  const { file } = await program(scripted);
  expect(await printed(file)).toEqual({
    types: expect.arrayContaining(["session_start", "tool_execution_end", "text_delta", "session_end"]),
    roles: ["user", "assistant", "toolResult", "assistant"],
    status: "completed",
  });
});

it.each([
  ["anthropic", "ANTHROPIC"],
  ["openai", "OPENAI"],
  ["google", "GOOGLE"],
  ["openrouter", "OPENROUTER"],
])(
  "ENTRY14 An in-process session uses the protocol of %s over HTTP, with the API key from the environment",
  async (provider, name) => {
    const { file } = await program(overHttp(provider, "{}"));
    const env = { [`${name}_API_KEY`]: `${provider}-key`, [`${name}_BASE_URL`]: server.url };
    const { first, second, model } = (await printed(file, env)) as Printed;
    expect(first).toMatchObject({ status: "awaiting_tool_execution", pendingToolCalls: [{ name: "get_weather" }] });
    expect(second).toMatchObject({ status: "completed", messages: [{ role: "toolResult" }, { role: "assistant" }] });
    expect(second.messages[1]).toMatchObject({
      provider,
      content: expect.arrayContaining([{ type: "text", text: expect.stringMatching(/\S/) }]),
    });
    expect(model).toBe("case:text");
    const requested = await requests(`${provider}-key`);
    expect(requested).toHaveLength(2);
    expect(JSON.stringify(requested[1]?.body)).toContain("Sunny.");
  },
);

it("ENTRY14 An API key in the options replaces that of the environment, and given variables replace the environment", async () => {
  const options = `{ apiKey: "given-key", env: { ANTHROPIC_API_KEY: "other", ANTHROPIC_BASE_URL: "${server.url}" } }`;
  const { file } = await program(overHttp("anthropic", options));
  await printed(file, { ANTHROPIC_API_KEY: "outer", ANTHROPIC_BASE_URL: "http://127.0.0.1:1" });
  expect(await requests("given-key")).toHaveLength(2);
});

interface Printed {
  first: Record<string, unknown>;
  second: { messages: unknown[] };
  model: string;
}

interface ReceivedRequest {
  headers: Record<string, string>;
  body: unknown;
}

/** The requests that the server received with a key. */
async function requests(key: string): Promise<ReceivedRequest[]> {
  const requested = (await (await fetch(`${server.url}/__requests`)).json()) as ReceivedRequest[];
  return requested.filter(({ headers }) => Object.values(headers).some((value) => String(value).includes(key)));
}
