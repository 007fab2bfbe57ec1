// The access tokens of a service account: its private key signs an assertion, for which Google's endpoint creates a token.

import { beforeAll, describe, expect, inject, it } from "vitest";

import { createModelPort } from "#models/create-model-port.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { collect, model, readAnswer, request } from "./ask-model.ts";
import { callCloud, expireToken, tokenEndpoint, type SentRequest } from "./cloud-requests.ts";

// No other file has this location, because tokens are kept by location.
const place = { GOOGLE_VERTEX_PROJECT: "team-1", GOOGLE_VERTEX_LOCATION: "europe-west4" };

/** The service account that the model server knows. */
let account = { client_email: "", private_key: "" };
let signing: Record<string, string> = {};
beforeAll(async () => {
  account = await (await fetch(`${inject("modelServer")}/__service-account`)).json();
  signing = { ...place, GOOGLE_CLIENT_EMAIL: account.client_email, GOOGLE_PRIVATE_KEY: account.private_key };
});

const call = (definition: Partial<AnyModelDefinition>, env: Record<string, unknown>) =>
  callCloud(model("vertex", "case:text", definition), env);

/** A private key that no account has. */
const createKey = async (): Promise<string> => {
  const algorithm = {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: "SHA-256",
  };
  const { privateKey } = (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair;
  const bytes = new Uint8Array((await crypto.subtle.exportKey("pkcs8", privateKey)) as ArrayBuffer);
  return `-----BEGIN PRIVATE KEY-----\n${btoa(String.fromCharCode(...bytes))}\n-----END PRIVATE KEY-----`;
};
const secret = await createKey();

describe("access tokens", () => {
  it("CLOUD2 A service account signs for a token, which is kept and replaced once after a 401", async () => {
    const hosts = (sent: readonly SentRequest[]) => sent.map(({ url }) => new URL(url).host);
    const [tokens, api] = ["oauth2.googleapis.com", "europe-west4-aiplatform.googleapis.com"];
    const first = await call({}, signing);
    expect(hosts(first.sent)).toEqual([tokens, api]);
    expect(first.sent[1]?.headers.get("authorization")).toMatch(/^Bearer ya29\./);
    expect(readAnswer(first.parts)).toMatchObject({
      text: "Hello there, how can I help?",
      end: { stop_reason: "stop" },
    });
    expect(hosts((await call({ model: "claude-case:text" }, signing)).sent)).toEqual([api]);
    await expireToken(first.sent[1] as SentRequest);
    const renewed = await call({}, signing);
    expect(hosts(renewed.sent)).toEqual([api, tokens, api]);
    expect(readAnswer(renewed.parts).end.type).toBe("finish");
  });

  it.for<[string, (file: typeof account) => Record<string, string>]>([
    [
      "with escaped line breaks",
      (file) => ({
        GOOGLE_CLIENT_EMAIL: file.client_email,
        GOOGLE_PRIVATE_KEY: file.private_key.replaceAll("\n", "\\n"),
      }),
    ],
    [
      "in quotes",
      (file) => ({ GOOGLE_CLIENT_EMAIL: file.client_email, GOOGLE_PRIVATE_KEY: JSON.stringify(file.private_key) }),
    ],
    [
      "on one line",
      (file) => ({
        GOOGLE_CLIENT_EMAIL: file.client_email,
        GOOGLE_PRIVATE_KEY: file.private_key.replaceAll("\n", " "),
      }),
    ],
    [
      "in the whole JSON file",
      (file) => ({
        GOOGLE_APPLICATION_CREDENTIALS_JSON: JSON.stringify({
          type: "service_account",
          token_uri: "https://oauth2.googleapis.com/token",
          private_key_id: "key-1",
          ...file,
        }),
      }),
    ],
  ])("A private key %s is read", async ([, variables]) => {
    const { sent, parts } = await call({}, { ...place, ...variables(account) });
    expect(sent).toHaveLength(2);
    expect(readAnswer(parts).text).toBe("Hello there, how can I help?");
  });

  it.for<[string, Record<string, string>, string]>([
    ["is no PEM", { GOOGLE_PRIVATE_KEY: "secret-but-no-key" }, "GOOGLE_PRIVATE_KEY is no private key"],
    [
      "is in PKCS #1",
      { GOOGLE_PRIVATE_KEY: "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----" },
      "GOOGLE_PRIVATE_KEY has a RSA PRIVATE KEY",
    ],
    [
      "has other bytes",
      { GOOGLE_PRIVATE_KEY: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----" },
      "GOOGLE_PRIVATE_KEY has a private key that cannot be read",
    ],
    [
      "has no base64",
      { GOOGLE_PRIVATE_KEY: "-----BEGIN PRIVATE KEY-----\nA=A=A\n-----END PRIVATE KEY-----" },
      "GOOGLE_PRIVATE_KEY is no private key",
    ],
    [
      "is a path in place of JSON",
      { GOOGLE_APPLICATION_CREDENTIALS_JSON: "/key.json" },
      "is not the JSON of a service account's key",
    ],
    [
      "is that of a user",
      { GOOGLE_APPLICATION_CREDENTIALS_JSON: '{"type":"authorized_user","refresh_token":"secret-but-no-key"}' },
      'has credentials of the type "authorized_user"',
    ],
    [
      "names another token endpoint",
      {
        GOOGLE_APPLICATION_CREDENTIALS_JSON:
          '{"token_uri":"https://evil.example/token","client_email":"a","private_key":"secret-but-no-key"}',
      },
      "has another token_uri",
    ],
    [
      "lacks the key",
      { GOOGLE_APPLICATION_CREDENTIALS_JSON: '{"client_email":"a"}' },
      "has no client_email or no private_key",
    ],
  ])(
    "CLOUD2 No request is sent with a credential that %s, and the error names the variable",
    async ([, variables, text]) => {
      const { sent, parts } = await call(
        {},
        { ...place, GOOGLE_CLIENT_EMAIL: "a@b", GOOGLE_PRIVATE_KEY: "x", ...variables },
      );
      expect(sent).toEqual([]);
      expect(parts).toMatchObject([{ type: "error", failure: { kind: "not_configured", retryable: false } }]);
      expect(JSON.stringify(parts).replaceAll("\\", "")).toContain(text);
      expect(JSON.stringify(parts)).not.toContain("secret-but-no-key");
    },
  );

  it("CLOUD2 The error for a clock that is wrong by an hour has Google's text and the names of the variables", async () => {
    const sent: string[] = [];
    const port = createModelPort({
      env: { ...signing, GOOGLE_VERTEX_LOCATION: "asia-east1" },
      fetch: (input, init) => {
        sent.push(new URL(input instanceof Request ? input.url : input).host);
        return fetch(`${inject("modelServer")}/token`, init);
      },
      now: () => Date.now() + 3_600_000,
    });
    const parts = await collect(port.stream(request(model("vertex", "m")), new AbortController().signal));
    expect(sent).toEqual(["oauth2.googleapis.com"]);
    expect(parts).toMatchObject([{ type: "error", failure: { kind: "auth", retryable: false } }]);
    const text = JSON.stringify(parts);
    for (const part of ["invalid_grant: Invalid JWT: Token must be", "GOOGLE_CLIENT_EMAIL, GOOGLE_PRIVATE_KEY"])
      expect(text).toContain(part);
  });

  tokenEndpoint({
    host: "oauth2.googleapis.com",
    names: "GOOGLE_CLIENT_EMAIL, GOOGLE_PRIVATE_KEY",
    secret,
    definition: model("vertex", "gemini-2.5-flash"),
    envOf: (title) => ({
      ...place,
      GOOGLE_CLIENT_EMAIL: `${title.replaceAll(/\W/g, "-")}@b`,
      GOOGLE_PRIVATE_KEY: secret,
    }),
    text: "invalid_grant: Invalid JWT Signature.",
    body: { error: "invalid_grant", error_description: "Invalid JWT Signature." },
  });
});
