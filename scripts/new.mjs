// Creates the file of a new definition and prints the next steps.
//
//   npm run new agent|prompt|model|tool|hook NAME
//   npm run new api ROUTE            for example: npm run new api threads/[id]/status.get

import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { loadCompiler, packageRoot } from "./lib/compiler-bundle.mjs";

const usage = `Usage: npm run new KIND NAME

  agent NAME     who answers, with a prompt
  prompt NAME    a system prompt with its model and tools
  model NAME     which provider is asked
  tool NAME      something a model can call
  hook NAME      code at a point of a run; NAME is the hook's, for example filter_messages
  api ROUTE      an HTTP route, for example threads/[id]/status.get

  --root DIR     another project than this one`;

const folders = { agent: "agents", prompt: "prompts", model: "models", tool: "tools", hook: "hooks", api: "api" };

const hookBodies = {
  filter_messages: "async (_state, messages) => messages",
  prefilter_llm_history: "async (_state, messages) => messages",
  before_create_message: "async (_state, message) => message",
  after_create_message: "async (_state, _message) => {}",
  before_update_message: "async (_state, _messageId, updates) => updates",
  after_update_message: "async (_state, _message) => {}",
  before_store_tool_result: "async (_state, _toolCall, toolResult) => toolResult",
  after_tool_call_success: "async (_state, _toolCall, _toolResult) => null",
  after_tool_call_failure: "async (_state, _toolCall, _toolResult) => null",
};

/** A checkout writes all files within this time. A file that is newer than the oldest one by more was written by hand. */
const checkoutMs = 60_000;

const writtenAt = ({ file }) => statSync(join(root, file)).mtimeMs;

/** The definitions written since the project was checked out, newest first; all definitions if there are none. */
function newestFirst(definitions) {
  const sorted = definitions.toSorted((one, other) => writtenAt(other) - writtenAt(one));
  const oldest = Math.min(...everyDefinition.map(writtenAt));
  const own = sorted.filter((definition) => writtenAt(definition) > oldest + checkoutMs);
  return own.length > 0 ? own : sorted;
}

/** The newest model that was written by hand, else the newest that needs no key. */
function modelFor({ models }) {
  const candidates = newestFirst(models);
  const byHand = candidates.length < models.length;
  return (byHand ? undefined : candidates.find(({ value }) => value?.provider === "test")) ?? candidates[0];
}

/** The prompt with the agent's name, else the newest. */
const promptFor = (name, { prompts }) => prompts.find((prompt) => prompt.name === name) ?? newestFirst(prompts)[0];

