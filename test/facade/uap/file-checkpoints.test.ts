// Checkpoints as files: their layout, their bytes, and what a crash leaves.

import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { AgentState } from "#facade/uap/agent-state.ts";
import { fileCheckpoints } from "#facade/uap/checkpoint/node/file-checkpoints.ts";

import { stateOf } from "../../support/checkpoint-contract.ts";
import { withFolder } from "./support/checkpoint-folder.ts";

const key = new Uint8Array(32).fill(1);
const refused = (text: string) =>
  expect.objectContaining({ code: "INVALID_REQUEST", message: expect.stringContaining(text) });

it("A session is a folder with checkpoint.json and metadata.json, which only the user of the process can read", () =>
  withFolder(async (dir) => {
    const state = stateOf(2);
    await fileCheckpoints({ dir }).save("my-session", state.toJSON());
    const folder = path.join(dir, "my-session");
    expect((await readdir(folder)).toSorted()).toEqual(["checkpoint.json", "metadata.json"]);
    expect(await readFile(path.join(folder, "checkpoint.json"), "utf8")).toBe(JSON.stringify(state));
    const metadata = JSON.parse(await readFile(path.join(folder, "metadata.json"), "utf8")) as object;
    expect(metadata).toEqual(await fileCheckpoints({ dir }).loadMetadata("my-session"));
    const modes = [dir, folder, path.join(folder, "checkpoint.json"), path.join(folder, "metadata.json")].map(
      async (file) => ((await stat(file)).mode & 0o777).toString(8),
    );
    expect(await Promise.all(modes)).toEqual(["700", "700", "600", "600"]);
  }));

it("A session id that is too long for a file name is refused, and the error names the fix", () =>
  withFolder(async (dir) => {
    const store = fileCheckpoints({ dir });
    await expect(store.save("x".repeat(241), stateOf(1).toJSON())).rejects.toEqual(refused("Use a shorter id"));
    await expect(store.load("Ü".repeat(60))).rejects.toEqual(refused("Use a shorter id"));
    await store.save("x".repeat(240), stateOf(1).toJSON());
    expect(await store.list()).toEqual(["x".repeat(240)]);
  }));

it("If two stores of one folder save the same session, the state of the last call remains", () =>
  withFolder(async (dir) => {
    const [one, other] = [fileCheckpoints({ dir }), fileCheckpoints({ dir })];
    const saves = [
      one.save("s", stateOf(1, "x".repeat(300_000)).toJSON()),
      other.save("s", stateOf(2).toJSON()),
      one.save("s", stateOf(3, "x".repeat(300_000)).toJSON()),
      other.save("s", stateOf(4).toJSON()),
    ];
    expect((await one.load("s"))?.step).toBe(4);
    await Promise.all(saves);
    expect((await other.load("s"))?.step).toBe(4);
  }));

it("Folders and files that are not sessions are not listed", () =>
  withFolder(async (dir) => {
    const store = fileCheckpoints({ dir });
    await store.save("s", stateOf(1).toJSON());
    await mkdir(path.join(dir, "empty"));
    await mkdir(path.join(dir, "Not A Name"));
    await writeFile(path.join(dir, "file"), "");
    expect(await store.list()).toEqual(["s"]);
  }));

it.each([
  ["a folder of another program", "a.jpg"],
  ["a folder with a file that has the name of the metadata", "metadata.json"],
])("If %s has the name of a session, the deletion of this session leaves the folder unchanged", (_name, file) =>
  withFolder(async (dir) => {
    await mkdir(path.join(dir, "photos", "2024"), { recursive: true });
    await writeFile(path.join(dir, "photos", file), "{}");
    await writeFile(path.join(dir, "photos", "2024", "b.jpg"), "B");
    await fileCheckpoints({ dir }).delete("photos");
    expect(await readdir(path.join(dir, "photos"))).toEqual(["2024", file].toSorted());
    expect(await readdir(path.join(dir, "photos", "2024"))).toEqual(["b.jpg"]);
  }),
);

