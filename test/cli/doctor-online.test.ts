// `threadhold doctor --online` with real MCP servers, APIs and servers of models, which answer, refuse, hang or are down.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { onlineFindings, type OnlineContext } from "#cli/doctor/online-checks.ts";
import { compileProject } from "#compiler/compile.ts";

import { packageRoot, writeProject, type Files } from "../compiler/temporary-project.ts";
import { startMcpServer } from "../support/mcp-server/server.mjs";
import { startModelServer } from "../support/model-server/server.mjs";
import { doctor } from "./support/run-doctor.ts";
import { complete, inRepository } from "./wrangler-project.ts";

const key = "sk-online-0123456789";

let mcp: { url: string; close: () => Promise<void> };
let models: { url: string; close: () => Promise<void> };

beforeAll(async () => {
  [mcp, models] = await Promise.all([startMcpServer(), startModelServer()]);
});

afterAll(async () => {
  await Promise.all([mcp.close(), models.close()]);
});

/** Starts a server for one test, and returns its address. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

/** The address of a server that is down. */
async function closedAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${String(port)}`;
}

const model = (name: string, id: string, more = ""): Files => ({
  [`agents/models/${name}.ts`]: `import { defineModel } from "threadhold";
export default defineModel({ name: "${name}", provider: "openai", model: "${id}", ${more} });`,
});

const server = (name: string, url: string, more = ""): Files => ({
  [`agents/mcp/${name}.ts`]: `import { defineMcpServer } from "threadhold";
export default defineMcpServer({ name: "${name}", url: ${url}, allowedHosts: ["127.0.0.1"], ${more} });`,
});

const document = {
  openapi: "3.1.0",
  info: { title: "Stock", version: "1" },
  paths: { "/items": { get: { operationId: "listItems", responses: { 200: { description: "Items" } } } } },
};

const api = (name: string, given: string, more = ""): Files => ({
  [`agents/openapi/${name}.ts`]: `import { defineOpenApi } from "threadhold";
