// Access tokens that an endpoint refuses to send, and tokens that a cloud refuses to accept.

import { expect, it } from "vitest";

import { collect, model, readAnswer, request } from "./ask-model.ts";
import { clientEnv, cloudPort } from "./cloud-requests.ts";

const resource = { AZURE_RESOURCE_NAME: "team" };

it("CLOUD2 The text of a token endpoint in an error is bounded, and a token that is refused twice is not kept", async () => {
  const long = Response.json({ error: "x".repeat(30_000) }, { status: 400 });
  const ofEndpoint = (reply: Response) => (url: URL) => (url.host === "login.microsoftonline.com" ? reply : null);
  const env = { ...clientEnv, ...resource, AZURE_TENANT_ID: "tenant-bounded" };
  const asked = request(model("azure", "case:text"));
  const { port } = cloudPort(env, ofEndpoint(long));
  const { end } = readAnswer(await collect(port.stream(asked, new AbortController().signal)));
  if (end.type !== "error") throw new Error("the request was answered");
  expect(end.failure.message.length).toBeLessThanOrEqual(500);
  const minted: string[] = [];
  const refusing = cloudPort({ ...env, AZURE_TENANT_ID: "tenant-refused" }, (url) => {
    if (url.host !== "login.microsoftonline.com") return new Response("{}", { status: 401 });
    minted.push(`minted-token-${String(minted.length)}`);
    return Response.json({ access_token: minted.at(-1), expires_in: 3600 });
  });
  for (const count of [2, 4]) {
    await collect(refusing.port.stream(asked, new AbortController().signal));
    expect(minted).toHaveLength(count);
  }
  expect(refusing.sent.map(({ headers }) => headers.get("authorization")).filter(Boolean)).toEqual(
    minted.map((token) => `Bearer ${token}`),
  );
});
