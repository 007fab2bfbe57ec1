// The first text of each kind of definition, and the next steps that the command prints.

/** Definitions of a project that a new one can refer to. */
export interface Neighbours {
  /** The model for a new prompt. */
  model?: NamedFile;
  /** The prompt for a new agent. */
  prompt?: NamedFile;
}

/** A definition's name and file. */
export interface NamedFile {
  name: string;
  file: string;
}

/** A new file. */
export interface Starter {
  text: string;
  /** What to do next. */
  next: string;
  /** The definition that the file refers to. */
  uses?: NamedFile | undefined;
  /** The command for the definition that the file refers to and that does not exist yet. */
  missing?: string | undefined;
}

/** The kinds of definitions, with their folders below `agents/`. */
export const kindFolders = {
  agent: "agents",
  prompt: "prompts",
  model: "models",
  provider: "providers",
  tool: "tools",
  strategy: "strategies",
  mcp: "mcp",
  openapi: "openapi",
  skill: "skills",
  hook: "hooks",
  filter: "filters",
  api: "api",
} as const;

export type Kind = keyof typeof kindFolders;

const hookBodies: Record<string, string> = {
  filter_messages: "async (_state, messages) => messages",
  prefilter_llm_history: "async (_state, messages) => messages",
  before_create_message: "async (_state, message) => message",
  after_create_message: "async (_state, _message) => {}",
  before_update_message: "async (_state, _messageId, updates) => updates",
  after_update_message: "async (_state, _message) => {}",
  before_store_tool_result: "async (_state, _toolCall, toolResult) => toolResult",
  after_tool_call_success: "async (_state, _toolCall, _toolResult) => null",
  after_tool_call_failure: "async (_state, _toolCall, _toolResult) => null",
  before_loop: "async (_state, _run) => true",
  after_loop: "async (_state, _run) => {}",
  before_turn: "async (_state, _turn) => true",
  after_turn: "async (_state, _turn) => {}",
  on_error: "async (_state, _error) => {}",
  before_tool_execution: "async (_state, _toolCall) => true",
  after_tool_execution: "async (_state, _toolCall, _toolResult) => {}",
  before_tool_execution_update: "(_state, _update) => true",
  after_tool_execution_update: "(_state, _update) => {}",
  transform_context: "async (_state, messages) => messages",
  convert_to_llm:
    "async (_state, messages) => messages.map(({ role, content, tool_calls, tool_call_id }) => ({\n  role,\n  content,\n  tool_calls,\n  ...(tool_call_id == null ? {} : { tool_call_id }),\n}))",
};

export const hookNames: readonly string[] = Object.keys(hookBodies);

/** Converts the name of a definition to the beginning of the name of an environment variable. */
const variable = (name: string): string => name.replaceAll(/[^A-Za-z0-9]+/g, "_").toUpperCase();

