// The operations of OpenAPI documents as tools of loops, of llm() and of agent(), over real HTTP.

import { writeFileSync } from "node:fs";
import path from "node:path";
import { inspect } from "node:util";

import { describe, expect, it, vi } from "vitest";
import { stringify } from "yaml";

import type { JsonObject } from "#contract/json.ts";
import type { AgentTool } from "#facade/phi/index.ts";
import { OpenApiAdapter, OpenApiAuth } from "#facade/phi/tools/node/index.ts";
import type { OpenApiConfig, OperationFilter } from "#facade/phi/tools/node/index.ts";
import { openApiTools } from "#tools/openapi/index.ts";

import { temporaryFolder } from "../../tools/node/host-place.ts";
import { instance, outline } from "../support/scripted-llm.ts";
import { play, textsOf } from "./support/play.ts";
import { echoApi } from "./support/tool-servers.ts";

const text = { type: "string" };

const pets = {
  openapi: "3.0.3",
  info: { title: "Pets", version: "1" },
  paths: {
    "/pets/{petId}": {
      post: {
        operationId: "updatePet",
        tags: ["pets"],
        parameters: [
          { name: "petId", in: "path", required: true, schema: text },
          { name: "limit", in: "query", schema: { type: "integer" } },
          { name: "X-Trace", in: "header", schema: text },
          { name: "session", in: "cookie", schema: text },
        ],
        requestBody: { required: true, content: { "application/json": { schema: { type: "object" } } } },
      },
    },
    "/pets/{petId}/body": {
      put: {
        operationId: "putBody",
        tags: ["bodies"],
        parameters: [
          { name: "petId", in: "path", required: true, schema: text },
          { name: "body", in: "query", schema: text },
        ],
        requestBody: { content: { "application/json": { schema: { type: "object" } } } },
      },
    },
    "/orders/large": { get: { operationId: "large", tags: ["orders"] } },
    "/orders/slow": { get: { operationId: "slow", tags: ["orders"] } },
    "/orders/long": { get: { operationId: "long", tags: ["orders"] } },
    "/orders": { get: { summary: "Has no id" } },
  },
};

const spec = JSON.stringify(pets);

const namesOf = (tools: readonly AgentTool[]) => tools.map((tool) => tool.name());

/** Loads tools without the lines about operations that have no id. */
async function quietly<T>(work: () => Promise<T>): Promise<{ value: T; lines: string[] }> {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  try {
    const value = await work();
    return { value, lines: warn.mock.calls.map(([line]) => String(line)) };
  } finally {
    warn.mockRestore();
  }
}

const toolsOf = async (config: OpenApiConfig, filter?: OperationFilter) =>
  (await quietly(() => OpenApiAdapter.fromStr(spec, { base_url: "https://api.example", ...config }, filter))).value;

/** Calls tools in a loop, and returns the texts of their results. */
async function resultsOf(tools: AgentTool[], ...calls: [name: string, args: JsonObject][]): Promise<string[]> {
  const tool_calls = calls.map(([name, args]) => ({ name, arguments: args }));
  const { returned } = await play({ answers: [{ tool_calls }, { text: "Done." }], tools });
  return textsOf(returned.filter(({ role }) => role === "toolResult"));
}

