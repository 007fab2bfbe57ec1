// The route that tries a model, in the composed Worker. The requests to models pass through the fetch of the runtime.

import { env as workerEnv } from "cloudflare:workers";
import { expect, inject, it, onTestFinished, vi } from "vitest";

import { modelTestSchema } from "#contract/model-test.ts";
import type { AnyModelDefinition, ProviderDefinition, Registry } from "#spec/index.ts";
import { compose } from "#worker/compose.ts";

import { crossing } from "../worker/crossing.ts";
import { adminToken, annaToken, request, tokens, type Ask, type ErrorBody } from "./support/test-app.ts";
import { testRegistry } from "./support/test-registry.ts";

const key = "team-key-0123456789";

/** A binding whose use fails: the route reads and writes no rows. */
const untouched = new Proxy(
  {},
  {
    get: (_, name) => {
      throw new Error(`The route of trials uses a binding: ${String(name)}.`);
    },
  },
);

/** Fields of the model; undefined removes one. */
type Changes = { [F in keyof AnyModelDefinition]?: AnyModelDefinition[F] | undefined };

/** The composed Worker with one model, and the providers of the project. */
function workerWith(fields: Changes = {}, variables: Record<string, unknown> = {}, own: ProviderDefinition[] = []) {
  const standard = { name: "fast", provider: "openai-compatible", model: "m-1", keyVariable: "TEAM_KEY" } as const;
  const fast = { ...standard, baseUrl: "https://llm.example/v1", ...fields } as AnyModelDefinition;
  const registry: Registry = {
    ...testRegistry(),
    models: { fast: () => Promise.resolve(fast) },
    files: {
      models: { fast: "agents/models/fast.ts" },
      agents: {},
      prompts: {},
      tools: {},
      providers: Object.fromEntries(own.map(({ name }) => [name, `agents/providers/${name}.ts`])),
    },
    providers: Object.fromEntries(own.map((provider) => [provider.name, () => Promise.resolve(provider)])),
    secrets: own.flatMap(({ variables: names = [] }) => names),
  };
  const worker = compose(registry, {});
  const bindings = { THREADS: untouched, FEEDS: untouched, CATALOG: untouched };
  const env = { ...workerEnv, OPEN_LOOPBACK: undefined, API_TOKENS: tokens, TEAM_KEY: key, ...bindings, ...variables };
  const context = {
    waitUntil: () => undefined,
    passThroughOnException: () => undefined,
  } as unknown as ExecutionContext;
  return (path: string, { token = adminToken, ...ask }: Ask = {}): Promise<Response> =>
    Promise.resolve(worker.fetch(request(path, { method: "POST", token, ...ask }), env as never, context));
}

interface Sent {
  url: string;
  body: string;
  signal: AbortSignal | null;
}

