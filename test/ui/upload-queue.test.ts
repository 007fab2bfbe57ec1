// Uploads: how many at a time, the question for existing files, and cancellations.

import { describe, expect, it } from "vitest";

import { droppedFiles } from "#playground/files/upload/dropped-files.ts";
import type { DroppedEntry } from "#playground/files/upload/dropped-files.ts";
import { UploadQueue } from "#playground/files/upload/upload-queue.ts";
import type { SendUpload } from "#playground/files/upload/upload-queue.ts";

const taken = new Error("There is one already");

function file(name: string): DroppedEntry {
  return { name, isDirectory: false, file: (taken) => taken(new File([name], name)) };
}

/** A folder that gives its entries two at a time, as browsers give them in parts. */
function folder(name: string, entries: DroppedEntry[]): DroppedEntry {
  const left = [...entries];
  return { name, isDirectory: true, createReader: () => ({ readEntries: (taken) => taken(left.splice(0, 2)) }) };
}

/** A queue in which the test ends each upload. */
function queued() {
  const sent: { path: string; options: SendUpload; end: (error?: Error) => Promise<void> }[] = [];
  const queue = new UploadQueue({
    send: (path, _, options) =>
      new Promise((resolve, reject) => {
        options.signal.addEventListener("abort", () => reject(new Error("Aborted")));
        const end = async (error?: Error): Promise<void> => {
          if (error === undefined) resolve(null);
          else reject(error);
          for (let turn = 0; turn < 4; turn += 1) await Promise.resolve();
        };
        sent.push({ path, options, end });
      }),
    isTaken: (error) => error === taken,
  });
  const add = (...paths: string[]): void => queue.add(paths.map((path) => ({ path, file: new File(["1234"], "x") })));
  return { queue, sent, add, states: () => queue.get().map(({ path, state }) => `${path} ${state}`) };
}

describe("uploads", () => {
  it("The files of a dropped folder keep their paths in the folder", async () => {
    const entries = [folder("docs", [file("a"), folder("more", [file("b")]), file("c")]), file("d")];
    const items = entries.map((entry) => ({ webkitGetAsEntry: () => entry }));
    const found = await droppedFiles({ files: [], items });
    expect(found.map(({ path }) => path)).toEqual(["docs/a", "docs/more/b", "docs/c", "d"]);
    const files = [new File(["e"], "e")];
    const plain = { files, items: [{ webkitGetAsEntry: () => null }] };
    expect((await droppedFiles(plain)).map(({ path }) => path)).toEqual(["e"]);
    const broken: DroppedEntry = { name: "f", isDirectory: false, file: (_, failed) => failed(new Error("Gone")) };
    const withBroken = { files, items: [{ webkitGetAsEntry: () => folder("x", [broken]) }] };
    await expect(droppedFiles(withBroken)).rejects.toThrow("Gone");
  });

  it("The page uploads two files at a time, and the others after them in their order", async () => {
    const { queue, sent, add, states } = queued();
    add("/a", "/b", "/c");
    expect(states()).toEqual(["/a sending", "/b sending", "/c waiting"]);
    sent[0]?.options.onLoaded(3);
    expect([queue.get()[0]?.loaded, queue.busy]).toEqual([3, true]);
    await sent[0]?.end();
    expect(states()).toEqual(["/a done", "/b sending", "/c sending"]);
    await sent[1]?.end(new Error("Too large"));
    await sent[2]?.end();
    expect([states(), queue.busy]).toEqual([["/a done", "/b failed", "/c done"], false]);
    queue.retry(queue.get()[1]?.key ?? 0);
    expect(states()).toEqual(["/a done", "/b sending", "/c done"]);
    queue.clear();
    expect(states()).toEqual(["/b sending"]);
  });

  it("The page replaces no file without a question, and a file that is kept next to an existing one gets a number", async () => {
    const { queue, sent, add, states } = queued();
    add("/a.txt", "/b.txt");
    await sent[0]?.end(taken);
    await sent[1]?.end(taken);
    expect([states(), sent.map(({ options }) => options.over)]).toEqual([
      ["/a.txt asking", "/b.txt asking"],
      [false, false],
    ]);
    const [first, second] = queue.get().map(({ key }) => key);
    queue.replace(first ?? 0);
    queue.keepBoth(second ?? 0);
    expect(sent.slice(2).map(({ path, options }) => [path, options.over])).toEqual([
      ["/a.txt", true],
      ["/b (2).txt", false],
    ]);
    await sent[3]?.end(taken);
    queue.keepBoth(second ?? 0);
    expect(sent.at(-1)?.path).toBe("/b (3).txt");
    await sent[2]?.end(taken);
    expect(states()).toEqual(["/a.txt failed", "/b (3).txt sending"]);
  });

  it("A cancelled upload ends, reports nothing more, and frees its slot", async () => {
    const { queue, sent, add, states } = queued();
    add("/a", "/b", "/c");
    queue.cancel(queue.get()[0]?.key ?? 0);
    expect([sent[0]?.options.signal.aborted, states()]).toEqual([true, ["/b sending", "/c sending"]]);
    await Promise.resolve();
    await Promise.resolve();
    expect(states()).toEqual(["/b sending", "/c sending"]);
  });
});
