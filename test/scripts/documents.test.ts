// The documents: their links lead to a heading that exists, their JSON and TOML can be parsed, and their commands exist.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { Command } from "commander";
import { parse as parseJsonc, printParseErrorCode, type ParseError } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { expect, it, vi } from "vitest";

import { addBuildCommands } from "#cli/build-commands.ts";
import type { CliContext } from "#cli/context.ts";
import { addDeployCommand } from "#cli/deploy/deploy-command.ts";
import { addDevCommand } from "#cli/dev/dev-command.ts";
import { addDoctorCommand } from "#cli/doctor/doctor-command.ts";
import { addInitCommand } from "#cli/init/init-command.ts";
import { addModelsCommand } from "#cli/models/models-command.ts";
import { addNewCommand } from "#cli/new/new-command.ts";
import { addUpgradeCommand } from "#cli/upgrade/upgrade-command.ts";
import { skillFrontmatter } from "#lib/untrusted/skill-frontmatter.ts";

import { createProgram } from "../../packages/create-threadhold/src/create-command.ts";
import { typeCheck } from "../spec/typed-project.ts";
import { blocksOf, codeBlocks, documentedFiles, documents, read, root, templateDocuments } from "./documents.ts";

vi.setConfig({ testTimeout: 120_000 });

/** Options for the code of the documents, in addition to those of the repository: those of created projects, and those of pages with React. */
const documentsOptions = {
  types: ["@cloudflare/workers-types/2023-07-01", "node"],
  jsx: "react-jsx",
  allowJs: true,
  checkJs: true,
};

/** The text without fenced blocks and comments. */
const prose = (text: string): string =>
  text.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, "").replaceAll(/<!--[\s\S]*?-->/g, "");

