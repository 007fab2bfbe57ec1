// Writes the API reference in docs/reference/api. `--check` writes nothing and fails if a page is not current, or if an
// export has no doc comment.

import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

import { entryPage, indexPage, undocumented } from "./lib/api-reference.mjs";
import { moduleReader } from "./lib/module-exports.mjs";
import { fromRoot } from "./lib/paths.mjs";

const folder = "docs/reference/api";
const about = {
  threadhold: ["authoring.md", "What definitions in `agents/` are written with."],
  "threadhold/client": ["client.md", "The client for browsers, Node and Workers ([guide](../../guide/client.md))."],
  "threadhold/react": ["react.md", "The React hooks over the client ([guide](../../guide/client.md))."],
  "threadhold/react/ai-sdk": ["react-ai-sdk.md", "The hook for AI SDK UI ([guide](../../guide/ai-sdk.md))."],
  "threadhold/react/assistant-ui": [
    "react-assistant-ui.md",
    "The runtime for assistant-ui ([guide](../../guide/assistant-ui.md)).",
  ],
  "threadhold/worker": ["worker.md", "Building a Worker from the compiled definitions."],
  "threadhold/testing": ["testing.md", "Tests of a project's agents ([guide](../../guide/testing-agents.md))."],
  "threadhold/testing/vite": [
    "testing-vite.md",
    "The plugin of vitest for tests of agents ([guide](../../guide/testing-agents.md)).",
  ],
  "threadhold/tools/mcp": [
    "tools-mcp.md",
    "The tools of MCP servers, for generated code and programs ([guide](../../guide/mcp.md)).",
  ],
  "threadhold/tools/openapi": [
    "tools-openapi.md",
    "The operations of OpenAPI documents as tools, for generated code and programs ([guide](../../guide/openapi.md)).",
  ],
  "threadhold/tools/skills": [
    "tools-skills.md",
    "The skills of a thread, for generated code ([guide](../../guide/skills.md)).",
  ],
  "threadhold/session": ["session.md", "Sessions in process ([guide](../../guide/agent-sessions.md))."],
  "threadhold/tools/bash": [
    "tools-bash.md",
    "A shell over the files of a thread, and its options ([guide](../../guide/coding-tools.md#the-shell)).",
  ],
  "threadhold/tools/web": [
    "tools-web.md",
    "A tool that reads web pages, and its options ([guide](../../guide/coding-tools.md#web-pages)).",
  ],
  "threadhold/tools/node": [
    "tools-node.md",
    "Coding tools on a folder of a machine, MCP servers over stdio, and skills, for programs in Node ([guide](../../guide/node-tools.md)).",
  ],
  "threadhold/tools/files": [
    "tools-files.md",
    "Tools over the files of a thread, and their options ([guide](../../guide/coding-tools.md)).",
  ],
  "threadhold/upp": ["upp.md", "Models as functions, after UPP ([guide](../../guide/upp.md))."],
  "threadhold/upp/anthropic": ["upp-anthropic.md", "The models of Anthropic, for `threadhold/upp`."],
  "threadhold/upp/google": ["upp-google.md", "The models of Google, for `threadhold/upp`."],
  "threadhold/upp/http": [
    "upp-http.md",
    "Retry and key strategies for `threadhold/upp` ([guide](../../guide/upp.md)).",
  ],
  "threadhold/upp/openai": ["upp-openai.md", "The models of OpenAI, for `threadhold/upp`."],
  "threadhold/upp/openrouter": ["upp-openrouter.md", "The models of OpenRouter, for `threadhold/upp`."],
  "threadhold/upp/provider": ["upp-provider.md", "Providers at other addresses, for `threadhold/upp`."],
  "threadhold/agents": ["agents.md", "Agents as functions, after UAP ([guide](../../guide/agents-as-functions.md))."],
  "threadhold/agents/execution": ["agents-execution.md", "The execution strategies, for `threadhold/agents`."],
  "threadhold/agents/middleware": ["agents-middleware.md", "The middleware `logging`, for `threadhold/agents`."],
  "threadhold/agents/checkpoint": ["agents-checkpoint.md", "Stores of checkpoints, for `threadhold/agents`."],
  "threadhold/agents/checkpoint/node": ["agents-checkpoint-node.md", "Checkpoints as files, for `threadhold/agents`."],
  "threadhold/loop": ["loop.md", "The agent loop as a library, after phi-core ([guide](../../guide/loop.md))."],
  "threadhold/loop/agents": [
    "loop-agents.md",
    "Parallel loops and their evaluation, branches of an agent, and sub-agents, for `threadhold/loop` ([guide](../../guide/loop.md#sub-agents)).",
  ],
  "threadhold/loop/providers": ["loop-providers.md", "The providers of this package, for `threadhold/loop`."],
  "threadhold/loop/sessions": [
    "loop-sessions.md",
    "Records of loops as sessions, and their stores, for `threadhold/loop` ([guide](../../guide/sessions-of-loops.md)).",
  ],
  "threadhold/loop/sessions/node": ["loop-sessions-node.md", "Sessions as files, for `threadhold/loop`."],
  "threadhold/loop/tools": [
    "loop-tools.md",
    "Tools of MCP servers and OpenAPI documents, for `threadhold/loop` ([guide](../../guide/loop.md#mcp-servers-apis-and-skills)).",
  ],
  "threadhold/loop/tools/node": [
    "loop-tools-node.md",
    "Tools of programs, files and skills of a machine, for `threadhold/loop` in Node ([guide](../../guide/loop.md#mcp-servers-apis-and-skills)).",
  ],
  "threadhold/agents/thread-tree": ["agents-thread-tree.md", "Trees of conversations, for `threadhold/agents`."],
};

