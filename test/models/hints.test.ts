// The failure of a request that a wrong setting causes: the provider's text, the file of the model's definition, and what to change.

import { expect, it } from "vitest";

import { createModelPort } from "#models/create-model-port.ts";
import { generalHint } from "#models/hint/general-hint.ts";
import { loadModelPort } from "#models/load-model-port.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { collect, keys, model, request } from "./ask-model.ts";
import { cloudRefusals } from "./cloud-refusals.ts";
import type { HintCase } from "./hint-case.ts";
import { otherRefusals } from "./other-refusals.ts";

/** A private key in the form of a service account. */
async function serviceAccount(): Promise<Record<string, string>> {
  const algorithm = {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: "SHA-256",
  };
  const { privateKey } = (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair;
  const bytes = new Uint8Array((await crypto.subtle.exportKey("pkcs8", privateKey)) as ArrayBuffer);
  const text = btoa(String.fromCharCode(...bytes));
  const key = `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----`;
  return { GOOGLE_CLIENT_EMAIL: "agent@team-project.iam.gserviceaccount.com", GOOGLE_PRIVATE_KEY: key };
}

const rows = [...cloudRefusals(await serviceAccount()), ...otherRefusals];
const file = "agents/models/the model.ts";

/** The failure of a request that the provider refuses in the way of a case. */
async function failureOf({ definition, env, host, status, headers, body }: HintCase) {
  const refuse = (): Promise<Response> => {
    if (status === null) return Promise.reject(new TypeError("Network connection lost."));
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const type = { "content-type": typeof body === "string" ? "text/plain" : "application/json" };
    return Promise.resolve(new Response(text, { status, headers: { ...type, ...headers } }));
  };
  const port = loadModelPort({
    env,
    fetch: (input) => {
      const url = new URL(input instanceof Request ? input.url : input);
      return host === undefined || url.host === host ? refuse() : Promise.reject(new Error("nothing may be sent"));
    },
    fileOf: (name) => `agents/models/${name}.ts`,
  });
  const given = { name: "the model", ...definition } as AnyModelDefinition;
  const parts = await collect(port.stream(request(given), new AbortController().signal));
  const end = parts.at(-1);
  return end?.type === "error" ? end.failure.message : JSON.stringify(end);
}

it("The cases are of at least forty refusals, each another one", () => {
  expect(new Set(rows.map((row) => JSON.stringify([row.of, row.status, row.text]))).size).toBe(rows.length);
  expect(rows.length).toBeGreaterThanOrEqual(40);
});

it.for(rows.map((row) => [row.of, row.status, row.text.slice(0, 60), row] as const))(
  "HINT1 HINT2 A failure of %s with the status %s and the text %s names the definition's file and what to change",
  async ([, , , row]) => {
    const message = await failureOf(row);
    expect(message).toContain(row.text);
    expect(message).toContain(`(model "${row.definition.model}" of ${file})`);
    for (const name of row.names) expect(message).toContain(name);
    for (const [name, value] of Object.entries(row.env))
      if (/KEY$|SECRET$|TOKEN$/.test(name) && value.length > 4) expect(message).not.toContain(value);
  },
);

it("HINT2 No address is named in a failure of a provider at its own address", async () => {
  const definition = { provider: "openai", model: "gpt-9" } as const;
  const base = { of: "OpenAI", definition, env: { OPENAI_API_KEY: "sk-1" }, text: "", names: [] };
  for (const [status, body] of [
    [404, { error: { message: "Not Found" } }],
    [null, null],
  ] as const)
    expect(await failureOf({ ...base, status, body })).not.toContain("The address");
});

it("HINT2 A request that cannot be converted names no address, because nothing was sent", async () => {
  const env = { OPENAI_API_KEY: "sk-1", OPENAI_BASE_URL: "https://proxy.example/v2" };
  const port = loadModelPort({ env, fetch: () => Promise.reject(new Error("nothing may be sent")) });
  const given = request(model("openai", "gpt-9"), { reasoning: { effort: 0.5 } as never });
  const parts = await collect(port.stream(given, new AbortController().signal));
  expect(JSON.stringify(parts.at(-1))).toContain("cannot be converted");
  expect(JSON.stringify(parts.at(-1))).not.toContain("The address");
});

it("HINT2 A failure of a model that is called through a gateway names the gateway and the variable of its account", async () => {
  const definition = { provider: "openai", model: "gpt-9", gateway: { id: "none" } } as const;
  const env = { OPENAI_API_KEY: "sk-1", CLOUDFLARE_ACCOUNT_ID: "acc" };
  const body = {
    success: false,
    error: [{ code: 2001, message: "Please configure AI Gateway in the Cloudflare dashboard" }],
  };
  const message = await failureOf({ of: "", definition, env, status: 404, body, text: "", names: [] });
  expect(message).toContain("Please configure AI Gateway");
  expect(message).toContain("The address is created from gateway in the definition and from CLOUDFLARE_ACCOUNT_ID.");
});

it.for(["cut", "refused", "reported"] as const)(
  "HINT1 An answer that is %s names the definition's file",
  async (how) => {
    const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
    const begun = event({
      type: "message_start",
      message: { id: "m", model: "m", content: [], usage: { input_tokens: 1 } },
    });
    const text = {
      cut: begun,
      refused: event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
      reported: begun + event({ type: "error", error: { type: "api_error", message: "Internal" } }),
    }[how];
    const port = createModelPort({
      env: keys,
      fetch: () => Promise.resolve(new Response(text, { headers: { "content-type": "text/event-stream" } })),
      fileOf: (name) => `agents/models/${name}.ts`,
      generalHint,
    });
    const parts = await collect(port.stream(request(model("anthropic", "m")), new AbortController().signal));
    const named = expect.stringContaining('(model "m" of agents/models/anthropic model.ts)') as string;
    expect(parts.at(-1)).toMatchObject({ type: "error", failure: { message: named } });
  },
);

it("HINT1 An abort names no file", async () => {
  const abort = new AbortController();
  abort.abort();
  const port = loadModelPort({ env: keys, fetch, fileOf: () => "agents/models/m.ts" });
  const parts = await collect(port.stream(request(model("anthropic", "m")), abort.signal));
  expect(parts).toMatchObject([{ failure: { kind: "aborted", message: "The model call was aborted." } }]);
});
