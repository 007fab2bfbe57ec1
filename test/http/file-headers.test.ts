// The request and response headers of files, tested without requests.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { contentRange, readByteRange } from "#lib/byte-range.ts";
import { contentDisposition } from "#lib/content-disposition.ts";
import { listsStrongly, listsWeakly, readTagCondition } from "#lib/entity-tag.ts";
import { isMediaType, isShownInline, mediaTypeOfName } from "#lib/media-type.ts";

describe("Range", () => {
  const part = (offset: number, length: number) => ({ kind: "part", offset, length });
  const whole = { kind: "whole" };
  const outside = { kind: "outside" };

  it.each<[string | null, object]>([
    [null, whole],
    ["bytes=0-0", part(0, 1)],
    ["bytes=0-", part(0, 10)],
    ["bytes=3-5", part(3, 3)],
    ["BYTES=3-5", part(3, 3)],
    [" bytes=9- ", part(9, 1)],
    ["bytes=5-99999999999999999999999999", part(5, 5)],
    ["bytes=-3", part(7, 3)],
    ["bytes=-11", part(0, 10)],
    ["bytes=10-", outside],
    ["bytes=10-20", outside],
    ["bytes=99999999999999999999999999-", outside],
    ["bytes=-0", outside],
    // Several ranges, other units and malformed ranges are answered with the whole file.
    ["bytes=0-1,3-4", whole],
    ["bytes=0-0,", whole],
    ["bytes=5-3", whole],
    ["bytes=-", whole],
    ["bytes=", whole],
    ["bytes", whole],
    ["bytes=a-b", whole],
    ["bytes=--1", whole],
    ["bytes=-1-2", whole],
    ["bytes=1.5-2", whole],
    ["bytes=0x1-2", whole],
    ["bytes=1e1-", whole],
    ["bytes=١-٢", whole],
    ["items=0-1", whole],
    ["", whole],
  ])("FHTTP5 The range header %j of a file of ten bytes is read as HTTP defines", (header, expected) => {
    expect(readByteRange(header, 10)).toEqual(expected);
  });

  it("FHTTP5 A range from the start of an empty file is not satisfiable, and a range of its last bytes is the whole file", () => {
    expect(readByteRange("bytes=0-", 0)).toEqual(outside);
    expect(readByteRange("bytes=-5", 0)).toEqual(whole);
  });

  it("FHTTP5 Every satisfiable range lies inside the file and is described by Content-Range", () => {
    const bound = fc.oneof(fc.constant(""), fc.nat().map(String), fc.bigInt({ min: 0n }).map(String));
    fc.assert(
      fc.property(fc.nat(), bound, bound, (size, first, last) => {
        const range = readByteRange(`bytes=${first}-${last}`, size);
        if (range.kind !== "part") return;
        expect(range.length).toBeGreaterThan(0);
        expect(range.offset).toBeGreaterThanOrEqual(0);
        expect(range.offset + range.length).toBeLessThanOrEqual(size);
        const said = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(contentRange(range, size))?.slice(1).map(Number);
        expect(said).toEqual([range.offset, range.offset + range.length - 1, size]);
      }),
      { verbose: true },
    );
  });

  it("FHTTP5 A hostile range header is read in linear time", () => {
    expect(readByteRange(`bytes=${" ".repeat(1_000_000)}x`, 10)).toEqual(whole);
    expect(readByteRange(`bytes=${"1".repeat(1_000_000)}-x`, 10)).toEqual(whole);
  });
});

describe("entity tags", () => {
  const tag = (value: string, weak = false) => ({ value, weak });

  it.each<[string, unknown]>([
    ["*", "*"],
    [" * ", "*"],
    ['"a"', [tag("a")]],
    ['W/"a"', [tag("a", true)]],
    ['"a", W/"b" ,"c"', [tag("a"), tag("b", true), tag("c")]],
    ['""', [tag("")]],
    ['"a,b"', [tag("a,b")]],
    ["a", null],
    ['"a', null],
    ['"a" "b"', null],
    ['"a",', null],
    ['"a",,"b"', null],
    ['w/"a"', null],
    ['*, "a"', null],
    ['"a", *', null],
    ["", null],
    [",", null],
  ])("FHTTP14 A list of entity tags such as %j is read as HTTP defines", (header, expected) => {
    expect(readTagCondition(header)).toEqual(expected);
  });

  it("FHTTP14 A weak tag matches in a condition for reading, and never in one for writing", () => {
    const listed = [tag("a", true), tag("b")];
    expect([listsWeakly(listed, "a"), listsWeakly(listed, "b"), listsWeakly(listed, "c")]).toEqual([true, true, false]);
    expect([listsStrongly(listed, "a"), listsStrongly(listed, "b")]).toEqual([false, true]);
  });
});

