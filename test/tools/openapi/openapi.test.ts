// The operations of OpenAPI documents as tools of threads, over real HTTP.

import { describe, expect, it } from "vitest";
import { stringify } from "yaml";

import { callTools, outcome } from "../../thread/mcp-driver.ts";
import { contextOf, documentOf, setApi, toolsOf } from "./api-driver.ts";

const text = { type: "string" };

const pets = documentOf(
  {
    "/pets": {
      parameters: [{ name: "limit", in: "query", schema: { type: "integer", maximum: 100 } }],
      get: {
        operationId: "listPets",
        summary: "Lists pets",
        tags: ["pets"],
        parameters: [{ name: "X-Trace", in: "header", schema: text }],
      },
      post: {
        operationId: "createPet",
        tags: ["pets"],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } },
        },
      },
    },
    "/pets/{petId}": {
      get: {
        operationId: "getPet",
        tags: ["pets"],
        parameters: [{ $ref: "#/components/parameters/petId" }, { name: "session", in: "cookie", schema: text }],
      },
    },
    "/orders": { get: { operationId: "listOrders", tags: ["orders"] }, put: { summary: "Without an id" } },
  },
  {
    components: {
      parameters: { petId: { name: "petId", in: "path", required: true, schema: { type: "integer" } } },
      schemas: {
        Pet: {
          type: "object",
          required: ["name", "id"],
          properties: {
            id: { type: "string", readOnly: true },
            name: text,
            parent: { $ref: "#/components/schemas/Pet" },
            nick: { type: "string", nullable: true },
          },
        },
      },
    },
  },
);

const names = async () => (await callTools("api", [])).request?.tools.map(({ name }) => name.replace("api__", ""));

describe("The list of tools", () => {
  it.each([
    ["a parsed document", pets],
    ["a text in JSON", JSON.stringify(pets)],
    ["a text in YAML", stringify(pets)],
  ])(
    "A document as %s offers its operations with an id, and their arguments have the schemas of the document",
    async (_, document) => {
      const tools = await toolsOf(document);
      expect(tools.map(({ name }) => name)).toEqual([
        "api__listPets",
        "api__createPet",
        "api__getPet",
        "api__listOrders",
      ]);
      const [list, create, get] = tools;
      expect(list).toMatchObject({
        description: "Lists pets",
        parameters: { properties: { limit: { type: "integer", maximum: 100 }, "X-Trace": text } },
      });
      expect(create?.parameters).toMatchObject({
        required: ["body"],
        properties: {
          body: {
            type: "object",
            required: ["name"],
            properties: { name: text, parent: { type: "object" }, nick: { type: ["string", "null"] } },
          },
        },
      });
      expect(JSON.stringify(create?.parameters)).not.toContain('"id"');
      expect(get?.parameters).toMatchObject({ required: ["petId"], properties: { petId: { type: "integer" } } });
      expect(JSON.stringify(get?.parameters)).not.toContain("session");
    },
  );

  it("A document at an address has the same tools, and is requested once", async () => {
    const api = setApi(pets);
    const own = await names();
    const url = await api.publish(stringify(pets));
    const { requests, base, scope } = api;
    setApi({ url: () => url }, { baseUrl: `${base}/${scope}/api` });
    expect(await names()).toEqual(own);
    expect(await names()).toEqual(own);
    expect((await requests()).filter((line) => line === "GET /document")).toHaveLength(1);
  });

  it("A document at an address is used for five minutes, requested again, and read again only if its text changed", async () => {
    const texts = [
      stringify(pets),
      stringify(pets),
      stringify(documentOf({ "/new": { get: { operationId: "added" } } })),
    ];
    const minute = 60_000_000;
    let now = 0;
    let requests = 0;
    const context = contextOf({
      fetch: () => Promise.resolve(new Response(texts[requests++])),
      clock: { now: () => now, sleep: () => Promise.resolve(), after: () => () => {} },
    });
    const list = async (at: number) => {
      now = at * minute;
      const tools = await toolsOf({ url: "https://api.example/openapi.yaml" }, {}, context);
      return { requests, names: tools.map(({ name }) => name), schema: tools[0]?.parameters };
    };
    const first = await list(0);
    expect(first).toMatchObject({ requests: 1, names: expect.arrayContaining(["api__listPets"]) as string[] });
    expect((await list(4)).requests).toBe(1);
    const again = await list(6);
    expect(again.requests).toBe(2);
    expect(again.schema).toBe(first.schema);
    expect(await list(12)).toMatchObject({ requests: 3, names: ["api__added"] });
  });

  it.each([
    ["operations", { operations: ["getPet", "listOrders"] }, ["getPet", "listOrders"]],
    ["tags", { tags: ["orders"] }, ["listOrders"]],
    ["methods", { methods: ["POST"] }, ["createPet"]],
    ["pathPrefix", { pathPrefix: "/pets/" }, ["getPet"]],
    ["tags and methods", { tags: ["pets"], methods: ["GET"] }, ["listPets", "getPet"]],
    ["unnamedOperations", { unnamedOperations: true, methods: ["PUT"] }, ["put_orders"]],
  ] as const)("The filter %s selects operations", async (_, filter, expected) => {
    setApi(pets, filter);
    expect(await names()).toEqual(expected);
  });

  it("If the document of an API is invalid, the system prompt names its missing tools, their calls are errors, and the run keeps its other tools", async () => {
    setApi("openapi: 3.0.0\n- no YAML");
    const { request, results } = await callTools("api-and-note", [
      { name: "api__getPet", arguments: {} },
      { name: "note", arguments: { text: "kept" } },
    ]);
    expect(JSON.stringify(request?.system)).toContain("api__*");
    expect(request?.tools.map(({ name }) => name)).toEqual(["note"]);
    expect(results.map(outcome)).toEqual([
      ["error", expect.any(String)],
      ["success", "noted kept"],
    ]);
  });
});

