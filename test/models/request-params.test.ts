// What a single request changes: fields of the body (`params`), and the key and the fetch of its model.

import { describe, expect, inject, it } from "vitest";

import type { ModelPart } from "#core/ports/model-port.ts";

import { collect, keys, model, providers, request, serverEnv, serverPort, wireOf } from "./ask-model.ts";
import { overHttp } from "./http-request.ts";

const signal = new AbortController().signal;

describe.for(providers)("%s", (provider) => {
  it("PARAMS1 A field of the request's params is merged into the body that the provider receives", async () => {
    // Bedrock refuses fields that it does not know.
    const [metadata, config] =
      provider === "bedrock" ? ["requestMetadata", "inferenceConfig"] : ["metadata", "generationConfig"];
    const params = { [metadata]: { user_id: "u-1" }, [config]: { topK: 7 } };
    const { body } = await overHttp(provider, { params, maxTokens: 99 });
    expect(body[metadata]).toEqual({ user_id: "u-1" });
    expect(body[config]?.["topK"]).toBe(7);
    if (provider === "bedrock") expect(body[config]?.["maxTokens"]).toBe(99);
    if (wireOf(provider) === "google") expect(body["generationConfig"]?.["maxOutputTokens"]).toBe(99);
  });

  it.for(["model", "tools", "tool_choice", "toolChoice", "api_key", "headers"])(
    "PARAMS2 Params with the field %s are refused before anything is sent",
    async (field) => {
      const sent: unknown[] = [];
      const port = serverPort({ fetch: (input) => (sent.push(input), Promise.resolve(new Response())) });
      // Google's API has no field for the tool choice with this name; its own is below.
      const name = wireOf(provider) === "google" && /choice/i.test(field) ? "tool_config" : field;
      const requested = request(model(provider, "some-model"), { params: { [name]: "x" } });
      expect(await collect(port.stream(requested, signal))).toMatchObject([
        { type: "error", failure: { kind: "api", retryable: false, message: expect.stringContaining(`"${name}"`) } },
      ]);
      expect(sent).toEqual([]);
    },
  );
});

it.for([
  ["openai", { messages: [] }],
  ["openai", { stream: false }],
  ["openai", { n: 3 }],
  ["openai-responses", { input: "x" }],
  ["openai-responses", { text: { format: { type: "text" } } }],
  ["openrouter", { response_format: null }],
  ["anthropic", { system: "x" }],
  ["anthropic", { output_config: { format: null } }],
  ["bedrock", { messages: [] }],
  ["bedrock", { toolConfig: { tools: [] } }],
  ["bedrock", { additionalModelRequestFields: { output_config: { format: {} } } }],
  ["google", { contents: [] }],
  ["google", { systemInstruction: {} }],
  ["google", { generation_config: { responseSchema: {} } }],
] as const)(
  "PARAMS2 A request to %s with params for a field that only the runtime sets ends with an error: %o",
  async ([provider, params]) => {
    const requested = request(model(provider, "some-model"), { params: structuredClone(params) as never });
    const parts = await collect(serverPort().stream(requested, signal));
    expect(parts).toMatchObject([
      { type: "error", failure: { message: expect.stringContaining("only the runtime sets") } },
    ]);
  },
);

describe("the access to a model", () => {
  /** Asks two models of one port, of which only the second has an access of its own. */
  async function askBoth(
    apiKey: string,
    raw = true,
  ): Promise<{ authorization: (string | null)[]; parts: ModelPart[][] }> {
    const authorization: (string | null)[] = [];
    const recording =
      (label: string): typeof fetch =>
      (_input, init) => {
        authorization.push(`${label} ${new Headers(init?.headers).get("authorization")}`);
        return Promise.resolve(Response.json({ error: { message: `The key ${apiKey} is no good` } }, { status: 400 }));
      };
    const port = serverPort({
      env: serverEnv(inject("modelServer")),
      fetch: recording("port"),
      accessTo: ({ model: id }) =>
        id === "second" ? Promise.resolve({ apiKey, fetch: recording("second") }) : undefined,
    });
    const parts = [];
    for (const id of ["first", "second"])
      parts.push(await collect(port.stream({ ...request(model("openai", id)), raw }, signal)));
    return { authorization, parts };
  }

  it("ACCESS1 A model's own key and fetch are used for its requests alone", async () => {
    const { authorization } = await askBoth("own-key-of-the-second");
    expect(authorization).toEqual([`port Bearer ${keys.OPENAI_API_KEY}`, "second Bearer own-key-of-the-second"]);
  });

  it.each([true, false])(
    "ACCESS1 A model's own key is removed from errors, with raw chunks or without: %s",
    async (raw) => {
      const { parts } = await askBoth("own-key-of-the-second", raw);
      expect(JSON.stringify(parts[1])).toContain("is no good");
      expect(JSON.stringify(parts[1])).not.toContain("own-key-of-the-second");
    },
  );

  it("ACCESS1 A model's own key is removed from raw chunks", async () => {
    const apiKey = "own-key-of-the-model";
    const chunk = {
      id: "c",
      choices: [{ index: 0, delta: { content: `The key is ${apiKey}.` }, finish_reason: "stop" }],
    };
    const answer = () => Promise.resolve(new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`));
    const port = serverPort({ env: {}, fetch: answer as typeof fetch, accessTo: () => ({ apiKey }) });
    const parts = await collect(port.stream(request(model("openai", "m-1")), signal));
    const raw = parts.flatMap((part) => (part.type === "raw" ? part.chunk : [])).join("");
    expect(raw).toContain("The key is [redacted].");
  });

  it("ACCESS1 A model with its own key needs no key in the environment", async () => {
    const port = serverPort({ env: {}, accessTo: () => ({ apiKey: "own-key-0001" }) });
    const requested = request(model("openai", "case:text", { baseUrl: `${inject("modelServer")}/v1` }));
    expect((await collect(port.stream(requested, signal))).at(-1)).toMatchObject({
      type: "finish",
      stop_reason: "stop",
    });
  });
});
