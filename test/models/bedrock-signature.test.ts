// The signature of requests to AWS: the values of AWS's own test suite for Signature Version 4, and requests that a server verifies.

import { describe, expect, inject, it } from "vitest";

import { signedHeaders } from "#models/bedrock/aws-signature.ts";
import { readiness } from "#models/readiness.ts";

import { credentials } from "../support/model-server/event-frames.mjs";
import { collect, model, readAnswer, request, serverPort } from "./ask-model.ts";

// https://docs.aws.amazon.com/general/latest/gr/signature-v4-test-suite.html
const suite = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
};
const scope = { region: "us-east-1", service: "service", now: Date.UTC(2015, 7, 30, 12, 36) };
const plain = { method: "GET", host: "example.amazonaws.com", path: "/", headers: {}, body: "" };
const form = { "content-type": "application/x-www-form-urlencoded" };

describe("the test suite of AWS", () => {
  it.for([
    ["get-vanilla", {}, "host;x-amz-date", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
    [
      "post-vanilla",
      { method: "POST" },
      "host;x-amz-date",
      "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
    ],
    [
      "get-vanilla-query-order-key-case",
      {
        query: [
          ["Param2", "value2"],
          ["Param1", "value1"],
        ] as [string, string][],
      },
      "host;x-amz-date",
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ],
    ["get-utf8", { path: "/ሴ" }, "host;x-amz-date", "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"],
    [
      "get-space",
      { path: "/example space/" },
      "host;x-amz-date",
      "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741",
    ],
    [
      "post-x-www-form-urlencoded",
      { method: "POST", headers: form, body: "Param1=value1" },
      "content-type;host;x-amz-date",
      "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    ],
  ] as const)("BEDROCK1 The request %s has the signature of AWS's test suite", async ([, more, names, signature]) => {
    const { authorization, ...headers } = await signedHeaders({ ...plain, ...more }, suite, scope);
    expect(headers["x-amz-date"]).toBe("20150830T123600Z");
    const credential = "AKIDEXAMPLE/20150830/us-east-1/service/aws4_request";
    expect(authorization).toBe(
      `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
    );
  });
});

/** The answer to a request with these variables, over HTTP to a server that verifies signatures. */
async function ask(env: Record<string, unknown>, name = "case:text", sent: Headers[] = []) {
  const url = inject("modelServer");
  const port = serverPort({
    env: { AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url, AWS_REGION: "eu-central-1", ...env },
    fetch: (input, init) => (sent.push(new Headers(init?.headers)), fetch(input, init)),
  });
  const parts = await collect(port.stream(request(model("bedrock", name)), new AbortController().signal));
  return { ...readAnswer(parts), shown: JSON.stringify(parts) };
}

describe("requests with the credentials of AWS", () => {
  it("BEDROCK1 A request is signed so that a server which verifies signatures answers it", async () => {
    const { text, end } = await ask(credentials);
    expect([text, end.type]).toEqual(["Hello there, how can I help?", "finish"]);
  });

  it.for([
    ["text(1)!*'", "eu-central-1"],
    ["arn:aws:bedrock:eu-west-1:1:inference-profile/eu.a.b-v1:0", "eu-west-1"],
  ] as const)("BEDROCK1 A request for the model %s is signed for the region %s", async ([name, region]) => {
    const sent: Headers[] = [];
    // The server verifies the signature before it looks for the model, which it does not have.
    const { end } = await ask(credentials, name, sent);
    expect(end).toMatchObject({ type: "error", failure: { status: 404 } });
    expect(sent[0]?.get("authorization")).toContain(`/${region}/bedrock/aws4_request`);
  });

  it("BEDROCK1 A bearer token takes precedence over the credentials", async () => {
    const sent: Headers[] = [];
    await ask({ ...credentials, AWS_BEARER_TOKEN_BEDROCK: "bedrock-secret-0005" }, "case:text", sent);
    expect(sent[0]?.get("authorization")).toBe("Bearer bedrock-secret-0005");
    expect(sent[0]?.has("x-amz-security-token")).toBe(false);
  });

  it.for([
    ["AWS_SECRET_ACCESS_KEY", "another-secret", "Check AWS_SECRET_ACCESS_KEY"],
    ["AWS_ACCESS_KEY_ID", "AKIDANOTHER", "Check AWS_ACCESS_KEY_ID"],
    ["AWS_SESSION_TOKEN", "another-token", "Check AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN"],
  ] as const)("BEDROCK4 A refusal because of a wrong %s states what to check", async ([variable, value, hint]) => {
    const { end, shown } = await ask({ ...credentials, [variable]: value });
    expect(end).toMatchObject({ type: "error", failure: { kind: "auth", status: 403, retryable: false } });
    expect(shown).toContain(hint);
    // The region is a setting, and no key.
    expect(shown).toContain("The key is read from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN.");
  });

  it("BEDROCK1 The session token, the secret and the signature are removed from errors", async () => {
    const port = serverPort({
      env: { AWS_REGION: "us-east-1", ...credentials },
      fetch: (_input, init) => {
        const message = `Bad: ${JSON.stringify([...new Headers(init?.headers)])} ${credentials.AWS_SECRET_ACCESS_KEY}`;
        return Promise.resolve(Response.json({ message }, { status: 400 }));
      },
    });
    const parts = await collect(port.stream(request(model("bedrock", "m")), new AbortController().signal));
    const shown = JSON.stringify(parts);
    expect(shown).toContain("Bad: ");
    for (const secret of Object.values(credentials)) expect(shown).not.toContain(secret);
    expect(shown).not.toMatch(/Signature=[0-9a-f]/);
  });
});

describe("the variables of a model of Bedrock", () => {
  const definition = model("bedrock", "us.amazon.nova-lite-v1:0");
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = credentials;

  it.for([
    ["no variable", {}, "AWS_BEARER_TOKEN_BEDROCK"],
    ["a part of the credentials", { AWS_ACCESS_KEY_ID }, "AWS_SECRET_ACCESS_KEY"],
    ["the other part", { AWS_SECRET_ACCESS_KEY, AWS_REGION: "us-east-1" }, "AWS_ACCESS_KEY_ID"],
    ["no region", { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }, "AWS_REGION"],
    ["a token without a region", { AWS_BEARER_TOKEN_BEDROCK: "t" }, "AWS_REGION"],
    ["a token and a region", { AWS_BEARER_TOKEN_BEDROCK: "t", AWS_DEFAULT_REGION: "us-east-1" }, null],
    ["credentials and a region", { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION: "us-east-1" }, null],
  ] as const)("BEDROCK1 With %s, the model is ready or the missing variable is named", ([, env, missing]) => {
    expect(readiness(definition, env)).toEqual({ ready: missing === null, missing });
  });

  it("BEDROCK2 The region of an ARN and the address of a definition need no AWS_REGION", () => {
    const env = { AWS_BEARER_TOKEN_BEDROCK: "t" };
    const arn = "arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/abc";
    expect(readiness(model("bedrock", arn), env).ready).toBe(true);
    const baseUrl = "https://bedrock-runtime.eu-west-1.amazonaws.com";
    expect(readiness(model("bedrock", "m", { baseUrl }), env).ready).toBe(true);
  });
});

describe("the address of a request", () => {
  it.for([
    [
      "us.amazon.nova-lite-v1:0",
      "us-east-1",
      "https://bedrock-runtime.us-east-1.amazonaws.com/model/us.amazon.nova-lite-v1%3A0/converse-stream",
    ],
    ["m", "cn-north-1", "https://bedrock-runtime.cn-north-1.amazonaws.com.cn/model/m/converse-stream"],
    [
      "arn:aws:bedrock:eu-west-1:1:inference-profile/eu.x",
      "us-east-1",
      "https://bedrock-runtime.eu-west-1.amazonaws.com/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A1%3Ainference-profile%2Feu.x/converse-stream",
    ],
  ] as const)("BEDROCK2 The model %s in the region %s is requested at %s", async ([name, region, address]) => {
    const sent: string[] = [];
    const port = serverPort({
      env: { AWS_BEARER_TOKEN_BEDROCK: "token", AWS_REGION: region },
      fetch: (input) => {
        sent.push(input instanceof Request ? input.url : String(input));
        return Promise.resolve(Response.json({ message: "no" }, { status: 400 }));
      },
    });
    await collect(port.stream(request(model("bedrock", name)), new AbortController().signal));
    expect(sent).toEqual([address]);
  });

  it("BEDROCK2 A model whose id would change the path of the address is refused", () => {
    expect(readiness(model("bedrock", ".."), { AWS_BEARER_TOKEN_BEDROCK: "t", AWS_REGION: "x" }).ready).toBe(false);
  });
});
