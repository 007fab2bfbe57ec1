// One answer of each protocol with tools that the provider executed: the tools of its request, its bytes, and what the next request sends back.

import {
  claudeAnswer,
  converseAnswer,
  geminiAnswer,
  outputText,
  responsesAnswer,
  type ToolProvider,
  type withTools,
} from "./provider-tool-answers.ts";

const page = {
  type: "web_search_result",
  url: "https://weather.example/oslo",
  title: "Oslo",
  encrypted_content: "ENCRYPTED",
  page_age: "1 day ago",
};
export const search = {
  type: "server_tool_use",
  id: "srvtoolu_1",
  name: "web_search",
  input: { query: "rain in Oslo" },
};
export const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [page] };
const claudeBlocks = [{ type: "text", text: "Let me look." }, search, found, { type: "text", text: "It rains." }];

const searchItem = {
  type: "web_search_call",
  id: "ws_1",
  status: "completed",
  action: {
    type: "search",
    query: "rain in Oslo",
    sources: [{ type: "url", url: "https://weather.example/oslo" }],
  },
};
const codeItem = {
  type: "code_interpreter_call",
  id: "ci_1",
  status: "completed",
  code: "print(6*7)",
  container_id: "cntr_1",
  outputs: [{ type: "logs", logs: "42" }],
};
const code = { executableCode: { language: "PYTHON", code: "print(6*7)" }, thoughtSignature: "sig" };
const ran = { codeExecutionResult: { outcome: "OUTCOME_OK", output: "42\n" } };
const called = {
  toolCall: { toolType: "GOOGLE_SEARCH_WEB", args: { queries: ["rain"] }, id: "gs_1" },
  thoughtSignature: "s1",
};
const answered = {
  toolResponse: { toolType: "GOOGLE_SEARCH_WEB", response: { found: 3 }, id: "gs_1" },
  thoughtSignature: "s2",
};

const grounding = {
  toolUse: {
    toolUseId: "tooluse_1",
    name: "nova_grounding",
    type: "server_tool_use",
    input: { query: "rain in Oslo" },
  },
};
const grounded = {
  toolResult: {
    toolUseId: "tooluse_1",
    type: "nova_grounding_result",
    status: "success",
    content: [{ text: "[HIDDEN]" }],
  },
};
const interpreter = {
  toolUse: { toolUseId: "tooluse_2", name: "nova_code_interpreter", type: "server_tool_use", input: { code: "6*7" } },
};
const output42 = { stdOut: "42", stdErr: "", exitCode: 0, isError: false };
const interpreted = {
  toolResult: { toolUseId: "tooluse_2", type: "nova_code_interpreter_result", content: [{ json: output42 }] },
};

interface Case {
  provider: ToolProvider;
  tools: Parameters<typeof withTools>[1][];
  sentTools: unknown;
  answer: string;
  shown: object[];
  /** What the next request has between the two questions. */
  sentBack: unknown;
}

const claudeCase = {
  tools: [{ type: "web_search_20250305", max_uses: 3 }],
  sentTools: [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }],
  answer: claudeAnswer(claudeBlocks),
  shown: [
    {
      id: "srvtoolu_1",
      name: "web_search",
      input: { query: "rain in Oslo" },
      output: [{ type: "web_search_result", url: page.url, title: "Oslo", page_age: "1 day ago" }],
    },
  ],
  sentBack: { role: "assistant", content: claudeBlocks },
};
const responsesCase = {
  tools: [{ type: "web_search" }, { type: "code_interpreter" }],
  sentTools: [{ type: "web_search" }, { type: "code_interpreter", container: { type: "auto" } }],
  answer: responsesAnswer([searchItem, codeItem, outputText("It rains.")]),
  shown: [
    {
      id: "ws_1",
      name: "web_search",
      input: { type: "search", query: "rain in Oslo" },
      output: { sources: [{ type: "url", url: "https://weather.example/oslo" }] },
    },
    { id: "ci_1", name: "code_interpreter", input: { code: "print(6*7)" }, output: [{ type: "logs", logs: "42" }] },
  ],
  sentBack: [searchItem, codeItem, { role: "assistant", content: [{ type: "output_text", text: "It rains." }] }],
};
const geminiCase = {
  tools: [{ type: "google_search" }, { type: "code_execution" }],
  sentTools: [{ googleSearch: {} }, { codeExecution: {} }],
  answer: geminiAnswer([
    [{ text: "Let me compute." }, code],
    [ran, called],
    [answered, { text: "It rains." }],
  ]),
  shown: [
    { name: "code_execution", input: { language: "PYTHON", code: "print(6*7)" }, output: "42\n" },
    { id: "gs_1", name: "google_search_web", input: { queries: ["rain"] }, output: { found: 3 } },
  ],
  sentBack: {
    role: "model",
    parts: [{ text: "Let me compute." }, code, ran, called, answered, { text: "It rains." }],
  },
};

const converseCase = {
  tools: [{ type: "nova_grounding" }, { type: "nova_code_interpreter" }],
  sentTools: [{ systemTool: { name: "nova_grounding" } }, { systemTool: { name: "nova_code_interpreter" } }],
  answer: converseAnswer([
    "Let me look.",
    grounding,
    grounded,
    interpreter,
    interpreted,
    "It rains.",
    { citation: { location: { web: { url: page.url, domain: "weather.example" } } } },
  ]),
  shown: [
    { id: "tooluse_1", name: "nova_grounding", input: { query: "rain in Oslo" }, output: "[HIDDEN]" },
    { id: "tooluse_2", name: "nova_code_interpreter", input: { code: "6*7" }, output: output42 },
  ],
  sentBack: {
    role: "assistant",
    content: [
      { text: "Let me look." },
      grounding,
      grounded,
      interpreter,
      interpreted,
      { text: "It rains." },
      { cachePoint: { type: "default" } },
    ],
  },
};

export const cases: Case[] = [
  { provider: "anthropic", ...claudeCase },
  { provider: "vertex-claude", ...claudeCase },
  { provider: "openai-responses", ...responsesCase },
  { provider: "azure", ...responsesCase },
  { provider: "bedrock", ...converseCase },
  { provider: "google", ...geminiCase },
  { provider: "vertex", ...geminiCase },
];
