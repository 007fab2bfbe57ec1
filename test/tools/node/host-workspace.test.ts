// The file tools over a folder of a machine: the contract, and the boundary of the folder.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

import { describe, expect, it } from "vitest";

import { readTool } from "#spec/index.ts";
import type { AnyToolDefinition, ThreadState, ToolResult } from "#spec/index.ts";
import {
  createEditFileTool,
  createListFilesTool,
  createReadFileTool,
  createSearchTool,
  createWriteFileTool,
} from "#tools/files/index.ts";
import { namedError } from "#tools/node/host-folder.ts";
import { hostCodingTools, hostWorkspace } from "#tools/node/index.ts";

import { realPng } from "../../support/real-png.ts";
import { checkFileTools } from "../files/workspace-contract.ts";
import { callTool, hostPlace, temporaryFolder } from "./host-place.ts";

checkFileTools("a folder of a machine", async () => {
  const place = hostPlace();
  const workspace = hostWorkspace(place.root);
  const definitions: Record<string, AnyToolDefinition> = {
    read_file: createReadFileTool({ workspace }),
    write_file: createWriteFileTool({ workspace }),
    edit_file: createEditFileTool({ workspace }),
    list_files: createListFilesTool({ workspace }),
    search: createSearchTool({ workspace }),
  };
  return {
    put: async (name, content) => place.put(name, content),
    read: async (name) => place.read(name),
    async call(name, args) {
      const definition = definitions[name];
      if (definition === undefined) throw new Error(`There is no tool ${name}.`);
      const call = { id: "call-1", attempt: 1, signal: new AbortController().signal, progress: () => {} };
      const running = readTool(definition).run?.({} as ThreadState, args, call) as Promise<ToolResult>;
      // A tool that rejects is an error result, as in a run.
      const { result, error, value } = await running.catch((thrown: Error) => ({
        error: thrown.message,
        result: undefined,
        value: undefined,
      }));
      return { text: result ?? `Error: ${error ?? ""}`, details: value };
    },
  };
});

it("Of ten thousand files of a folder list_files shows 200 with their count, and search shows 50 lines", async () => {
  const { put, root } = hostPlace();
  for (let at = 0; at < 10_000; at += 1) put(`f${at % 10}/${at}.txt`, `content of file ${at}`);
  const workspace = hostWorkspace(root);
  // On a busy machine a search opens ten thousand files in more time than its limit of 30 s, which other tests cover.
  const tools = {
    list_files: createListFilesTool({ workspace }),
    search: createSearchTool({ workspace, timeoutMs: 600_000 }),
  };
  const text = async (name: keyof typeof tools, args: Record<string, unknown>): Promise<string> => {
    const call = { id: "call-1", attempt: 1, signal: new AbortController().signal, progress: () => {} };
    const result = (await readTool(tools[name]).run?.({} as ThreadState, args, call)) as ToolResult | undefined;
    return result?.result ?? "";
  };
  const listed = (await text("list_files", {})).split("\n");
  expect(listed).toHaveLength(200 + 2);
  expect(listed.at(-1)).toBe("... (10000 files, showing first 200)");
  const found = (await text("search", { pattern: "content" })).split("\n");
  expect(found.filter((line) => line.includes(":1:content of file "))).toHaveLength(50);
  expect(found.at(-1)).toContain("... (showing first 50 matches)");
  expect(await text("search", { pattern: "file 9999$" })).toBe("/f9/9999.txt:1:content of file 9999\n(1 matches)");
});

