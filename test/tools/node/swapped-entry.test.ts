// The file tools over a folder of a machine, while another program swaps an entry between the check of a path and its use, and the order in
// which a write reaches the disk. An operation of the file system is intercepted, so that the other program acts exactly there.

import { execFileSync } from "node:child_process";
import {
  constants,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import fileSystem from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";

import { describe, expect, it, onTestFinished, vi } from "vitest";

import { hostPlace, temporaryFolder } from "./host-place.ts";

type Operation = "lstat" | "mkdir" | "open" | "rename";

/** Runs functions before and after the first call of an operation of the file system. The operation itself is the real one. */
function intercept(name: Operation, { before, after }: { before?: () => void; after?: (result: unknown) => void }) {
  const real = fileSystem[name] as (...args: unknown[]) => Promise<unknown>;
  const intercepted = vi.spyOn(fileSystem, name as "mkdir").mockImplementationOnce((async (...args: unknown[]) => {
    before?.();
    const result = await real(...args);
    after?.(result);
    return result;
  }) as never);
  // The imports of the tools refer to the functions that this call reads.
  syncBuiltinESMExports();
  onTestFinished(() => {
    intercepted.mockRestore();
    syncBuiltinESMExports();
  });
  return intercepted;
}

/** A folder with `folder/a.txt`, a folder outside of it with another `a.txt`, and a function that replaces the first by a link to the second. */
function swappable() {
  const place = hostPlace();
  const outside = temporaryFolder();
  place.put("folder/a.txt", "inside");
  writeFileSync(path.join(outside, "a.txt"), "outside");
  // A file that is created in the folder, and also one that is removed again, changes this time.
  utimesSync(outside, 0, 0);
  const folder = path.join(place.root, "folder");
  const swap = () => {
    renameSync(folder, path.join(place.root, "moved"));
    symlinkSync(outside, folder);
  };
  return { ...place, outside, folder, swap };
}

describe("an entry that is swapped between the check and the use", () => {
  it("A write creates no file outside of the root folder if its target folder is replaced by a link after the folder was created", async () => {
    const { text, outside, swap } = swappable();
    const mkdir = intercept("mkdir", { after: swap });
    expect(await text("write_file", { path: "folder/a.txt", content: "new" })).toContain("leads out of the folder");
    expect(mkdir).toHaveBeenCalledOnce();
    expect([statSync(outside).mtimeMs, readFileSync(path.join(outside, "a.txt"), "utf8")]).toEqual([0, "outside"]);
  });

  it("A write replaces no file outside of the root folder if its target folder is replaced by a link after the first check", async () => {
    const { text, outside, swap, read } = swappable();
    const lstat = intercept("lstat", { before: swap });
    expect(await text("write_file", { path: "folder/a.txt", content: "new" })).toContain("leads out of the folder");
    expect(lstat).toHaveBeenCalledOnce();
    expect(readFileSync(path.join(outside, "a.txt"), "utf8")).toBe("outside");
    expect(readdirSync(outside)).toEqual(["a.txt"]);
    expect(read("moved/a.txt")).toBe("inside");
  });

  it("A read does not follow a link that replaces the file after the check of its path", async () => {
    const { text, outside, folder } = swappable();
    const file = path.join(folder, "a.txt");
    const swap = () => {
      renameSync(file, path.join(folder, "moved.txt"));
      symlinkSync(path.join(outside, "a.txt"), file);
    };
    const open = intercept("open", { before: swap });
    expect(await text("read_file", { path: "folder/a.txt" })).toMatch(
      /^Error: Cannot access \/folder\/a\.txt: its links/,
    );
    expect(open).toHaveBeenCalledOnce();
  });

  it("A read does not wait for the writer of a pipe that replaces the file after the check of its path", async () => {
    const { text, folder } = swappable();
    const file = path.join(folder, "a.txt");
    const swap = () => void execFileSync("bash", ["-c", "mkfifo pipe && mv -f pipe a.txt"], { cwd: folder });
    intercept("open", { before: swap });
    // Ends the wait of a read that waits for a writer, which would otherwise keep a thread of the process.
    onTestFinished(async () => (await fileSystem.open(file, constants.O_RDWR | constants.O_NONBLOCK)).close());
    expect(await text("read_file", { path: "folder/a.txt" })).toBe("Error: /folder/a.txt is no file.");
  }, 20_000);
});

it("A write is on the disk as a whole before it replaces the file, so that a loss of power leaves no part of it", async () => {
  const { text, put, read, root } = hostPlace();
  put("a.txt", "old");
  const content = "x".repeat(100_000);
  const order: unknown[] = [];
  intercept("open", {
    after: (opened) => {
      const handle = opened as FileHandle;
      const sync = handle.sync.bind(handle);
      vi.spyOn(handle, "sync").mockImplementation(async () => {
        const written = readdirSync(root).filter((name) => name.endsWith(".tmp"));
        await sync();
        order.push(["synced", written.map((name) => read(name) === content), read("a.txt")]);
      });
    },
  });
  intercept("rename", { before: () => order.push(["renamed", read("a.txt")]) });
  expect(await text("write_file", { path: "a.txt", content })).toContain("Wrote 100000 bytes");
  expect(order).toEqual([
    ["synced", [true], "old"],
    ["renamed", "old"],
  ]);
  expect(read("a.txt")).toBe(content);
});