describe("Content-Disposition", () => {
  it.each([
    ["plan.txt", 'attachment; filename="plan.txt"'],
    ["a b.txt", 'attachment; filename="a b.txt"'],
    ['a"b\\c%41.txt', "attachment; filename=\"a_b_c_41.txt\"; filename*=UTF-8''a%22b%5Cc%2541.txt"],
    ["naïve 文.md", "attachment; filename=\"na_ve _.md\"; filename*=UTF-8''na%C3%AFve%20%E6%96%87.md"],
    ["😀.png", "attachment; filename=\"_.png\"; filename*=UTF-8''%F0%9F%98%80.png"],
    ["it's (1)*.txt", 'attachment; filename="it\'s (1)*.txt"'],
    ["ö'(*).txt", "attachment; filename=\"_'(*).txt\"; filename*=UTF-8''%C3%B6%27%28%2A%29.txt"],
    [
      "a\r\nset-cookie: x=1",
      "attachment; filename=\"a__set-cookie: x=1\"; filename*=UTF-8''a%0D%0Aset-cookie%3A%20x%3D1",
    ],
    ["half \ud800", "attachment; filename=\"half _\"; filename*=UTF-8''half%20%EF%BF%BD"],
  ])(
    "FHTTP9 The Content-Disposition of %j contains `filename`, and also `filename*` if `filename` cannot contain the name unchanged",
    (name, expected) => {
      expect(contentDisposition("attachment", name)).toBe(expected);
    },
  );

  it("FHTTP9 A Content-Disposition of any file name is a single header from which the name can be read", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (name) => {
        const value = contentDisposition("inline", name);
        expect(value).toMatch(/^inline; filename="[\x20\x21\x23-\x5b\x5d-\x7e]*"(?:; filename\*=UTF-8''[\w.!~%-]*)?$/);
        expect(new Headers({ "content-disposition": value }).get("content-disposition")).toBe(value);
        const extended = /UTF-8''(.*)$/.exec(value)?.[1];
        const plain = /filename="([^"]*)"/.exec(value)?.[1];
        expect(extended === undefined ? plain : decodeURIComponent(extended)).toBe(name.toWellFormed());
      }),
      { verbose: true },
    );
  });
});

describe("media types", () => {
  it.each([
    ["text/plain", true],
    ["text/plain; charset=utf-8", true],
    ['multipart/form-data; boundary="a b"', true],
    ["application/vnd.x+json;v=1 ;w=2", true],
    ["text", false],
    ["text/", false],
    ["/plain", false],
    ["text/plain; charset", false],
    ["text/plain\r\nset-cookie: x=1", false],
    ["text/plain; a=ü", false],
    ["text/pl ain", false],
    ["", false],
    [`text/${"x".repeat(300)}`, false],
    [`text/plain${"; ".repeat(120)}`, false],
  ])("FHTTP11 The check whether the text %j is a media type returns %s", (text, expected) => {
    expect(isMediaType(text)).toBe(expected);
  });

  it.each([
    ["/a/b.TXT", "text/plain; charset=utf-8"],
    ["picture.jpeg", "image/jpeg"],
    ["archive.tar.gz", "application/gzip"],
    ["README", "application/octet-stream"],
    ["a.unheard", "application/octet-stream"],
    ["a.constructor", "application/octet-stream"],
    ["a.__proto__", "application/octet-stream"],
    [".png", "image/png"],
    ["a.png/", "application/octet-stream"],
  ])("FHTTP11 The file name %j suggests the type %s", (name, type) => {
    expect(mediaTypeOfName(name)).toBe(type);
    expect(isMediaType(type)).toBe(true);
  });

  it.each([
    "text/html",
    "TEXT/HTML; charset=utf-8",
    " text/html",
    "application/xhtml+xml",
    "image/svg+xml",
    "text/xml",
    "application/xml",
    "application/rss+xml",
    "text/xsl",
    "text/javascript",
    "application/ecmascript",
    "text/vbscript",
    "text/x-component",
    "text/cache-manifest",
    "multipart/x-mixed-replace",
    "multipart/related",
    "message/rfc822",
    "application/hta",
    "application/x-shockwave-flash",
    "application/java-archive",
    "application/wasm",
    "application/zip",
    "model/gltf+json",
    "unheard/of",
    "",
    "*/*",
  ])("FHTTP8 A file of type %j is downloaded, never shown in the browser", (type) => {
    expect(isShownInline(type)).toBe(false);
  });

  it.each([
    "text/plain",
    "text/plain; charset=utf-8",
    "text/markdown",
    "text/csv",
    "image/png",
    "image/webp",
    "audio/mpeg",
    "video/mp4",
    "application/pdf",
    "application/json",
    "application/ld+json",
    "application/octet-stream",
  ])("FHTTP8 A file of type %j is shown in the browser", (type) => {
    expect(isShownInline(type)).toBe(true);
  });
});