/** The starting text of each kind's file, its next steps, and what is still missing. */
const starters = {
  model: (name) => ({
    text: `// Which model answers. \`test\` needs no key and says what the script says; name a real provider when you have one.
import { defineModel } from "threadhold";

export default defineModel({
  name: ${JSON.stringify(name)},
  provider: "test",
  model: "scripted",
  script: (request) => ({ text: \`You said: \${request.lastUser}\` }),
});
`,
    next: `name it in a prompt: model: ${JSON.stringify(name)}`,
  }),
  prompt: (name, project) => ({
    text: `// What the model is told, and what it may call.
import { definePrompt } from "threadhold";

export default definePrompt({
  name: ${JSON.stringify(name)},
  toolDescription: "Say what this prompt is good for, for a model that may call it.",
  prompt: "You are a helpful assistant.",
  model: ${JSON.stringify(modelFor(project)?.name ?? "default")},
  includeChat: true,
  includePastTools: true,
  tools: [],
});
`,
    uses: modelFor(project),
    next: `name it in an agent: sideA: { prompt: ${JSON.stringify(name)} }`,
    missing: project.models.length === 0 && "npm run new model default",
  }),
  agent: (name, project) => ({
    text: `// Who speaks with the user.
import { defineAgent } from "threadhold";

export default defineAgent({
  name: ${JSON.stringify(name)},
  type: "ai_human",
  sideA: { prompt: ${JSON.stringify(promptFor(name, project)?.name ?? name)}, stopOnResponse: true },
});
`,
    uses: promptFor(name, project),
    next: "start it with npm run dev and create a thread for it",
    missing: project.prompts.length === 0 && `npm run new prompt ${name}`,
  }),
  tool: (name) => ({
    text: `// The file's name is the tool's name.
import { defineTool } from "threadhold";
import { z } from "zod";

export default defineTool(
  "Say what the tool does and when to call it.",
  z.object({ text: z.string().describe("What this argument means") }),
  async (_state, args) => ({ status: "success", result: args.text }),
);
`,
    next: `list it in a prompt: tools: [${JSON.stringify(name)}]`,
  }),
  hook: (name) => ({
    text: `// Runs at a fixed point of every run; hooks of one name run in the order of their file names.
import { defineHook } from "threadhold";

export default defineHook(${JSON.stringify(name)}, ${hookBodies[name]});
`,
    next: "fill in the function; it is already in force",
  }),
  api: (route) =>
    route.includes("[") && !route.includes("[...")
      ? {
          text: `// The thread is the one named by the route's first dynamic segment.
import { defineThreadEndpoint } from "threadhold";

export default defineThreadEndpoint(async (_request, state) => Response.json({ thread: state.threadId }));
`,
          next: `it answers under /api/${route.replace(/\.\w+$/, "")}`,
        }
      : {
          text: `// Callers need a token; \`export const access = "public"\` lets anyone in.
import { defineController } from "threadhold";

export default defineController(async () => ({ status: "ok" }));
`,
          next: `it answers under /api/${route.replace(/\.\w+$/, "")}`,
        },
};

function nameProblem(kind, name) {
  if (kind === "hook" && !Object.hasOwn(hookBodies, name)) {
    return `there is no hook "${name}"; there are ${Object.keys(hookBodies).join(", ")}`;
  }
  if (kind === "api") {
    const fine = name
      .split("/")
      .every((part) => /^(?!\.\.?$)(?:\[(?:\.\.\.)?\w+\])?[\w.~-]*$/.test(part) && part !== "");
    return fine ? undefined : `"${name}" is no route; write segments, [params] and [...rest] with / between`;
  }
  return /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name)
    ? undefined
    : `"${name}" is no name: letters, digits, _ and -, a letter or _ first, at most 64`;
}

/** @returns {never} */
function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function readArguments() {
  try {
    return parseArgs({ allowPositionals: true, options: { root: { type: "string", default: process.cwd() } } });
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  }
}

const { values, positionals } = readArguments();
const [kind = "", given = "", ...rest] = positionals;
if (!Object.hasOwn(folders, kind) || given === "" || rest.length > 0) fail(usage);
const name = kind === "api" ? given.replace(/^\/+|(?:\.ts)$/g, "") : given;
const problem = nameProblem(kind, name);
if (problem) fail(problem);
const root = resolve(values.root);
const file = `agents/${folders[kind]}/${name}.ts`;
const path = join(root, file);
if (existsSync(path)) fail(`${file} exists already`);
const { compileProject } = await loadCompiler();
const { project } = await compileProject(root, packageRoot);
const everyDefinition = [project.models, project.prompts, project.agents, project.tools].flat();
const taken = [project.models, project.prompts, project.agents, project.tools][
  ["model", "prompt", "agent", "tool"].indexOf(kind)
]?.find((definition) => definition.name === name);
if (taken) fail(`${taken.file} is called "${name}" already`);
const starter = starters[kind](name, project);
mkdirSync(dirname(path), { recursive: true });
writeFileSync(path, starter.text, { flag: "wx" });
const steps = starter.missing ? [`first: ${starter.missing}`, `then: ${starter.next}`] : [`next: ${starter.next}`];
const uses = starter.uses ? [`it uses "${starter.uses.name}" of ${starter.uses.file}`] : [];
process.stdout.write(`${[`wrote ${file}`, ...uses, ...steps].join("\n")}\n`, () => process.exit(0));
