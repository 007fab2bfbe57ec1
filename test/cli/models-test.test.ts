// `threadhold models test` with a real server of models.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";

import { expect, it, onTestFinished, vi } from "vitest";

import { runInProcess } from "../compiler/command.ts";
import { writeProject, type Files } from "../compiler/temporary-project.ts";

// Each test compiles a project; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const key = "sk-trial-0123456789";

interface Body {
  tools?: unknown[];
  messages: { content: unknown }[];
  model: string;
}

async function serve(answer: (body: Body, response: ServerResponse) => unknown) {
  const bodies: Body[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    void textOf(request).then((text) => {
      const body = JSON.parse(text) as Body;
      bodies.push(body);
      return answer(body, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { bodies, url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1` };
}

function stream(response: ServerResponse, delta: unknown, reason = "stop"): void {
  const chunk = (fields: unknown): string =>
    `data: ${JSON.stringify({ id: "a", object: "chat.completion.chunk", ...(fields as object) })}\n\n`;
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(chunk({ choices: [{ index: 0, delta }] }));
  response.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: reason }] }));
  response.write(chunk({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } }));
  response.end("data: [DONE]\n\n");
}

const call = {
  tool_calls: [
    { index: 0, id: "c1", type: "function", function: { name: "get_weather", arguments: '{"city":"Paris"}' } },
  ],
};

function good(body: Body, response: ServerResponse): void {
  if (body.tools !== undefined) stream(response, call, "tool_calls");
  else if (JSON.stringify(body.messages).includes("image_url")) stream(response, { content: "Red." });
  else stream(response, { content: "OK" });
}

const model = (name: string, url: string, more = ""): Files => ({
  [`agents/models/${name}.ts`]: `export default { name: "${name}", provider: "openai-compatible", model: "m-1", baseUrl: "${url}", keyVariable: "TEAM_KEY", ${more} };`,
});

async function tested(files: Files, ...args: string[]) {
  const root = writeProject({ ".dev.vars": `TEAM_KEY=${key}\n`, ...files });
  const result = await runInProcess(["models", "test", ...args, "--root", root], { env: { PATH: process.env.PATH } });
  expect(result.stdout + result.stderr).not.toContain(key);
  return result;
}

it("TRIAL1 The command models test sends a text, a tool and a picture to each model, and prints what worked, how fast, and what it cost", async () => {
  const server = await serve(good);
  const { code, stdout, stderr } = await tested({
    ...model("fast", server.url, "inputPrice: 1, outputPrice: 2"),
    ...model("unpriced", server.url),
    "agents/models/script.ts": `export default { name: "script", provider: "test", model: "s", script: [] };`,
  });
  expect(stderr).toBe("");
  const line = (kind: string, text: string, cost = "\\$0\\.000120") =>
    expect.stringMatching(new RegExp(`^  ${kind} +ok  \\d+\\.\\d s, 100 \\+ 10 tokens, ${cost}\\. ${text}$`));
  const unknown = "cost not known";
  expect(stdout.trim().split("\n")).toEqual([
    "fast (openai-compatible m-1)",
    line("text", "It answered\\."),
    line("tool", "It called the tool\\."),
    line("picture", "It saw the picture\\."),
    "unpriced (openai-compatible m-1)",
    line("text", "It answered\\.", unknown),
    line("tool", "It called the tool\\.", unknown),
    line("picture", "It saw the picture\\.", unknown),
  ]);
  expect(code).toBe(0);
  expect(server.bodies).toHaveLength(6);
});

const ownProvider = (url: string): Files => ({
  "agents/models/mine.ts": `export default { name: "mine", provider: "mine", model: "m-1", inputPrice: 1, outputPrice: 2 };`,
  "agents/providers/mine.ts": `import { defineProvider } from "threadhold";
export default defineProvider({
  name: "mine",
  variables: ["TEAM_KEY", "TEAM_ADDRESS"],
  async *stream({ model, messages, tools }, { env, fetch }) {
    const response = await fetch("${url}/ask", {
      method: "POST",
      headers: { authorization: String(env.TEAM_KEY) },
      body: JSON.stringify({ model, messages, ...(tools.length > 0 ? { tools } : {}) }),
    });
    if (!response.ok) throw new Error(await response.text());
    const { text, call } = JSON.parse(await response.text());
    yield { type: "usage", input: 100, output: 10 };
    if (text) yield { type: "text", text };
    if (call) yield { type: "tool_call", id: "c1", name: call, arguments: { city: "Paris" } };
    yield { type: "finish", reason: call ? "tool_calls" : "stop" };
  },
});
`,
});

it("TRIAL1 A model of a provider of the project is tried by the code of the provider", async () => {
  const server = await serve(({ tools, messages }, response) => {
    const text = JSON.stringify(messages).includes('"image"') ? "Red." : "OK";
    response.end(JSON.stringify(tools === undefined ? { text } : { call: "get_weather" }));
  });
  const variables = { ".dev.vars": `TEAM_KEY=${key}\nTEAM_ADDRESS=here\n` };
  const { code, stdout, stderr } = await tested({ ...ownProvider(server.url), ...variables });
  expect(stderr).toBe("");
  const cost = "\\d+\\.\\d s, 100 \\+ 10 tokens, \\$0\\.000120";
  expect(stdout.trim().split("\n")).toEqual([
    "mine (mine m-1)",
    expect.stringMatching(new RegExp(`^  text +ok  ${cost}\\. It answered\\.$`)),
    expect.stringMatching(new RegExp(`^  tool +ok  ${cost}\\. It called the tool\\.$`)),
    expect.stringMatching(new RegExp(`^  picture +ok  ${cost}\\. It saw the picture\\.$`)),
  ]);
  expect(code).toBe(0);
  const lacking = await tested(ownProvider(server.url));
  expect(lacking.stdout).toContain('not tried  Model "mine" needs TEAM_ADDRESS, which is not set.');
  const refusing = await serve((_, response) => response.writeHead(400).end(`no ${key}`));
  const failed = await tested({ ...ownProvider(refusing.url), ...variables });
  expect(failed.stdout).toContain('no [redacted] (provider "mine" of agents/providers/mine.ts)');
  expect(failed.code).toBe(1);
});

it("TRIAL1 A model of a binding is not tried, and the command states where it can be tried", async () => {
  const { code, stdout } = await tested({
    "agents/models/edge.ts": `export default { name: "edge", provider: "workers-ai", model: "@cf/a/b" };`,
  });
  expect(stdout).toContain(
    "reached by a binding, which only a Worker has. Try it in a conversation with npx threadhold dev.",
  );
  expect(code).toBe(0);
});

it("TRIAL1 A model whose answer has no visible text fails its trial", async () => {
  const server = await serve((body, response) => {
    if (body.tools !== undefined) stream(response, call, "tool_calls");
    else stream(response, { content: " \u200b" });
  });
  const { code, stdout } = await tested(model("silent", server.url, "capabilities: { vision: false }"));
  expect(stdout).toContain("Its answer has no text.");
  expect(code).toBe(1);
});

it("TRIAL1 A model is not tried with what its definition excludes, and one without a key is not tried", async () => {
  const server = await serve(good);
  const { code, stdout } = await tested({
    ...model("plain", server.url, "capabilities: { functionCalling: false, vision: false }"),
    "agents/models/keyless.ts": `export default { name: "keyless", provider: "openai-compatible", preset: "xai", model: "grok-4.3" };`,
  });
  expect(stdout).toMatch(
    /keyless \(xai grok-4\.3\)\n {2}not tried {2}Model "keyless" needs XAI_API_KEY, which is not set\./,
  );
  expect(code).toBe(0);
  expect(server.bodies).toHaveLength(1);
});

it("TRIAL1 A trial that fails names the reason and the fix, and the command ends with exit code 1", async () => {
  const blind = await serve((_, response) => stream(response, { content: "I cannot help." }));
  const refusing = await serve((_, response) => {
    response.writeHead(401, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: `The key ${key} is invalid.` } }));
  });
  const { code, stdout } = await tested({ ...model("blind", blind.url), ...model("refusing", refusing.url) });
  expect(stdout).toMatch(/text +ok .* It answered\./);
  expect(stdout).toMatch(
    /tool +failed .* It called no tool and answered "I cannot help\."\.\n +if the model has no tools, write capabilities: \{ functionCalling: false \} in agents\/models\/blind\.ts/,
  );
  expect(stdout).toMatch(/picture +failed .* It did not name the colour of the picture/);
  expect(stdout).toMatch(/refusing \(openai-compatible m-1\)\n {2}text +failed .*\n +put a valid key into \.dev\.vars/);
  expect(code).toBe(1);
  // A model that does not answer a text is asked nothing else.
  expect(refusing.bodies).toHaveLength(1);
});

it("TRIAL1 One model can be named, a wrong name is refused with the closest one, and the results can be JSON", async () => {
  const server = await serve(good);
  const files = { ...model("fast", server.url), ...model("other", server.url) };
  const { code, stdout } = await tested(files, "fast", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([
    {
      name: "fast",
      problem: null,
      trials: [
        { kind: "text", ok: true },
        { kind: "tool", ok: true },
        { kind: "picture", ok: true },
      ],
    },
  ]);
  expect(await tested(files, "fats")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Did you mean "fast"?'),
  });
});
