// Redirects of a provider's address: neither its key nor the conversation is sent to another origin. The server is reached under two
// origins, `127.0.0.1` and `localhost`, and records every request.

import { describe, expect, inject, it } from "vitest";

import { collect, model, providers, readAnswer, request, serverPort, type Provider } from "./ask-model.ts";

const here = inject("modelServer");
const elsewhere = here.replace("127.0.0.1", "localhost");
const otherPort = here.replace(/:\d+$/, ":9");

async function redirected(provider: Provider, status: number, to: string) {
  const id = crypto.randomUUID();
  const headers = { "x-server-id": id, "x-server-redirect": `${status} ${to}` };
  const requested = request(model(provider, "case:text", { headers }));
  const parts = await collect(serverPort().stream(requested, new AbortController().signal));
  const paths = await (await fetch(`${here}/__requests?id=${id}`)).json<{ path: string }[]>();
  return { parts, requested: paths.map(({ path }) => path) };
}

describe.for(providers)("%s", (provider) => {
  it.for([301, 302, 303, 307, 308])(
    "SECRET1 A redirect of status %s to another origin is not followed, and the failure names it",
    async (status) => {
      const { parts, requested } = await redirected(provider, status, elsewhere);
      expect(requested).toHaveLength(1);
      const { end } = readAnswer(parts);
      expect(end).toMatchObject({ type: "error", failure: { retryable: false } });
      expect(JSON.stringify(end)).toContain(`redirects to ${elsewhere}, another origin`);
    },
  );

  it("SECRET1 A redirect to another port or another scheme counts as another origin", async () => {
    for (const to of [otherPort, here.replace("http:", "https:")]) {
      const { parts, requested } = await redirected(provider, 307, to);
      expect(requested).toHaveLength(1);
      expect(JSON.stringify(readAnswer(parts).end)).toContain(`redirects to ${to}, another origin`);
    }
  });

  it.for([307, 308])("SECRET1 A redirect of status %s within the origin is followed", async (status) => {
    const { parts, requested } = await redirected(provider, status, here);
    expect(requested).toHaveLength(2);
    expect(requested[1]).toBe(`/moved${requested[0]}`);
    expect(readAnswer(parts).text).toBe("Hello there, how can I help?");
  });

  it("SECRET1 A redirect of status 302, which would drop the request's body, is refused even within the origin", async () => {
    const { parts, requested } = await redirected(provider, 302, here);
    expect(requested).toHaveLength(1);
    expect(JSON.stringify(readAnswer(parts).end)).toContain("status 302");
  });
});

it("SECRET1 An endlessly redirected request fails after five redirects", async () => {
  let hops = 0;
  const port = serverPort({
    fetch: (_input, init) => {
      hops += 1;
      expect(init?.redirect).toBe("manual");
      return Promise.resolve(new Response(null, { status: 307, headers: { location: "/v1/messages" } }));
    },
  });
  const parts = await collect(port.stream(request(model("anthropic", "any")), new AbortController().signal));
  expect(JSON.stringify(parts)).toContain("redirects more than 5 times");
  expect(hops).toBe(6);
});