describe("the boundary of the folder", () => {
  /** A folder with a link to a secret outside of it. */
  function withLinks() {
    const outside = temporaryFolder();
    writeFileSync(path.join(outside, "secret.txt"), "secret");
    const place = hostPlace();
    symlinkSync(path.join(outside, "secret.txt"), path.join(place.root, "file-link"));
    symlinkSync(outside, path.join(place.root, "folder-link"));
    symlinkSync(path.join(outside, "absent"), path.join(place.root, "dangling"));
    return { ...place, outside };
  }

  it("No tool reads through a link that leads out of the folder", async () => {
    const { text } = withLinks();
    for (const name of ["file-link", "folder-link/secret.txt", "folder-link/../folder-link/secret.txt"]) {
      expect(await text("read_file", { path: name })).toContain("leads out of the folder");
      expect(await text("edit_file", { path: name, old_text: "secret", new_text: "x" })).toContain(
        "leads out of the folder",
      );
      expect(await text("search", { pattern: "secret", path: name })).toContain("leads out of the folder");
    }
    expect(await text("list_files", { path: "folder-link" })).toContain("leads out of the folder");
    expect(await text("list_files", {})).toBe("No files found in /");
    expect(await text("search", { pattern: "secret" })).toContain("No matches found");
  });

  it("No tool writes through a link that leads out of the folder, also not a new file or folder", async () => {
    const { text, outside } = withLinks();
    for (const name of ["file-link", "folder-link/new.txt", "folder-link/deep/new.txt"]) {
      expect(await text("write_file", { path: name, content: "x" })).toContain("leads out of the folder");
    }
    expect(await text("write_file", { path: "dangling", content: "x" })).toContain(
      "link to a file that does not exist",
    );
    expect(readdirSync(outside)).toEqual(["secret.txt"]);
    expect(statSync(path.join(outside, "secret.txt")).size).toBe(6);
  });

  it("A link inside of the folder is followed and remains a link", async () => {
    const { text, root, put, read } = hostPlace();
    put("real/a.txt", "one\n");
    symlinkSync("real", path.join(root, "link"));
    symlinkSync("real/a.txt", path.join(root, "a.txt"));
    expect(await text("read_file", { path: "link/a.txt" })).toBe("[1 lines]\n   1 | one");
    expect(await text("edit_file", { path: "a.txt", old_text: "one", new_text: "two" })).toContain("Replaced");
    expect(read("real/a.txt")).toBe("two\n");
    expect(readlinkSync(path.join(root, "a.txt"))).toBe("real/a.txt");
    expect(await text("list_files", {})).toBe("/real/a.txt\n\n(1 files)");
  });

  it("The folder itself may be a link, and a missing folder is an error that names it", async () => {
    const { root, put } = hostPlace();
    put("a.txt", "one");
    const link = path.join(temporaryFolder(), "link");
    symlinkSync(root, link);
    expect(await callTool(hostCodingTools({ root: link }), "read_file", { path: "a.txt" })).toContain("one");
    const missing = path.join(root, "missing");
    await expect(callTool(hostCodingTools({ root: missing }), "list_files", {})).rejects.toThrow(missing);
  });

  it("Pipes and other special files are not opened, because a read of them might not end", async () => {
    const { text, root } = hostPlace();
    execFileSync("bash", ["-c", "mkfifo pipe"], { cwd: root });
    expect(await text("read_file", { path: "pipe" })).toContain("neither a file nor a folder");
    expect(await text("write_file", { path: "pipe", content: "x" })).toContain("neither a file nor a folder");
    expect(await text("search", { pattern: "x" })).toContain("No matches found");
  });
});

describe("errors of the system", () => {
  it("A file system error names the path that the model gave, and not the path on this machine", async () => {
    const { text, root } = hostPlace();
    symlinkSync("loop", path.join(root, "loop"));
    const long = "x".repeat(300);
    const texts = [
      await text("read_file", { path: "loop" }),
      await text("read_file", { path: long }),
      await text("write_file", { path: long, content: "" }),
      await text("list_files", { path: long }),
    ];
    expect(texts[0]).toBe("Error: Cannot access loop: its links lead to each other. Use the path of a file.");
    for (const each of texts.slice(1)) expect(each).toContain("the name is too long for the file system");
    for (const each of texts) expect(each).not.toContain(root);
  });

  it("Only file system errors get another message, and the error for a missing file is not replaced", () => {
    const system = (code: string) => Object.assign(new Error(`${code}: open '/home/ada/a'`), { code, syscall: "open" });
    expect(namedError("/a", system("EACCES"))).toMatchObject({ code: "forbidden" });
    expect(namedError("/a", system("EUNKNOWN"))).toMatchObject({
      message: "Cannot access /a: the system reports EUNKNOWN.",
    });
    const absent = system("ENOENT");
    expect(namedError("/a", absent)).toBe(absent);
    const own = new RangeError("own");
    expect(namedError("/a", own)).toBe(own);
  });
});

/** Calls a function as a user who is not permitted everything. */
async function asOrdinaryUser<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

