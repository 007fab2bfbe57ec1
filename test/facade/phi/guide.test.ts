// The programs of docs/guide/loop.md and docs/guide/sessions-of-loops.md, each as a reader runs it: bundled, in a process of Node without a key.

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

import { build } from "esbuild";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";

import { codeBlocks, root } from "../../scripts/documents.ts";
import { typeCheck } from "../../spec/typed-project.ts";
import { sessionOf } from "./support/session-events.ts";
import { echoApi, everything, startMcpServers } from "./support/tool-servers.ts";

// The tests start a compiler and programs; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 120_000 });

const folder = mkdtempSync(path.join(tmpdir(), "threadhold-loop-guide-"));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

const guides = ["docs/guide/loop.md", "docs/guide/sessions-of-loops.md"];

const programs = new Map(
  codeBlocks
    .filter(({ document, text }) => guides.includes(document) && /^\/\/ (?:src|agents\/tools)\//.test(text))
    .map(({ text }) => [/^\/\/ (?:src|agents\/tools)\/(\S+)\.ts\n/.exec(text)?.[1] ?? "?", text] as const),
);

/** Bundles a program and runs it. Returns the lines that it printed. */
async function runProgram(name: string, after = "", text = programs.get(name) ?? ""): Promise<string[]> {
  const outfile = path.join(folder, `${name}.mjs`);
  // The object of a Worker gets a name, so that the code after it can call it.
  const contents = `${text.replace("export default", "const handler =")}\n${after}`;
  const from = { contents, loader: "ts", resolveDir: path.join(root, "examples") } as const;
  await build({
    stdin: from,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    // Packages in CommonJS require modules of Node.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    outfile,
    logLevel: "error",
  });
  const options = { env: { PATH: process.env["PATH"] }, cwd: folder };
  const { stdout } = await promisify(execFile)(process.execPath, [outfile], options);
  return stdout.trimEnd().split("\n");
}

/** What each program prints. */
const printed: [name: string, lines: string[]][] = [
  ["first", ["Let me look.", "[get_weather]", "Sunny in Lisbon.", "(4 new messages)"]],
  ["progress", ["counting", "{ words: 3 }"]],
  ["steering", ["user assistant toolResult user assistant user assistant"]],
  ["hooks", ["No passwords, please.", "2 messages"]],
  ["saved", ["2 true"]],
  ["function", ["2 2 true"]],
  ["sub-agent", ["SubAgent", "[ { type: 'text', text: 'Lisbon has seven hills.' } ] true"]],
  ["parallel", ["1 2 0", "2 branches", "a loop", "a loop", "a loop", "a loop that continues"]],
  ["branches", ["2 4", "4"]],
  ["api", ['pets__getPet ApiKey { header: "x-key", value: "****" }']],
  ["recorded", ["Completed 2 claude-sonnet-5-5", "Completed 2 claude-sonnet-5-5", "true"]],
  ["tree", ["origin Completed", "  continuation Completed"]],
];

describe("the guide of threadhold/loop", () => {
  it("Every program of the guide is type-checked without an error", async () => {
    const files = Object.fromEntries([...programs].map(([name, text]) => [`src/${name}.ts`, text]));
    expect(await typeCheck(files, { types: ["node"] })).toEqual([]);
  });

  it.each(printed)("The program %s of the guide prints what the page explains", async (name, lines) => {
    expect(await runProgram(name)).toEqual(lines);
  });

  it("The program one-channel of the guide prints the events of two loops from one channel", async () => {
    const types = await runProgram("one-channel");
    expect(types.filter((type) => type === "AgentStart")).toHaveLength(2);
    expect(types.at(-1)).toBe("AgentEnd");
  });

  it("The programs compacted and echo of the guide run to their ends", async () => {
    expect((await runProgram("compacted")).join("\n")).toContain("max_turns: 5");
    expect((await runProgram("echo")).join("\n")).toContain("You sent 1 messages.");
  });

  it("The Worker of the guide streams a line for each event, also if the provider refuses the key", async () => {
    const refusal = 'new Response(JSON.stringify({ error: { message: "invalid x-api-key" } }), { status: 401 })';
    const request = 'new Request("https://worker.example/", { method: "POST", body: "Hello." })';
    const lines = await runProgram(
      "worker",
      `globalThis.fetch = async () => ${refusal};
console.log(await (await handler.fetch(${request}, { ANTHROPIC_API_KEY: "sk-secret" })).text());`,
    );
    const events = lines.map((line) => JSON.parse(line) as { type: string });
    expect(events.at(0)?.type).toBe("AgentStart");
    expect(events.at(-1)?.type).toBe("AgentEnd");
    expect(lines.join("\n")).not.toContain("sk-secret");
  });

  it("The tool of the guide returns the answer of its loop and counts its request, and returns an error if the provider refuses the key", async () => {
    const answer = readFileSync(path.join(root, "test/fixtures/providers/anthropic/text.sse"), "utf8");
    const lines = await runProgram(
      "summarize",
      `const [, , summarize] = handler;
const counted = [];
const execution = { send() {}, log: ({ data }) => counted.push(data.usage.total_tokens), end() {} };
const executions = { signal: new AbortController().signal, begin: () => execution };
for (const [status, body] of [[200, ${JSON.stringify(answer)}], [401, "{}"]]) {
  const headers = { "content-type": status === 200 ? "text/event-stream" : "application/json" };
  const fetch = async () => new Response(body, { status, headers });
  const host = { env: { ANTHROPIC_API_KEY: "key-of-worker" }, fetch, executions };
  const result = await summarize({ [Symbol.for("threadhold.tool-host")]: host }, { text: "A long text." });
  console.log(JSON.stringify(result));
}
console.log(JSON.stringify(counted));`,
    );
    expect(lines).toEqual([
      '"Hello there, how can I help?"',
      '{"status":"error","error":"The text could not be summarized."}',
      "[20,0]",
    ]);
  });

  it("The program sources of the guide has the tools of a folder, a program, a server over HTTP, an API and the skills", async () => {
    const [servers, api] = await Promise.all([startMcpServers(), echoApi()]);
    onTestFinished(servers.stop);
    const operation = (tag: string) => ({ get: { operationId: tag, tags: [tag] } });
    const paths = { "/orders": operation("orders"), "/pets": operation("pets") };
    const document = await api.publish(JSON.stringify({ openapi: "3.1.0", info: {}, paths }));
    const replacements = {
      '"npx", ["-y", "@modelcontextprotocol/server-everything"]': JSON.stringify([
        process.execPath,
        [everything, "stdio"],
      ]).slice(1, -1),
      '"https://docs.example/mcp", {': `"${servers.url}/everything", { allowedHosts: ["${servers.host}"],`,
      '"https://shop.example/openapi.json", config': `"${document}", { ...config, allowed_hosts: ["${api.host}"] }`,
      '.withSystemPrompt("You are brief.")': '.withProviderOverride(MockProvider.text("None."))',
      "await agent.prompt": "console.log(agent.tools.map((tool) => tool.name()).join(' ')); await agent.prompt",
    };
    let text = `import { MockProvider } from "threadhold/loop/providers";\n${programs.get("sources") ?? ""}`;
    for (const [given, own] of Object.entries(replacements)) {
      expect(text).toContain(given);
      text = text.replace(given, own);
    }
    const [names = ""] = await runProgram("sources", "", text);
    expect(names).toMatch(/^read_file write_file .* bash read_skill echo get-sum docs__\S+.* shop__orders$/);
  });

  it("The guide of sessions has the parts that phi-core asks for, and nine decisions", () => {
    const page = readFileSync(path.join(root, "docs/guide/sessions-of-loops.md"), "utf8");
    expect([...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual([
      "Record and save",
      "When a session begins",
      "The record of a loop",
      "The tree of a session",
      "Sub-agents",
      "Branches in parallel",
      "Stores",
      "Sessions of threads",
      "Decisions",
    ]);
    const decisions = page.slice(page.indexOf("## Decisions")).match(/^\d\. .+ Rejected: .+$/gm);
    expect(decisions).toHaveLength(9);
    const { loops } = sessionOf("s");
    for (const field of Object.keys(loops[0] ?? {})) expect(page).toContain(`\`${field}\``);
  });

  it("Every program of the guide is run by a test", () => {
    const run = [
      ...printed.map(([name]) => name),
      "one-channel",
      "sources",
      "compacted",
      "echo",
      "worker",
      "summarize",
    ];
    expect([...programs.keys()].toSorted()).toEqual(run.toSorted());
  });
});
