// The file routes before the object: which requests reach it, and how its responses are returned.

import { describe, expect, it } from "vitest";

import { reservedPath } from "#contract/route.ts";

import { refusalOf, testApp, tokens } from "./support/test-app.ts";
import type { Ask, TestApp } from "./support/test-app.ts";

function withThread(owner = "anna"): { app: TestApp; files: string; id: string; calls: Request[] } {
  const app = testApp();
  const { id, object } = app.seed(owner);
  return { app, id, files: `/api/threads/${id}/files`, calls: object.fileCalls };
}

/** The path of the request to the object, or the refusal. */
async function askedPath(path: string): Promise<unknown> {
  const { app, files, calls } = withThread();
  const response = await app.ask(`${files}${path}`);
  if (response.status !== 200) return (await refusalOf(response)).code;
  return new URL(calls[0]?.url ?? "").searchParams.get("path");
}

describe("a file's path", () => {
  it.each([
    ["", ""],
    ["/", ""],
    ["/a.txt", "a.txt"],
    ["/a/b/c.txt", "a/b/c.txt"],
    ["/a/", "a/"],
    ["//a", "/a"],
    ["/a%20b%2Fc%3Fd%23e.txt", "a b/c?d#e.txt"],
    ["/%E6%96%87/%F0%9F%98%80", "文/😀"],
    // The path is decoded once: what remains is an ordinary name.
    ["/%252e%252e/%2541", "%2e%2e/%41"],
    ["/a+b&c=d", "a+b&c=d"],
    // These dots are not resolved by the URL parser; the object refuses a path that would lead out.
    ["/..%2f..%2fx", "../../x"],
    ["/a%00b", "a\u0000b"],
    ["/path=%26stat", "path=&stat"],
  ])("FHTTP1 The path %j reaches the object as %j", async (path, requested) => {
    expect(await askedPath(path)).toBe(requested);
  });

  it.each(["/%ff", "/%c0%ae%c0%ae/x", "/%e0%80%af", "/%ed%a0%80", "/%", "/%zz", "/a%2"])(
    "FHTTP1 The path %j is not valid percent-encoded UTF-8 and is answered with route_not_found",
    async (path) => {
      expect(await askedPath(path)).toBe("route_not_found");
    },
  );

  it("FHTTP2 A file path with dots that the URL parser resolves to another route reaches no method of the thread's files", async () => {
    const { app, files, calls } = withThread();
    for (const path of ["/../../../../healthz", "/%2e%2e/runs", "/a/..%2f/.././../events?after=x"]) {
      await app.ask(`${files}${path}`);
    }
    expect(calls).toEqual([]);
  });
});