describe("the tools of a document", () => {
  it("A text in JSON, one in YAML, a file and an address have the same tools: one for each operation with an id", async () => {
    const { host, publish } = await echoApi();
    const file = path.join(temporaryFolder(), "pets.yaml");
    writeFileSync(file, stringify(pets));
    const config = { base_url: "https://api.example" };
    const { value: lists } = await quietly(async () =>
      Promise.all([
        OpenApiAdapter.fromStr(spec, config),
        OpenApiAdapter.fromStr(stringify(pets), config),
        OpenApiAdapter.fromFile(file, config),
        OpenApiAdapter.fromUrl(await publish(spec), { ...config, allowed_hosts: [host] }),
      ]),
    );
    const shown = lists.map((tools) => tools.map((tool) => [tool.name(), tool.description(), tool.parametersSchema()]));
    for (const each of shown) expect(each).toEqual(shown[0]);
    expect(namesOf(lists[0] ?? [])).toEqual(["updatePet", "putBody", "large", "slow", "long"]);
  });

  it("Each operation of a public document of an API is a tool, however many there are", async () => {
    const { publicDocument } = await echoApi();
    const document = await publicDocument("discord.json");
    const count = [...document.matchAll(/"operationId"/g)].length;
    const { value: tools } = await quietly(() => OpenApiAdapter.fromStr(document));
    expect(tools).toHaveLength(count);
    expect(count).toBeGreaterThan(40);
    expect(new Set(namesOf(tools)).size).toBe(count);
  });

  it.each([
    ["All", ["updatePet", "putBody", "large", "slow", "long"]],
    [{ ByOperationId: ["putBody", "none"] }, ["putBody"]],
    [{ ByTag: ["pets", "bodies"] }, ["updatePet", "putBody"]],
    [{ ByPathPrefix: "/orders" }, ["large", "slow", "long"]],
  ] satisfies [OperationFilter, string[]][])(
    "The filter %j chooses operations, and an operation without an id is left out and logged with each filter",
    async (filter, names) => {
      const config = { base_url: "https://api.example" };
      const { value, lines } = await quietly(() => OpenApiAdapter.fromStr(spec, config, filter));
      expect(namesOf(value)).toEqual(names);
      expect(lines.filter((line) => line.includes("GET /orders"))).toHaveLength(1);
    },
  );

  it("A name has the prefix and two underscores if the config has a prefix, and is the id of the operation otherwise", async () => {
    const filter = { ByOperationId: ["putBody"] };
    expect(namesOf(await toolsOf({ name_prefix: "myapi" }, filter))).toEqual(["myapi__putBody"]);
    expect(namesOf(await toolsOf({}, filter))).toEqual(["putBody"]);
  });

  it("A cookie is no argument, and a body whose name is taken by a parameter has another name", async () => {
    const [update, put] = await toolsOf({});
    const properties = (tool: AgentTool | undefined) =>
      Object.keys((tool?.parametersSchema()["properties"] ?? {}) as object);
    expect(properties(update)).toEqual(["petId", "limit", "X-Trace", "body"]);
    expect(properties(put)).toEqual(["petId", "body", "_request_body"]);
  });
});

describe("calls of operations", () => {
  it("A call sends its path, query, header and body with the credentials and headers of the config, and returns the request line, the status and the body", async () => {
    const { host, baseUrl } = await echoApi();
    const tools = await toolsOf({
      base_url: `${baseUrl}/`,
      allowed_hosts: [host],
      auth: OpenApiAuth.bearer("token-of-the-test"),
      custom_headers: { "x-client": "loop" },
    });
    const args = { petId: "a b/c?ü", limit: 2, "X-Trace": "trace", body: { name: "Rex" } };
    const [result = ""] = await resultsOf(tools, ["updatePet", args]);
    const [head = "", body = ""] = result.split("\n\n");
    expect(head).toBe(`toolResult: POST ${baseUrl}/pets/a%20b%2Fc%3F%C3%BC?limit=2 → 200`);
    const echo = JSON.parse(body) as { headers: Record<string, string>; body: string };
    expect(echo.headers).toMatchObject({ "x-trace": "trace", "x-client": "loop", authorization: "Bearer ****" });
    expect(echo.headers).not.toHaveProperty("cookie");
    expect(JSON.parse(echo.body)).toEqual({ name: "Rex" });
  });

  it("A key is sent in its header, and neither a result nor an error contains it", async () => {
    const { host, baseUrl } = await echoApi();
    const auth = OpenApiAuth.apiKey("authorization", "key-of-the-test");
    const tools = await toolsOf({ base_url: baseUrl, allowed_hosts: [host], auth, timeout_secs: 0.5 });
    const [long, slow] = await resultsOf(tools, ["long", {}], ["slow", {}]);
    expect(long).toContain("**** ****");
    expect(slow).toContain("toolResult error: The API");
    expect(`${long}${slow}`).not.toContain("key-of-the-test");
  });

  it("A response above max_response_bytes is cut between characters", async () => {
    const { host, baseUrl } = await echoApi();
    const tools = await toolsOf({ base_url: baseUrl, allowed_hosts: [host], max_response_bytes: 1001 });
    const [result = ""] = await resultsOf(tools, ["large", {}]);
    expect(/ä+/.exec(result)?.[0]).toHaveLength(500);
    expect(result).not.toContain("\uFFFD");
  });

  it("Arguments that are missing or do not match the schema are an error, and nothing is sent", async () => {
    const { host, baseUrl, requests } = await echoApi();
    const tools = await toolsOf({ base_url: baseUrl, allowed_hosts: [host] });
    const [missing, wrong] = await resultsOf(
      tools,
      ["updatePet", { body: {} }],
      ["updatePet", { petId: "1", limit: "many", body: {} }],
    );
    expect(missing).toContain("toolResult error: The arguments are invalid: ");
    expect(wrong).toContain("limit");
    expect(await requests()).toEqual([]);
  });

  it("OUT26 A private address is refused unless the config allows the host, for the API and for the document", async () => {
    const { baseUrl, publish, requests } = await echoApi();
    const [result] = await resultsOf(await toolsOf({ base_url: baseUrl }), ["large", {}]);
    expect(result).toContain("toolResult error: The API");
    await expect(OpenApiAdapter.fromUrl(await publish(spec))).rejects.toThrow("The API");
    expect(await requests()).toEqual(["PUT /document"]);
  });

  it("Credentials are not sent to a server of another origin that a fetched document names", async () => {
    const { host, publish, requests } = await echoApi();
    const url = await publish(JSON.stringify({ ...pets, servers: [{ url: "https://elsewhere.example" }] }));
    const config = { allowed_hosts: [host], auth: OpenApiAuth.bearer("token-of-the-test") };
    const { value: tools } = await quietly(() => OpenApiAdapter.fromUrl(url, config));
    const [result] = await resultsOf(tools, ["large", {}]);
    expect(result).toContain("elsewhere.example, which is not the document's own");
    expect(await requests()).toEqual(["PUT /document", "GET /document"]);
  });
});

