// The secrets among the variables of a deployment, by their names and their values. No log line, error and finding may contain one.

import { headerSecrets } from "./trace-settings.ts";

/** Settings of this package that may be in `.dev.vars` and are no secrets. */
const ownSettings =
  /^(?:LIMIT_\w+|OTEL_\w+|(?:OPENAI|OPENROUTER|ANTHROPIC|GOOGLE|GOOGLE_GENERATIVE_AI|CEREBRAS|DEEPSEEK|FIREWORKS|GITHUB_MODELS|GROQ|HUGGINGFACE|LM_STUDIO|MISTRAL|MOONSHOT|NVIDIA|OLLAMA|PERPLEXITY|QWEN|TOGETHER|VLLM|XAI|ZAI)_BASE_URL|AWS_(?:DEFAULT_)?REGION|AWS_ENDPOINT_URL_BEDROCK_RUNTIME|AZURE_(?:BASE_URL|OPENAI_ENDPOINT|RESOURCE_NAME|TENANT_ID|CLIENT_ID)|GOOGLE_VERTEX_(?:BASE_URL|PROJECT|LOCATION)|GOOGLE_CLOUD_(?:PROJECT|LOCATION)|GOOGLE_CLIENT_EMAIL|OPEN_LOOPBACK|LOG_TOOL_CALLS|MAX_FILE_BYTES|R2_FILE_THRESHOLD|STEP_CEILING|ALLOWED_ORIGINS|ALLOWED_OUTBOUND_HOSTS|DNS_OVER_HTTPS_URL|JWKS_URL|JWT_AUDIENCE|JWT_ISSUER|WAITING_WEBHOOK_CONTENT|X_LOCAL_EXPLORER)$/;

/** Whether a variable is a setting of this package and no secret, such as a region. */
export function isSetting(name: string): boolean {
  return ownSettings.test(name);
}

/** A number, or one word. Such a value is in many ordinary texts: as a secret it would be removed from all of them. */
const ordinary = /^(?:\d{1,12}|[a-zA-Z]{1,12})$/;

/**
 * The values of a deployment's secrets. None of them may appear in the log. Names such as `SHOP_KEY` are recognised; `names` are those of
 * other secrets that definitions can read.
 */
export function secretsOf(env: Readonly<Record<string, unknown>>, names: readonly string[] = []): string[] {
  return [...headerSecrets(env), ...namedSecrets(env), ...listedSecrets(env, names)];
}

function listedSecrets(env: Readonly<Record<string, unknown>>, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const value = env[name];
    if (typeof value !== "string" || isSetting(name) || ordinary.test(value.trim())) return [];
    return [value, value.trim()];
  });
}

function namedSecrets(env: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (typeof value !== "string" || !/(KEY|TOKENS?|SECRET|PASSWORD|CREDENTIALS?)$/i.test(name)) return [];
    // `API_TOKENS` is a list whose entries may end with a user's id. `MAX_TOKENS` is a number.
    const parts = value.split(",").map((entry) => entry.trim());
    const all = [value.trim(), ...parts, ...parts.map((entry) => entry.slice(0, Math.max(0, entry.lastIndexOf("="))))];
    return all.filter((text) => !/^\d{1,12}$/.test(text));
  });
}
