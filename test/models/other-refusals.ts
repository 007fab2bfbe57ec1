// Refusals of other providers and servers because of a wrong setting, in the form of those of clouds (`cloud-refusals.ts`).

import { cases, ofAnthropic, ofGoogle, ofOpenai, type HintCase } from "./hint-case.ts";

const page =
  "<html>\r\n<head><title>404 Not Found</title></head>\r\n<body><center><h1>404 Not Found</h1></center></body>\r\n</html>";

export const otherRefusals: HintCase[] = [
  ...cases(
    "OpenAI",
    { definition: { provider: "openai", model: "gpt-9" }, env: { OPENAI_API_KEY: "sk-1" }, body: ofOpenai },
    [
      [
        401,
        "Incorrect API key provided: abcd****. You can find your API key at https://platform.openai.com/account/api-keys.",
        ["OPENAI_API_KEY"],
      ],
      [
        401,
        "You must be a member of an organization to use the API. Please contact us through our help center at help.openai.com.",
        ["OPENAI_API_KEY"],
      ],
      [403, "Project `proj_1` does not have access to model `gpt-9`", ['model "gpt-9" of', "OPENAI_API_KEY"]],
      [404, "The model `gpt-9` does not exist or you do not have access to it.", ['model "gpt-9" of']],
      [400, "The requested model 'gpt-9' is not supported with the Responses API.", ['api: "chat"']],
    ],
  ),
  ...cases(
    "OpenAI with Chat Completions",
    {
      definition: { provider: "openai", model: "gpt-9-codex", api: "chat" },
      env: { OPENAI_API_KEY: "sk-1" },
      body: ofOpenai,
    },
    [
      [404, "This model is only supported in v1/responses and not in v1/chat/completions.", ['api: "responses"']],
      [
        404,
        "This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/completions?",
        ['model "gpt-9-codex" of'],
      ],
    ],
  ),
  ...cases(
    "OpenAI at another address",
    {
      definition: { provider: "openai", model: "gpt-9" },
      env: { OPENAI_API_KEY: "sk-1", OPENAI_BASE_URL: "https://proxy.example/v2" },
      body: () => page,
    },
    [
      [404, "The server sent the status 404 without a reason.", ["OPENAI_BASE_URL"]],
      [405, "", ["OPENAI_BASE_URL"], { body: { detail: "Method Not Allowed" }, text: "Method Not Allowed" }],
      [200, "", ["OPENAI_BASE_URL"], { headers: { "content-type": "text/html" } }],
      [null, "Network connection lost.", ["OPENAI_BASE_URL"]],
    ],
  ),
  ...cases(
    "Anthropic",
    { definition: { provider: "anthropic", model: "claude-9" }, env: { ANTHROPIC_API_KEY: "k" }, body: ofAnthropic },
    [
      [401, "invalid x-api-key", ["ANTHROPIC_API_KEY"]],
      [403, "Your API key does not have permission to use the specified resource.", ["ANTHROPIC_API_KEY"]],
      [404, "model: claude-9", ['model "claude-9" of']],
    ],
  ),
  ...cases(
    "Gemini's API",
    {
      definition: { provider: "google", model: "gemini-9" },
      env: { GOOGLE_GENERATIVE_AI_API_KEY: "k" },
      body: ofGoogle,
    },
    [
      [400, "API key not valid. Please pass a valid API key.", ["GOOGLE_GENERATIVE_AI_API_KEY"]],
      [400, "API key expired. Please renew the API key.", ["GOOGLE_GENERATIVE_AI_API_KEY"]],
      [
        403,
        "Generative Language API has not been used in project 123 before or it is disabled.",
        ["GOOGLE_GENERATIVE_AI_API_KEY"],
      ],
      [
        404,
        "models/gemini-9 is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.",
        ['model "gemini-9" of'],
      ],
    ],
  ),
  ...cases(
    "OpenRouter",
    { definition: { provider: "openrouter", model: "foo/bar" }, env: { OPENROUTER_API_KEY: "k" }, body: ofOpenai },
    [
      [401, "No auth credentials found", ["OPENROUTER_API_KEY"]],
      [400, "foo/bar is not a valid model ID", ['model "foo/bar" of']],
      [404, "No endpoints found for foo/bar.", ['model "foo/bar" of']],
    ],
  ),
  ...cases(
    "DeepSeek",
    {
      definition: { provider: "openai-compatible", preset: "deepseek", model: "deepseek-9" },
      env: { DEEPSEEK_API_KEY: "k" },
      body: ofOpenai,
    },
    [
      [401, "Authentication Fails, Your api key: ****1234 is invalid", ["DEEPSEEK_API_KEY"]],
      [400, "Model Not Exist", ['model "deepseek-9" of']],
    ],
  ),
  ...cases(
    "a server at a baseUrl",
    {
      definition: {
        provider: "openai-compatible",
        baseUrl: "http://127.0.0.1:11434",
        keyVariable: null,
        model: "llama9",
      },
      env: {},
      body: ofOpenai,
    },
    [
      [404, 'model "llama9" not found, try pulling it first', ['model "llama9" of']],
      [404, "404 page not found", ["baseUrl in the definition"], { body: "404 page not found" }],
      [null, "Network connection lost.", ["baseUrl in the definition"]],
    ],
  ),
];