describe("A call", () => {
  it("A call sends its arguments in the path, the query, headers and the body, and its result has the method, the address, the status and the body", async () => {
    const api = setApi(pets);
    const listed = await api.echo("listPets", { limit: 5, "X-Trace": "t1" });
    expect(listed).toMatchObject({ method: "GET", url: "/pets?limit=5", head: "GET /pets?limit=5 → 200" });
    expect(listed.headers["x-trace"]).toBe("t1");
    const created = await api.echo("createPet", { body: { name: "Rex", nick: null } });
    expect(created).toMatchObject({ method: "POST", url: "/pets", body: '{"name":"Rex","nick":null}' });
    expect(created.headers["content-type"]).toBe("application/json");
    expect(await api.echo("getPet", { petId: 7 })).toMatchObject({ url: "/pets/7" });
  });

  it("A status other than 2xx is a result with the body, and arguments that do not match the schema send no request", async () => {
    const api = setApi(
      documentOf({ "/status/404": { get: { operationId: "missing" } }, ...(pets["paths"] as object) }, pets),
    );
    expect(await api.call(["missing", {}], ["getPet", { petId: "seven" }], ["getPet", {}])).toEqual([
      ["success", expect.stringMatching(/status\/404 → 404\n\n\{"problem":"refused"\}$/)],
      ["error", expect.stringContaining("petId")],
      ["error", expect.stringContaining("petId")],
    ]);
    expect(await api.requests()).toEqual(["GET /api/status/404"]);
  });

  it("OUT21 A path variable is encoded, and an argument cannot lead to another path", async () => {
    const document = documentOf({
      "/files/{name}": { get: { operationId: "read", parameters: [{ name: "name", in: "path", schema: text }] } },
    });
    const api = setApi(document);
    expect(await api.echo("read", { name: "a/../b?c#d é" })).toMatchObject({
      url: "/files/a%2F..%2Fb%3Fc%23d%20%C3%A9",
    });
    const refused = ["..", ".", "", "%2e%2e"];
    const results = await api.call(...refused.map((name): [string, object] => ["read", { name }]));
    expect(results.map(([status]) => status)).toEqual(["error", "error", "error", "success"]);
    expect((await api.requests()).slice(1)).toEqual(["GET /api/files/%252e%252e"]);
  });

  it("A response's text is cut at the bound between characters, and the result names the bound and the next page", async () => {
    const limit = { name: "limit", in: "query", schema: { type: "integer" } };
    const document = documentOf({
      "/large": { get: { operationId: "large", parameters: [limit] } },
      "/pages": { get: { operationId: "pages" } },
    });
    const api = setApi(document, { maxResponseBytes: 1001 });
    const [[, large = ""] = [], [, pages] = []] = await api.call(["large", {}], ["pages", {}]);
    expect(large).toContain(
      `→ 200\n\n${"ä".repeat(500)}\n\n[The body is longer: only the first 1001 bytes are here. These arguments make it smaller: limit.]`,
    );
    expect(pages).toContain("[The next page: page=2&size=5]");
  });

  it("An image in a response is a file of the thread, and a function of the definition shapes JSON", async () => {
    const document = documentOf({
      "/image": { get: { operationId: "image" } },
      "/pets": { get: { operationId: "pets" } },
    });
    const { call } = setApi(document, {
      shapeResponse: ({ operation, body }) => ({ operation, method: (body as { method: string }).method }),
    });
    const { results } = await callTools("api", [{ name: "api__image", arguments: {} }]);
    expect(results[0]?.result?.attachments).toMatchObject([{ mimeType: "image/png" }]);
    expect(await call(["pets", {}])).toEqual([
      ["success", expect.stringMatching(/→ 200\n\n\{"operation":"pets","method":"GET"\}$/)],
    ]);
  });

  it("A request that gets no response in time, and a host that is not allowed, are errors that name the API", async () => {
    const document = documentOf({ "/slow": { get: { operationId: "slow" } } });
    expect(await setApi(document, { timeoutMs: 200 }).call(["slow", {}])).toEqual([
      ["error", expect.stringContaining('The API "api" could not be reached')],
    ]);
    expect(await setApi(document, { allowedHosts: [] }).call(["slow", {}])).toEqual([
      ["error", expect.stringContaining('The API "api" could not be reached')],
    ]);
  });
});