export default defineOpenApi({ name: "${name}", document: ${given}, allowedHosts: ["127.0.0.1"], ${more} });`,
});

const variables = (): Record<string, string> => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: `${models.url}/v1` });

/** Tries the sources and models of these definitions. */
async function online(files: Files, more: Partial<OnlineContext> = {}) {
  const { project, diagnostics } = await compileProject(writeProject(files), packageRoot);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const printed: string[] = [];
  const findings = await onlineFindings(project, {
    variables: variables(),
    fetch,
    print: (line) => printed.push(line),
    ...more,
  });
  return { findings: Object.fromEntries(findings.map((finding) => [finding.name, finding])), printed };
}

describe("the option --online of the command doctor", () => {
  it("The command doctor with --online tries each source and each model once, and prints the progress and the cost", async () => {
    const sent: string[] = [];
    const { findings, printed } = await online(
      {
        ...model("fast", "case:text"),
        ...server("everything", `"${mcp.url}/everything"`),
        ...api("stock", JSON.stringify(document), `baseUrl: "${mcp.url}/api"`),
      },
      {
        fetch: async (input, init) => {
          const request = new Request(input, init);
          if (request.url.startsWith(models.url)) sent.push(await request.clone().text());
          return fetch(request);
        },
      },
    );
    expect(findings).toMatchObject({
      "MCP server everything": { status: "ok", detail: expect.stringMatching(/lists \d+ tools \(/) as string },
      "OpenAPI document stock": {
        status: "ok",
        detail: `1 operation; ${mcp.url}/api answers with the status 404`,
      },
      "model fast": {
        status: "ok",
        detail: expect.stringMatching(/^openai case:text answered in [\d.]+ s, \d+ \+ \d+ tokens$/) as string,
      },
    });
    expect(sent).toHaveLength(1);
    expect(JSON.parse(sent[0] ?? "")).toMatchObject({ model: "case:text" });
    expect(printed[0]).toBe(
      "Trying 2 sources and 1 model, each for at most 30 s. Each model answers one short request, which costs a few tokens.",
    );
    expect(
      printed
        .slice(1)
        .map((line) => line.replace(/, [\d.]+ s$/, ""))
        .toSorted(),
    ).toEqual(["answered: MCP server everything", "answered: OpenAPI document stock", "answered: model fast"]);
  });

  it("The command doctor with --online names the fix for servers that are down, refuse, or lack a variable", async () => {
    const down = await closedAddress();
    const { findings } = await online({
      ...server("down", `"${down}/mcp"`),
      ...server("refusing", `"${mcp.url}/bad/unauthorized"`),
      ...server("unset", `({ env }) => String(env.DOCS_URL ?? "")`),
      ...server("oauth", `"${mcp.url}/oauth/one"`, "oauth: true"),
      ...api("gone", JSON.stringify(document), `baseUrl: "${down}/api"`),
      ...api("missing", `{ url: "${mcp.url}/none.json" }`, `baseUrl: "${mcp.url}/api"`),
    });
    expect(findings).toMatchObject({
      "MCP server down": {
        status: "error",
        detail: expect.stringContaining("could not be reached") as string,
        fix: "check url and headers in agents/mcp/down.ts, and that the server runs",
      },
      "MCP server refusing": { status: "error", detail: expect.stringContaining("401") as string },
      "MCP server unset": { status: "error", fix: "set DOCS_URL in .dev.vars" },
      "MCP server oauth": { status: "ok", detail: expect.stringMatching(/^not tried: it uses OAuth/) as string },
      "OpenAPI document gone": {
        status: "error",
        detail: expect.stringContaining("could not be reached") as string,
        fix: "check document, baseUrl and headers in agents/openapi/gone.ts, and that the API runs",
      },
      "OpenAPI document missing": { status: "error", detail: expect.stringContaining("HTTP 404") as string },
    });
  });

  it("The command doctor with --online names in one line the servers that it leaves out because they use OAuth, and sends them nothing", async () => {
    const sent: string[] = [];
    const { findings, printed } = await online(
      {
        ...server("one", `"${mcp.url}/oauth/one"`, "oauth: true"),
        ...server("two", `"${mcp.url}/oauth/two"`, "oauth: true"),
      },
      { fetch: (input, init) => (sent.push(new Request(input, init).url), fetch(input, init)) },
    );
    expect(printed).toEqual([
      expect.stringMatching(/^Not tried, because they use OAuth: MCP servers one, two\. Connect/),
    ]);
    expect(Object.keys(findings)).toEqual(["MCP server one", "MCP server two", "online"]);
    expect(sent).toEqual([]);
  });

  it("The command doctor with --online names in one line the models of a binding, which it does not try", async () => {
    const bound = (name: string) => ({
      [`agents/models/${name}.ts`]: `export default { name: "${name}", provider: "workers-ai", model: "@cf/a/b" };`,
    });
    const { findings, printed } = await online({ ...bound("edge"), ...bound("other") });
    expect(printed).toEqual([
      expect.stringMatching(
        /^Not tried, because only a Worker has the binding that reaches them: models edge, other\./,
      ),
    ]);
    expect(findings).toMatchObject({
      "model edge": { status: "ok", detail: "not tried: only a Worker has the binding AI that reaches it" },
      "model other": { status: "ok" },
    });
  });

  it("The command doctor with --online names the fix for a wrong model id, a refused key, and a server that is down", async () => {
    const down = await closedAddress();
    const refusing = await serve((request, response) => {
      request.resume();
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: `Incorrect API key provided: ${key}` } }));
    });
    const { findings } = await online({
      ...model("wrong", "gpt-none"),
      ...model("refused", "gpt-5", `baseUrl: "${refusing}/v1"`),
      ...model("down", "gpt-5", `baseUrl: "${down}/v1"`),
    });
    expect(findings).toMatchObject({
      "model wrong": {
        status: "error",
        detail: expect.stringContaining("openai gpt-none: ") as string,
        fix: 'check model in agents/models/wrong.ts: does openai have "gpt-none", and may your key use it?',
      },
      "model refused": { status: "error", detail: expect.stringContaining("OPENAI_API_KEY") as string },
      "model down": {
        status: "error",
        fix: expect.stringContaining("check baseUrl in agents/models/down.ts") as string,
      },
    });
    expect(JSON.stringify(findings)).not.toContain(key);
  });

  it("The command doctor with --online shows no secret that a server repeats, whatever the name of its variable", async () => {
    const auth = "open-sesame 4711";
    const refusing = await serve(async (request, response) => {
      const { id } = JSON.parse(await textOf(request)) as { id: number };
      const message = `Wrong credentials: ${String(request.headers["x-shop"])}`;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32603, message } }));
    });
    const { findings } = await online(
      server("shop", `"${refusing}/mcp"`, 'headers: ({ env }) => ({ "x-shop": String(env.SHOP_AUTH) })'),
      {
        variables: { SHOP_AUTH: auth },
      },
    );
    expect(findings["MCP server shop"]).toMatchObject({
      status: "error",
      detail: expect.stringContaining("Wrong credentials: [redacted]") as string,
    });
    expect(JSON.stringify(findings)).not.toContain(auth);
  });

  it("The command doctor with --online gives each server up that does not answer, and never waits longer than its limit", async () => {
    const silent = await serve((request) => void request.resume());
    const { findings } = await online(
      {
        ...model("silent", "gpt-5", `baseUrl: "${silent}/v1"`),
        ...server("silent", `"${silent}/mcp"`, "timeoutMs: 200"),
        ...server("endless", `"${silent}/mcp"`),
        ...api("mute", `{ url: "${silent}/openapi.json" }`, `baseUrl: "${silent}"`),
      },
      { limitMs: 400 },
    );
    expect(findings).toMatchObject({
      "model silent": { status: "error", detail: "It did not answer within 0.4 s." },
      "MCP server silent": { status: "error", detail: expect.stringContaining("in time") as string },
      "MCP server endless": { status: "error", detail: "It did not answer within 0.4 s." },
      "OpenAPI document mute": { status: "error", detail: "It did not answer within 0.4 s." },
    });
  });

  it("The command doctor tries nothing without --online, and with it a failed try ends the command with 1", async () => {
    const requests: string[] = [];
    const context: { fetch: typeof fetch } = {
      fetch: (input) => {
        requests.push(new Request(input).url);
        return Promise.resolve(
          Response.json({ error: { message: "The model `gpt-none` does not exist" } }, { status: 404 }),
        );
      },
    };
    const files = {
      ...complete,
      ".dev.vars": `OPEN_LOOPBACK=true\nOPENAI_API_KEY=${key}\n`,
      ...model("wrong", "gpt-none"),
    };
    const offline = await doctor(files, { under: inRepository, context });
    expect([offline.code, requests]).toEqual([0, []]);
    const tried = await doctor(files, { under: inRepository, context, args: ["--online", "--json"] });
    expect(tried.code).toBe(1);
    expect(requests).toEqual(["https://api.openai.com/v1/responses"]);
    expect(JSON.parse(tried.stdout)).toContainEqual(
      expect.objectContaining({
        name: "model wrong",
        status: "error",
        detail: expect.stringContaining("does not exist") as string,
      }),
    );
    expect(tried.stderr).toContain("Trying 0 sources and 1 model");
  });
});
