// The contract of every file system about moves and batches of changes, whatever stores its rows.

import { expect, test } from "vitest";

import type { Change } from "#store/files/file-change.ts";
import type { FileRows } from "#store/files/file-rows.ts";

import { chunk, codeOf, pattern, plain, same, stage, textOf } from "./file-stage.ts";
import type { WithRows } from "./file-stage.ts";

/** A change that records its events, and that fails before its end while `refusing` is on. */
function recorded(rows: FileRows) {
  const events: string[] = [];
  const refusing = { on: false };
  const change: Change = (work) =>
    rows.transaction(() => {
      const changed = work();
      if (refusing.on) throw new Error("The row of an event could not be written");
      events.push(...changed.events.map(({ path, file }) => `${file === null ? "deleted" : "written"} ${path}`));
      return changed.result;
    });
  return { events, refusing, change };
}

/** Whether chunks or garbage remain. */
function hasLeftovers(rows: FileRows): boolean {
  return rows.lastGeneration() !== 0 || rows.garbage().length > 0;
}

/** Runs the suite. */
export function fileEditsContract(where: string, withRows: WithRows): void {
  test(`A moved file keeps its bytes, ETag, metadata, times and thumbnail, in a row and in chunks (${where})`, () =>
    withRows(async (rows) => {
      const { files } = stage(rows);
      const large = pattern(2 * chunk + 5);
      for (const [name, body] of [
        ["small.txt", "text"],
        ["large.bin", large],
      ] as const) {
        await files.write(`from/${name}`, body, { mimeType: "text/plain", metadata: { a: 1 }, width: 2, height: 3 });
        rows.keepThumbnail("/from", name, new Uint8Array([1, 2]));
        const before = await files.entry(`from/${name}`);
        const record = await files.move(`from/${name}`, `to/deep/${name}.new`);
        expect(record).toEqual({ ...before?.record, path: `/to/deep/${name}.new`, name: `${name}.new` });
        expect(await files.entry(`to/deep/${name}.new`)).toEqual({ record, etag: before?.etag });
        expect(rows.thumbnail("/to/deep", `${name}.new`)).toEqual(new Uint8Array([1, 2]));
        expect(await files.stat(`from/${name}`)).toBeNull();
        // The folder existed only for its file.
        expect(await files.stat("from")).toBeNull();
      }
      expect(await textOf(files, "to/deep/small.txt.new")).toBe("text");
      expect(same(await files.read("to/deep/large.bin.new"), large)).toBe(true);
    }));

  test(`A move of a folder moves everything below it and nothing next to it, and its events name the old and the new path (${where})`, () =>
    withRows(async (rows) => {
      const { events, change } = recorded(rows);
      const { files } = stage(rows, { change });
      const names = ["a/1", "a/b/2", "a/b/c/3", "a.txt", "a0", "a b/4", "ab/5", "á/6"];
      for (const name of names) await files.write(name, name, plain);
      await files.makeFolder("a/empty");
      events.length = 0;
      const record = await files.move("a", "x/y");
      expect(record).toMatchObject({ path: "/x/y", isDirectory: true });
      expect(events).toEqual(["deleted /a", "written /x/y"]);
      expect((await files.find("**/*")).paths).toEqual(
        ["/a b/4", "/a.txt", "/a0", "/ab/5", "/x/y/1", "/x/y/b/2", "/x/y/b/c/3", "/á/6"].sort(),
      );
      expect(await textOf(files, "x/y/b/c/3")).toBe("a/b/c/3");
      expect(await files.stat("x/y/empty")).toMatchObject({ isDirectory: true });
      expect(await files.stats()).toMatchObject({ fileCount: 8 });
      await files.move("x/y", "a");
      expect((await files.find("**/*")).paths).toEqual(names.map((name) => `/${name}`).sort());
      expect(await files.stat("x")).toBeNull();
    }));

  test(`A move is refused and changes nothing if its target exists, is inside the moved folder, or would be a path that is too long (${where})`, () =>
    withRows(async (rows) => {
      const { events, change } = recorded(rows);
      const { files } = stage(rows, { change });
      await files.write("a/file", "1", plain);
      await files.write("b/file", "2", plain);
      const deep = Array.from({ length: 60 }, (_, at) => `d${at}`).join("/");
      await files.write(`deep/${deep}/file`, "3", plain);
      const before = (await files.find("**/*")).paths;
      events.length = 0;
      const outcomes = {
        missing: await codeOf(files.move("none", "c")),
        file: await codeOf(files.move("a/file", "b/file")),
        folder: await codeOf(files.move("a", "b")),
        fileOverFolder: await codeOf(files.move("a/file", "b")),
        below: await codeOf(files.move("a", "a/b/c")),
        belowFile: await codeOf(files.move("a", "b/file/c")),
        root: await codeOf(files.move("/", "c")),
        toRoot: await codeOf(files.move("a", "/")),
        outside: await codeOf(files.move("a", "../c")),
        long: await codeOf(files.move("a", "n".repeat(256))),
        longBelow: await codeOf(files.move("deep", Array.from({ length: 4 }, () => "n".repeat(250)).join("/"))),
        deepBelow: await codeOf(files.move("deep", "1/2/3/4")),
      };
      expect(outcomes).toEqual({
        missing: "file_not_found",
        file: "conflict",
        folder: "conflict",
        fileOverFolder: "conflict",
        below: "conflict",
        belowFile: "conflict",
        root: "conflict",
        toRoot: "conflict",
        outside: "invalid_request",
        long: "invalid_request",
        longBelow: "invalid_request",
        deepBelow: "invalid_request",
      });
      expect(await files.move("a/file", "/a/./file")).toMatchObject({ path: "/a/file" });
      expect((await files.find("**/*")).paths).toEqual(before);
      expect(events).toEqual([]);
    }));

  test(`A batch makes its changes in their order, and each has its event (${where})`, () =>
    withRows(async (rows) => {
      const { events, change } = recorded(rows);
      const { files } = stage(rows, { change });
      await files.write("old/1", "1", plain);
      await files.write("old/2", pattern(chunk + 1), plain);
      await files.write("gone/3", pattern(chunk + 1), plain);
      await files.write("gone/deep/4", "4", plain);
      events.length = 0;
      const records = await files.edit([
        { type: "remove", path: "gone" },
        { type: "move", from: "old", path: "gone" },
        { type: "write", path: "gone/1", body: "one", facts: plain },
        { type: "write", path: "new/5", body: pattern(chunk + 2), facts: plain },
        { type: "folder", path: "empty" },
        { type: "remove", path: "gone/2" },
      ]);
      expect(records.map((record) => record?.path ?? null)).toEqual([
        null,
        "/gone",
        "/gone/1",
        "/new/5",
        "/empty",
        null,
      ]);
      expect(events).toEqual([
        "deleted /gone",
        "deleted /old",
        "written /gone",
        "written /gone/1",
        "written /new/5",
        "written /empty",
        "deleted /gone/2",
      ]);
      expect((await files.find("**/*")).paths).toEqual(["/gone/1", "/new/5"]);
      expect(await textOf(files, "gone/1")).toBe("one");
      await files.edit([{ type: "remove", path: "new" }]);
      expect(hasLeftovers(rows)).toBe(false);
    }));

  test(`A batch changes nothing and leaves no bytes if one of its changes is refused or its events cannot be written (${where})`, () =>
    withRows(async (rows) => {
      const { events, refusing, change } = recorded(rows);
      const { files } = stage(rows, { change });
      await files.write("a/1", "1", plain);
      events.length = 0;
      const good = [
        { type: "write", path: "large", body: pattern(chunk + 1), facts: plain },
        { type: "write", path: "a/1", body: "changed", facts: plain },
        { type: "remove", path: "a" },
      ] as const;
      const batches = {
        missing: await codeOf(files.edit([...good, { type: "remove", path: "none" }])),
        writeOverFolder: await codeOf(
          files.edit([good[0], { type: "folder", path: "f" }, { type: "write", path: "f", body: "", facts: plain }]),
        ),
        moveOver: await codeOf(files.edit([good[0], { type: "move", from: "a/1", path: "large" }])),
        badPath: await codeOf(files.edit([good[0], { type: "folder", path: "../x" }])),
        badType: await codeOf(files.edit([good[0], { type: "write", path: "x", body: "", facts: { mimeType: "é" } }])),
        check: await codeOf(
          files.edit([
            ...good,
            {
              type: "write",
              path: "b",
              body: "b",
              facts: {
                ...plain,
                check: () => {
                  throw Object.assign(new Error("not this one"), { code: "conflict" });
                },
              },
            },
          ]),
        ),
        tooLarge: await codeOf(
          files.edit([{ type: "write", path: "b", body: new Uint8Array(32 * 1024 * 1024 + 1), facts: plain }]),
        ),
        tooMany: await codeOf(
          files.edit(Array.from({ length: 5001 }, (_, at) => ({ type: "folder", path: `f${at}` }) as const)),
        ),
      };
      expect(batches).toEqual({
        missing: "file_not_found",
        writeOverFolder: "conflict",
        moveOver: "conflict",
        badPath: "invalid_request",
        badType: "invalid_request",
        check: "conflict",
        tooLarge: "too_large",
        tooMany: "too_large",
      });
      refusing.on = true;
      await expect(files.edit(good)).rejects.toThrow("The row of an event could not be written");
      await expect(files.move("a", "b")).rejects.toThrow("The row of an event could not be written");
      refusing.on = false;
      expect(events).toEqual([]);
      expect((await files.find("**/*")).paths).toEqual(["/a/1"]);
      expect(await textOf(files, "a/1")).toBe("1");
      expect(hasLeftovers(rows)).toBe(false);
      expect(await files.sweep()).toBe(true);
      expect(await files.edit([])).toEqual([]);
    }));

  test(`A search by glob or content can exclude folders by name and be limited by glob and depth, and returns the total of its paths (${where})`, () =>
    withRows(async (rows) => {
      const { files } = stage(rows);
      for (const name of ["a.ts", "src/b.ts", "src/deep/c.ts", "src/d.js", "node_modules/x/e.ts", "src/target/f.ts"]) {
        await files.write(name, "needle", plain);
      }
      const exclude = ["node_modules", "target"];
      expect(await files.find("**/*.ts", { exclude })).toEqual({
        paths: ["/a.ts", "/src/b.ts", "/src/deep/c.ts"],
        total: 3,
        truncated: false,
      });
      expect(await files.find("**", { exclude, limit: 2 })).toEqual({
        paths: ["/a.ts", "/src/b.ts"],
        total: 4,
        truncated: true,
      });
      expect((await files.find("**", { path: "src", depth: 1 })).paths).toEqual(["/src/b.ts", "/src/d.js"]);
      expect((await files.find("**", { depth: 1 })).paths).toEqual(["/a.ts"]);
      const found = await files.grep("needle", { exclude, include: "**/*.ts", path: "/src" });
      expect(found.results.map(({ path }) => path)).toEqual(["/src/b.ts", "/src/deep/c.ts"]);
    }));
}
