// The routes of files through the whole Worker: the HTTP layer, the real object and its real storage.

import { describe, expect, it } from "vitest";

import { fileRecordSchema } from "#contract/stored-file.ts";

import { realPng } from "../support/real-png.ts";
import { conflict, Files, invalid, missing } from "./thread-files-client.ts";

/** Bytes that differ at every position. */
function pattern(length: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(length / 4));
  for (let at = 0; at < words.length; at++) words[at] = Math.imul(at + 1, 2_654_435_761);
  return new Uint8Array(words.buffer, 0, length);
}

const sum = async (bytes: BufferSource): Promise<string> =>
  [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))].join();

describe("a file over HTTP", () => {
  it("FHTTP11 An upload of a new file is answered with status 201 and of an existing file with 200, both with the file's record and ETag", async () => {
    const files = await Files.ofNewThread();
    const created = await files.put("/docs/a.txt", "one", { "content-type": "text/x-note; v=1" });
    const first = fileRecordSchema.parse(await created.json());
    expect([created.status, first]).toMatchObject([
      201,
      { path: "/docs/a.txt", name: "a.txt", mimeType: "text/x-note; v=1", size: 3, isDirectory: false },
    ]);
    const replaced = await files.put("/docs//./a.txt", new Uint8Array([1, 2, 3, 4]));
    const second = fileRecordSchema.parse(await replaced.json());
    expect([replaced.status, second]).toMatchObject([
      200,
      { path: "/docs/a.txt", mimeType: "text/plain; charset=utf-8" },
    ]);
    expect(second.createdAt).toBe(first.createdAt);
    const tags = [created.headers.get("etag"), replaced.headers.get("etag")];
    expect(new Set(tags).size).toBe(2);
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]+"$/);
    expect((await files.get("/docs/a.txt")).headers.get("etag")).toBe(tags[1]);
    const unheard = await files.put("/unheard", new Uint8Array([0]));
    expect(await unheard.json()).toMatchObject({ mimeType: "application/octet-stream" });
  });

  it("FHTTP11 A file over HTTP may be empty", async () => {
    const files = await Files.ofNewThread();
    expect(await files.outcome("PUT", "/files/empty.txt")).toBe(201);
    expect(await files.outcome("PUT", "/files/empty.txt", { body: "" })).toBe(200);
    const empty = await files.get("/empty.txt", { range: "bytes=-5" });
    expect([empty.status, empty.headers.get("content-length"), await empty.text()]).toEqual([200, "0", ""]);
    expect(await files.outcome("GET", "/files/empty.txt", { headers: { range: "bytes=0-" } })).toEqual([
      416,
      "range_not_satisfiable",
    ]);
  });

  it("FHTTP4 GET returns a file with headers for its type, length, ETag and time, and HEAD returns the same headers", async () => {
    const files = await Files.ofNewThread();
    const put = await files.put("/a.json", "[1]");
    const record = fileRecordSchema.parse(await put.json());
    const got = await files.get("/a.json");
    const headers = Object.fromEntries(got.headers);
    expect([got.status, await got.text()]).toEqual([200, "[1]"]);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "content-length": "3",
      "accept-ranges": "bytes",
      etag: put.headers.get("etag"),
      "last-modified": new Date((record.updatedAt ?? 0) / 1000).toUTCString(),
      "cache-control": "private, no-cache, no-transform",
    });
    const head = await files.ask("HEAD", "/files/a.json", { headers: { range: "bytes=0-0" } });
    expect([head.status, Object.fromEntries(head.headers), await head.text()]).toEqual([200, headers, ""]);
    expect((await files.ask("HEAD", "/files/b.json")).status).toBe(404);
    expect((await files.ask("HEAD", "/files")).status).toBe(200);
  });

  // Stored in one row, in chunks of the object, and in the bucket of the tests' Worker.
  it.each([
    ["row", 10_000],
    ["chunks", 4_000_000],
    ["bucket", 9_000_000],
  ])(
    "FHTTP4, FHTTP5 A file is returned completely and in byte ranges, whatever its size (stored in: %s)",
    async (_place, size) => {
      const files = await Files.ofNewThread();
      const bytes = pattern(size);
      expect((await files.put("/big.bin", bytes)).status).toBe(201);
      const whole = await files.get("/big.bin");
      expect([whole.status, whole.headers.get("content-length")]).toEqual([200, String(size)]);
      expect(await sum(await whole.arrayBuffer())).toBe(await sum(bytes));
      for (const [range, first, last] of [
        ["bytes=0-0", 0, 0],
        ["bytes=5-", 5, size - 1],
        ["bytes=-7", size - 7, size - 1],
        [`bytes=${size - 1}-${size + 5}`, size - 1, size - 1],
        [`bytes=${Math.floor(size / 3)}-${Math.floor(size / 2)}`, Math.floor(size / 3), Math.floor(size / 2)],
      ] as const) {
        const part = await files.get("/big.bin", { range });
        const { "content-range": said, "content-length": length } = Object.fromEntries(part.headers);
        expect([range, part.status, said, length]).toEqual([
          range,
          206,
          `bytes ${first}-${last}/${size}`,
          String(last - first + 1),
        ]);
        expect(await sum(await part.arrayBuffer())).toBe(await sum(bytes.slice(first, last + 1)));
      }
    },
  );

  it("FHTTP6 A range request with If-Range gets the range if the tag is that of the current version, and otherwise the whole file", async () => {
    const files = await Files.ofNewThread();
    const tag = (await files.put("/a.txt", "0123456789")).headers.get("etag") ?? "";
    const part = async (ifRange: string): Promise<string> =>
      (await files.get("/a.txt", { range: "bytes=2-3", "if-range": ifRange })).text();
    expect(await part(tag)).toBe("23");
    const date = (await files.get("/a.txt")).headers.get("last-modified") ?? "";
    for (const other of ['"other"', `W/${tag}`, date, "*", "nonsense"]) expect(await part(other)).toBe("0123456789");
  });

  it("FHTTP7 A request with If-None-Match is answered 304 without the file if the caller has the current version, and with the file otherwise", async () => {
    const files = await Files.ofNewThread();
    const tag = (await files.put("/a.txt", "one")).headers.get("etag") ?? "";
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
      for (const method of ["GET", "HEAD"]) {
        const answer = await files.ask(method, "/files/a.txt", { headers: { "if-none-match": known } });
        expect([known, answer.status, answer.headers.get("etag"), await answer.text()]).toEqual([known, 304, tag, ""]);
        expect(answer.headers.get("cache-control")).toContain("private");
      }
    }
    for (const unknown of ['"x"', tag.slice(1, -1), "nonsense"]) {
      expect((await files.get("/a.txt", { "if-none-match": unknown })).status).toBe(200);
    }
    await files.put("/a.txt", "two");
    expect(await (await files.get("/a.txt", { "if-none-match": tag })).text()).toBe("two");
  });

  it.each([
    ["page.html", "attachment"],
    ["picture.svg", "attachment"],
    ["feed.xml", "attachment"],
    ["script.js", "attachment"],
    ["plain.txt", "inline"],
    ["picture.png", "inline"],
    ["paper.pdf", "inline"],
  ])(
    "FHTTP8 The file %s is sent with Content-Disposition %s and with headers that prevent scripts in it from running",
    async (name, kind) => {
      const files = await Files.ofNewThread();
      await files.put(`/${name}`, "<script>alert(1)</script>");
      const { headers } = await files.get(`/${name}`);
      expect(headers.get("content-disposition")).toBe(`${kind}; filename="${name}"`);
      expect(headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    },
  );

  it("FHTTP9 A file name with quotes, semicolons and other special characters is stored unchanged, and is complete in Content-Disposition", async () => {
    const files = await Files.ofNewThread();
    const name = `a "b"; filename=evil.html 文'(1).txt`;
    const path = `/${encodeURIComponent(name)}`;
    expect((await files.put(path, "x")).status).toBe(201);
    const { headers } = await files.get(path);
    const [, extended = ""] = /filename\*=UTF-8''(.*)$/.exec(headers.get("content-disposition") ?? "") ?? [];
    expect(decodeURIComponent(extended)).toBe(name);
    expect(await files.listed("")).toEqual([`/${name}`]);
  });
});

