// The binding `AI` of a Worker, through which requests reach Workers AI and the models of other vendors without a key. Its class is the
// platform's (`cloudflare-internal:ai-api`). Invariant: a response passes unchanged, so that repairs, limits and classes of errors are those
// of every other server.

import { fieldsOf, isObject, listOf, type Fields } from "#lib/json-value.ts";
import { parseOwnJson } from "#lib/untrusted/own-json.ts";

import { RefusedRequest } from "./refused-request.ts";

/** The name of the binding in the wrangler configuration. */
export const aiBindingName = "AI";

/** The address to which the platform's class sends requests. Errors of a connection name its host. */
export const aiBindingAddress = "https://workers-binding.ai";

/** The ids of the models of Workers AI. All other models by the binding are those of other vendors. */
export const ofWorkersAi = /^@[a-z]+\/./;

/** The options of a gateway that the binding sends, by the names of the platform. */
export interface BindingGateway {
  id: string;
  cacheKey?: string;
  cacheTtl?: number;
  skipCache?: boolean;
  collectLog?: boolean;
  requestTimeoutMs?: number;
  metadata?: Record<string, string | number | boolean>;
}

interface RunOptions {
  returnRawResponse: true;
  extraHeaders: Record<string, string>;
  signal?: AbortSignal;
  gateway?: BindingGateway;
}

/** The members of the binding that requests to models use. */
export interface AiBinding {
  run: (model: string, inputs: Fields, options: RunOptions) => Promise<Response>;
  gateway: (id: string) => { getUrl: (provider: string) => Promise<string> };
}

/** The binding in an environment; null if there is none. */
export function aiBindingOf(env: Record<string, unknown>): AiBinding | null {
  const value = env[aiBindingName];
  const isBinding = typeof value === "object" && value !== null && "run" in value && typeof value.run === "function";
  return isBinding ? (value as AiBinding) : null;
}

/** Headers that the binding sets itself, or that hold the key that its requests do not have. */
export const ownHeaders = /^(?:authorization|x-api-key|content-type|user-agent|cf-consn-.*)$/i;

/** The error of the local simulation of the binding, which has no models without an account. */
const isLocal = /needs to be run remotely/;

const loginNeeded =
  'The binding AI has no models on this machine: requests go to a Cloudflare account. Run "npx wrangler login" and start the server again, ' +
  'or use a model with provider: "test" until then.';

/** The result of a call of the binding. Throws a RefusedRequest with the fix on a machine that reaches no account. */
export async function askBinding<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Error && isLocal.test(error.message)) throw new RefusedRequest(loginNeeded);
    throw error;
  }
}

type Fetch = typeof globalThis.fetch;

/** A fetch that sends a request to a chat API, whose body names the model, by the binding. */
export function bindingFetch(binding: AiBinding, gateway: BindingGateway | undefined): Fetch {
  const send = (_input: Parameters<Fetch>[0], init?: RequestInit): Promise<Response> => {
    const body: unknown = typeof init?.body === "string" ? parseOwnJson(init.body) : null;
    const { model, ...inputs } = isObject(body) ? body : {};
    const extraHeaders = Object.fromEntries([...new Headers(init?.headers)].filter(([name]) => !ownHeaders.test(name)));
    const id = String(model);
    return askBinding(() =>
      binding.run(id, id.startsWith("@") ? acceptedInputs(inputs) : inputs, {
        returnRawResponse: true,
        extraHeaders,
        ...(init?.signal ? { signal: init.signal } : {}),
        ...(gateway === undefined ? {} : { gateway }),
      }),
    );
  };
  return send as Fetch;
}

/**
 * The inputs in the form that models of Workers AI accept: a text in place of each `content` that is null, and no tool but the one that the
 * answer has to call. The API cannot name that tool (https://github.com/cloudflare/ai, packages/workers-ai-provider/src/utils.ts).
 */
function acceptedInputs({ messages, tools, tool_choice: choice, ...inputs }: Fields): Fields {
  const isEmpty = (message: unknown): message is Fields => isObject(message) && (message["content"] ?? null) === null;
  const forced = fieldsOf(fieldsOf(choice)["function"])["name"];
  const isForced = (tool: unknown): boolean => fieldsOf(fieldsOf(tool)["function"])["name"] === forced;
  return {
    ...inputs,
    messages: listOf(messages).map((message) => (isEmpty(message) ? { ...message, content: "" } : message)),
    ...(tools === undefined ? {} : { tools: forced === undefined ? tools : listOf(tools).filter(isForced) }),
    ...(choice === undefined ? {} : { tool_choice: forced === undefined ? choice : "required" }),
  };
}