/** Writes the first text of a definition. */
export const starters: Record<Kind, (name: string, neighbours: Neighbours) => Starter> = {
  model: (name) => ({
    text: `// Which model answers. The provider "test" needs no key and plays the script. Replace it by a real provider.
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
  prompt: (name, { model }) => ({
    text: `// The system prompt, and the tools that the model may call.
import { definePrompt } from "threadhold";

export default definePrompt({
  name: ${JSON.stringify(name)},
  toolDescription: "Describe the task of this prompt, for a model that may call it as a tool.",
  prompt: "You are a helpful assistant.",
  model: ${JSON.stringify(model?.name ?? "default")},
  includeChat: true,
  includePastTools: true,
  tools: [],
});
`,
    uses: model,
    next: `name it in an agent: sideA: { prompt: ${JSON.stringify(name)} }`,
    missing: model === undefined ? "npx threadhold new model default" : undefined,
  }),
  agent: (name, { prompt }) => ({
    text: `// The agent that answers the user.
import { defineAgent } from "threadhold";

export default defineAgent({
  name: ${JSON.stringify(name)},
  sideA: { prompt: ${JSON.stringify(prompt?.name ?? name)}, maxSteps: 20 },
});
`,
    uses: prompt,
    next: "start the server with npm run dev, and create a thread for it",
    missing: prompt === undefined ? `npx threadhold new prompt ${name}` : undefined,
  }),
  tool: (name) => ({
    text: `// The name of the file is the name of the tool.
import { defineTool } from "threadhold";
import { z } from "zod";

export default defineTool(
  "Describe what the tool does and when to call it.",
  z.object({ text: z.string().describe("Describe this argument") }),
  async (_state, args) => args.text,
);
`,
    next: `list it in a prompt: tools: [${JSON.stringify(name)}]`,
  }),
  provider: (name) => ({
    text: `// A provider of models. A model names it: provider: ${JSON.stringify(name)}. For a package of the AI SDK write \`model\` in place of \`stream\`.
import { defineProvider } from "threadhold";

export default defineProvider({
  name: ${JSON.stringify(name)},
  variables: ["${variable(name)}_KEY"],
  async *stream({ model, system, messages, signal }, { env, fetch }) {
    const response = await fetch("https://models.example.com/answers", {
      method: "POST",
      headers: { authorization: \`Bearer \${String(env.${variable(name)}_KEY)}\`, "content-type": "application/json" },
      body: JSON.stringify({ model, system, messages }),
      signal,
    });
    if (!response.ok) throw new Error(await response.text());
    const { text, tokens } = (await response.json()) as { text: string; tokens: { input: number; output: number } };
    yield { type: "text", text };
    yield { type: "usage", ...tokens };
    yield { type: "finish", reason: "stop" };
  },
});
`,
    next: `set the address and ${variable(name)}_KEY, and name the provider in a model: provider: ${JSON.stringify(name)}`,
  }),
  strategy: (name) => ({
    text: `// Decides what each model request of a turn asks for, and when the turn ends.
import { defineStrategy } from "threadhold";

interface State {
  drafted: boolean;
}

export default defineStrategy<${JSON.stringify(name)}, State>({
  name: ${JSON.stringify(name)},
  description: "Writes a draft that is not shown, then improves it.",
  next: ({ last, state }) => {
    if (last === null) return { type: "step", phase: "draft", silent: true, state: { drafted: false } };
    if (last.calls.length > 0) return { type: "step", ...(state === null ? {} : { state }) };
    if (state?.drafted === true) return { type: "end" };
    return { type: "step", phase: "improve", instruction: "Improve your answer.", state: { drafted: true } };
  },
});
`,
    next: `name it in an agent: strategy: ${JSON.stringify(name)}`,
  }),
  mcp: (name) => ({
    text: `// An MCP server. Prompts list its tools as ${name}__NAME, or all of them as ${name}__*.
import { defineMcpServer } from "threadhold";

export default defineMcpServer({
  name: ${JSON.stringify(name)},
  url: "https://mcp.example.com/mcp",
  // headers: ({ env }) => ({ authorization: \`Bearer \${String(env.${variable(name)}_TOKEN)}\` }),
  needsApproval: true,
});
`,
    next: `set its url, and list its tools in a prompt: tools: [${JSON.stringify(`${name}__*`)}]`,
  }),
  openapi: (name) => ({
    text: `// An HTTP API with an OpenAPI document. Prompts list its operations as ${name}__OPERATION, or all of them as ${name}__*.
import { defineOpenApi } from "threadhold";

export default defineOpenApi({
  name: ${JSON.stringify(name)},
  document: { url: "https://api.example.com/openapi.json" },
  baseUrl: "https://api.example.com",
  // auth: ({ env }) => ({ type: "bearer", token: String(env.${variable(name)}_TOKEN) }),
  needsApproval: ({ method }) => method !== "GET",
});
`,
    next: `set its document and baseUrl, and list its operations in a prompt: tools: [${JSON.stringify(`${name}__*`)}]`,
  }),
  skill: (name) => ({
    text: `---
name: ${name}
description: What the skill does, and when to use it.
---

# ${name}

Write the instructions here. Further text files of this folder can be read too.
`,
    next: `let a prompt use it: skills: [${JSON.stringify(name)}]`,
  }),
  hook: (name) => ({
    text: `// Runs at a fixed point of every run. Hooks of one name run in the order of their file names.
import { defineHook } from "threadhold";

export default defineHook(${JSON.stringify(name)}, ${hookBodies[name] ?? ""});
`,
    next: "write the function; it runs from now on",
  }),
  filter: () => ({
    text: `// Checks each text from outside before it is stored. Filters run in the order of their file names.
import { defineFilter } from "threadhold";

export default defineFilter((text) =>
  text.length > 10_000 ? { action: "reject", reason: "Send at most 10,000 characters." } : { action: "pass" },
);
`,
    next: "write the function; it checks every message from now on",
  }),
  api: (route) => ({
    text:
      route.includes("[") && !route.includes("[...")
        ? `// The route's first dynamic segment is the id of the thread.
import { defineThreadEndpoint } from "threadhold";

export default defineThreadEndpoint(async (_request, state) => Response.json({ thread: state.threadId }));
`
        : `// A caller needs a token. \`export const access = "public"\` removes this check.
import { defineController } from "threadhold";

export default defineController(async () => ({ status: "ok" }));
`,
    next: `it answers under /api/${route.replace(/\.\w+$/, "")}`,
  }),
};