describe("a request about files", () => {
  it("The Worker passes a request about files to the thread's object with the caller, the checked query, the conditions and the media type, and without other headers", async () => {
    const { app, files, calls } = withThread();
    const headers = {
      range: "bytes=0-1",
      "if-range": '"a"',
      "if-match": '"b"',
      "if-none-match": '"c"',
      "content-type": "text/plain",
      "x-threadhold-caller": '{"user":null,"admin":true}',
      "x-threadhold-more": "1",
      cookie: "a=b",
      accept: "text/html",
    };
    expect((await app.ask(`${files}/a.txt?stat`, { headers })).status).toBe(200);
    expect((await app.ask(`${files}/a.txt`, { method: "PUT", headers, body: "raw" })).status).toBe(200);
    const [read, written] = calls;
    expect([read?.method, read?.url]).toEqual(["GET", "https://thread/files/content?stat=&path=a.txt"]);
    const conditions = { range: "bytes=0-1", "if-range": '"a"', "if-match": '"b"', "if-none-match": '"c"' };
    const caller = { "x-threadhold-caller": '{"user":"anna","admin":false}' };
    expect(Object.fromEntries(read?.headers ?? [])).toEqual({ ...conditions, ...caller });
    expect([written?.method, written?.redirect]).toEqual(["PUT", "manual"]);
    expect(Object.fromEntries(written?.headers ?? [])).toEqual({
      ...conditions,
      ...caller,
      "content-type": "text/plain",
    });
    expect(await written?.text()).toBe("raw");
  });

  it("A request for files of another user's thread, or without credentials, is refused, and its body is not read", async () => {
    const { app, files, id } = withThread("bernd");
    const asks: [string, Ask][] = [
      [`${files}/a.txt`, {}],
      [files, {}],
      [`${files}/a.txt`, { method: "HEAD" }],
      [`${files}/a.txt`, { method: "PUT", body: "x" }],
      [`${files}/a?mkdir`, { method: "PUT" }],
      [`${files}/a.txt`, { method: "DELETE" }],
      [`/api/threads/${id}/files-search?grep=x`, {}],
      [`/api/threads/${id}/files-stats`, {}],
    ];
    for (const [path, ask] of asks.flatMap(([path, ask]): [string, Ask][] => [
      [path, ask],
      [reservedPath(path), ask],
    ])) {
      const refused = await app.ask(path, ask);
      expect([path, refused.status]).toEqual([path, 404]);
      if (ask.method !== "HEAD") expect((await refusalOf(refused)).code).toBe("thread_not_found");
      expect([path, (await app.ask(path, { ...ask, token: null })).status]).toEqual([path, 401]);
    }
    expect(app.object(id).fileCalls).toEqual([]);
  });

  it("A request about files is repeated after a reset of the object, unless it had a body", async () => {
    const { app, id, files, calls } = withThread();
    const reset = (): Error => Object.assign(new Error("reset"), { retryable: true, durableObjectReset: true });
    const { failures } = app.object(id);
    for (const [path, method] of [
      ["/a.txt", "GET"],
      ["/a.txt", "DELETE"],
      ["/a?mkdir", "PUT"],
    ]) {
      failures.push(reset());
      expect((await app.ask(`${files}${path ?? ""}`, { method: method ?? "" })).status).toBe(200);
    }
    failures.push(reset());
    const upload = await app.ask(`${files}/a.txt`, { method: "PUT", body: "x" });
    expect(await refusalOf(upload)).toMatchObject({ status: 503, code: "unavailable" });
    expect(calls).toHaveLength(3);
  });

  it.each<[string, string, Ask]>([
    ["stat and thumbnail at once", "/files/a?stat&thumbnail", {}],
    ["an unknown query", "/files/a?stats", {}],
    ["a path in the query", "/files/a?path=b", {}],
    ["a query to a write", "/files/a?stat", { method: "PUT", body: "x" }],
    ["a query to a deletion", "/files/a?recursive", { method: "DELETE" }],
    ["neither grep nor glob", "/files-search", {}],
    ["grep and glob", "/files-search?grep=a&glob=b", {}],
    ["an empty pattern", "/files-search?grep=", {}],
    ["a pattern that is too long", `/files-search?grep=${"x".repeat(1001)}`, {}],
    ["no files at all", "/files-search?grep=a&limit=0", {}],
    ["too many files", "/files-search?grep=a&limit=1001", {}],
  ])("FHTTP17 A request about files with %s is refused before the object is called", async (_what, path, ask) => {
    const { app, id, calls } = withThread();
    const refused = await refusalOf(await app.ask(`/api/threads/${id}${path}`, ask));
    expect(refused).toMatchObject({ status: 400, code: "invalid_request" });
    expect(calls).toEqual([]);
  });

  it.each<[string, Record<string, string>, number, string]>([
    ["a type that is none", { "content-type": "text" }, 400, "invalid_request"],
    ["compressed bytes", { "content-encoding": "gzip" }, 415, "unsupported_media_type"],
    ["a part of a file", { "content-range": "bytes 0-1/2" }, 400, "invalid_request"],
    ["a condition by time", { "if-unmodified-since": "Sat, 21 Nov 2026 05:54:33 GMT" }, 400, "invalid_request"],
    ["an empty condition", { "if-match": "" }, 400, "invalid_request"],
    ["a condition without quotes", { "if-none-match": "abc" }, 400, "invalid_request"],
    ["another one by time", { "if-modified-since": "Sat, 21 Nov 2026 05:54:33 GMT" }, 400, "invalid_request"],
  ])("FHTTP15 An upload with %s is refused", async (_what, headers, status, code) => {
    const { app, files, calls } = withThread();
    const refused = await app.ask(`${files}/a.txt`, { method: "PUT", body: "x", headers });
    expect(await refusalOf(refused)).toMatchObject({ status, code });
    expect(calls).toEqual([]);
  });

  it("FHTTP15 A deletion with If-Unmodified-Since is refused, and an upload with Content-Encoding identity is accepted", async () => {
    const { app, files } = withThread();
    const since = { "if-unmodified-since": "Sat, 21 Nov 2026 05:54:33 GMT" };
    expect((await app.ask(`${files}/a.txt`, { method: "DELETE", headers: since })).status).toBe(400);
    const identity = { "content-encoding": "identity" };
    expect((await app.ask(`${files}/a.txt`, { method: "PUT", body: "x", headers: identity })).status).toBe(200);
  });
});

