// Access tokens that an endpoint refuses to send, and tokens that a cloud refuses to accept.

import { expect, it } from "vitest";

import { collect, model, readAnswer, request } from "./ask-model.ts";
import { clientEnv, cloudPort } from "./cloud-requests.ts";

const resource = { AZURE_RESOURCE_NAME: "team" };

it("CLOUD2 The text of a token endpoint in an error is bounded, and a token that is refused twice is not kept", async () => {
  const long = Response.json({ error: "x".repeat(30_000) }, { status: 400 });
  const ofEndpoint = (reply: Response) => (url: URL) => (url.host === "login.microsoftonline.com" ? reply : null);
  const env = { ...clientEnv, ...resource, AZURE_TENANT_ID: "tenant-bounded" };
  const requested = request(model("azure", "case:text"));
  const { port } = cloudPort(env, ofEndpoint(long));
  const { end } = readAnswer(await collect(port.stream(requested, new AbortController().signal)));
  if (end.type !== "error") throw new Error("the request was answered");
  expect(end.failure.message.length).toBeLessThanOrEqual(500);
  const minted: string[] = [];
  const refusing = cloudPort({ ...env, AZURE_TENANT_ID: "tenant-refused" }, (url) => {
    if (url.host !== "login.microsoftonline.com") return new Response("{}", { status: 401 });
    minted.push(`minted-token-${String(minted.length)}`);
    return Response.json({ access_token: minted.at(-1), expires_in: 3600 });
  });
  for (const count of [2, 4]) {
    await collect(refusing.port.stream(requested, new AbortController().signal));
    expect(minted).toHaveLength(count);
  }
  expect(refusing.sent.map(({ headers }) => headers.get("authorization")).filter(Boolean)).toEqual(
    minted.map((token) => `Bearer ${token}`),
  );
});

it("CLOUD2 A token endpoint that repeats a secret where its text is cut, or in the encoding of a form, shows no part of it", async () => {
  const secret = clientEnv.AZURE_CLIENT_SECRET;
  const requested = request(model("azure", "case:text"));
  const encoded = new URLSearchParams({ s: secret }).toString().slice(2);
  expect(encoded).not.toBe(secret);
  const texts = Array.from({ length: 60 }, (_, at) => `${"x".repeat(250 + at * 4)}${secret}`);
  for (const [at, text] of [...texts, `client_secret=${encoded}`].entries()) {
    const env = { ...clientEnv, ...resource, AZURE_TENANT_ID: `tenant-repeats-${String(at)}` };
    for (const body of [text, JSON.stringify({ other: text })]) {
      const { port } = cloudPort(env, () => new Response(body, { status: 400 }));
      const { end } = readAnswer(await collect(port.stream(requested, new AbortController().signal)));
      expect(end.type).toBe("error");
      expect(JSON.stringify(end)).not.toMatch(new RegExp(`${secret.slice(0, 10)}|${encoded.slice(-6)}`));
    }
  }
});

it.for(["line\nbreak", "", "\u2026"])(
  "CLOUD2 A token that no header can have (%j) is no token, and its request is not sent",
  async (token, { expect: expectHere }) => {
    const env = { ...clientEnv, ...resource, AZURE_TENANT_ID: `tenant-${encodeURIComponent(token)}` };
    const { port, sent } = cloudPort(env, () => Response.json({ access_token: token, expires_in: 3600 }));
    const { end } = readAnswer(
      await collect(port.stream(request(model("azure", "case:text")), new AbortController().signal)),
    );
    expectHere(sent).toHaveLength(1);
    expectHere(end).toMatchObject({ type: "error", failure: { kind: "auth", retryable: false } });
    expectHere(JSON.stringify(end)).toContain("sent no access token for AZURE_TENANT_ID");
  },
);