describe("folders, records and thumbnails", () => {
  it("FHTTP10 GET of a folder or of the root returns its entries, with and without a slash at the end of the path", async () => {
    const files = await Files.ofNewThread();
    expect(await files.listed("")).toEqual([]);
    await files.put("/docs/b.txt", "b");
    await files.put("/docs/a.txt", "a");
    await files.put("/docs/deep/c.txt", "c");
    const docs = ["/docs/a.txt", "/docs/b.txt", "/docs/deep"];
    for (const path of ["/docs", "/docs/", "//docs//", "/docs/."]) expect(await files.listed(path)).toEqual(docs);
    for (const path of ["", "/"]) expect(await files.listed(path)).toEqual(["/docs"]);
    expect(await files.outcome("GET", "/files/nothing")).toEqual(missing);
    expect(await files.outcome("GET", "/files/docs/a.txt/b")).toEqual(missing);
  });

  it("FHTTP10 GET with stat returns the record of a file or folder, and GET with thumbnail returns status 404 if there is no thumbnail", async () => {
    const files = await Files.ofNewThread();
    await files.put("/docs/a.txt", "a");
    const stat = async (path: string): Promise<unknown> =>
      fileRecordSchema.parse(await (await files.get(`${path}?stat`)).json());
    expect(await stat("/docs/a.txt")).toMatchObject({ path: "/docs/a.txt", size: 1, isDirectory: false });
    expect(await stat("/docs")).toMatchObject({ path: "/docs", isDirectory: true });
    expect(await stat("")).toMatchObject({ path: "/", isDirectory: true });
    expect(await stat("/docs/a.txt")).not.toHaveProperty("width");
    for (const path of ["/docs", "/docs/a.txt", "/nothing"]) {
      expect(await files.outcome("GET", `/files${path}?thumbnail`)).toEqual(missing);
    }
    expect(await files.outcome("GET", "/files/nothing?stat")).toEqual(missing);
    expect(await files.outcome("GET", "/files/docs/a.txt?stat=false&thumbnail=0")).toBe(200);
  });

  it("FHTTP10 The record of an uploaded image contains its width and height, and its thumbnail is WebP", async () => {
    const files = await Files.ofNewThread();
    const put = await files.put("/dot.png", Buffer.from(png, "base64"));
    expect(await put.json()).toMatchObject({ mimeType: "image/png", width: 3, height: 2 });
    const picture = await files.get("/dot.png?thumbnail");
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/webp"]);
    expect(picture.headers.get("x-content-type-options")).toBe("nosniff");
    const bytes = new TextDecoder("latin1").decode(await picture.arrayBuffer());
    expect([bytes.slice(0, 4), bytes.slice(8, 12)]).toEqual(["RIFF", "WEBP"]);
  });

  it("FHTTP10 The record of an image in several chunks contains its width and height, also if the upload declares no length", async () => {
    const files = await Files.ofNewThread();
    const noise = crypto.getRandomValues(new Uint8Array(65_536));
    const image = await realPng(2000, 1900, (x, y) => noise[(y * 2000 + x) % 65_521] ?? 0);
    expect(image.byteLength).toBeGreaterThan(1_835_008);
    for (const body of [image.slice(), new Blob([image.slice()]).stream()]) {
      const put = await files.put("/noise.png", body, { "content-type": "image/png" });
      expect(await put.json()).toMatchObject({ size: image.byteLength, width: 2000, height: 1900 });
    }
  });

  it("FHTTP16 PUT with mkdir creates a folder, and DELETE deletes a file or an empty folder", async () => {
    const files = await Files.ofNewThread();
    expect(await files.outcome("PUT", "/files/a/b?mkdir")).toBe(201);
    expect(await files.outcome("PUT", "/files/a/b/?mkdir=true")).toBe(200);
    expect(await files.outcome("PUT", "/files?mkdir")).toBe(200);
    expect(await files.outcome("PUT", "/files/a/b?mkdir", { headers: { "if-none-match": "*" } })).toEqual(conflict);
    expect(await files.outcome("PUT", "/files/a/b", { body: "x" })).toEqual(conflict);
    expect(await files.outcome("PUT", "/files", { body: "x" })).toEqual(conflict);
    expect(await files.outcome("PUT", "/files/a/b/c.txt", { body: "x" })).toBe(201);
    expect(await files.outcome("PUT", "/files/a/b/c.txt?mkdir")).toEqual(conflict);
    expect(await files.outcome("PUT", "/files/a/b/c.txt/d?mkdir")).toEqual(conflict);
    expect(await files.outcome("DELETE", "/files/a/b")).toEqual(conflict);
    expect(await files.outcome("DELETE", "/files")).toEqual(conflict);
    expect(await files.outcome("DELETE", "/files/a/b/c.txt")).toBe(204);
    expect(await files.outcome("DELETE", "/files/a/b/c.txt")).toEqual(missing);
    expect(await files.outcome("DELETE", "/files/a/b/")).toBe(204);
    expect(await files.outcome("GET", "/files/a/b")).toEqual(missing);
  });
});

