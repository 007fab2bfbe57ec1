// Refusals in the wording and the shapes of real providers. Each case has the expected class, whether it is retried, the wait, and the
// message for users. Written after the providers' documentation and public reports.

import type { ModelFailureKind } from "#core/ports/model-port.ts";

export interface RefusalCase {
  from: string;
  /** 200 for an error within a stream. */
  status: number;
  headers?: Record<string, string>;
  /** A string is the body itself, any other value is sent as JSON. */
  body: unknown;
  kind: ModelFailureKind;
  retryable?: boolean;
  wait?: number;
  /** The expected message, if the case is not only about its safety. */
  sentence?: string;
}

/** The time at which the cases are read. */
export const now = Date.UTC(2026, 0, 1);

const message = (text: string, more: Record<string, unknown> = {}) => ({ error: { message: text, ...more } });
const google = (code: number, text: string, more: Record<string, unknown> = {}) => ({
  error: { code, message: text, ...more },
});
const retryInfo = (retryDelay: string) => ({ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay });
const rate = (from: string, text: string, wait: number | undefined, more: Partial<RefusalCase> = {}): RefusalCase => ({
  from,
  status: 429,
  body: message(text),
  kind: "rate_limited",
  retryable: true,
  sentence: text,
  ...(wait === undefined ? {} : { wait }),
  ...more,
});
const overflow = (from: string, text: string, more: Partial<RefusalCase> = {}): RefusalCase => ({
  from,
  status: 400,
  body: message(text),
  kind: "overflow",
  sentence: text,
  ...more,
});
const final = (from: string, status: number, text: string, more: Partial<RefusalCase> = {}): RefusalCase => ({
  from,
  status,
  body: message(text),
  kind: "api",
  sentence: text,
  ...more,
});

/** Waits: in headers, fields and sentences, short and too long. */
export const waits: readonly RefusalCase[] = [
  rate("Azure, whose header in milliseconds is rounded to 0", "Requests have exceeded the call rate limit.", 1000, {
    headers: { "retry-after-ms": "0", "retry-after": "1" },
  }),
  rate("Azure", "Requests exceeded the token rate limit of your tier. Please retry after 6 seconds.", 6000),
  rate("Groq", "Rate limit reached on tokens per day (TPD): Limit 100000. Please try again in 11m31.2s.", 691_200),
  rate("OpenAI", "Rate limit reached for gpt-4o in organization on tokens per min. Please try again in 20s.", 20_000),
  rate("OpenAI, in milliseconds", "Rate limit reached. Please try again in 6ms. Visit https://example.com/limits.", 6),
  rate("a header longer than the sentence", "Slow down. Please try again in 2s.", 9000, {
    headers: { "retry-after": "9" },
  }),
  rate("a sentence longer than the header", "Slow down. Try again in 1 minute and 5 seconds.", 65_000, {
    headers: { "retry-after": "9" },
  }),
  rate("a field of seconds", "Slow down.", 3000, { body: message("Slow down.", { retry_after: 3 }) }),
  rate("Gemini", "Please retry in 48.939935699s.", 48_940, {
    body: google(429, "Please retry in 48.939935699s.", { details: [retryInfo("48s")] }),
  }),
  rate("Gemini, in a list", "Quota exceeded.", 34_500, {
    body: [google(429, "Quota exceeded.", { status: "RESOURCE_EXHAUSTED", details: [retryInfo("34.5s")] })],
  }),
  rate("Gemini's quota of a day, with a wait of seconds", "Quota exceeded.", 34_000, {
    retryable: false,
    body: google(429, "Quota exceeded.", {
      details: [{ violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }] }, retryInfo("34s")],
    }),
  }),
  rate("OpenRouter's limit of a minute", "Rate limit exceeded: free-models-per-min.", 40_000, {
    body: message("Rate limit exceeded: free-models-per-min.", {
      code: 429,
      metadata: { headers: { "X-RateLimit-Limit": "20", "X-RateLimit-Reset": String(now + 40_000) } },
    }),
  }),
  rate("OpenRouter's limit of a day", "Rate limit exceeded: free-models-per-day.", 3_600_000, {
    retryable: false,
    body: message("Rate limit exceeded: free-models-per-day.", {
      code: 429,
      metadata: { headers: { "X-RateLimit-Limit": "50", "X-RateLimit-Reset": String(now + 9 * 3_600_000) } },
    }),
  }),
  rate("a limit of a day that names no wait", "Rate limit exceeded: 50 requests per day.", undefined, {
    retryable: false,
  }),
  rate("a wait of hours", "Usage limit reached. Try again in 4 hours.", 3_600_000, { retryable: false }),
  rate("a header of hours", "Usage limit reached.", 3_600_000, {
    retryable: false,
    headers: { "retry-after": "7200" },
  }),
  rate("a quota that is used up", "You exceeded your current quota, please check your plan.", undefined, {
    retryable: false,
    body: message("You exceeded your current quota, please check your plan.", { code: "insufficient_quota" }),
  }),
  rate(
    "a sentence with a number that is no wait",
    "Limit of 20 requests per minute. Please wait and retry.",
    undefined,
  ),
  {
    from: "an overloaded service",
    status: 503,
    body: message("Overloaded. Retry in 15 seconds."),
    kind: "network",
    retryable: true,
    wait: 15_000,
  },
];