describe("the object's answer", () => {
  it("FHTTP5 The response for a range outside the file states the file's size", async () => {
    const { app, id, files } = withThread();
    const error = { code: "range_not_satisfiable", message: "The file has 7 bytes.", details: { size: 7 } };
    app.object(id).onFiles = () => Response.json({ error }, { status: 416 });
    const answer = await app.ask(`${files}/a.txt`, { headers: { range: "bytes=9-" } });
    expect([answer.status, answer.headers.get("content-range")]).toEqual([416, "bytes */7"]);
    expect(await answer.json()).toEqual({ error });
  });

  it("FHTTP4 The object's response is returned with its headers; an invalid response of the object becomes an internal error without details", async () => {
    const { app, id, files } = withThread();
    app.object(id).onFiles = () => new Response("part", { status: 206, headers: { etag: '"a"', "x-own": "1" } });
    const answer = await app.ask(`${files}/a.txt`);
    expect([answer.status, answer.headers.get("etag"), await answer.text()]).toEqual([206, '"a"', "part"]);
    app.object(id).onFiles = () => new Response("secret", { status: 500 });
    const broken = await app.ask(`${files}/a.txt`);
    expect(broken.status).toBe(500);
    expect(await broken.text()).not.toContain("secret");
    expect((await app.ask(`${files}/a.txt`, { method: "HEAD" })).status).toBe(500);
  });

  it("FHTTP19 Pages of listed origins can read a file's response with its ETag and Content-Range headers", async () => {
    const listed = "https://app.example";
    const app = testApp({ variables: { API_TOKENS: tokens, ALLOWED_ORIGINS: listed } });
    const { id } = app.seed();
    const path = `/api/threads/${id}/files/a/b.txt`;
    const headers = { origin: listed, "access-control-request-method": "PUT" };
    const preflight = await app.ask(path, { method: "OPTIONS", token: null, headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("allow")).toBe("DELETE, GET, HEAD, OPTIONS, PUT");
    expect(preflight.headers.get("access-control-allow-methods")).toContain("PUT");
    for (const name of ["range", "if-range", "if-match", "if-none-match"]) {
      expect(preflight.headers.get("access-control-allow-headers")?.split(", ")).toContain(name);
    }
    const answer = await app.ask(path, { headers: { origin: listed } });
    expect(answer.headers.get("access-control-allow-origin")).toBe(listed);
    for (const name of ["etag", "content-range", "accept-ranges", "content-disposition"]) {
      expect(answer.headers.get("access-control-expose-headers")?.split(", ")).toContain(name);
    }
    const other = await app.ask(path, { headers: { origin: "https://other.example" } });
    expect(other.headers.has("access-control-allow-origin")).toBe(false);
  });

  it("FHTTP19 The routes of a file answer also under /api/~, and a method that they lack is answered 405 with the allowed methods", async () => {
    const { app, files, calls } = withThread();
    expect(await (await app.ask(reservedPath(`${files}/a.txt`))).text()).toBe("bytes");
    expect(new URL(calls[0]?.url ?? "").searchParams.get("path")).toBe("a.txt");
    const posted = await app.ask(`${files}/a.txt`, { method: "POST", body: "x" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "DELETE, GET, HEAD, OPTIONS, PUT"]);
    const searched = await app.ask(files.replace(/files$/, "files-search"), { method: "PUT" });
    expect([searched.status, searched.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });
});