describe("files without permission", () => {
  it("A list leaves out a folder that the user cannot read, and a search also states that it is incomplete", async () => {
    const { text, root, put } = hostPlace();
    put("a.txt", "needle\n");
    put("closed/b.txt", "needle\n");
    put("c.txt", "needle\n");
    chmodSync(root, 0o755);
    for (const name of ["closed", "c.txt"]) chmodSync(path.join(root, name), 0o000);
    const [list, search, missed, read] = await asOrdinaryUser(async () => [
      await text("list_files", {}),
      await text("search", { pattern: "needle" }),
      await text("search", { pattern: "none" }),
      await text("read_file", { path: "c.txt" }),
    ]);
    chmodSync(path.join(root, "closed"), 0o700);
    expect(list).toBe("/a.txt\n/c.txt\n\n(2 files)");
    expect(search).toBe("/a.txt:1:needle\n... (showing first 1 matches)");
    expect(missed).toContain("in the files that could be searched");
    expect(read).toBe(
      "Error: Cannot access /c.txt: the user of this program has no permission for it. Use another path, or change its permissions.",
    );
  });
});

describe("writes", () => {
  it("A write replaces the file by a complete one, keeps its permissions, and leaves no other file", async () => {
    const { text, root, put, read } = hostPlace();
    put("run.sh", "old");
    chmodSync(path.join(root, "run.sh"), 0o750);
    // A second name of the same file keeps the old content, because the file is replaced and not changed.
    linkSync(path.join(root, "run.sh"), path.join(root, "other-name"));
    expect(await text("write_file", { path: "run.sh", content: "new" })).toContain("Wrote 3 bytes");
    expect([read("run.sh"), read("other-name")]).toEqual(["new", "old"]);
    expect(lstatSync(path.join(root, "run.sh")).mode & 0o777).toBe(0o750);
    expect(readdirSync(root).toSorted()).toEqual(["other-name", "run.sh"]);
  });

  it("A write keeps permissions that the umask removes from new files, and works for a file name that is too long for a suffix", async () => {
    const { text, root, put, read } = hostPlace();
    const name = `${"漢".repeat(80)}.sh`;
    put(name, "old");
    chmodSync(path.join(root, name), 0o777);
    expect(await text("write_file", { path: name, content: "new" })).toContain("Wrote 3 bytes");
    expect(read(name)).toBe("new");
    expect(lstatSync(path.join(root, name)).mode & 0o777).toBe(0o777);
  });

  it("A write and an edit of a read-only file are refused, and the file keeps its content", async () => {
    const { text, root, put, read } = hostPlace();
    put("a.txt", "old");
    chmodSync(path.join(root, "a.txt"), 0o444);
    expect(await text("write_file", { path: "a.txt", content: "new" })).toContain("a.txt is read-only");
    expect(await text("edit_file", { path: "a.txt", old_text: "old", new_text: "new" })).toContain(
      "a.txt is read-only",
    );
    expect(read("a.txt")).toBe("old");
    expect(readdirSync(root)).toEqual(["a.txt"]);
  });

  it("If a file is changed after it was read, a write to it is refused, keeps the change and leaves no other file", async () => {
    const { root, put, read } = hostPlace();
    put("a.txt", "one");
    const files = hostWorkspace(root)({} as ThreadState);
    const expected = await files.stat("a.txt");
    if (expected === null) throw new Error("no file");
    put("a.txt", "two!");
    const write = files.write({ path: "a.txt", text: "three", expected, callId: "call-1" });
    await expect(write).rejects.toThrow("was changed after it was read");
    expect(read("a.txt")).toBe("two!");
    expect(readdirSync(root)).toEqual(["a.txt"]);
    mkdirSync(path.join(root, "folder"));
    await expect(files.write({ path: "folder", text: "x", callId: "call-1" })).rejects.toThrow();
    expect(readdirSync(root).toSorted()).toEqual(["a.txt", "folder"]);
  });

  it("The tool read_file over a folder of the machine returns an image as a block of the result", async () => {
    const { tools, put } = hostPlace();
    const picture = await realPng(3, 2);
    put("a.png", picture);
    expect(await callTool(tools, "read_file", { path: "a.png" })).toEqual({
      content: [
        { type: "text", text: `[a.png: image/png, ${picture.byteLength} bytes]` },
        {
          type: "image",
          mimeType: "image/png",
          source: { type: "base64", data: Buffer.from(picture).toString("base64") },
        },
      ],
    });
  });
});