/** Keys, regions, moderation and temporary states. */
export const refusals: readonly RefusalCase[] = [
  {
    ...final("Gemini", 400, "API key not valid. Please pass a valid API key."),
    body: google(400, "API key not valid. Please pass a valid API key.", {
      status: "INVALID_ARGUMENT",
      details: [{ reason: "API_KEY_INVALID", domain: "googleapis.com" }],
    }),
    kind: "auth",
  },
  { ...final("Gemini, expired", 400, "API key expired. Please renew the API key."), kind: "auth" },
  {
    ...final("xAI", 400, "Incorrect API key provided. You can obtain an API key from https://console.x.ai."),
    body: {
      code: "invalid-argument",
      error: "Incorrect API key provided. You can obtain an API key from https://console.x.ai.",
    },
    kind: "auth",
  },
  { ...final("Mistral", 401, "Invalid API Key"), body: { detail: "Invalid API Key" }, kind: "auth" },
  {
    ...final("Anthropic's permissions", 403, "Your API key does not have permission to use the specified resource."),
    kind: "auth",
  },
  {
    ...final(
      "Vertex",
      403,
      "Permission 'aiplatform.endpoints.predict' denied on resource '//x/locations/us-central1/models/y'.",
    ),
    kind: "auth",
  },
  final("OpenAI", 403, "Country, region, or territory not supported"),
  final("Anthropic's region", 403, "Request not allowed"),
  final("Gemini's region", 400, "User location is not supported for the API use."),
  final(
    "OpenRouter's moderation",
    403,
    "Your chosen model requires moderation and your input was flagged for violence.",
  ),
  final("Azure's network", 403, "Access denied due to Virtual Network/Firewall rules."),
  final("Groq's network", 403, "Access denied. Please check your network settings."),
  { ...final("a request that met another", 409, "The request conflicts with another one."), retryable: true },
  { ...final("a request that took too long", 408, "Request timeout."), retryable: true },
  final("a missing model", 404, "The model `x` does not exist or you do not have access to it."),
  final(
    "Azure's deployment",
    404,
    "If you created the deployment within the last 5 minutes, please wait a moment and try again.",
  ),
  final("credits that ran out", 402, "Insufficient credits. Add more using https://openrouter.ai/settings/credits."),
];

/** Overflows of the context window, and refusals because of other limits. */
export const overflows: readonly RefusalCase[] = [
  overflow(
    "Anthropic",
    "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again",
  ),
  overflow(
    "vLLM",
    "This model's maximum context length is 4096 tokens. However, you requested 200 output tokens and your prompt has 5000.",
  ),
  overflow("vLLM's input", "You passed 9001 input tokens, resulting in a maximum input length of 8192 tokens."),
  overflow("vLLM's decoder", "The decoder prompt (length 9001) is longer than the maximum model length of 8192."),
  overflow("SGLang", "The input (9001 tokens) is longer than the model's context length (8192 tokens)."),
  overflow(
    "Text Generation Inference",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 200 `max_new_tokens`",
    {
      status: 422,
      body: {
        error:
          "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 200 `max_new_tokens`",
        error_type: "validation",
      },
    },
  ),
  overflow("Qwen", "Range of input length should be [1, 30720]"),
  overflow("Z.AI", "Prompt exceeds max length"),
  overflow(
    "LM Studio",
    "Trying to keep the first 5546 tokens when context overflows. However, the model is loaded with context length of only 4096 tokens.",
    {
      body: {
        error:
          "Trying to keep the first 5546 tokens when context overflows. However, the model is loaded with context length of only 4096 tokens.",
      },
    },
  ),
  overflow(
    "OpenAI",
    "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300001 tokens.",
  ),
  overflow("Gemini", "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."),
  overflow("Copilot", "prompt token count of 9000 exceeds the limit of 8192"),
  final(
    "Anthropic's pictures",
    400,
    "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes",
  ),
  final("a picture's size", 400, "Image size exceeds the maximum allowed size of 20 MB."),
  final("a number of functions", 400, "The number of functions exceeds the maximum of 128."),
  final("a number of pictures", 400, "The number of images exceeds the limit of 10 per request."),
  final(
    "a limit of the answer",
    400,
    "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for this model",
  ),
  final(
    "another limit of the answer",
    400,
    "max_tokens is too large: 100000. This model supports at most 16384 completion tokens.",
  ),
  final("output tokens", 400, "The number of output tokens exceeds the maximum of 8192."),
];

