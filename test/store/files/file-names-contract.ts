// The contract of every file system about names and folders, whatever stores its rows.

import { expect, test } from "vitest";

import { codeOf, plain, stage, textOf } from "./file-stage.ts";
import type { WithRows } from "./file-stage.ts";

/** Runs the suite. */
export function fileNamesContract(where: string, withRows: WithRows): void {
  test(`A write replaces the earlier file as a whole (${where})`, () =>
    withRows(async (rows) => {
      const { files } = stage(rows);
      const facts = { mimeType: "text/html", metadata: { a: [1] }, width: 3, height: 4 };
      const first = await files.write("notes/a.txt", "one", facts);
      expect(first).toEqual({
        path: "/notes/a.txt",
        name: "a.txt",
        mimeType: "text/html",
        storage: "thread",
        size: 3,
        isDirectory: false,
        metadata: { a: [1] },
        width: 3,
        height: 4,
        createdAt: expect.any(Number),
        updatedAt: expect.any(Number),
      });
      expect(await files.stat("/notes/a.txt")).toEqual(first);
      const before = (await files.open("notes/a.txt"))?.etag;
      const second = await files.write("/notes/./a.txt", "other", plain);
      expect(second).toEqual({
        path: "/notes/a.txt",
        name: "a.txt",
        mimeType: "text/plain",
        storage: "thread",
        size: 5,
        isDirectory: false,
        createdAt: first.createdAt,
        updatedAt: expect.any(Number),
      });
      expect(second.updatedAt).toBeGreaterThan(first.updatedAt ?? 0);
      expect((await files.open("notes/a.txt"))?.etag).not.toBe(before);
      expect(await textOf(files, "notes/a.txt")).toBe("other");
      expect(await files.list("/notes")).toEqual([second]);
    }));

  test(`A folder that exists only as part of a path is listed, counted and removed with its last entry, and an empty created folder remains (${where})`, () =>
    withRows(async (rows) => {
      const { files } = stage(rows);
      await files.write("a/b/c.txt", "c", plain);
      await files.write("a/d.txt", "dd", plain);
      await files.makeFolder("made/inner");
      expect((await files.list("/")).map(({ path, isDirectory }) => [path, isDirectory])).toEqual([
        ["/a", true],
        ["/made", true],
      ]);
      expect((await files.list("a")).map(({ name }) => name)).toEqual(["b", "d.txt"]);
      expect(await files.stat("/a/b")).toMatchObject({ isDirectory: true, size: 0, mimeType: "inode/directory" });
      expect(await files.stats()).toEqual({ fileCount: 2, directoryCount: 4, totalSize: 3 });
      await files.remove("a/b/c.txt");
      expect(await files.stat("a/b")).toBeNull();
      expect(await files.stat("a")).not.toBeNull();
      // A folder that is created where one was implied becomes one that stays.
      await files.write("kept/x", "x", plain);
      await files.makeFolder("kept");
      await files.remove("kept/x");
      expect(await files.list("kept")).toEqual([]);
      await files.remove("a/d.txt");
      expect(await files.stat("a")).toBeNull();
      await files.removeFolder("made/inner");
      expect(await files.stat("made")).toBeNull();
      expect(await files.stats()).toEqual({ fileCount: 0, directoryCount: 1, totalSize: 0 });
      expect(await files.makeFolder("kept")).toEqual(await files.stat("kept"));
      await files.removeFolder("kept");
      expect(await files.list("/")).toEqual([]);
    }));

  test(`A call that uses a file as a folder or a folder as a file, or removes a folder with content, is refused and changes nothing (${where})`, () =>
    withRows(async (rows) => {
      const { files } = stage(rows);
      await files.write("file", "1", plain);
      await files.write("folder/x", "22", plain);
      const tried = [
        files.write("folder", "no", plain),
        files.write("file/below", "no", plain),
        files.write("file/far/below", "no", plain),
        files.link("folder", "https://example.com/x", plain),
        files.link("file/below", "https://example.com/x", plain),
        files.makeFolder("file"),
        files.makeFolder("file/below"),
        files.makeFolder("file/far/below"),
        files.list("file"),
        files.remove("folder"),
        files.removeFolder("file"),
        files.removeFolder("folder"),
      ];
      expect(await Promise.all(tried.map(codeOf))).toEqual(tried.map(() => "conflict"));
      expect([await textOf(files, "file"), await textOf(files, "folder/x")]).toEqual(["1", "22"]);
      expect(await files.stats()).toEqual({ fileCount: 2, directoryCount: 1, totalSize: 3 });
    }));

  test(`A file does not overwrite a folder that is created while the file's bytes arrive (${where})`, () =>
    withRows(async (rows) => {
      const { files } = stage(rows);
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const late = codeOf(files.write("place", readable, plain));
      await files.write("place/inner", "1", plain);
      const writer = writable.getWriter();
      await writer.write(new Uint8Array([1]));
      await writer.close();
      expect(await late).toBe("conflict");
      expect(await textOf(files, "place/inner")).toBe("1");
    }));

  test(`The root folder always exists and cannot be changed (${where})`, () =>
    withRows(async (rows) => {
      const { files } = stage(rows);
      for (const root of ["/", "", ".", "a/..", "//./"]) {
        expect(await files.stat(root)).toEqual({
          path: "/",
          name: "",
          mimeType: "inode/directory",
          storage: "thread",
          size: 0,
          isDirectory: true,
        });
        expect(await files.list(root)).toEqual([]);
        expect(await files.makeFolder(root)).toEqual(await files.stat(root));
        expect(await files.read(root)).toBeNull();
        for (const refused of [files.write(root, "x", plain), files.remove(root), files.removeFolder(root)]) {
          expect(await codeOf(refused)).toBe("conflict");
        }
      }
      expect(rows.totals()).toEqual({ files: 0, folders: 0, bytes: 0 });
    }));

  test(`A read of a missing file returns null, and a listing or removal of a missing file or folder fails with file_not_found (${where})`, () =>
    withRows(async (rows) => {
      const { files } = stage(rows);
      await files.makeFolder("folder");
      for (const path of ["none", "folder/none", "none/below"]) {
        expect([await files.read(path), await files.open(path), await files.chunks(path)]).toEqual([null, null, null]);
        expect([await files.stat(path), await files.entry(path), await files.thumbnail(path)]).toEqual([
          null,
          null,
          null,
        ]);
        for (const refused of [files.remove(path), files.removeFolder(path), files.list(path)]) {
          expect(await codeOf(refused)).toBe("file_not_found");
        }
      }
      expect([await files.read("folder"), await files.open("folder"), await files.chunks("folder")]).toEqual([
        null,
        null,
        null,
      ]);
      expect(await files.thumbnail("folder")).toBeNull();
    }));

  test(`Attachments get unused names that keep their extension, also if two with one name are stored at once (${where})`, () =>
    withRows(async (rows) => {
      const { files } = stage(rows);
      const attach = async (name: string) => (await files.attach(name, "x", plain)).path;
      const twice = await Promise.all([attach("a.png"), attach("a.png"), attach("../../a.png")]);
      expect(twice).toEqual(["/attachments/a.png", "/attachments/a-2.png", "/attachments/a-3.png"]);
      expect(await attach("C:\\temp\\b.tar.gz")).toBe("/attachments/b.tar.gz");
      expect(await attach("..")).toBe("/attachments/file");
      expect(await attach("")).toBe("/attachments/file-2");
      expect(await attach(".env")).toBe("/attachments/env");
      expect(await attach("नमस्ते.txt")).toBe("/attachments/नमस्ते.txt");
      expect(await attach("a\u0000b\ud800c?.txt")).toBe("/attachments/a_b_c_.txt");
      const letters = await attach(`${"𠀀".repeat(100)}.jpeg`);
      expect(letters).toBe(`/attachments/${"𠀀".repeat(60)}.jpeg`);
      expect(await attach("x.averyveryverylongextension")).toBe("/attachments/x.averyveryverylongextension");
      for (let n = 2; n <= 25; n += 1) await attach("many.txt");
      expect(new Set((await files.list("attachments")).map(({ name }) => name)).size).toBe(
        (await files.stats()).fileCount,
      );
    }));

  test(`A link to a file at a URL is listed and has a record and no bytes (${where})`, () =>
    withRows(async (rows) => {
      const { files } = stage(rows);
      await files.write("far.png", "bytes that go", plain);
      const facts = { mimeType: "image/png", size: 123, width: 1, height: 2 };
      const record = await files.link("far.png", "https://example.com/a.png", facts);
      expect(record).toMatchObject({ path: "/far.png", storage: "external", size: 123, width: 1, height: 2 });
      expect(await files.stat("far.png")).toEqual(record);
      expect(await files.list("/")).toEqual([record]);
      expect(await files.entry("far.png")).toEqual({ record, etag: null });
      expect([await files.read("far.png"), await files.open("far.png")]).toEqual([null, null]);
      expect([await files.chunks("far.png"), await files.thumbnail("far.png")]).toEqual([null, null]);
      expect((await files.grep("bytes")).results).toEqual([]);
      expect((await files.find("*.png")).paths).toEqual(["/far.png"]);
      for (const url of ["file:///etc/passwd", "javascript:1", "nothing", `https://a/${"x".repeat(9000)}`]) {
        expect(await codeOf(files.link("bad", url, plain))).toBe("invalid_request");
      }
      for (const size of [-1, 0.5, Number.NaN]) {
        expect(await codeOf(files.link("bad", "https://example.com", { ...plain, size }))).toBe("invalid_request");
      }
      await files.write("far.png", "near", plain);
      expect(await textOf(files, "far.png")).toBe("near");
      await files.link("gone", "https://example.com", plain);
      await files.remove("gone");
      expect(await files.stats()).toEqual({ fileCount: 1, directoryCount: 0, totalSize: 4 });
    }));

  test(`The type and the metadata of a file have size limits, within which they fit into one row with the bytes (${where})`, () =>
    withRows(async (rows) => {
      const { files } = stage(rows);
      const full = { mimeType: `text/${"x".repeat(250)}`, metadata: { a: "é".repeat(32_764) } };
      const name = `${"d".repeat(255)}/${"d".repeat(255)}/${"d".repeat(255)}/${"n".repeat(200)}`;
      const bytes = new Uint8Array(1_835_008).fill(7);
      const record = await files.write(name, bytes, full);
      rows.keepThumbnail(`/${name.slice(0, 767)}`, "n".repeat(200), new Uint8Array(150_000));
      expect(record).toMatchObject({ size: 1_835_008, metadata: full.metadata });
      const tooMuch = { metadata: { a: "é".repeat(32_765) } };
      expect(await codeOf(files.write("x", "x", { ...plain, ...tooMuch }))).toBe("too_large");
      for (const mimeType of ["", "text/plain\r\nx: y", "text/ü", `text/${"x".repeat(251)}`]) {
        expect(await codeOf(files.write("x", "x", { mimeType }))).toBe("invalid_request");
      }
      expect(await files.stat("x")).toBeNull();
    }));
}
