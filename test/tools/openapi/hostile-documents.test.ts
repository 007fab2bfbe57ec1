// Malicious OpenAPI documents, servers and arguments: what they cannot reach, fill, or keep busy.

import { describe, expect, inject, it } from "vitest";

import { isJsonObject, type JsonObject } from "#contract/json.ts";

import { callTools, outcome } from "../../thread/mcp-driver.ts";
import { contextOf, documentOf, setApi, toolsOf } from "./api-driver.ts";

const get = (operationId: string, more: object = {}) => ({ get: { operationId, ...more } });

describe("A document", () => {
  it("Circular references of schemas, parameters, paths and bodies in an OpenAPI document are cut, and the other operations remain", async () => {
    const node = {
      type: "object",
      properties: { next: { $ref: "#/components/schemas/Node" }, name: { type: "string" } },
    };
    const loop = { $ref: "#/components/parameters/Loop" };
    const tools = await toolsOf(
      documentOf(
        {
          "/a": {
            post: {
              operationId: "a",
              requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Node" } } } },
            },
          },
          "/b": get("b", {
            parameters: [loop, { name: "q", in: "query", schema: { $ref: "#/components/schemas/Loop" } }],
          }),
          "/c": { $ref: "#/paths/~1c" },
          "/d": { post: { operationId: "d", requestBody: { $ref: "#/components/requestBodies/Loop" } } },
        },
        {
          components: {
            schemas: { Node: node, Loop: { $ref: "#/components/schemas/Loop" } },
            parameters: { Loop: loop },
            requestBodies: { Loop: { $ref: "#/components/requestBodies/Loop" } },
          },
        },
      ),
    );
    expect(tools.map(({ name }) => name)).toEqual(["api__a", "api__b", "api__d"]);
    const [a, b] = tools;
    expect(a?.parameters).toMatchObject({
      properties: { body: { properties: { next: { type: "object" }, name: { type: "string" } } } },
    });
    expect(b?.parameters["properties"]).toEqual({ q: {} });
  });

  it("A schema that grows exponentially by its references is reduced to less than 64 KiB", async () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => {
        const inner = { $ref: `#/components/schemas/S${at + 1}` };
        return [
          `S${at}`,
          { type: "object", properties: Object.fromEntries(["a", "b", "c", "d"].map((key) => [key, inner])) },
        ];
      }),
    );
    const body = { content: { "application/json": { schema: { $ref: "#/components/schemas/S0" } } } };
    const [tool] = await toolsOf(
      documentOf({ "/a": { post: { operationId: "a", requestBody: body } } }, { components: { schemas } }),
    );
    expect(JSON.stringify(tool?.parameters).length).toBeLessThan(64 * 1024);
    expect(tool?.parameters).toMatchObject({ properties: { body: { properties: { a: { type: "object" } } } } });
  });

  const laughs = Array.from({ length: 12 }, (_, at) =>
    at === 0 ? "a0: &a0 [x, x, x]" : `a${at}: &a${at} [${Array.from({ length: 9 }, () => `*a${at - 1}`).join(", ")}]`,
  ).join("\n");
  const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;

  it.each([
    [
      "with values that are nested 5000 times",
      `{"openapi": "3.1.0", "x": ${deep}}`,
      "nested more than 200 levels deep",
    ],
    ["in YAML whose aliases grow exponentially", `openapi: 3.1.0\n${laughs}`, "no valid YAML"],
    ["with more characters than the bound", `{"openapi": "3.1.0"}${" ".repeat(17 * 1024 * 1024)}`, "characters"],
    ["of another version", '{"swagger": "2.0"}', "OpenAPI 2"],
    ["that is a list", "[]", "is no object"],
    ["that is no document", "<html>", "is no object"],
  ])("A document %s is refused with an error that names the API", async (_, document, text) => {
    await expect(toolsOf(document)).rejects.toThrow(`The API "api" has a`);
    await expect(toolsOf(document)).rejects.toThrow(text);
  });

  it("Tools get names and descriptions that providers accept, whatever ids and texts an OpenAPI document has", async () => {
    const ids = ["a\nb", "ü".repeat(300), "x\u202Ey", "__proto__", "constructor", "../../etc"];
    const paths = Object.fromEntries(
      ids.map((id, at) => [`/p${at}`, get(id, { description: `${"d".repeat(9000)}\u202E` })]),
    );
    const tools = await toolsOf(documentOf(paths));
    expect(tools).toHaveLength(ids.length);
    for (const { name, description } of tools) {
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(description.length).toBeLessThanOrEqual(2000);
      expect(description).not.toContain("\u202E");
    }
  });

  it("Parameters and properties with names such as __proto__ and constructor are sent like any others", async () => {
    const document = JSON.parse(
      JSON.stringify(
        documentOf({
          "/a/{constructor}": {
            post: {
              operationId: "a",
              parameters: [{ name: "PROTO", in: "query", schema: { type: "string" } }],
              requestBody: {
                content: {
                  "application/json": { schema: { type: "object", properties: { PROTO: { type: "string" } } } },
                },
              },
            },
          },
        }),
      ).replaceAll("PROTO", "__proto__"),
    ) as Record<string, unknown>;
    const [tool] = await toolsOf(document);
    const { properties } = tool?.parameters ?? {};
    expect(isJsonObject(properties) ? Object.keys(properties) : []).toEqual(["query___proto__", "constructor", "body"]);
    expect(({} as JsonObject)["polluted"]).toBeUndefined();
    const api = setApi(document);
    const echo = await api.echo("a", { constructor: "x", query___proto__: "y", body: {} });
    expect(echo).toMatchObject({ method: "POST", url: "/a/x?__proto__=y", body: "{}" });
  });

  it("Operations of an OpenAPI document send requests only to paths below the address of the API", async () => {
    const paths = [
      "/../../up",
      "/a/../../up",
      "/%2e%2e/up",
      "//elsewhere.example/x",
      "/\\elsewhere.example",
      "@elsewhere.example",
      "/x\\..\\..\\up",
    ];
    const api = setApi(documentOf(Object.fromEntries(paths.map((path, at) => [path, get(`p${at}`)]))));
    const results = await api.call(...paths.map((_, at): [string, object] => [`p${at}`, {}]));
    expect(results.map(([status]) => status)).toEqual([
      "error",
      "error",
      "error",
      "success",
      "success",
      "error",
      "error",
    ]);
    for (const line of await api.requests()) expect(line).toMatch(/^GET \/api\//);
  });

  it("Arguments and paths with dot segments lead to no other path, also if the address of the API is a whole host", async () => {
    const { base, scope } = setApi(documentOf({}));
    const notes = `/${scope}/api/notes`;
    const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
    const paths = {
      [`${notes}/{id}`]: { get: { operationId: "read", parameters: [id] } },
      [`${notes}/../up`]: { get: { operationId: "up" } },
      [`${notes}/%2E%2e/up`]: { get: { operationId: "encoded" } },
    };
    const api = setApi(documentOf(paths), { baseUrl: base });
    const inside = {
      ...api,
      requests: async (): Promise<string[]> => (await fetch(`${base}/${scope}/requests`)).json(),
    };
    const results = await inside.call(
      ["read", { id: "one" }],
      ["read", { id: ".." }],
      ["read", { id: "." }],
      ["up", {}],
      ["encoded", {}],
    );
    expect(results.map(([status]) => status)).toEqual(["success", "error", "error", "error", "error"]);
    expect(await inside.requests()).toEqual(["GET /api/notes/one"]);
  });

  it("An API is not requested at a private address, at a URL that is not HTTP, or at a URL with a password", async () => {
    for (const url of [
      "http://169.254.169.254/latest",
      "https://localhost/x",
      "file:///etc/passwd",
      "https://user:word@a.example/",
    ]) {
      const api = setApi(documentOf({ "/a": get("a") }, { servers: [{ url }] }), {
        baseUrl: undefined,
        allowedHosts: [],
      } as never);
      expect(await api.call(["a", {}])).toEqual([["error", expect.stringContaining('The API "api"')]]);
    }
  });

  it("A document with ten thousand operations has two tools, for the search and the call of at most 5,000 operations", async () => {
    const paths = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`/p${at}`, get(`op${at}`)]));
    const tools = await toolsOf(documentOf(paths));
    expect(tools.map(({ name }) => name)).toEqual(["api__search_operations", "api__call_operation"]);
    expect(tools[0]?.description).toContain("5000 operations");
  });
});

