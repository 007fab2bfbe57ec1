// How arguments become requests: the styles of parameters, content types of bodies, files of the thread, and servers.

import { describe, expect, it } from "vitest";

import { ToolCaller } from "../tool-caller.ts";
import { documentOf, setApi, toolsOf } from "./api-driver.ts";
import type { Echo } from "./api-driver.ts";

const list = ["a b", "c/d"];
const object = { r: 1, g: "x&y" };

/** A document with one operation, which has one parameter `p`. */
const one = (place: string, more: object) => {
  const path = place === "path" ? "/at/{p}" : "/at";
  return documentOf({
    [path]: { get: { operationId: "at", parameters: [{ name: "p", in: place, required: place === "path", ...more }] } },
  });
};

describe("Parameters", () => {
  // The expected texts are those of the tables of OpenAPI 3.1 ("Style Examples") and of RFC 6570.
  it.each([
    ["path", {}, list, "/at/a%20b,c%2Fd"],
    ["path", {}, object, "/at/r,1,g,x%26y"],
    ["path", { explode: true }, object, "/at/r=1,g=x%26y"],
    ["path", { style: "label" }, "a", "/at/.a"],
    ["path", { style: "label" }, list, "/at/.a%20b,c%2Fd"],
    ["path", { style: "label", explode: true }, list, "/at/.a%20b.c%2Fd"],
    ["path", { style: "label", explode: true }, object, "/at/.r=1.g=x%26y"],
    ["path", { style: "matrix" }, "a", "/at/;p=a"],
    ["path", { style: "matrix" }, list, "/at/;p=a%20b,c%2Fd"],
    ["path", { style: "matrix", explode: true }, list, "/at/;p=a%20b;p=c%2Fd"],
    ["path", { style: "matrix", explode: true }, object, "/at/;r=1;g=x%26y"],
    ["query", {}, "a+b=c", "/at?p=a%2Bb%3Dc"],
    ["query", {}, "", "/at?p="],
    ["query", {}, list, "/at?p=a%20b&p=c%2Fd"],
    ["query", { explode: false }, list, "/at?p=a%20b,c%2Fd"],
    ["query", {}, object, "/at?r=1&g=x%26y"],
    ["query", { explode: false }, object, "/at?p=r,1,g,x%26y"],
    ["query", { style: "spaceDelimited", explode: false }, list, "/at?p=a%20b%20c%2Fd"],
    ["query", { style: "pipeDelimited", explode: false }, list, "/at?p=a%20b%7Cc%2Fd"],
    [
      "query",
      { style: "deepObject", explode: true },
      { a: 1, b: { c: [2, 3] } },
      "/at?p%5Ba%5D=1&p%5Bb%5D%5Bc%5D%5B0%5D=2&p%5Bb%5D%5Bc%5D%5B1%5D=3",
    ],
    ["query", { allowReserved: true }, "a/b?c#d&e", "/at?p=a/b?c%23d%26e"],
    [
      "query",
      { content: { "application/json": { schema: {} } } },
      object,
      "/at?p=%7B%22r%22%3A1%2C%22g%22%3A%22x%26y%22%7D",
    ],
  ])("A parameter in the %s with %j writes %j as %s", async (place, more, value, url) => {
    expect(await setApi(one(place, more)).echo("at", { p: value })).toMatchObject({ url });
  });

  it("A header parameter with a list is sent as comma-separated values, and a parameter without a value is not sent", async () => {
    const api = setApi(one("header", { schema: { type: "array" } }));
    expect((await api.echo("at", { p: ["a", "b"] })).headers["p"]).toBe("a,b");
    expect((await api.echo("at", {})).headers).not.toHaveProperty("p");
  });

  it("A cookie parameter is ignored unless the option `cookies` makes it an argument", async () => {
    const document = one("cookie", { schema: { type: "string" } });
    const [plain] = await toolsOf(document);
    expect(plain?.parameters["properties"]).toEqual({});
    const api = setApi(document, { cookies: true });
    expect((await api.echo("at", { p: "a; b" })).headers["cookie"]).toBe("p=a%3B%20b");
  });

  it("Parameters whose names occur twice or are refused by providers get unique argument names", async () => {
    const document = documentOf({
      "/at/{id}": {
        post: {
          operationId: "at",
          parameters: [
            { name: "id", in: "path", required: true, schema: { type: "string" } },
            { name: "id", in: "query", schema: { type: "string" } },
            { name: "filter[name]", in: "query", schema: { type: "string" } },
            { name: "body", in: "query", schema: { type: "string" } },
          ],
          requestBody: { content: { "application/json": { schema: { type: "object" } } } },
        },
      },
    });
    const echo = await setApi(document).echo("at", {
      id: "1",
      query_id: "2",
      filter_name_: "3",
      body: "4",
      _request_body: { five: 5 },
    });
    expect(echo).toMatchObject({ url: "/at/1?id=2&filter%5Bname%5D=3&body=4", body: '{"five":5}' });
  });
});

