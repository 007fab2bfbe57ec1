// Edits of configuration files. Their texts are generated in the styles that people write: comments, arrays of tables, dotted keys, inline
// tables, environments, line ends of Windows, a byte order mark. The installed wrangler's own parsers are the judges of the results.

import { lstatSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { editedValue, type ConfigEdit } from "#cli/config/config-edit.ts";
import { editConfigFile, parseConfigFile, readConfigFile, type ConfigFile } from "#cli/config/config-file.ts";
import { writeFiles } from "#cli/config/write-files.ts";

import { writeProject } from "../compiler/temporary-project.ts";
import { jsonText, tomlText } from "./support/config-texts.ts";

const edits: readonly ConfigEdit[] = [
  { action: "append", path: ["compatibility_flags"], value: "nodejs_compat" },
  { action: "append", path: ["durable_objects", "bindings"], value: { name: "THREADS", class_name: "ThreadObject" } },
  { action: "append", path: ["migrations"], value: { tag: "threadhold-v1", new_sqlite_classes: ["A", "B"] } },
  { action: "append", path: ["d1_databases"], value: { binding: "CATALOG", database_name: 'a "name"' } },
  { action: "append", path: ["env", "staging", "d1_databases"], value: { binding: "CATALOG", preview: true } },
  { action: "append", path: ["env", "a b", "migrations"], value: { tag: "v1" } },
  { action: "set", path: ["build", "command"], value: "npm run build && npx threadhold build --auto" },
  { action: "set", path: ["build", "watch_dir"], value: ["src", "agents"] },
  { action: "set", path: ["compatibility_date"], value: "2026-04-01" },
  { action: "set", path: ["version_metadata", "binding"], value: "VERSION" },
  { action: "set", path: ["env", "staging", "build", "command"], value: "x" },
];

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const comments = (text: string): string[] => text.match(/comment \d+/g) ?? [];

/** The number of lines of `before` that are also in `after`, in the same order. */
function keptLines(before: string, after: string): number {
  const lines = after.split("\n");
  let from = 0;
  return before.split("\n").filter((line) => {
    const at = lines.indexOf(line, from);
    if (at !== -1) from = at + 1;
    return at !== -1;
  }).length;
}

/** Whether an edit is possible: nothing is at its path, or the value there is a list to append to or a text to replace. */
function possible({ value }: ConfigFile, { action, path }: ConfigEdit): boolean {
  const at = path.reduce<unknown>((paused, key) => (paused as Record<string, unknown> | undefined)?.[key], value);
  return at === undefined || (action === "append" ? Array.isArray(at) : typeof at === "string");
}

describe("an edit of a configuration file", () => {
  it.each([
    ["wrangler.toml", tomlText],
    ["wrangler.jsonc", jsonText],
  ] as const)(
    "An edit of a configuration file (a generated %s) adds exactly its change and keeps all other lines and comments",
    (name, texts) => {
      let made = 0;
      const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
      fc.assert(
        fc.property(texts, fc.constantFrom(...edits), (text, edit) => {
          const file = parseConfigFile(name, text);
          if (!possible(file, edit)) return;
          const changed = editConfigFile(file, [edit]);
          made += 1;
          const again = parseConfigFile(name, changed.text);
          expect(plain(again.value)).toEqual(plain(editedValue(file.value, edit)));
          expect(comments(changed.text)).toEqual(comments(text));
          expect(changed.text.startsWith("\uFEFF")).toBe(text.startsWith("\uFEFF"));
          // A line changes if a value in it is replaced, or if a comma or an element is added to it.
          expect(text.split("\n").length - keptLines(text, changed.text)).toBeLessThanOrEqual(1);
          if (/\r\n/.test(text)) expect(changed.text.replaceAll("\r\n", "")).not.toContain("\n");
        }),
        { seed, numRuns: 400 },
      );
      expect(made, `seed ${String(seed)}`).toBeGreaterThan(250);
    },
  );

  it("An edit of a configuration file sets a key of an array's element next to that element's other keys, in TOML and in JSON", () => {
    const edit: ConfigEdit = { action: "set", path: ["d1_databases", 1, "database_id"], value: "1234" };
    const toml = `[[d1_databases]]\nbinding = "DB"\n\n[[d1_databases]]\nbinding = "CATALOG" # threads\n\n# staging\n[env.staging]\n`;
    expect(editConfigFile(parseConfigFile("wrangler.toml", toml), [edit]).text).toBe(
      toml.replace("# threads\n", '# threads\ndatabase_id = "1234"\n'),
    );
    const json = `{\n\t"d1_databases": [{ "binding": "DB" }, { "binding": "CATALOG" /* threads */ }]\n}\n`;
    expect(editConfigFile(parseConfigFile("wrangler.json", json), [edit]).text).toBe(
      json.replace('"CATALOG"', '"CATALOG", "database_id": "1234"'),
    );
  });

  it("An unsafe edit of a configuration file is refused with the lines to write by hand, and a file that cannot be parsed with the number of the broken line", () => {
    const edit: ConfigEdit = { action: "append", path: ["migrations"], value: { tag: "threadhold-v1" } };
    const edited = (name: string, text: string) => () => editConfigFile(parseConfigFile(name, text), [edit]);
    expect(edited("wrangler.toml", 'migrations = "none"\n')).toThrow(
      'wrangler.toml writes migrations in a way that cannot be edited safely. Make this change by hand, and run the command again:\n[[migrations]]\ntag = "threadhold-v1"',
    );
    expect(edited("wrangler.json", '{ "migrations": {} }')).toThrow('add to migrations: { "tag": "threadhold-v1" }');
    expect(edited("wrangler.json", '{ "migrations": [], "migrations": [1] }')).toThrow("cannot be edited safely");
    expect(edited("wrangler.toml", 'name = "app"\nmain = \n')).toThrow(
      /^wrangler.toml cannot be parsed: .* in line 2\./,
    );
    expect(edited("wrangler.jsonc", '{\n  "name": "app"\n  "main": "x"\n}')).toThrow(/^wrangler.jsonc .* in line 3\./);
    const file = join(writeProject({ "wrangler.json": "[]" }), "wrangler.json");
    expect(() => readConfigFile(file)).toThrow("wrangler.json has no object at its root");
  });
});

describe("a configuration file that is not UTF-8", () => {
  it("A configuration file that is not encoded as UTF-8 is refused, since an edit would replace bytes of it", () => {
    const file = join(writeProject({ "wrangler.toml": "" }), "wrangler.toml");
    writeFileSync(file, Buffer.from('name = "app" # f\xFCr', "latin1"));
    expect(() => readConfigFile(file)).toThrow("wrangler.toml is not encoded as UTF-8. Save it as UTF-8");
  });
});

describe("files that are written together", () => {
  const files = { "a.toml": "old a", "b.json": "old b" };
  const changesIn = (root: string) => [
    { path: join(root, "a.toml"), before: "old a", after: "new a" },
    { path: join(root, "new/folder/c.ts"), before: null, after: "new c" },
    { path: join(root, "b.json"), before: "old b", after: "new b" },
  ];
  const contentOf = (root: string): string[] =>
    readdirSync(root, { recursive: true, encoding: "utf8" })
      .toSorted()
      .flatMap((name) => {
        const path = join(root, name);
        return lstatSync(path).isDirectory() ? name : `${name}: ${readFileSync(path, "utf8")}`;
      });

  it("A change of several files gives each one its new content, and a symbolic link stays a symbolic link", () => {
    const root = writeProject({ ...files, "real/b.json": "old b" });
    symlinkSync(join(root, "real/b.json"), join(root, "link.json"));
    writeFiles([...changesIn(root), { path: join(root, "link.json"), before: "old b", after: "new d" }]);
    expect(contentOf(root)).toEqual([
      "a.toml: new a",
      "b.json: new b",
      "link.json: new d",
      "new",
      "new/folder",
      "new/folder/c.ts: new c",
      "real",
      "real/b.json: new d",
    ]);
    expect(lstatSync(join(root, "link.json")).isSymbolicLink()).toBe(true);
  });

  it.each([0, 1, 2])(
    "A change of several files changes none of them if the file with index %i cannot be replaced",
    (failing) => {
      const root = writeProject(files);
      let renames = 0;
      const rename: typeof renameSync = (from, to) => {
        if (renames === failing) throw new Error("no space is left");
        renames += 1;
        renameSync(from, to);
      };
      expect(() => writeFiles(changesIn(root), rename)).toThrow("nothing was changed: no space is left");
      expect(contentOf(root)).toEqual(["a.toml: old a", "b.json: old b"]);
    },
  );

  it("A change of several files changes none of them if one was edited in the meantime, or if a new one exists already", () => {
    const changed = writeProject({ ...files, "b.json": "another b" });
    expect(() => writeFiles(changesIn(changed))).toThrow("b.json was changed in the meantime");
    expect(contentOf(changed)).toEqual(["a.toml: old a", "b.json: another b"]);
    const existing = writeProject({ ...files, "new/folder/c.ts": "mine" });
    expect(() => writeFiles(changesIn(existing))).toThrow("c.ts was changed in the meantime");
  });
});