describe("Credentials", () => {
  const document = documentOf({
    "/me": {
      get: {
        operationId: "me",
        parameters: [
          { name: "key", in: "query", schema: text },
          { name: "X-Key", in: "header", schema: text },
          { name: "Authorization", in: "header", schema: text },
          { name: "Host", in: "header", schema: text },
        ],
      },
    },
  });

  it.each([
    ["bearer", { type: "bearer", token: "secret-token" }, { authorization: "Bearer ****" }, "/me"],
    ["basic", { type: "basic", username: "me", password: "secret-word" }, { authorization: "Basic ****" }, "/me"],
    ["a header", { type: "apiKey", in: "header", name: "X-Key", value: "secret-key" }, { "x-key": "****" }, "/me"],
    ["a query", { type: "apiKey", in: "query", name: "key", value: "secret key" }, {}, "/me?key=****"],
    ["a cookie", { type: "apiKey", in: "cookie", name: "id", value: "secret-id" }, { cookie: "id=****" }, "/me"],
  ] as const)(
    "OUT22 Credentials by %s are sent with each request, and the result contains none of them",
    async (_, auth, headers, url) => {
      const api = setApi(document, { auth: async () => auth });
      const echo = await api.echo("me", {});
      expect(echo).toMatchObject({ url, headers, head: "GET /me → 200" });
      expect(echo.text).not.toContain("secret");
      const [line = ""] = await api.requests();
      expect(line).toBe(auth.type === "apiKey" && auth.in === "query" ? "GET /api/me?key=secret%20key" : "GET /api/me");
    },
  );

  it("OUT21 An argument replaces no credential, and the headers Authorization and Host are no arguments", async () => {
    const auth = [
      { type: "apiKey", in: "header", name: "x-key", value: "from-the-definition" },
      { type: "apiKey", in: "query", name: "key", value: "from-the-definition" },
    ] as const;
    const api = setApi(document, { auth });
    const echo = await api.echo("me", { key: "model", "X-Key": "model" });
    expect(echo).toMatchObject({ url: "/me?key=****", headers: { "x-key": "****" } });
    const [tool] = await toolsOf(document);
    expect(Object.keys(tool?.parameters["properties"] ?? {})).toEqual(["key", "X-Key"]);
  });

  it("OUT21 A header's value with a line break sends no request", async () => {
    const api = setApi(document);
    expect(await api.call(["me", { "X-Key": "a\r\nx-admin: 1" }])).toEqual([
      ["error", expect.stringContaining('"X-Key" has characters')],
    ]);
    expect(await api.requests()).toEqual([]);
  });

  it("OUT20 A document from an address sends credentials to its own origin, and to another one only if the definition names it", async () => {
    const auth = { type: "bearer", token: "secret-token" } as const;
    const { base, publish, requests, scope } = setApi(document);
    const serve = async (server: string) => publish(JSON.stringify({ ...document, servers: [{ url: server }] }));
    // The same server under another name is another origin.
    const other = base.replace("127.0.0.1", "localhost");
    const hosts = { allowedHosts: [new URL(base).host, new URL(other).host], baseUrl: undefined };
    const call = async (more: object) => {
      const url = await serve(`${other}/${scope}/api`);
      const api = setApi({ url }, { auth, ...hosts, ...more } as never);
      return api.call(["me", {}]);
    };
    expect(await call({})).toEqual([["error", expect.stringContaining("credentialHosts")]]);
    expect((await requests()).filter((line) => line.includes("/api/"))).toEqual([]);
    expect(await call({ credentialHosts: [new URL(other).host] })).toEqual([["success", expect.any(String)]]);
    expect(await call({ baseUrl: `${base}/${scope}/api` })).toEqual([["success", expect.any(String)]]);
    const own = await serve(`/${scope}/api`);
    expect(await setApi({ url: `${own}?own` }, { auth, ...hosts } as never).call(["me", {}])).toEqual([
      ["success", expect.any(String)],
    ]);
  });
});