describe("the config", () => {
  it("The value of a bearer token and of a key is in no print, text, JSON or copy of the auth, and its kind and header are", () => {
    const cases = [
      [OpenApiAuth.bearer("secret"), 'Bearer("****")', { Bearer: "****" }],
      [
        OpenApiAuth.apiKey("x-key", "secret"),
        'ApiKey { header: "x-key", value: "****" }',
        { ApiKey: { header: "x-key", value: "****" } },
      ],
      [OpenApiAuth.none(), "None", "None"],
    ] as const;
    for (const [auth, printed, json] of cases) {
      expect(inspect(auth)).toBe(printed);
      expect(inspect({ auth }, { depth: 9, showHidden: true })).not.toContain("secret");
      expect([String(auth), auth.toString(), ["", ""].join(auth as unknown as string)]).toEqual([
        printed,
        printed,
        printed,
      ]);
      expect(JSON.parse(JSON.stringify({ auth }))).toEqual({ auth: json });
      const copies = [structuredClone(auth), Object.assign({}, auth), Object.getOwnPropertyDescriptors(auth)];
      expect(JSON.stringify(copies)).not.toContain("secret");
    }
  });

  it.each([
    [{ token: "secret" }, "unknown field `token`"],
    [{ auth: { Bearer: "secret" } }, "OpenApiAuth.bearer(token)"],
    [{ timeout_secs: 0 }, "`timeout_secs`"],
    [{ max_response_bytes: -1 }, "`max_response_bytes`"],
    [{ name_prefix: "" }, "`name_prefix`"],
    [{ allowed_hosts: "secret" }, "`allowed_hosts`"],
  ])("The wrong config %j is refused by the name of its field, without its value", async (config, problem) => {
    const load = OpenApiAdapter.fromStr(spec, config as OpenApiConfig);
    await expect(load).rejects.toThrow(problem);
    await expect(load).rejects.not.toThrow("secret");
  });

  it.each([
    ["Any", "unknown"],
    [{ ByTag: "pets" }, "unknown"],
    [{ ByTag: ["a"], ByPathPrefix: "/" }, "unknown"],
  ])("The wrong filter %j is refused", async (filter, problem) => {
    await expect(OpenApiAdapter.fromStr(spec, {}, filter as OperationFilter)).rejects.toThrow(problem);
  });

  it("A document without an address of the API, one that is none, and a file that does not exist are refused", async () => {
    const load = (document: string) => quietly(() => OpenApiAdapter.fromStr(document));
    await expect(load(spec)).rejects.toThrow("without the address of a server");
    await expect(load("swagger: '2.0'")).rejects.toThrow("OpenAPI 2");
    await expect(load("{")).rejects.toThrow("no valid JSON");
    await expect(OpenApiAdapter.fromFile("/no/such/file.json")).rejects.toThrow("/no/such/file.json cannot be read");
  });
});

describe("llm() and agent()", () => {
  it("llm() calls an operation, whose name has the prefix of the definition, and a definition with approvals is refused", async () => {
    const { host, baseUrl } = await echoApi();
    const definition = { name: "pets", document: spec, baseUrl, allowedHosts: [host], operations: ["large"] };
    const lines: string[] = [];
    const tools = await openApiTools(definition, { log: (line) => lines.push(line) });
    expect(tools.map(({ name }) => name)).toEqual(["pets__large"]);
    expect(lines.join("\n")).toContain("GET /orders");
    const script = [{ toolCalls: [{ name: "pets__large", arguments: {} }] }, { text: "Done." }];
    const turn = await instance(script, { tools }).generate("Go.");
    expect(outline(turn.messages).join("\n")).toContain(`GET ${baseUrl}/orders/large → 200`);
    await expect(openApiTools({ ...definition, needsApproval: true } as never)).rejects.toThrow("needsApproval");
  });
});
