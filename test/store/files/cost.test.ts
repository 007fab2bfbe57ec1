// The rows that files cost, counted by the meter on real storage. Each change costs two more, an event and the thread's row
// (test/thread/file-cost.test.ts).

import { describe, expect, test } from "vitest";

import type { ManagedThreadFiles } from "#store/files/file-system.ts";
import { sqliteFileRows } from "#store/files/sqlite-file-rows.ts";
import { createSqliteThreadStore } from "#store/thread/sqlite-thread-store.ts";

import { withStorage } from "../bare-storage.ts";
import { threadRecord } from "../records.ts";
import { bytesOf, chunk, pattern, plain, stage } from "./file-stage.ts";

interface Spent {
  read: number;
  written: number;
}

type Cost = (work: () => Promise<unknown>) => Promise<Spent>;

function withFiles(work: (files: ManagedThreadFiles, cost: Cost) => Promise<void>): Promise<void> {
  return withStorage(async (storage) => {
    createSqliteThreadStore(storage).create(threadRecord());
    const { files } = stage(sqliteFileRows(storage, () => false));
    await work(files, async (once) => {
      const before = storage.meter.snapshot();
      await once();
      const { rowsRead: read, rowsWritten: written } = storage.meter.since(before);
      return { read, written };
    });
  });
}

describe("rows written by files", () => {
  test("A new file writes one row, each new folder one, and a file larger than a row also its chunks and two more", () =>
    withFiles(async (files, cost) => {
      const written = async (work: () => Promise<unknown>) => (await cost(work)).written;
      const five = pattern(5 * chunk);
      const spent = {
        small: await written(() => files.write("a", "x", plain)),
        replaced: await written(() => files.write("a", pattern(chunk), plain)),
        inNewFolders: await written(() => files.write("b/c/d", "x", plain)),
        inOldFolders: await written(() => files.write("b/c/e", "x", plain)),
        attachment: await written(() => files.attach("a.txt", "x", plain)),
        nextAttachment: await written(() => files.attach("a.txt", "x", plain)),
        large: await written(() => files.write("large", five, plain)),
        largeReplaced: await written(() => files.write("large", five, plain)),
        largeBySmall: await written(() => files.write("large", "x", plain)),
        removed: await written(() => files.remove("large")),
        removedWithFolder: await written(() => files.remove("b/c/d").then(() => files.remove("b/c/e"))),
        largeAgain: await written(() => files.write("large", five, plain)),
        largeRemoved: await written(() => files.remove("large")),
        folder: await written(() => files.makeFolder("folder")),
        folderAgain: await written(() => files.makeFolder("folder")),
        folderRemoved: await written(() => files.removeFolder("folder")),
        sweptNothing: await written(() => files.sweep()),
        moved: await written(() => files.write("m/x", "x", plain).then(() => files.move("m/x", "m/y"))),
        batch: await written(() =>
          files.edit(
            Array.from(
              { length: 10 },
              (_, at) => ({ type: "write", path: `m/${at}`, body: "x", facts: plain }) as const,
            ),
          ),
        ),
        folderOfEleven: await written(() => files.move("m", "n")),
        treeRemoved: await written(() => files.edit([{ type: "remove", path: "n" }])),
        read: await written(async () => bytesOf((await files.open("a"))?.body ?? new ReadableStream())),
      };
      console.info(`rows written ${JSON.stringify(spent)}`);
      expect(spent).toEqual({
        small: 1,
        replaced: 1,
        inNewFolders: 3,
        inOldFolders: 1,
        attachment: 2,
        nextAttachment: 1,
        large: 5 + 3,
        largeReplaced: 5 + 3 + 5,
        largeBySmall: 1 + 5,
        removed: 1,
        removedWithFolder: 4,
        largeAgain: 5 + 3,
        largeRemoved: 1 + 5,
        folder: 1,
        folderAgain: 0,
        folderRemoved: 1,
        sweptNothing: 0,
        moved: 2 + 1,
        batch: 10,
        folderOfEleven: 12,
        treeRemoved: 12,
        read: 0,
      });
    }));
});

describe("rows read by files", () => {
  test("In a tree of thousands of files, a call reads few rows besides those of its result, except for the totals and a search of the whole tree", () =>
    withFiles(async (files, cost) => {
      for (let n = 0; n < 5000; n += 1) await files.write(`tree/${n % 50}/${n % 500}/${n}`, "x", plain);
      for (let n = 0; n < 100; n += 1) await files.write(`list/${n}`, pattern(1000), plain);
      for (let n = 0; n < 20; n += 1) await files.write(`list/inner/${n}`, "x", plain);
      const read = async (work: () => Promise<unknown>) => (await cost(work)).read;
      const spent = {
        listed: await read(() => files.list("list")),
        root: await read(() => files.list("/")),
        stat: await read(() => files.stat("tree/7/7/7")),
        none: await read(() => files.stat("tree/7/7/none")),
        read: await read(() => files.read("tree/7/7/7")),
        written: await read(() => files.write("tree/7/7/7", "y", plain)),
        removed: await read(() => files.remove("list/inner/3")),
        found: await read(() => files.find("**", { path: "list" })),
        searched: await read(() => files.grep("x", { path: "list/inner" })),
        swept: await read(() => files.sweep()),
        everything: await read(() => files.find("none")),
        stats: await read(() => files.stats()),
      };
      console.info(`rows read ${JSON.stringify(spent)}`);
      expect(spent.listed).toBeLessThanOrEqual(101 + 2);
      expect(spent.root).toBeLessThanOrEqual(2 + 2);
      for (const one of ["stat", "none", "read", "swept"] as const)
        expect([one, spent[one]]).toEqual([one, Math.min(spent[one], 3)]);
      for (const one of ["written", "removed"] as const)
        expect([one, spent[one]]).toEqual([one, Math.min(spent[one], 14)]);
      expect(spent.found).toBeLessThanOrEqual(121 + 5);
      expect(spent.searched).toBeLessThanOrEqual(3 * 20 + 5);
      // These two methods read every row, and their documentation states it.
      const rows = 5120 + 50 + 500 + 3;
      expect(spent.everything).toBeLessThanOrEqual(rows + 100);
      expect(spent.stats).toBeLessThanOrEqual(rows + 5);
    }));
});