/** The anchors of a document's headings, as GitHub and most other programs make them. */
function anchorsOf(document: string): Set<string> {
  const received = new Map<string, number>();
  return new Set(
    [...prose(read(document)).matchAll(/^#{1,6} (.+)$/gm)].map(([, title = ""]) => {
      const shown = title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
      const slug = shown
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
        .replaceAll(" ", "-");
      const count = received.get(slug) ?? 0;
      received.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${String(count)}`;
    }),
  );
}

it("Every relative link of a document leads to a file of the repository, and its anchor to a heading", () => {
  const anchors = new Map<string, Set<string>>();
  const broken = documents.flatMap((document) =>
    [...prose(read(document)).matchAll(/\]\((?<file>[^()\s#]*)(?:#(?<anchor>[^()\s]*))?\)/g)].flatMap(
      ({ 0: link, groups }) => {
        const { file = "", anchor } = groups ?? {};
        if (/^[a-z]+:/.test(file)) return [];
        const target = file === "" ? document : path.posix.join(path.posix.dirname(document), file);
        if (!existsSync(path.join(root, target))) return [`${document}: ${link}`];
        if (anchor === undefined || !target.endsWith(".md")) return [];
        const present = anchors.get(target) ?? anchorsOf(target);
        anchors.set(target, present);
        return present.has(anchor) ? [] : [`${document}: ${link}`];
      },
    ),
  );
  expect(anchors.size).toBeGreaterThan(10);
  expect(broken).toEqual([]);
});

it("Every document of docs/ that a source, a template or an error text names exists", () => {
  const folders = [
    "src",
    "playground",
    "scripts",
    "agents",
    "examples",
    "packages/create-threadhold/src",
    "packages/create-threadhold/templates",
  ];
  const named = folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
      .flatMap((entry) => {
        const file = path.join(entry.parentPath, entry.name);
        const text = readFileSync(file, "utf8");
        return [...text.matchAll(/\bdocs\/(?:\w+\/)*[\w-]+\.md\b/g)].map(([document]) => ({ file, document }));
      }),
  );
  expect(named.length).toBeGreaterThan(10);
  const missing = named.filter(({ document }) => !existsSync(path.join(root, document)));
  expect(missing.map(({ file, document }) => `${path.relative(root, file)}: ${document}`)).toEqual([]);
});

it("Every JSON and TOML block of a document can be parsed", () => {
  const blocks = documents.flatMap(blocksOf).filter(({ info }) => /^(?:jsonc?|toml)(?: |$)/.test(info));
  const problems = blocks.flatMap(({ document, line, info, text }) => {
    try {
      if (info.startsWith("toml")) parseToml(text);
      else if (info.startsWith("jsonc")) {
        const errors: ParseError[] = [];
        parseJsonc(text, errors, { allowTrailingComma: true });
        if (errors[0] !== undefined) throw new Error(printParseErrorCode(errors[0].error));
      } else for (const value of text.trim().split(/\n(?=\{)/)) JSON.parse(value);
      return [];
    } catch (error) {
      return [`${document}:${String(line)} ${String(error)}`];
    }
  });
  expect(blocks.length).toBeGreaterThan(5);
  expect(problems).toEqual([]);
});

it("Every Markdown block of a document is a skill whose frontmatter the build accepts", () => {
  const blocks = documents.flatMap(blocksOf).filter(({ info }) => /^markdown(?: |$)/.test(info));
  expect(blocks.length).toBeGreaterThan(0);
  for (const { text } of blocks) {
    expect(skillFrontmatter(text, /^name: (.*)$/m.exec(text)?.[1] ?? "")).toMatchObject({ ok: true, warnings: [] });
  }
});

/** The command line, of which only names and options are read. */
function commandLine(): Command {
  const context = { cwd: root } as CliContext;
  const program = new Command("threadhold").option("--version").option("--help");
  for (const add of [
    addInitCommand,
    addDevCommand,
    addBuildCommands,
    addNewCommand,
    addDoctorCommand,
    addModelsCommand,
    addDeployCommand,
    addUpgradeCommand,
  ])
    add(program, context, () => undefined);
  return program;
}

const program = commandLine();
const create = createProgram({ output: process.stdout, errors: process.stderr });
const scripts = [
  "package.json",
  ...["base", "web"].map((name) => `packages/create-threadhold/templates/${name}/package.json`),
].map((file) => (JSON.parse(read(file)) as { scripts?: Record<string, string> }).scripts ?? {});

/** The options of `words` that a command does not have. Words after `--` are for another program. */
function unknownOptions(command: Command, words: readonly string[]): string[] {
  const end = words.indexOf("--");
  const known = new Set(command.options.flatMap(({ short, long }) => [short, long]));
  // Options of `wrangler dev` are passed on.
  if (command.name() === "dev") return [];
  return words
    .slice(0, end === -1 ? undefined : end)
    .filter((word) => /^--?[a-z]/.test(word) && word !== "--help" && !known.has(word.split("=")[0]));
}

/** What is wrong with a command of `threadhold`, `npm run` or `npm create`; undefined for others and for correct ones. */
function problemOf(words: readonly string[]): string | undefined {
  const at = words[0] === "npx" ? words.findIndex((word, index) => index > 0 && !word.startsWith("-")) : 0;
  const [name, ...rest] = words.slice(at);
  if (name === "threadhold") {
    const [first = "--help", ...more] = rest;
    if (first.startsWith("-")) return unknownOptions(program, rest)[0];
    if (first.startsWith("<")) return undefined;
    const command = program.commands.find((each) => each.name() === first);
    if (command === undefined) return `threadhold ${first}`;
    // A command such as `models` has commands of its own.
    const own = command.commands.find((each) => each.name() === more[0]);
    return own === undefined ? unknownOptions(command, more)[0] : unknownOptions(own, more.slice(1))[0];
  }
  const end = rest.indexOf("--");
  if (name === "npm" && rest[0] === "create" && rest[1]?.startsWith("threadhold") === true) {
    return unknownOptions(create, end === -1 ? rest.slice(2) : rest.slice(end + 1))[0];
  }
  if (name === "npm" && rest[0] === "run") {
    const script = rest.find((word, index) => index > 0 && !word.startsWith("-"));
    if (script === undefined) return undefined;
    const commands = scripts.flatMap((each) => each[script] ?? []);
    if (commands.length === 0) return `npm run ${script}`;
    const own = commands.flatMap((text) => /\bthreadhold(?:\.mjs)? (\w+)/.exec(text)?.[1] ?? []);
    const called = program.commands.find((each) => each.name() === own[0]);
    return called === undefined || end === -1 ? undefined : unknownOptions(called, rest.slice(end + 1))[0];
  }
  return undefined;
}

/** The commands of a shell block or of a span of code. */
function commandsOf(text: string): string[][] {
  return text
    .replaceAll("\\\n", " ")
    .split(/\n|&&|\|\||;|\|/)
    .map((line) =>
      line
        .replace(/(?:^|\s)#.*/, "")
        .trim()
        .split(/\s+/),
    )
    .map((words) => words.slice(words.findIndex((word) => !/^[A-Z_]+=/.test(word))));
}

it("Every command of a document that calls threadhold, create-threadhold or a script of npm has a name and options that exist", () => {
  // The changelog names commands of earlier versions.
  const current = [...documents, ...templateDocuments].filter(
    (document) => document !== "CHANGELOG.md" && !document.startsWith("docs/decisions/"),
  );
  const commands = current.flatMap((document) => {
    const blocks = blocksOf(document).filter(({ info }) => /^sh(?: |$)/.test(info));
    const spans = [...prose(read(document)).matchAll(/`([^`]+)`/g)].map(([, text = ""]) =>
      text.replaceAll(/\s+/g, " "),
    );
    return [...blocks.map(({ text }) => text), ...spans].flatMap(commandsOf).map((words) => ({ document, words }));
  });
  const problems = commands.flatMap(({ document, words }) => {
    const problem = problemOf(words);
    return problem === undefined ? [] : [`${document}: ${words.join(" ")}: ${problem}`];
  });
  expect(commands.filter(({ words }) => words.includes("threadhold")).length).toBeGreaterThan(50);
  expect(problems).toEqual([]);
});