describe("Bodies", () => {
  const withBody = (type: string, schema: object, encoding: object = {}) =>
    documentOf({
      "/send": { post: { operationId: "send", requestBody: { content: { [type]: { schema, encoding } } } } },
    });

  it.each([
    ["application/json", { a: [1, null] }, '{"a":[1,null]}'],
    ["application/merge-patch+json", { a: null }, '{"a":null}'],
    [
      "application/x-www-form-urlencoded",
      { a: "x y&z", b: [1, 2], c: { d: 1 } },
      "a=x+y%26z&b=1&b=2&c=%7B%22d%22%3A1%7D",
    ],
    ["text/plain", "some text", "some text"],
    ["application/xml", "<a/>", "<a/>"],
  ])("A body of the type %s is sent as %j", async (type, value, body) => {
    const schema = typeof value === "string" ? { type: "string" } : { type: "object" };
    const echo = await setApi(withBody(type, schema)).echo("send", { body: value });
    expect(echo).toMatchObject({ method: "POST", body });
    expect(echo.headers["content-type"]).toBe(type);
  });

  it("A property of a form has the style of its encoding", async () => {
    const encoding = { expand: { style: "deepObject", explode: true } };
    const api = setApi(withBody("application/x-www-form-urlencoded", { type: "object" }, encoding));
    expect(await api.echo("send", { body: { expand: ["a", { b: "c" }] } })).toMatchObject({
      body: "expand%5B0%5D=a&expand%5B1%5D%5Bb%5D=c",
    });
  });

  it("JSON is preferred if an operation accepts several types", async () => {
    const content = {
      "text/plain": {},
      "application/vnd.a+json": {},
      "application/json": { schema: { type: "object" } },
    };
    const api = setApi(documentOf({ "/send": { post: { operationId: "send", requestBody: { content } } } }));
    expect((await api.echo("send", { body: {} })).headers["content-type"]).toBe("application/json");
  });

  it("Files of the thread can be sent as parts of a form, and as the body of an operation that accepts bytes", async () => {
    const properties = {
      title: { type: "string" },
      meta: { type: "object" },
      file: { type: "string", format: "binary", description: "The picture." },
      more: { type: "array", items: { type: "string", format: "binary" } },
    };
    const schema = { type: "object", required: ["file"], properties };
    const form = withBody("multipart/form-data", schema);
    const [tool] = await toolsOf(form);
    expect(tool?.parameters).toMatchObject({
      properties: {
        body: {
          required: ["file"],
          properties: {
            title: { type: "string" },
            file: { type: "string", description: "The picture. The path of a file of the thread." },
            more: { type: "array", items: { type: "string", description: "The path of a file of the thread." } },
          },
        },
      },
    });
    const caller = await ToolCaller.create("api");
    await caller.withState((state) => state.writeFile("/a.txt", "content of a", "text/plain"));
    setApi(form);
    const text = await caller.text("api__send", {
      body: { title: "Hello", meta: { a: 1 }, file: "/a.txt", more: ["/a.txt"] },
    });
    const sent = JSON.parse(text.slice(text.indexOf("\n\n") + 2)) as Echo;
    expect(sent.headers["content-type"]).toMatch(/^multipart\/form-data; ?boundary=/);
    for (const part of [
      /name="title"\r\n\r\nHello\r\n/,
      /name="meta".*\r\nContent-Type: application\/json\r\n\r\n\{"a":1\}\r\n/i,
      /name="file"; filename="a.txt"\r\nContent-Type: text\/plain\r\n\r\ncontent of a\r\n/i,
      /name="more"; filename="a.txt"/,
    ]) {
      expect(sent.body).toMatch(part);
    }
    expect(await caller.text("api__send", { body: { file: "/missing.txt" } })).toContain(
      'the thread has no file at "/missing.txt"',
    );
    setApi(withBody("application/octet-stream", { type: "string", format: "binary" }));
    const raw = await caller.text("api__send", { body: "/a.txt" });
    expect(JSON.parse(raw.slice(raw.indexOf("\n\n") + 2))).toMatchObject({
      body: "content of a",
      headers: { "content-type": "application/octet-stream" },
    });
  });
});