it("The deletion of a session removes its two files and temporary files, and leaves other files of the folder", () =>
  withFolder(async (dir) => {
    const store = fileCheckpoints({ dir });
    const folder = path.join(dir, "s");
    await store.save("s", stateOf(1).toJSON());
    await writeFile(path.join(folder, `checkpoint.json.${crypto.randomUUID()}.tmp`), "{}");
    await writeFile(path.join(folder, "notes.txt"), "Keep this.");
    await writeFile(path.join(folder, "draft.tmp"), "Keep this.");
    await store.delete("s");
    expect((await readdir(folder)).toSorted()).toEqual(["draft.tmp", "notes.txt"]);
    expect(await store.list()).toEqual([]);
    await store.save("t", stateOf(1).toJSON());
    await store.delete("t");
    expect(await readdir(dir)).toEqual(["s"]);
  }));

it("If a crash interrupts a deletion after checkpoint.json was removed, the deletion can be repeated", () =>
  withFolder(async (dir) => {
    const store = fileCheckpoints({ dir, encrypt: { key } });
    await store.save("s", stateOf(1).toJSON());
    await rm(path.join(dir, "s", "checkpoint.json"));
    await store.delete("s");
    expect(await readdir(dir)).toEqual([]);
  }));

it.each([
  ["an empty text", ""],
  ["null", null],
  ["a number", 5],
])("The option dir is refused if it is %s", (_name, dir) => {
  expect(() => fileCheckpoints({ dir: dir as string })).toThrow(refused("Set it to the path of a folder"));
});

it("A save rejects if its folder cannot be created, and a later save can succeed", () =>
  withFolder(async (dir) => {
    await writeFile(dir, "a file in place of the folder");
    const store = fileCheckpoints({ dir });
    await expect(store.save("s", stateOf(1).toJSON())).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
    await rm(dir);
    await store.save("s", stateOf(2).toJSON());
    expect((await store.load("s"))?.step).toBe(2);
  }));

describe("after a crash", () => {
  it("If a crash between the two files has removed metadata.json, the metadata is read from the state", () =>
    withFolder(async (dir) => {
      const store = fileCheckpoints({ dir });
      const state = stateOf(5);
      await store.save("s", state.toJSON());
      await rm(path.join(dir, "s", "metadata.json"));
      const { mtime } = await stat(path.join(dir, "s", "checkpoint.json"));
      expect(await store.loadMetadata("s")).toEqual({
        sessionId: "s",
        checkpointId: state.id,
        timestamp: mtime.toISOString(),
        step: 5,
        agentId: "11111111-1111-4111-8111-111111111111",
      });
      await store.save("s", stateOf(6).toJSON());
      expect(await store.loadMetadata("s")).toMatchObject({ step: 6 });
    }));

  it("If a save fails before it replaces checkpoint.json, no metadata.json and no temporary file remain", () =>
    withFolder(async (dir) => {
      const store = fileCheckpoints({ dir });
      await store.save("s", stateOf(5).toJSON());
      const file = path.join(dir, "s", "checkpoint.json");
      await rename(file, `${file}.kept`);
      await mkdir(path.join(file, "in the way"), { recursive: true });
      await expect(store.save("s", stateOf(6).toJSON())).rejects.toThrow();
      expect((await readdir(path.join(dir, "s"))).toSorted()).toEqual(["checkpoint.json", "checkpoint.json.kept"]);
      await rm(file, { recursive: true });
      await rename(`${file}.kept`, file);
      expect([(await store.load("s"))?.step, (await store.loadMetadata("s"))?.step]).toEqual([5, 5]);
    }));

  it("If a crash during a deletion has removed checkpoint.json, the session does not exist", () =>
    withFolder(async (dir) => {
      const store = fileCheckpoints({ dir });
      await store.save("s", stateOf(5).toJSON());
      await rm(path.join(dir, "s", "checkpoint.json"));
      expect([await store.load("s"), await store.loadMetadata("s"), await store.list()]).toEqual([null, null, []]);
    }));

  it("A save removes the temporary files of processes that crashed over an hour ago, and no newer ones", () =>
    withFolder(async (dir) => {
      const store = fileCheckpoints({ dir });
      await store.save("s", stateOf(1).toJSON());
      const [old, young] = ["checkpoint.json.old.tmp", "checkpoint.json.young.tmp"];
      for (const name of [old, young]) await writeFile(path.join(dir, "s", name), "half a checkp");
      const hours = Date.now() / 1000 - 2 * 60 * 60;
      await utimes(path.join(dir, "s", old), hours, hours);
      await store.save("s", stateOf(2).toJSON());
      expect((await readdir(path.join(dir, "s"))).toSorted()).toEqual(["checkpoint.json", young, "metadata.json"]);
    }));

  it.each(["", "{", "null", "[]", "half a checkp"])(
    "Loading a damaged checkpoint, such as %j, fails with an error that names the session, and does not return null",
    (text) =>
      withFolder(async (dir) => {
        const store = fileCheckpoints({ dir });
        await store.save("s", stateOf(1).toJSON());
        await writeFile(path.join(dir, "s", "checkpoint.json"), text);
        await expect(store.load("s")).rejects.toEqual(refused('session "s" is damaged'));
      }),
  );
});

