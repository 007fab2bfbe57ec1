// Copies of files that a command makes: how much of the thread's files is read for them.

import { expect, it } from "vitest";

import type { FileRecord } from "#spec/index.ts";
import { FileTree } from "#tools/bash/file-tree.ts";
import { ShellFileSystem } from "#tools/bash/shell-file-system.ts";
import { changesOf } from "#tools/bash/tree-changes.ts";
import { WorkMeter } from "#tools/bash/work-meter.ts";

const megabyte = 1024 * 1024;

const record = (name: string, size: number, isDirectory = false) =>
  ({ path: `/${name}`, name, size, isDirectory, mimeType: "text/plain", updatedAt: 1 }) as unknown as FileRecord;

it("A command that copies more bytes than it may write is refused before the contents are in memory", async () => {
  let bytes = 0;
  const tree = new FileTree({
    entries: () => Promise.resolve([record("big", 10 * megabyte)]),
    read: () => {
      bytes += 10 * megabyte;
      return Promise.resolve(new Uint8Array());
    },
  });
  const files = new ShellFileSystem(tree, new WorkMeter(new AbortController().signal));
  for (let copy = 0; copy < 50; copy += 1) await files.cp("/big", `/copy-${copy}`);
  await expect(changesOf(tree)).rejects.toThrow("a command copies at most 5000 files and 33554432 bytes");
  expect(bytes).toBeLessThanOrEqual(32 * megabyte);
});