describe("a path", () => {
  it.each([
    "/..%2f..%2fx",
    "/%2e%2e%2fx",
    "/a/..%2f..%2f..%2fx",
    "/a%00b",
    "/a%0d%0ab",
    "/a%5c..%5cb",
    `/${"n".repeat(256)}`,
    `/${"n/".repeat(600)}n`,
  ])("FHTTP2 A request with the invalid path %s is refused, with any method", async (path) => {
    const files = await Files.ofNewThread();
    for (const [method, query] of [
      ["GET", ""],
      ["GET", "?stat"],
      ["GET", "?thumbnail"],
      ["PUT", ""],
      ["PUT", "?mkdir"],
      ["DELETE", ""],
    ] as const) {
      const body = method === "PUT" && query === "" ? { body: "x" } : {};
      expect([method, query, await files.outcome(method, `/files${path}${query}`, body)]).toEqual([
        method,
        query,
        invalid,
      ]);
    }
    expect(await files.outcome("GET", `/files-search?grep=x&path=${path.slice(1)}`)).toEqual(invalid);
    expect(await files.stats()).toMatchObject({ fileCount: 0, directoryCount: 0 });
  });

  it("FHTTP2 A path with dots is normalised and names only files of its own thread", async () => {
    const [files, other] = [await Files.ofNewThread(), await Files.ofNewThread()];
    await files.put("/a%2f..%2fb.txt", "b");
    expect(await files.listed("")).toEqual(["/b.txt"]);
    expect(await files.outcome("GET", "/files/x%2F%2E%2E%2Fb.txt")).toBe(200);
    await files.put("/%252e%252e", "dots");
    expect(await files.listed("")).toEqual(["/%2e%2e", "/b.txt"]);
    expect(await other.outcome("GET", "/files/b.txt")).toEqual(missing);
  });
});