it("Every TypeScript block of a document has correct types", async () => {
  const files = documentedFiles();
  expect(codeBlocks.length).toBeGreaterThan(80);
  const wrong = {
    "wrong.ts": 'import { defineModel } from "threadhold";\n\nexport default defineModel({ name: 1 });\n',
  };
  // The package is used from its sources here. test/package checks the same files with the packed package.
  const sources = { "sql.d.ts": 'declare module "*.sql" {\n  const text: string;\n  export default text;\n}\n' };
  const found = await typeCheck({ ...files, ...wrong, ...sources }, documentsOptions);
  expect(found).toEqual([expect.stringMatching(/^wrong\.ts.*TS2/)]);
});

it("The prices in the table of a month are those of its amounts, and its sums are right", () => {
  const table = read("docs/guide/monthly-cost.md");
  const priced =
    /\| (?<small>[^|]+) \| (?<included>[\d,]+)(?<of> M| GB-s| GB)? included, (?<price>[\d.]+) for [^|]+ \| (?<first>[\d.]+) \| (?<large>[^|]+) \| (?<second>[\d.]+) \|$/gm;
  const amount = (text: string): number =>
    Number.parseFloat(text.replaceAll(",", "")) * (text.includes(" M") ? 1e6 : 1);
  const sums = [5, 5];
  const rows = [...table.matchAll(priced)].map(({ groups = {} }) => {
    const { small = "", included = "", of = "", price = "", first = "", large = "", second = "" } = groups;
    const unit = of === " GB" ? 1 : 1e6;
    const costs = [small, large].map(
      (used) => (Math.max(0, amount(used) - amount(`${included}${of}`)) / unit) * Number(price),
    );
    sums.forEach((sum, at) => (sums[at] = sum + Number([first, second][at])));
    expect(costs.map((cost) => cost.toFixed(2))).toEqual([first, second].map((shown) => Number(shown).toFixed(2)));
    return large;
  });
  expect(rows).toHaveLength(6);
  const shown = /^\| \*\*sum\*\* .*\*\*(?<first>[\d.]+)\*\*.*\*\*(?<second>[\d.]+)\*\*/m.exec(table)?.groups;
  expect(sums.map((sum) => sum.toFixed(2))).toEqual([shown?.["first"], shown?.["second"]]);
});