describe("Servers", () => {
  const paths = { "/at": { get: { operationId: "at" } } };

  it("A server's variables have the values of the definition, and those of the document otherwise", async () => {
    const { base, scope } = setApi(documentOf(paths));
    const servers = [{ url: `${base}/{scope}/api/{version}/`, variables: { version: { default: "v1" }, scope: {} } }];
    const document = documentOf(paths, { servers });
    const call = (serverVariables: Record<string, string>) =>
      setApi(document, { baseUrl: undefined, serverVariables } as never).call(["at", {}]);
    expect(await call({ scope })).toEqual([["success", expect.stringContaining(`/${scope}/api/v1/at → 200`)]]);
    expect(await call({ scope, version: "v2" })).toEqual([["success", expect.stringContaining("/api/v2/at → 200")]]);
    expect(await call({})).toEqual([
      ["error", expect.stringContaining('the variable "scope". Set it in serverVariables')],
    ]);
  });

  it("The server of an operation replaces that of its path, which replaces that of the document", async () => {
    const { base, scope } = setApi(documentOf(paths));
    const at = (name: string) => [{ url: `${base}/${scope}/api/${name}` }];
    const document = documentOf(
      {
        "/a": { get: { operationId: "a" } },
        "/b": { servers: at("path"), get: { operationId: "b" }, put: { operationId: "c", servers: at("operation") } },
      },
      { servers: at("document") },
    );
    const api = setApi(document, { baseUrl: undefined } as never);
    expect((await api.call(["a", {}], ["b", {}], ["c", {}])).map(([, text = ""]) => text.split("\n")[0])).toEqual([
      expect.stringContaining("/document/a → 200"),
      expect.stringContaining("/path/b → 200"),
      expect.stringContaining("/operation/b → 200"),
    ]);
  });

  it("If a document in the project has no server address, a call is an error that names baseUrl", async () => {
    const api = setApi(documentOf(paths), { baseUrl: undefined } as never);
    expect(await api.call(["at", {}])).toEqual([["error", expect.stringContaining("Set baseUrl in the definition")]]);
  });
});

it("BRANCH31 Operations with GET or HEAD that need no approval are repeatable, and other operations are not", async () => {
  const answers = { responses: { 200: { description: "ok" } } };
  const operations = { get: { operationId: "read", ...answers }, head: { operationId: "peek", ...answers } };
  const document = documentOf({ "/at": { ...operations, post: { operationId: "send", ...answers } } });
  const of = async (more: object) =>
    Object.fromEntries(
      (await toolsOf(document, more)).map(({ name, repeatable }) => [name.split("__")[1], repeatable]),
    );
  expect(await of({})).toEqual({ read: true, peek: true, send: false });
  expect(await of({ needsApproval: ["read"] })).toEqual({ read: false, peek: true, send: false });
});