/** Answers the requests to models. */
function serve(answer: (sent: Sent) => Response | Promise<Response>): Sent[] {
  const sent: Sent[] = [];
  vi.stubGlobal("fetch", async (input: RequestInfo | URL, init?: RequestInit) => {
    const url = input instanceof Request ? input.url : String(input);
    const one = { url, body: typeof init?.body === "string" ? init.body : "", signal: init?.signal ?? null };
    sent.push(one);
    return answer(one);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return sent;
}

function streamed(delta: object, reason = "stop"): Response {
  const chunks = [
    { choices: [{ index: 0, delta }] },
    { choices: [{ index: 0, delta: {}, finish_reason: reason }] },
    { choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } },
  ];
  const lines = chunks.map(
    (chunk) => `data: ${JSON.stringify({ id: "a", object: "chat.completion.chunk", ...chunk })}\n\n`,
  );
  return new Response(`${lines.join("")}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
}

const call = { index: 0, id: "c1", type: "function", function: { name: "get_weather", arguments: '{"city":"Paris"}' } };

function good({ body }: Sent): Response {
  if (body.includes('"tools"')) return streamed({ tool_calls: [call] }, "tool_calls");
  return streamed({ content: body.includes("image_url") ? "Red." : "OK" });
}

const path = "/api/models/fast/test";

async function testedBy(response: Response) {
  const text = await response.text();
  expect(text).not.toContain(key);
  return modelTestSchema.strict().parse(JSON.parse(text));
}

async function refusedBy(response: Response) {
  const { error } = await response.json<ErrorBody>();
  return { status: response.status, code: error.code, message: error.message };
}

it("TRIAL2 The route of trials sends a text, a tool and a picture, answers what worked, how fast and what it cost, and uses no storage", async () => {
  const sent = serve(good);
  const trial = { ok: true, fix: null, tokens: { input: 100, output: 10 }, cost: 0.00012 };
  const tested = await testedBy(await workerWith({ inputPrice: 1, outputPrice: 2 })(path));
  expect(tested).toMatchObject({
    name: "fast",
    provider: "openai-compatible",
    model: "m-1",
    trials: [
      { kind: "text", detail: "It answered.", ...trial },
      { kind: "tool", detail: "It called the tool.", ...trial },
      { kind: "picture", detail: "It saw the picture.", ...trial },
    ],
  });
  expect(sent.map(({ url }) => url)).toEqual(Array(3).fill("https://llm.example/v1/chat/completions"));
});

it("TRIAL2 A request names the trials to make, and what the definition excludes is not tried", async () => {
  const sent = serve(good);
  const kindsOf = async (fields: Changes, kinds?: string[]) => {
    const response = await workerWith(fields)(path, kinds === undefined ? {} : { json: { kinds } });
    return (await testedBy(response)).trials.map(({ kind }) => kind);
  };
  expect(await kindsOf({}, ["picture", "text"])).toEqual(["text", "picture"]);
  expect(await kindsOf({}, ["tool", "tool"])).toEqual(["tool"]);
  expect(sent).toHaveLength(3);
  expect(await kindsOf({ capabilities: { functionCalling: false, vision: false } })).toEqual(["text"]);
  expect(await kindsOf({ capabilities: { vision: false } }, ["picture"])).toEqual([]);
  expect(sent).toHaveLength(4);
});

it("TRIAL2 A trial that fails has the provider's reason without the key, and its fix names the file; nothing else is sent", async () => {
  const sent = serve(() => {
    const message = `The key ${key} is invalid, and so is sk-abcdefghijk.`;
    return Response.json({ error: { message } }, { status: 401 });
  });
  const { trials } = await testedBy(await workerWith()(path));
  expect(trials).toMatchObject([{ kind: "text", ok: false, tokens: null, cost: null }]);
  expect(trials[0]?.detail).toContain("The key [redacted] is invalid, and so is [redacted]");
  expect(trials[0]?.fix).toBe("put a valid key into .dev.vars, and into the secrets of the Worker");
  expect(sent).toHaveLength(1);
  serve(() => Response.json({ error: { message: "no such model" } }, { status: 404 }));
  const { trials: unknown } = await testedBy(await workerWith()(path));
  expect(unknown[0]?.fix).toContain("check model in agents/models/fast.ts");
});

it("TRIAL2 A key that a model repeats is removed from the answer", async () => {
  serve(({ body }) => streamed({ content: body.includes('"tools"') ? `It is ${key}!` : "OK" }));
  const { trials } = await testedBy(await workerWith({ capabilities: { vision: false } })(path));
  expect(trials[1]?.detail).toBe('It called no tool and answered "It is [redacted]!".');
  // Where the answer is cut, a part of the key would be no key that the redaction knows.
  serve(({ body }) => streamed({ content: body.includes('"tools"') ? `${"x".repeat(54)}${key}` : "OK" }));
  const { trials: cut } = await testedBy(await workerWith({ capabilities: { vision: false } })(path));
  expect(cut[1]?.detail).toBe(`It called no tool and answered "${"x".repeat(54)}[redac".`);
});

it("TRIAL2 The trials of a model of a binding are sent by the binding", async () => {
  const fields = {
    provider: "workers-ai",
    model: "@cf/case:text",
    keyVariable: undefined,
    baseUrl: undefined,
  } as const;
  const { trials } = await testedBy(await workerWith(fields)(path, { json: { kinds: ["text"] } }));
  expect(trials).toMatchObject([{ kind: "text", ok: true, detail: "It answered." }]);
});

it("TRIAL2 A real server receives the trials of a model", async () => {
  const id = crypto.randomUUID();
  const fields = { baseUrl: `${inject("modelServer")}/v1`, model: "case:text", headers: { "x-server-id": id } };
  const { trials } = await testedBy(await workerWith(fields)(path));
  expect(trials.map(({ kind, ok }) => [kind, ok])).toEqual([
    ["text", true],
    ["tool", false],
    ["picture", false],
  ]);
  const sent = await (await fetch(`${inject("modelServer")}/__requests?id=${id}`)).json<unknown[]>();
  expect(sent).toHaveLength(3);
});

const ofOwn: Changes = { provider: "mine" as "test", keyVariable: undefined, baseUrl: undefined };
const ownKey = "mine-key-0123456789";

/** A provider of the project that is a function over this server. */
function mine(stream: ProviderDefinition["stream"]): ProviderDefinition[] {
  return [{ name: "mine", variables: ["MINE_KEY"], stream } as ProviderDefinition];
}

it("TRIAL2 A model of a provider of the project is tried by the code of the provider, with its variables and its cost", async () => {
  const sent = serve(() => new Response("OK"));
  const own = mine(async function* ({ tools, messages }, { env, fetch: send }) {
    const response = await send("https://mine.example/ask", {
      method: "POST",
      headers: { authorization: String(env["MINE_KEY" as never]) },
      body: JSON.stringify(messages),
    });
    yield { type: "usage", input: 100, output: 10, cost: 0.25 };
    const text = await response.text();
    const isPicture = JSON.stringify(messages).includes('"image"');
    if (tools.length > 0) yield { type: "tool_call", id: "c1", name: "get_weather", arguments: { city: "Paris" } };
    else yield { type: "text", text: isPicture ? "Red." : text };
    yield { type: "finish", reason: tools.length > 0 ? "tool_calls" : "stop" };
  });
  const trial = { ok: true, fix: null, tokens: { input: 100, output: 10 }, cost: 0.25 };
  expect(await testedBy(await workerWith(ofOwn, { MINE_KEY: ownKey }, own)(path))).toMatchObject({
    name: "fast",
    provider: "mine",
    model: "m-1",
    trials: [
      { kind: "text", detail: "It answered.", ...trial },
      { kind: "tool", detail: "It called the tool.", ...trial },
      { kind: "picture", detail: "It saw the picture.", ...trial },
    ],
  });
  expect(sent.map(({ url }) => url)).toEqual(Array(3).fill("https://mine.example/ask"));
  const lacking = await refusedBy(await workerWith(ofOwn, {}, own)(path));
  expect(lacking).toMatchObject({ status: 409, message: expect.stringContaining("needs MINE_KEY, which is not set") });
  expect(sent).toHaveLength(3);
});

it.each<[string, Response | (() => never), string]>([
  [
    "an unreachable server",
    () => {
      throw new TypeError("Network connection lost.");
    },
    "check the address in agents/providers/mine.ts, and that the server runs",
  ],
  ["a refused key", new Response("no", { status: 401 }), "put a valid key into .dev.vars"],
  [
    "an unknown model",
    new Response("no", { status: 404 }),
    'check model in agents/models/fast.ts: does mine have "m-1"',
  ],
  ["an error of the code", new Response("no"), "check agents/providers/mine.ts by the text of the failure"],
])("TRIAL2 The fix of a trial of a project's provider names the file to change: %s", async (_what, answer, fix) => {
  serve(() => (typeof answer === "function" ? answer() : answer));
  const own = mine(async function* (_request, { env, fetch: send }) {
    const response = await send("https://mine.example/ask");
    yield { type: "text", text: "Hm." };
    throw new Error(`${await response.text()} to ${String(env["MINE_KEY" as never])}`);
  });
  const response = await workerWith(ofOwn, { MINE_KEY: ownKey }, own)(path);
  const text = await response.clone().text();
  expect(text).not.toContain(ownKey);
  const { trials } = await testedBy(response);
  expect(trials).toMatchObject([{ kind: "text", ok: false, fix: expect.stringContaining(fix) }]);
});

it("READY1 The list of models names the provider of the project and all variables that it lacks", async () => {
  const own = mine(async function* () {
    yield { type: "finish", reason: "stop" };
  });
  const listed = async (variables: Record<string, unknown>) => {
    const response = await workerWith(ofOwn, variables, own)("/api/models/fast", { method: "GET" });
    return response.json<object>();
  };
  expect(await listed({})).toMatchObject({
    provider: "mine",
    ready: false,
    missing_names: ["MINE_KEY"],
  });
  expect(await listed({ MINE_KEY: ownKey })).toMatchObject({ provider: "mine", ready: true, missing_names: [] });
});

it("TRIAL3 Only an administrator may try a model, and each refused request sends nothing", async () => {
  const sent = serve(good);
  const refused = async (ask: Ask, at = path, of = workerWith()) => refusedBy(await of(at, ask));
  expect(await refused({ token: annaToken })).toMatchObject({ status: 403, code: "forbidden" });
  expect(await refused({ token: null })).toMatchObject({ status: 401, code: "unauthorized" });
  expect(await refused({ headers: { origin: "https://evil.example" } })).toMatchObject({ status: 403 });
  expect(await refused({}, "/api/models/fats/test")).toEqual({
    status: 404,
    code: "model_not_found",
    message: 'There is no model "fats". Did you mean "fast"?',
  });
  for (const name of ["__proto__", "constructor"])
    expect(await refused({}, `/api/models/${name}/test`)).toMatchObject({ status: 404, code: "model_not_found" });
  for (const json of [{ kinds: [] }, { kinds: ["speech"] }, { kinds: "text" }, { model: "other" }, [], null])
    expect(await refused({ json })).toMatchObject({ status: 400, code: "invalid_request" });
  expect(await refused({ json: { kinds: ["text"], padding: "x".repeat(300 * 1024) } })).toMatchObject({ status: 413 });
  expect(sent).toEqual([]);
});

it("TRIAL3 A model that lacks variables is refused with all names, and so is a scripted one", async () => {
  const sent = serve(good);
  const gateway = { id: "g", tokenVariable: "GATEWAY_TOKEN" };
  const fields = { provider: "anthropic", baseUrl: undefined, gateway } as const;
  const lacking = await refusedBy(await workerWith(fields, { TEAM_KEY: "", AI: undefined })(path));
  expect(lacking).toMatchObject({ status: 409, code: "conflict" });
  expect(lacking.message).toContain(
    'Model "fast" needs TEAM_KEY, GATEWAY_TOKEN and CLOUDFLARE_ACCOUNT_ID, which are not set.',
  );
  const script: Changes = { provider: "test", keyVariable: undefined, baseUrl: undefined, script: [] };
  expect((await refusedBy(await workerWith(script)(path))).message).toContain("answers from its script");
  expect(sent).toEqual([]);
});

it("TRIAL3 The request to a model ends when the client leaves, and no further one is sent", async () => {
  const [arrived, aborted] = [crossing<void>(), crossing<void>()];
  const sent = serve(({ signal }) => {
    signal?.addEventListener("abort", () => aborted.resolve());
    arrived.resolve();
    return new Promise(() => undefined);
  });
  const client = new AbortController();
  const response = workerWith()(path, { signal: client.signal });
  await arrived.promise;
  client.abort();
  await aborted.promise;
  expect((await testedBy(await response)).trials).toMatchObject([{ kind: "text", ok: false }]);
  expect(sent).toHaveLength(1);
});