/** Errors in JSON of many shapes: users see the message without the JSON. */
export const shapes: readonly RefusalCase[] = [
  {
    from: "FastAPI",
    status: 422,
    body: {
      detail: [
        { type: "extra_forbidden", loc: ["body", "stream_options"], msg: "Extra inputs are not permitted", input: {} },
      ],
    },
    kind: "api",
    sentence: "body.stream_options: Extra inputs are not permitted",
  },
  {
    from: "Mistral",
    status: 422,
    body: {
      object: "error",
      message: { detail: [{ loc: ["body", "messages"], msg: "Field required" }] },
      type: "invalid_request_error",
    },
    kind: "api",
    sentence: "body.messages: Field required",
  },
  {
    from: "an object in `detail`",
    status: 400,
    body: { detail: { error: { message: "Bad tool." } } },
    kind: "api",
    sentence: "Bad tool.",
  },
  {
    from: "a list of errors",
    status: 400,
    body: { errors: [{ code: 7, message: "One." }, { message: "Two." }, { message: "One." }] },
    kind: "api",
    sentence: "One.; Two.",
  },
  { from: "AWS", status: 400, body: { Message: "Bad region." }, kind: "api", sentence: "Bad region." },
  {
    from: "JSON within JSON",
    status: 400,
    body: message('{"error":{"message":"Inside."}}'),
    kind: "api",
    sentence: "Inside.",
  },
  {
    from: "OpenRouter's upstream",
    status: 400,
    body: message("Provider returned error", {
      code: 400,
      metadata: { raw: '{"error":{"message":"Unknown field."}}', provider_name: "X" },
    }),
    kind: "api",
    sentence: "Provider returned error: Unknown field.",
  },
  {
    from: "plain text",
    status: 502,
    body: "upstream connect error",
    kind: "network",
    retryable: true,
    sentence: "upstream connect error",
  },
  {
    from: "a page",
    status: 502,
    body: "<html><h1>nginx</h1></html>",
    kind: "network",
    retryable: true,
    sentence: "Status text",
  },
  {
    from: "a key in a sentence",
    status: 401,
    body: message("Incorrect API key provided: sk-abcdef123456."),
    kind: "auth",
    sentence: "Incorrect API key provided: [redacted]",
  },
  {
    from: "Ollama, within a stream",
    status: 200,
    body: { error: "an error was encountered while running the model" },
    kind: "api",
    retryable: true,
    sentence: "an error was encountered while running the model",
  },
  {
    from: "vLLM, within a stream",
    status: 200,
    body: { object: "error", message: "Engine died.", type: "InternalServerError", code: 500 },
    kind: "network",
    retryable: true,
    sentence: "Engine died.",
  },
  {
    from: "vLLM's refusal within a stream",
    status: 200,
    body: { object: "error", message: "Bad tool.", type: "BadRequestError", code: 400 },
    kind: "api",
    retryable: false,
    sentence: "Bad tool.",
  },
  {
    from: "a bare text within a stream",
    status: 200,
    body: "connection to the upstream lost",
    kind: "api",
    retryable: true,
    sentence: "connection to the upstream lost",
  },
  {
    from: "an overflow within a stream",
    status: 200,
    body: { error: "prompt is too long: 9 > 8" },
    kind: "overflow",
    retryable: false,
  },
  {
    from: "a key within a stream",
    status: 200,
    body: { error: "Incorrect API key provided." },
    kind: "auth",
    retryable: false,
  },
];