describe("A server", () => {
  const document = documentOf({ "/endless": get("endless"), "/away": get("away"), "/echo/long": get("long") });

  it("An endless response body is cut at maxResponseBytes, with a note", async () => {
    const api = setApi(document, { maxResponseBytes: 2000 });
    const [[status, text = ""] = []] = await api.call(["endless", {}]);
    expect(status).toBe("success");
    expect(text.length).toBeLessThan(3000);
    expect(text).toContain("only the first 2000 bytes");
  });

  it("OUT20 A redirect to another origin receives no credentials", async () => {
    const secret = "secret-of-the-definition";
    const { host } = new URL(inject("apiServer"));
    const api = setApi(document, {
      auth: { type: "bearer", token: secret },
      headers: { "x-key": secret },
      allowedHosts: [host, host.replace("127.0.0.1", "localhost")],
    });
    expect(await api.call(["away", {}])).toEqual([["success", expect.stringContaining('"host":"localhost:')]]);
    const received = await (await fetch(`${api.base}/${api.scope}/away`)).text();
    expect(received).toContain('"host":"localhost:');
    expect(received).not.toContain(secret);
  });

  it("OUT22 Credentials in a response are removed, also where the response is cut", async () => {
    const token = `token-${"z".repeat(40)}`;
    for (const maxResponseBytes of [150, 200, 250, 300, 100_000]) {
      const api = setApi(document, { auth: { type: "bearer", token }, maxResponseBytes });
      const { results } = await callTools("api", [{ name: "api__long", arguments: {} }]);
      const [[status, text = ""] = []] = results.map(outcome);
      expect(status).toBe("success");
      expect(text).not.toContain("token-z");
      expect(JSON.stringify(results)).not.toContain("zzzz");
      expect(await api.requests()).toHaveLength(1);
    }
  });
});