/** The section of a page with an anchor, up to the next heading of its level or above; undefined without this heading. */
function sectionOf(document: string, anchor: string): string | undefined {
  const text = read(document);
  // Lines with # in code and in comments are no headings.
  const shown = text.replaceAll(/^( *)```[\s\S]*?^\1```$|<!--[\s\S]*?-->/gm, (hidden) => hidden.replaceAll("#", " "));
  const headings = [...shown.matchAll(/^(#{1,6}) .+$/gm)];
  const at = [...anchorsOf(document)].indexOf(anchor);
  const found = headings[at];
  if (found === undefined) return undefined;
  const level = found[1]?.length ?? 0;
  const next = headings.slice(at + 1).find(([, marks = ""]) => marks.length <= level);
  return text.slice(found.index, next?.index);
}

/** Questions: words that the page's row in the index has, the section with the answer, and what this section has to contain. */
const questions: [question: string, searched: string[], section: string, contained: string[]][] = [
  [
    "How do I start a project?",
    ["project"],
    "quickstart.md#quickstart-a-project-of-your-own",
    ["npm create threadhold", "npm run dev"],
  ],
  [
    "How does a tool need an approval?",
    ["approval"],
    "demo-purchase.md#human-approval-of-tool-calls",
    ["needsApproval"],
  ],
  ["How do I test an approval?", ["test", "approval"], "testing-agents.md#turns", ["approve("]],
  [
    "How do my users' JWTs work?",
    ["auth0", "clerk", "jwt"],
    "recipe-user-tokens.md#auth0",
    ["JWT_ISSUER", "JWT_AUDIENCE"],
  ],
  [
    "How do I use an MCP server with OAuth?",
    ["mcp", "oauth"],
    "mcp.md#servers-with-oauth",
    ["oauth:", "ENCRYPTION_KEY"],
  ],
  ["How do I see traces?", ["langfuse", "honeycomb", "otlp"], "tracing.md#traces", ["OTEL_EXPORTER_OTLP"]],
  ["How do I cap the cost?", ["cap", "cost"], "limits-and-budgets.md#budgets", ["cost"]],
  ["How am I notified of an approval?", ["webhook"], "inbox.md#the-webhook", ["WAITING_WEBHOOK_URL"]],
  ["How do I use useChat?", ["usechat"], "ai-sdk.md#with-usechat-alone", ["useChat", "transport"]],
  [
    "How does a tool read a secret or D1?",
    ["secrets", "bindings"],
    "first-agent.md#secrets-variables-and-bindings",
    ["state.env", "d1_databases", "wrangler secret put"],
  ],
  [
    "How does an agent run every night?",
    ["night", "cron", "schedules"],
    "recipe-nightly-run.md#the-main-module",
    ["scheduled", "crons"],
  ],
  [
    "How do I use Ollama, vLLM or a gateway?",
    ["ollama", "vllm", "gateway"],
    "models.md#local-models-ollama-vllm-lm-studio-llamacpp",
    ["baseUrl", "Ollama", "vLLM"],
  ],
  [
    "How do I keep a memory, or a knowledge base?",
    ["memory", "rag", "vectorize"],
    "recipe-memory.md#a-knowledge-base",
    ["Vectorize", "embed"],
  ],
  [
    "How do I delete everything of a customer?",
    ["gdpr", "customer"],
    "recipe-delete-customer.md#the-script",
    ["threads.delete"],
  ],
  ["What do 10,000 conversations cost?", ["month", "dollars"], "monthly-cost.md#cloudflare", ["10,000", "**sum**"]],
  ...(
    [
      [
        "When do I change retries?",
        "retries",
        "runs-are-slow-or-fail-with-model_retry-tune-retries",
        ["withRetryConfig"],
      ],
      [
        "What do I do about an outage of a provider?",
        "failover",
        "a-provider-fails-permanently-failover",
        ["fallbacks", "withModelConfig"],
      ],
      [
        "How do I choose the budget of a context?",
        "overflow",
        "runs-end-with-overflow-or-cost-too-much-reduce-the-context",
        ["max_context_tokens"],
      ],
      [
        "What happens if an MCP server crashes?",
        "mcp server",
        "the-tools-of-an-mcp-server-are-missing-or-its-calls-fail",
        ["connectStdio"],
      ],
      ["How do I profile a slow run?", "profiling", "runs-are-slow-profiling", ["npm run bench", "TurnStart"]],
    ] as const
  ).map(([question, searched, section, contained]): (typeof questions)[number] => [
    question,
    [searched],
    `troubleshooting.md#${section}`,
    [...contained],
  ]),
];

it.each(questions)(
  "The guide answers the question %j in a section that its index finds",
  (_, searched, link, contained) => {
    const [page = "", anchor = ""] = link.split("#");
    const row = read("docs/guide/README.md")
      .split("\n")
      .find((line) => line.startsWith(`| [${page}](${page}) |`))
      ?.toLowerCase();
    expect(searched.filter((word) => row?.includes(word) !== true)).toEqual([]);
    const section = sectionOf(`docs/guide/${page}`, anchor);
    expect(contained.filter((text) => section?.includes(text) !== true)).toEqual([]);
  },
);

it("Every page of the guide has a row in its index", () => {
  const index = read("docs/guide/README.md");
  const pages = documents
    .filter((file) => /^docs\/guide\/(?!README)/.test(file))
    .map((file) => path.posix.basename(file));
  expect(pages.filter((page) => !index.includes(`\n| [${page}](${page}) |`))).toEqual([]);
});
