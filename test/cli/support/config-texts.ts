// Generates texts of wrangler configurations. Each has numbered comments.

import fc from "fast-check";

const oneOf = (...texts: string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);

/** Parts in their order, each of which may be absent. */
const someOf = (...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string[]> =>
  fc.tuple(...parts.map((part) => fc.option(part, { nil: "" }))).map((found) => found.filter((text) => text !== ""));

/** Replaces `#` at the end of a line by a comment or by nothing, and line ends by the chosen ones. */
function dressed(mark: string, parts: fc.Arbitrary<string[]>): fc.Arbitrary<string> {
  const style = fc.record({
    newline: oneOf("\n", "\n", "\r\n"),
    bom: oneOf("", "", "\uFEFF"),
    end: oneOf("\n", "\n\n", ""),
    gap: oneOf("\n", "\n\n", "\n\n"),
    commented: fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
  });
  return fc.tuple(parts, style).map(([texts, { newline, bom, end, gap, commented }]) => {
    let number = 0;
    const lines = texts
      .join(gap)
      .split("\n")
      .map((line) => {
        if (!line.endsWith("§")) return line;
        number += 1;
        const comment = commented[number % commented.length] === true ? `${mark} comment ${String(number)}` : "";
        return line.slice(0, -1).trimEnd() + (comment === "" ? "" : ` ${comment}`);
      });
    return bom + lines.join(newline) + end.replaceAll("\n", newline);
  });
}

const rootToml = someOf(
  oneOf("§", "§\n§"),
  oneOf(`name = "app" §`, `  name='app' §`, `"name"="app"`),
  oneOf(`compatibility_date = "2025-01-01" §`, `compatibility_date="2025-06-01"`, `compatibility_date = '2025-01-01'`),
  oneOf(
    `compatibility_flags = ["a"] §`,
    `compatibility_flags = []`,
    `compatibility_flags = [ ] §`,
    `compatibility_flags = [\n] §`,
    `compatibility_flags = [ §\n  "a", §\n  'b' §\n  §\n] §`,
    `compatibility_flags = [\n\t"a", "b", §\n]`,
    `compatibility_flags = ["a",\n  "b"]`,
    `compatibility_flags = ["a", ]`,
    `compatibility_flags = [\n  "a"\n  , §\n]`,
  ),
  oneOf(`build.command = "make" §`, `build . "command" = 'make'`),
  oneOf(
    `durable_objects = { bindings = [{ name = "X", class_name = "X" }] } §`,
    `durable_objects = { bindings = [] }`,
    `durable_objects.bindings = [\n  { name = "X", class_name = "X" }, §\n]`,
    `durable_objects = {}`,
  ),
  oneOf(`migrations = [{ tag = "v1", new_classes = ["X"] }] §`, `migrations = []`),
  oneOf(
    `text = """\n[not.a.table] # no comment\n"""`,
    `routes = [{ pattern = "x.example/*", zone_name = "x.example" }]`,
  ),
);

const tablesToml = fc
  .tuple(
    fc.shuffledSubarray([
      `[vars] §\nA = "b" §\n§`,
      `§\n[observability]\nenabled = true §`,
      `[version_metadata] §`,
      `[limits]\ncpu_ms = 30_000`,
      `[[r2_buckets]] §\nbinding = "FILES"\nbucket_name = "files" §\n§`,
      `  [[kv_namespaces]]\n  binding = "KV" §\n  id = "x"`,
      `[env.production.vars]\nA = "c" §`,
      `[env."a b"]\nname = "app-ab" §`,
      `[[env.production.durable_objects.bindings]]\nname = "X" §\nclass_name = "X"`,
    ]),
    fc.option(oneOf(`[build]\ncommand = "make" §\nwatch_dir = "src" §`, `[build] §`, `[build]\ncwd = "."\n§`)),
    fc.option(
      oneOf(
        `[[durable_objects.bindings]]\nname = "X" §\nclass_name = "X"\n§`,
        `[durable_objects]\nbindings = [ { name = "X", class_name = "X" } ] §`,
        `[durable_objects] §\nbindings = [ §\n  { name = "X", class_name = "X" } §\n]`,
      ),
    ),
    fc.option(
      oneOf(
        `[[migrations]] §\ntag = "v1"\nnew_classes = ["X"] §\n§\n[[migrations]]\ntag = "v2" §\nrenamed_classes = [{ from = "X", to = "Y" }]`,
        `[[migrations]]\n  tag = "v1"\n  [[migrations.renamed_classes]] §\n  from = "X"\n  to = "Y"`,
      ),
    ),
    fc.option(oneOf(`[[d1_databases]]\nbinding = "DB" §\ndatabase_name = "db"\n§`)),
    fc.option(
      oneOf(
        `[env.staging] §\nname = "app-staging"\n\n[[env.staging.d1_databases]]\nbinding = "DB" §`,
        `[env.staging]\nd1_databases = [{ binding = "DB" }] §\nbuild = { command = "make" } §`,
        `[env.staging.build] §\ncwd = "."`,
        `[env]\nstaging = { vars = { A = "x" } } §`,
        `[env]\nstaging.name = "app-staging" §`,
      ),
    ),
  )
  .map(([others, ...rest]) => [...rest.flatMap((text) => text ?? []), ...others])
  .chain((parts) => fc.shuffledSubarray(parts, { minLength: parts.length }));

/** Whether two parts of a text define the same table. */
function collides(text: string): boolean {
  const once = [
    /^build ?\.|^\[build\]/gm,
    /^durable_objects|^\[\[?durable_objects/gm,
    /^migrations|^\[\[migrations\]\] §?\ntag = "v1"|^\[\[migrations\]\]\n {2}tag/gm,
  ];
  return (
    once.some((pattern) => (text.match(pattern) ?? []).length > 1) ||
    (/^\[env\]/m.test(text) && /^\[\[?env\./m.test(text))
  );
}

/** Texts of a `wrangler.toml`. */
export const tomlText: fc.Arbitrary<string> = dressed(
  "#",
  fc
    .tuple(rootToml, tablesToml)
    .map(([root, tables]) => [...root, ...tables])
    .filter((parts) => !collides(parts.join("\n"))),
);

const propertiesJson = fc.tuple(
  fc.shuffledSubarray([
    `"name": "app"`,
    `"compatibility_date": "2025-01-01"`,
    `"vars": { "A": "b", "URL": "https://x.example/*y*/" }`,
    `"limits": {\n    "cpu_ms": 30000 §\n  }`,
  ]),
  fc.option(
    oneOf(
      `"compatibility_flags": ["a"]`,
      `"compatibility_flags": []`,
      `"compatibility_flags": [ ]`,
      `"compatibility_flags": [\n  ]`,
      `"compatibility_flags": [ §\n    "a", §\n    "b" §\n    §\n  ]`,
      `"compatibility_flags": [\n    "a", "b", §\n  ]`,
      `"compatibility_flags": ["a", ]`,
      `"compatibility_flags": [\n    "a"\n    , §\n  ]`,
      `"compatibility_flags": [ §\n  ]`,
    ),
  ),
  fc.option(
    oneOf(
      `"build": { "command": "make" }`,
      `"build": {}`,
      `"build": {\n    "command": "make", §\n    "watch_dir": "src" §\n  }`,
    ),
  ),
  fc.option(
    oneOf(
      `"durable_objects": { "bindings": [{ "name": "X", "class_name": "X" }] }`,
      `"durable_objects": {\n    "bindings": [\n      { "name": "X", "class_name": "X" }, §\n      {\n        "name": "Y",\n        "class_name": "Y" §\n      } §\n    ]\n  }`,
      `"durable_objects": { }`,
    ),
  ),
  fc.option(oneOf(`"migrations": [{ "tag": "v1", "new_classes": ["X"] }]`, `"migrations": []`)),
  fc.option(
    oneOf(
      `"env": { "staging": {} }`,
      `"env": {\n    "staging": { §\n      "d1_databases": [{ "binding": "DB" }], §\n    }\n  }`,
      `"env": {\n    "production": {} §\n  }`,
    ),
  ),
);

/** Texts of a `wrangler.jsonc`. */
export const jsonText: fc.Arbitrary<string> = dressed(
  "//",
  fc.tuple(propertiesJson, oneOf("", ",", ", §")).chain(([[others, ...rest], trailing]) => {
    const parts = [...others, ...rest.flatMap((text) => text ?? [])];
    return fc.shuffledSubarray(parts, { minLength: parts.length }).map((properties) => {
      if (properties.length === 0) return ["{}"];
      const last = properties.length - 1;
      const lines = properties.map((text, index) => `  ${text}${index === last ? trailing : ", §"}`);
      return [`{ §\n${lines.join("\n")}\n  §\n}`];
    });
  }),
);
