// The pages of the API reference, from modules in memory.

import { expect, it } from "vitest";

import { entryPage, indexPage, undocumented } from "../../scripts/lib/api-reference.mjs";
import { moduleReader } from "../../scripts/lib/module-exports.mjs";

const files: Record<string, string> = {
  "src/index.ts": `
    export * from "./all.ts";
    export { inner as outer } from "./named.ts";
    export type { Thing } from "#contract/thing.ts";
    export { Imported } from "./passes-on.ts";
  `,
  "src/all.ts": `
    /** Adds numbers. Or joins | texts. */
    export function add(left: number, right: number): number;
    export function add(left: string, right: string): string;
    export function add(left: never, right: never): unknown { return secret(left, right); }
    /** Not for callers. @internal */
    export function wiring(): void {}
    export const bare = 1;
  `,
  "src/named.ts": `
    /** Known by another name outside. */
    export const inner: Record<string, number> = { hidden: 1 };
  `,
  "src/passes-on.ts": `import { Imported } from "./class.ts"; export { Imported };`,
  "src/class.ts": `
    /** A class. It uses Thing. */
    export class Imported {
      readonly #secret = 1;
      private readonly other = 2;
      constructor(ports: Ports) { connect(ports); }
      /** How many. */
      get size(): number { return this.#secret; }
      async read(thing: Thing): Promise<void> { await hide(thing); }
      readonly open: boolean = compute();
    }
  `,
  "contract/thing.ts": `
    const thingSchema = z.object({
      /** Its id. */
      id: z.string(),
    });
    /** Any thing. */
    export type Thing = z.infer<typeof thingSchema>;
  `,
};
const { exportsOf } = moduleReader(
  (file) => files[file] ?? "",
  (specifier, from) =>
    specifier.startsWith("#") ? specifier.slice(1) : `${from.slice(0, from.lastIndexOf("/"))}/${specifier.slice(2)}`,
);
const entry = { specifier: "pack", file: "pack.md", about: "All of it.", exports: exportsOf("src/index.ts") };
const page = entryPage(entry, [entry]);
const partOf = (name: string) => page.split("\n### ").find((part) => part.startsWith(`${name}\n`)) ?? "";

it("The API reference of a module lists what it re-exports, under the names that importers use", () => {
  const names = entry.exports.map(({ name }) => name);
  expect(names.toSorted()).toEqual(["Imported", "Thing", "add", "bare", "outer", "wiring"]);
  expect(page).toContain("| [outer](#outer) | Known by another name outside. |");
  expect(page).toContain("| [add](#add) | Adds numbers. |");
});

it("The API reference shows the signatures of an overloaded function without the implementation", () => {
  expect(partOf("add")).toContain("add(left: number, right: number): number;");
  expect(partOf("add")).toContain("add(left: string, right: string): string;");
  expect(partOf("add")).not.toContain("never");
});

it("The API reference shows a class without function bodies, private members and constructors that are not for callers", () => {
  const shown = partOf("Imported");
  expect(shown).toContain(
    "  /** How many. */\n  get size(): number;\n  read(thing: Thing): Promise<void>;\n  readonly open: boolean;",
  );
  for (const hidden of ["#secret", "other", "constructor", "hide", "compute"]) expect(shown).not.toContain(hidden);
});

it("The API reference shows a variable's declared type without its value, and the fields of an inferred type with the comments of its schema", () => {
  expect(partOf("outer")).toContain("const inner: Record<string, number>;");
  expect(partOf("outer")).not.toContain("hidden");
  expect(partOf("Thing")).toContain("/** Its id. */");
});

it("The API reference links the names in a declaration, and not those in its comments", () => {
  expect(partOf("Imported")).toContain("See [Thing](#thing).");
  expect(partOf("Thing")).not.toContain("See ");
});

it("The API reference links neither a field with the name of a function, nor a local type that has the same name as a type of another file", () => {
  const sources: Record<string, string> = {
    "index.ts": `export * from "./add.ts"; export * from "./fields.ts";`,
    "add.ts": `
      /** Adds. */ export function add(): Sum { return 1; }
      /** A sum. */ export type Sum = number;
    `,
    "fields.ts": `
      type Sum = string;
      /** Fields. */ export interface Fields { add: Sum }
      /** A copy. */ export interface Copy { field: typeof add }
    `,
  };
  const { exportsOf: exports } = moduleReader(
    (file) => sources[file] ?? "",
    (specifier) => specifier.slice(2),
  );
  const all = { specifier: "all", file: "all.md", about: "", exports: exports("index.ts") };
  const parts = entryPage(all, [all]).split("\n### ");
  const linksOf = (name: string) => /See .*/.exec(parts.find((part) => part.startsWith(`${name}\n`)) ?? "")?.[0];
  expect(["add", "Fields", "Copy"].map(linksOf)).toEqual(["See [Sum](#sum).", undefined, "See [add](#add)."]);
});

it("The API reference leaves out internal exports, and its generator reports exports without a doc comment", () => {
  expect(page).not.toContain("wiring");
  expect(undocumented([entry])).toEqual(["src/all.ts  bare of pack has no doc comment"]);
});

it("The index of the API reference lists the modules of the package", () => {
  expect(indexPage([entry])).toContain("| [pack](pack.md) | All of it. |");
});