describe("compressed and encrypted", () => {
  const text = "A text that repeats itself. ".repeat(500);

  it("Compression makes the file of a state smaller, and a store without compression reads it", () =>
    withFolder(async (dir) => {
      const state = stateOf(1, text);
      await fileCheckpoints({ dir, compress: true }).save("s", state.toJSON());
      const { size } = await stat(path.join(dir, "s", "checkpoint.json"));
      expect(size).toBeLessThan(text.length / 4);
      expect(AgentState.fromJSON(await fileCheckpoints({ dir }).load("s"))).toEqual(state);
      await fileCheckpoints({ dir }).save("s", stateOf(2).toJSON());
      expect((await fileCheckpoints({ dir, compress: true }).load("s"))?.step).toBe(2);
    }));

  it.each([
    ["a key", { key }],
    ["a passphrase", { passphrase: "correct horse" }],
  ])(
    "A state that is encrypted with %s is not readable in its files, and a second store with the same secret loads it",
    (_, encrypt) =>
      withFolder(async (dir) => {
        const state = stateOf(1, "a secret text");
        await fileCheckpoints({ dir, encrypt }).save("s", state.toJSON());
        for (const file of await readdir(path.join(dir, "s"))) {
          const bytes = await readFile(path.join(dir, "s", file), "latin1");
          expect(bytes).not.toMatch(/secret|version|agentId|correct horse/);
        }
        const other = fileCheckpoints({ dir, encrypt });
        expect(AgentState.fromJSON(await other.load("s"))).toEqual(state);
        expect(await other.loadMetadata("s")).toMatchObject({ step: 1 });
      }),
  );

  it("The same state is never encrypted to the same bytes", () =>
    withFolder(async (dir) => {
      const store = fileCheckpoints({ dir, encrypt: { key } });
      const files: string[] = [];
      for (let save = 0; save < 3; save += 1) {
        await store.save("s", stateOf(1).toJSON());
        files.push(await readFile(path.join(dir, "s", "checkpoint.json"), "latin1"));
      }
      expect(new Set(files).size).toBe(3);
    }));

  it.each([
    ["another key", { key: new Uint8Array(32).fill(2) }, "cannot be decrypted"],
    ["a passphrase", { passphrase: "correct horse" }, "with a key, and this store has a passphrase"],
    ["no key", undefined, "Give the store the option `encrypt`"],
  ])("A state that was encrypted with a key is refused by a store with %s", (_, encrypt, message) =>
    withFolder(async (dir) => {
      await fileCheckpoints({ dir, encrypt: { key } }).save("s", stateOf(1).toJSON());
      const store = fileCheckpoints(encrypt === undefined ? { dir } : { dir, encrypt });
      await expect(store.load("s")).rejects.toEqual(refused(message));
      await expect(store.loadMetadata("s")).rejects.toEqual(refused(message));
    }),
  );

  it("A state that was encrypted with a passphrase is refused by a store with another passphrase, and with a key", () =>
    withFolder(async (dir) => {
      await fileCheckpoints({ dir, encrypt: { passphrase: "one" } }).save("s", stateOf(1).toJSON());
      const other = fileCheckpoints({ dir, encrypt: { passphrase: "two" } });
      await expect(other.load("s")).rejects.toEqual(refused("cannot be decrypted"));
      const withKey = fileCheckpoints({ dir, encrypt: { key } });
      await expect(withKey.load("s")).rejects.toEqual(refused("with a passphrase, and this store has a key"));
    }));

  it("A store with encryption refuses a file that is not encrypted, because a person without the key could have written it", () =>
    withFolder(async (dir) => {
      await fileCheckpoints({ dir, compress: true }).save("s", stateOf(1).toJSON());
      await expect(fileCheckpoints({ dir, encrypt: { key } }).load("s")).rejects.toEqual(refused("is not encrypted"));
    }));

  it("A change of any byte of an encrypted file, and a truncation at any byte, is detected", () =>
    withFolder(async (dir) => {
      const store = fileCheckpoints({ dir, encrypt: { key } });
      await store.save("s", stateOf(1).toJSON());
      const file = path.join(dir, "s", "checkpoint.json");
      const bytes = await readFile(file);
      const change = fc.record({ at: fc.nat(bytes.length - 1), bit: fc.nat(7), cut: fc.boolean() });
      await fc.assert(
        fc.asyncProperty(change, async ({ at, bit, cut }) => {
          const changed = Buffer.from(cut ? bytes.subarray(0, at) : bytes);
          if (!cut) changed[at] = (bytes[at] ?? 0) ^ (1 << bit);
          await writeFile(file, changed);
          await expect(store.load("s")).rejects.toMatchObject({ code: "INVALID_REQUEST" });
        }),
        { verbose: true, examples: [[{ at: 0, bit: 0, cut: true }], [{ at: 7, bit: 0, cut: false }]] },
      );
      await writeFile(file, bytes);
      expect((await store.load("s"))?.step).toBe(1);
    }));

  it("An encrypted file is refused after it was moved to another session or to the other file of its session", () =>
    withFolder(async (dir) => {
      const store = fileCheckpoints({ dir, encrypt: { key } });
      await store.save("one", stateOf(1).toJSON());
      await store.save("two", stateOf(2).toJSON());
      await rename(path.join(dir, "one", "checkpoint.json"), path.join(dir, "two", "checkpoint.json"));
      await expect(store.load("two")).rejects.toEqual(refused("changed or moved"));
      await rename(path.join(dir, "one", "metadata.json"), path.join(dir, "one", "checkpoint.json"));
      await expect(store.load("one")).rejects.toEqual(refused("changed or moved"));
    }));

  it("The error for a damaged compressed file names the file and the session", () =>
    withFolder(async (dir) => {
      const store = fileCheckpoints({ dir, compress: true });
      await store.save("s", stateOf(1, text).toJSON());
      const file = path.join(dir, "s", "checkpoint.json");
      await writeFile(file, (await readFile(file)).subarray(0, 40));
      await expect(store.load("s")).rejects.toEqual(
        refused('checkpoint.json of the session "s" is compressed and damaged'),
      );
    }));

  it.each([
    [{ key: new Uint8Array(16) }, "encrypt.key has 16 bytes, and AES-256 needs 32"],
    [{ key: "a text" }, "either a key"],
    [{ passphrase: "" }, "either a key"],
    [{}, "either a key"],
    [{ key, passphrase: "both" }, "either a key"],
  ])("The option encrypt with %j is refused when the store is created", (encrypt, message) => {
    expect(() => fileCheckpoints({ encrypt: encrypt as { key: Uint8Array } })).toThrow(refused(message));
  });

  it("A change of the key's bytes after a store was created does not change the store", () =>
    withFolder(async (dir) => {
      const changing = Uint8Array.from(key);
      const store = fileCheckpoints({ dir, encrypt: { key: changing } });
      changing.fill(0);
      await store.save("s", stateOf(1).toJSON());
      expect((await fileCheckpoints({ dir, encrypt: { key } }).load("s"))?.step).toBe(1);
    }));
});

it("A deletion removes the files of the session, and keeps files and folders of other programs", () =>
  withFolder(async (dir) => {
    await mkdir(path.join(dir, "photos", "2024"), { recursive: true });
    await writeFile(path.join(dir, "photos", "2024", "a.jpg"), "bytes");
    const store = fileCheckpoints({ dir });
    await store.delete("photos");
    await store.save("s", stateOf(1).toJSON());
    await store.delete("s");
    expect(await readdir(dir)).toEqual(["photos"]);
    expect(await readdir(path.join(dir, "photos", "2024"))).toEqual(["a.jpg"]);
  }));
