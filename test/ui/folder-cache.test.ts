// The loaded folders of a page: what it requests, and the changes that arrive meanwhile.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { FileRecord } from "#client/index.ts";
import { foldersAbove, nameOf, parentOf } from "#playground/files/path.ts";
import { FolderCache } from "#playground/files/tree/folder-cache.ts";

const gone = new Error("There is no such folder");

function record(path: string, isDirectory = false): FileRecord {
  return { path, name: nameOf(path), mimeType: "text/plain", storage: "local", size: 1, isDirectory };
}

/** A server with files. The test decides when each answer arrives; an answer has the state at the time of its request. */
function served(paths: string[] = []) {
  const files = new Set(paths);
  const answers: (() => void)[] = [];
  const requested: string[] = [];
  const list = (folder: string): FileRecord[] => {
    const below = [...files].flatMap((path) => [...foldersAbove(path).map((one) => record(one, true)), record(path)]);
    return [...new Map(below.filter(({ path }) => parentOf(path) === folder).map((one) => [one.path, one])).values()];
  };
  const cache = new FolderCache({
    list(folder) {
      requested.push(folder);
      const entries = list(folder);
      return new Promise((resolve, reject) =>
        answers.push(() => (entries.length === 0 && folder !== "/" ? reject(gone) : resolve(entries))),
      );
    },
    isGone: (error) => error === gone,
    soon: (run) => run(),
  });
  return {
    cache,
    requested,
    list,
    write: (path: string): void => {
      files.add(path);
      cache.apply({ path, file: record(path) });
    },
    remove: (path: string): void => {
      files.delete(path);
      cache.apply({ path, file: null });
    },
    /** Answers all open requests, and the requests that follow from the answers. */
    settle: async (): Promise<void> => {
      for (let round = 0; answers.length > 0; round += 1) {
        if (round === 15) throw new Error("The cache requests folders without end.");
        for (const answer of answers.splice(0)) answer();
        for (let turn = 0; turn < 4; turn += 1) await Promise.resolve();
      }
    },
    names: (folder: string) =>
      cache
        .get()
        .get(folder)
        ?.entries.map(({ name }) => name),
  };
}

describe("folders", () => {
  it("The file list requests a folder once, and sorts folders before files and b9 before b10", async () => {
    const { cache, requested, settle, names } = served(["/b10.txt", "/b9.txt", "/A.txt", "/z/x"]);
    cache.open("/");
    cache.open("/");
    await settle();
    cache.open("/");
    expect([requested, names("/")]).toEqual([["/"], ["z", "A.txt", "b9.txt", "b10.txt"]]);
  });

  it("The file list keeps a change that arrives while the folder is requested", async () => {
    const { cache, settle, names, write, remove } = served(["/a", "/b"]);
    cache.open("/");
    write("/c");
    remove("/a");
    await settle();
    expect(names("/")).toEqual(["b", "c"]);
  });

  it("The file list requests a folder again after missed events, also while an older request is under way", async () => {
    const { cache, requested, settle } = served(["/a"]);
    cache.open("/");
    cache.reloadAll();
    await settle();
    expect(requested).toEqual(["/", "/"]);
  });

  it("The file list adds the parent folders of a written file, and removes them with the file", async () => {
    const { cache, settle, names, write, remove } = served(["/a"]);
    cache.open("/");
    await settle();
    write("/deep/down/file");
    expect(names("/")).toEqual(["deep", "a"]);
    cache.open("/deep");
    cache.open("/deep/down");
    await settle();
    remove("/deep/down/file");
    await settle();
    expect(names("/")).toEqual(["a"]);
    expect([...cache.get().keys()]).toEqual(["/"]);
  });

  it("The file list ends its requests after files were written and removed while two folders were requested", async () => {
    const { cache, requested, settle, names, write, remove } = served();
    cache.open("/");
    write("/d/e/g");
    cache.open("/d");
    remove("/d/e/g");
    remove("/d/b");
    write("/d/b");
    await settle();
    expect([names("/"), names("/d"), requested.length]).toEqual([["d"], ["b"], 4]);
  });

  it("The file list shows why a folder could not be read, and requests it again", async () => {
    let fails = true;
    const cache = new FolderCache({
      list: () => (fails ? Promise.reject(new Error("Not now")) : Promise.resolve([record("/a")])),
      isGone: () => false,
      soon: (run) => run(),
    });
    cache.open("/");
    await Promise.resolve();
    await Promise.resolve();
    expect(cache.get().get("/")).toMatchObject({ state: "failed", error: { message: "Not now" } });
    fails = false;
    cache.open("/");
    await Promise.resolve();
    await Promise.resolve();
    expect(cache.get().get("/")).toMatchObject({ state: "there", entries: [{ path: "/a" }] });
  });

  it("The file list ends with the entries of the server, in whatever order events and responses arrive", async () => {
    const path = fc.constantFrom("/a", "/d/b", "/d/c", "/d/e/f", "/d/e/g");
    const step = fc.oneof(
      path.map((one) => ({ does: "write" as const, path: one })),
      path.map((one) => ({ does: "remove" as const, path: one })),
      fc.constantFrom("/", "/d", "/d/e").map((one) => ({ does: "open" as const, path: one })),
      fc.constant({ does: "settle" as const, path: "" }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const server = served();
        server.cache.open("/");
        for (const { does, path: at } of steps) {
          if (does === "settle") await server.settle();
          else if (does === "open") server.cache.open(at);
          else server[does](at);
        }
        await server.settle();
        for (const [folder, { entries }] of server.cache.get()) {
          expect(new Set(entries.map(({ path: one }) => one))).toEqual(
            new Set(server.list(folder).map(({ path: one }) => one)),
          );
        }
      }),
      { numRuns: 300 },
    );
  });
});