describe("A document from an address", () => {
  const published = async (text: string) => {
    const api = setApi(documentOf({}));
    return toolsOf({ url: await api.publish(text) }, { allowedHosts: [api.host] }, contextOf({ fetch: fetchOf }));
  };
  const fetchOf = ((url: string, init: RequestInit = {}) => fetch(url, { headers: init.headers ?? {} })) as never;
  const mebibyte = 1024 * 1024;
  const wayOut = "Convert it to JSON, or put it into the project.";

  it.each([
    ["8 MiB of [1,1,…]", `a: [${"1,".repeat(4 * mebibyte)}1]`, `more than 1048576 characters. ${wayOut}`],
    ["1 MiB of [1,1,…]", `a: [${"1,".repeat(mebibyte / 2 - 4)}1]`, `more than 125000 tokens. ${wayOut}`],
    ["1 MiB of {},…", `a: [${"{},".repeat(mebibyte / 3 - 4)}1]`, `more than 125000 tokens. ${wayOut}`],
    ["open lists", `a: ${"[".repeat(mebibyte - 4)}`, `nested more than 200 levels deep. ${wayOut}`],
    ["nested indicators", `a:\n ${"- ".repeat(mebibyte / 2 - 4)}1`, `nested more than 200 levels deep. ${wayOut}`],
    [
      "8 MiB of {} in JSON",
      `{"openapi":"3.1.0","x":[${"{},".repeat((8 * mebibyte) / 3)}1]}`,
      "more than 400000 values",
    ],
    ["2,000,000 levels in JSON", `{"openapi":"3.1.0","x":${"[".repeat(2_000_000)}`, "nested more than 200 levels deep"],
  ])(
    "OUT23 An OpenAPI document of %s from an address is refused with its bound and a way out",
    async (_, text, problem) => {
      await expect(published(text)).rejects.toThrow(problem);
    },
  );

  it("OUT23 An OpenAPI document in JSON of 14 MB with as many values as GitHub's is read from an address", async () => {
    const schema = {
      type: "object",
      description: "x".repeat(280),
      properties: { a: { type: "string", maxLength: 5 } },
    };
    const schemas = Object.fromEntries(Array.from({ length: 38_000 }, (_, at) => [`S${at}`, schema]));
    const document = documentOf({ "/a": get("a") }, { components: { schemas } });
    const text = JSON.stringify(document);
    expect(text.length).toBeGreaterThan(13_000_000);
    expect((await published(text)).map(({ name }) => name)).toEqual(["api__a"]);
  });

  it("OUT23 A document in YAML of 3 MB, which is refused from an address, is read if it is part of the project", async () => {
    const lines = Array.from({ length: 60_000 }, (_, at) => `    k${at}: ${"a word ".repeat(6)}`);
    const text = `openapi: 3.1.0\npaths:\n  /a:\n    get:\n      operationId: a\ncomponents:\n  x:\n${lines.join("\n")}\n`;
    await expect(published(text)).rejects.toThrow(`more than 1048576 characters. ${wayOut}`);
    expect((await toolsOf(text)).map(({ name }) => name)).toEqual(["api__a"]);
  });
});