/** @type {import("./lib/module-exports.mjs").Resolve} */
const resolve = (specifier, from) => {
  if (specifier.startsWith("#")) return `src/${specifier.slice(1)}`;
  return specifier.startsWith(".") ? path.posix.join(path.posix.dirname(from), specifier) : undefined;
};
const { exportsOf } = moduleReader((file) => readFileSync(fromRoot(file), "utf8"), resolve);

const { exports: declared } = JSON.parse(readFileSync(fromRoot("package.json"), "utf8"));
const problems = [];
const entries = Object.entries(declared).flatMap(([key, source]) => {
  const specifier = path.posix.join("threadhold", key);
  const [file, sentence] = about[specifier] ?? [];
  if (file === undefined) problems.push(`scripts/docs.mjs does not say where the reference of ${specifier} goes`);
  return file === undefined
    ? []
    : [{ specifier, file, about: sentence, exports: exportsOf(path.posix.normalize(source)) }];
});
problems.push(...undocumented(entries));

const pages = new Map([["README.md", indexPage(entries)]]);
for (const entry of entries) pages.set(entry.file, entryPage(entry, entries));
mkdirSync(fromRoot(folder), { recursive: true });
const present = new Set(readdirSync(fromRoot(folder)));
const read = (file) => (present.has(file) ? readFileSync(fromRoot(`${folder}/${file}`), "utf8") : undefined);
const stale = [...pages].filter(([file, text]) => read(file) !== text).map(([file]) => file);
const gone = [...present].filter((file) => !pages.has(file));
if (process.argv.includes("--check")) {
  for (const file of [...stale, ...gone]) problems.push(`${folder}/${file} is not current: run npm run docs`);
} else {
  for (const file of stale) writeFileSync(fromRoot(`${folder}/${file}`), pages.get(file) ?? "");
  for (const file of gone) rmSync(fromRoot(`${folder}/${file}`));
}
for (const problem of problems) console.log(problem);
const count = entries.reduce((sum, { exports }) => sum + exports.length, 0);
console.log(`${count} exports of ${entries.length} entries, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