describe("search and counts", () => {
  it("FHTTP17 A search finds lines by a regular expression or paths by a glob, in all folders or in one, up to a limit of results", async () => {
    const files = await Files.ofNewThread();
    await files.put("/a.txt", "alpha\nbeta\nalphabet\n");
    await files.put("/docs/b.txt", "beta\n");
    await files.put("/docs/deep/c.md", "alpha");
    const search = async (query: string): Promise<unknown> => (await files.ask("GET", `/files-search?${query}`)).json();
    expect(await search("grep=%5Ealpha")).toEqual({
      results: [
        {
          path: "/a.txt",
          matches: [
            { line: 1, content: "alpha" },
            { line: 3, content: "alphabet" },
          ],
        },
        { path: "/docs/deep/c.md", matches: [{ line: 1, content: "alpha" }] },
      ],
      truncated: false,
    });
    expect(await search("grep=beta&path=docs")).toMatchObject({ results: [{ path: "/docs/b.txt" }] });
    expect(await search("grep=a&limit=1")).toMatchObject({ results: [{ path: "/a.txt" }] });
    expect(await search("glob=**/*.txt")).toEqual({ paths: ["/a.txt", "/docs/b.txt"], truncated: false });
    expect(await search("glob=**&path=/docs/deep/")).toEqual({ paths: ["/docs/deep/c.md"], truncated: false });
    expect(await search("glob=**&limit=2")).toEqual({ paths: ["/a.txt", "/docs/b.txt"], truncated: true });
    expect(await search("grep=nothing")).toEqual({ results: [], truncated: false });
    expect(await files.outcome("GET", "/files-search?grep=(")).toEqual(invalid);
    expect(await files.outcome("GET", "/files-search?grep=(?=a)")).toEqual(invalid);
  });

  it("The statistics of a thread's files count files, folders and bytes", async () => {
    const files = await Files.ofNewThread();
    expect(await files.stats()).toEqual({ fileCount: 0, directoryCount: 0, totalSize: 0 });
    await files.put("/docs/a.txt", "abc");
    await files.ask("PUT", "/files/empty?mkdir");
    expect(await files.stats()).toEqual({ fileCount: 1, directoryCount: 2, totalSize: 3 });
  });
});

/** Three pixels wide, two high. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGP4z8AAQQxwFgBB0gX7h/C5SAAAAABJRU5ErkJggg==";
