// Requests to one model that one port sends at the same time.

import { expect, it } from "vitest";

import { collect, model, providers, request, serverPort } from "./ask-model.ts";

const signal = new AbortController().signal;

it.for(providers)(
  "Each concurrent request to one model of %s is sent with the fetch function that was given for it",
  async (provider) => {
    const definition = model(provider, "some-model");
    const sent: string[] = [];
    const { promise: bothSent, resolve } = Promise.withResolvers<void>();
    const fetchOf =
      (name: string): typeof fetch =>
      async (_input, init) => {
        const isOwn = typeof init?.body === "string" && init.body.includes(`"user_id":"${name}"`);
        sent.push(`${name} ${isOwn}`);
        if (sent.length === 2) resolve();
        await bothSent;
        return Response.json({ error: { message: `refused ${name}` } }, { status: 400 });
      };
    const names = ["first", "second"];
    const waiting = [...names];
    const port = serverPort({ accessTo: () => ({ fetch: fetchOf(waiting.shift() ?? "none") }) });
    const answers = await Promise.all(
      names.map((name) =>
        collect(port.stream(request(definition, { params: { metadata: { user_id: name } } }), signal)),
      ),
    );
    expect(sent.toSorted()).toEqual(["first true", "second true"]);
    for (const [at, name] of names.entries()) {
      expect(answers[at]).toMatchObject([{ type: "error", failure: { message: expect.stringContaining(name) } }]);
    }
  },
);

it.for(providers)(
  "Each request to one model of %s is sent with the API key that was given for it",
  async (provider) => {
    const definition = model(provider, "some-model");
    const sent: string[] = [];
    const record: typeof fetch = (_input, init) => {
      sent.push(JSON.stringify([...new Headers(init?.headers)]));
      return Promise.resolve(Response.json({ error: { message: "refused" } }, { status: 400 }));
    };
    const apiKeys = ["key-of-ada", "key-of-bob", "key-of-ada"];
    const waiting = [...apiKeys];
    const port = serverPort({ accessTo: () => ({ apiKey: waiting.shift() ?? "none", fetch: record }) });
    for (const _ of apiKeys) await collect(port.stream(request(definition), signal));
    expect(sent.map((headers) => apiKeys.find((key) => headers.includes(key)))).toEqual(apiKeys);
  },
);
